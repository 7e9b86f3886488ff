package run

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tracetax/tracetax/internal/record"
)

// redacted stands where a secret stood.
const redacted = "[redacted]"

// redactFailure takes the plan's secrets out of what a failed run leaves.
func redactFailure(f *record.Failure, secrets []string) {
	r := replacer(secrets)
	f.Message = r.Replace(f.Message)
	for i, line := range f.Log {
		f.Log[i] = r.Replace(line)
	}
}

// redactLogs takes the plan's secrets out of the logs that a run leaves.
func redactLogs(paths []string, secrets []string) error {
	var errs []error
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("taking secrets out of a log: %w", err))
			continue
		}
		clean := []byte(replacer(secrets).Replace(string(text)))
		if bytes.Equal(clean, text) {
			continue
		}
		if err := os.WriteFile(path, clean, 0o644); err != nil {
			errs = append(errs, fmt.Errorf("taking secrets out of a log: %w", err))
		}
	}
	return errors.Join(errs...)
}

func replacer(secrets []string) *strings.Replacer {
	var pairs []string
	for _, secret := range secrets {
		if secret != "" {
			pairs = append(pairs, secret, redacted)
		}
	}
	return strings.NewReplacer(pairs...)
}
