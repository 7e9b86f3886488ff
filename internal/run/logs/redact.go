// Package logs owns what is read in the logs that the processes of a run leave, and what is struck out of them. It must
// not know processes, nor phases.
package logs

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

// RedactFailure takes the plan's secrets out of what a failed run leaves.
func RedactFailure(f *record.Failure, secrets []string) {
	r := Replacer(secrets)
	f.Message = r.Replace(f.Message)
	for i, line := range f.Log {
		f.Log[i] = r.Replace(line)
	}
}

// Redact takes the plan's secrets out of the logs that a run leaves.
func Redact(paths []string, secrets []string) error {
	var errs []error
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("taking secrets out of a log: %w", err))
			continue
		}
		clean := []byte(Replacer(secrets).Replace(string(text)))
		if bytes.Equal(clean, text) {
			continue
		}
		if err := os.WriteFile(path, clean, 0o644); err != nil {
			errs = append(errs, fmt.Errorf("taking secrets out of a log: %w", err))
		}
	}
	return errors.Join(errs...)
}

// Replacer strikes secrets out of a text.
func Replacer(secrets []string) *strings.Replacer {
	var pairs []string
	for _, secret := range secrets {
		if secret != "" {
			pairs = append(pairs, secret, redacted)
		}
	}
	return strings.NewReplacer(pairs...)
}
