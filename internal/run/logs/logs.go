// Package logs owns what is read in the logs that the processes of a run leave, and what is struck out of them. It must
// not know processes, nor phases.
package logs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/process/output"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
)

// Lines goes through the lines of a log.
type Lines func(ctx context.Context, each func(line string) error) error

// signs are the lines that programs and their tracers write when tracing fails, by cause: patterns of the tracers in the
// catalog and of the runtimes that load them.
var signs = []struct {
	cause   record.Cause
	pattern *output.Pattern
}{
	{record.TracerFailed, output.MustCompile(`ModuleNotFoundError: |ImportError: |Error: Cannot find module |ERR_MODULE_NOT_FOUND` +
		`|Failed to auto initialize |Configuration of \S+ failed|configuration failed|Instrumenting of \S+ failed|Importing of \S+ failed` +
		`|Error opening zip file or JAR manifest missing|agent library failed|OpenTelemetry Javaagent failed|Could not find agent library` +
		`|Exception in thread "main" java\.lang\.\S*(?:NoClassDefFoundError|ClassNotFoundException|UnsupportedClassVersionError)` +
		`|Failed to start (?:Elastic APM|agent)|ERROR .*(?:agent|tracer).* (?:not|failed to) (?:start|load|initiali[sz]e)`)},
	{record.ExportFailed, output.MustCompile(`(?i)failed to export|exporting failed\. |error .* while exporting|exception while exporting|exporter.* error:|OTLPExporterError` +
		`|traces export: |connection refused|ECONNREFUSED|StatusCode\.UNAVAILABLE|error (?:trying to connect|sending|communicating) .*(?:apm|collector|agent)`)},
}

// Signs counts the lines that show a cause. After one with a Python traceback, the exception at its end tells more, and is
// appended to it.
func Signs(ctx context.Context, lines Lines) ([]record.LogSign, error) {
	counted := make([]record.LogSign, len(signs))
	var patterns []*output.Pattern
	for _, s := range signs {
		patterns = append(patterns, s.pattern)
	}
	before, traced := -1, -1 // the sign of the line before, and that of the open traceback
	err := lines(ctx, func(line string) error {
		switch {
		case before >= 0 && strings.HasPrefix(line, "Traceback "):
			before, traced = -1, before
			return nil
		case traced >= 0 && strings.HasPrefix(line, " "):
			return nil
		case traced >= 0:
			counted[traced].Last += ": " + line
			before, traced = -1, -1
			return nil
		}
		before = -1
		if i := output.First(line, patterns...); i >= 0 {
			counted[i].Cause, counted[i].Last = signs[i].cause, withError(line)
			counted[i].Lines++
			before = i
		}
		return nil
	})
	return slices.DeleteFunc(counted, func(l record.LogSign) bool { return l.Lines == 0 }), err
}

// collectorError matches the error in a line of a Collector, after much about its origin.
var collectorError = regexp.MustCompile(`(?i)exporting failed\. .*"error": ?("(?:[^"\\]|\\.)*")`)

// withError returns a line of a Collector with its error first, so a cut message still has it. Other lines are unchanged.
func withError(line string) string {
	found := collectorError.FindStringSubmatch(line)
	if found == nil {
		return line
	}
	said, err := strconv.Unquote(found[1])
	if err != nil {
		return line
	}
	return "Exporting failed: " + said
}

// exporters match lines that only SDKs write, whoever enabled them, when no receiver takes their spans. Other programs may
// export and submit other things, or have a database that refuses a connection: a refused connection counts only at the port
// of a known receiver.
var exporters = []*output.Pattern{
	output.MustCompile(`(?i)failed to export (?:spans?\b|traces?\b|batch code|(?:metrics|logs) to |\w+Marshaler)|while exporting span|exporting span(?:s| batch)|OTLPExporterError` + // OpenTelemetry: Python, Java, Node
		`|traces export: |unable to export \d+ spans|OpenTelemetry: .*Export failure|BatchSpanProcessor\.\S*ExportError|OpenTelemetry trace error` + // Go, Ruby, PHP, Rust
		`|dropping \d+ traces to intake|failed to send traces to|lost \d+ traces: |sending \d+ \(size=.*\) traces to the DD agent` + // Datadog
		`|APM Server transport error|error sending data to APM server|failed to submit message: .*(?:APM Server|/intake/v2/)` + // Elastic
		`|spans were dropped due to|dropped \d+ spans due to|error sending spans|failed to flush Jaeger spans`), // Zipkin, Jaeger
	output.MustCompile(`(?i)(?:refused|ECONNREFUSED|failed to connect|unavailable).*(?::|port=)` + receivers + `\b`),
	output.MustCompile(`(?i)(?::|port=)` + receivers + `\b.*(?:refused|ECONNREFUSED|failed to connect|unavailable)`),
}

// receivers is a pattern of the ports of known receivers.
var receivers = func() string {
	var ports []string
	for port := range protocol.Receivers {
		ports = append(ports, strconv.Itoa(int(port)))
	}
	slices.Sort(ports)
	return "(?:" + strings.Join(ports, "|") + ")"
}()

// FailedExports counts the lines that report a failed export; nil if none does.
func FailedExports(ctx context.Context, lines Lines) (*record.LogSign, error) {
	sign := record.LogSign{Cause: record.ExportFailed}
	err := lines(ctx, func(line string) error {
		if output.First(line, exporters...) >= 0 {
			sign.Lines++
			sign.Last = line
		}
		return nil
	})
	if sign.Lines == 0 {
		return nil, err
	}
	return &sign, err
}

// Named returns the libraries named in a log, by pattern, each with its last line: the text of the pattern's group "name". A
// pattern may be nil; a map without names is nil.
func Named(ctx context.Context, lines Lines, patterns ...*output.Pattern) ([]map[string]string, error) {
	names := make([]map[string]string, len(patterns))
	err := lines(ctx, func(line string) error {
		for i, pattern := range patterns {
			if pattern == nil {
				continue
			}
			if found := pattern.Find(line); found != nil {
				if names[i] == nil {
					names[i] = map[string]string{}
				}
				names[i][found[pattern.SubexpIndex("name")]] = line
			}
		}
		return nil
	})
	return names, err
}

// redacted replaces a secret.
const redacted = "[redacted]"

// RedactFailure removes the plan's secrets from the failure of a run.
func RedactFailure(f *record.Failure, secrets []string) {
	r := Replacer(secrets)
	f.Message = r.Replace(f.Message)
	for i, line := range f.Log {
		f.Log[i] = r.Replace(line)
	}
}

// Redact removes the plan's secrets from the logs of a run.
func Redact(paths []string, secrets []string) error {
	var errs []error
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("taking secrets out of a log: %w", err))
			continue
		}
		if !slices.ContainsFunc(secrets, func(s string) bool { return s != "" && bytes.Contains(text, []byte(s)) }) {
			continue
		}
		if err := os.WriteFile(path, []byte(Replacer(secrets).Replace(string(text))), 0o644); err != nil {
			errs = append(errs, fmt.Errorf("taking secrets out of a log: %w", err))
		}
	}
	return errors.Join(errs...)
}

// Replacer removes secrets from a text.
func Replacer(secrets []string) *strings.Replacer {
	var pairs []string
	for _, secret := range secrets {
		if secret != "" {
			pairs = append(pairs, secret, redacted)
		}
	}
	return strings.NewReplacer(pairs...)
}
