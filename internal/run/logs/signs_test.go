package logs

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/record"
)

// The lines are those that the programs and tracers wrote when tried.
func TestSigns(t *testing.T) {
	failed := func(n uint64, last string) []record.LogSign {
		return []record.LogSign{{Cause: record.TracerFailed, Lines: n, Last: last}}
	}
	export := func(n uint64, last string) []record.LogSign {
		return []record.LogSign{{Cause: record.ExportFailed, Lines: n, Last: last}}
	}
	for name, c := range map[string]struct {
		log  string
		want []record.LogSign
	}{
		"nothing": {"Serving HTTP on 0.0.0.0 port 8000\n127.0.0.1 - - \"GET /error HTTP/1.1\" 200 -", []record.LogSign{}},
		"a traceback says more": {"Failed to auto initialize OpenTelemetry\nTraceback (most recent call last):\n  File \"x.py\", line 1\n    raise\nRuntimeError: no component nope\nServing",
			failed(1, "Failed to auto initialize OpenTelemetry: RuntimeError: no component nope")},
		"a module":         {"ModuleNotFoundError: No module named 'flask'", failed(1, "ModuleNotFoundError: No module named 'flask'")},
		"a module of Node": {"Error: Cannot find module '/x/agent.js'\nRequire stack:", failed(1, "Error: Cannot find module '/x/agent.js'")},
		"an agent of Java": {"Error opening zip file or JAR manifest missing : /x/agent.jar\nError occurred during initialization of VM", failed(1, "Error opening zip file or JAR manifest missing : /x/agent.jar")},
		"Python cannot send": {"Transient error StatusCode.UNAVAILABLE encountered while exporting traces to 127.0.0.1:1, retrying\nFailed to export traces to 127.0.0.1:1, error code: StatusCode.UNAVAILABLE",
			export(2, "Failed to export traces to 127.0.0.1:1, error code: StatusCode.UNAVAILABLE")},
		"Java cannot send": {"[otel.javaagent] ERROR io.opentelemetry.exporter - Failed to export spans. The request could not be executed.", export(1, "[otel.javaagent] ERROR io.opentelemetry.exporter - Failed to export spans. The request could not be executed.")},
		"Go cannot send":   {"traces export: context deadline exceeded", export(1, "traces export: context deadline exceeded")},
		"a Collector cannot send": {"2026-11-28T12:00:00.000Z\terror\tinternal/queue_sender.go:57\tExporting failed. Dropping data.\t{\"resource\": {\"service.name\": \"otelcol\"}, \"otelcol.component.id\": \"otlp_http/backend\", \"error\": \"not retryable error: Permanent error: responded with HTTP Status Code 415, Message=content-encoding is \\\"br\\\"\", \"dropped_items\": 3}",
			export(1, `Exporting failed: not retryable error: Permanent error: responded with HTTP Status Code 415, Message=content-encoding is "br"`)},
		"both": {"ImportError: x\nconnect ECONNREFUSED 127.0.0.1:1", append(failed(1, "ImportError: x"), export(1, "connect ECONNREFUSED 127.0.0.1:1")...)},
	} {
		got, err := Signs(t.Context(), func(_ context.Context, do func(string) error) error {
			for line := range strings.SplitSeq(c.log, "\n") {
				if err := do(line); err != nil {
					return err
				}
			}
			return nil
		})
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// Lines as SDKs write them when nobody takes their spans; and those of programs whose database does not.
func TestFailedExports(t *testing.T) {
	for line, want := range map[string]bool{
		"Failed to export traces to localhost:4317, error code: StatusCode.UNAVAILABLE": true,
		"Exception while exporting Span.":                                               true,
		"requests.exceptions.ConnectionError: HTTPConnectionPool(host='localhost', port=4318): Max retries exceeded with url: /v1/traces (Caused by NewConnectionError(': Failed to establish a new connection: [Errno 111] Connection refused'))": true,
		"SEVERE: Failed to export TraceRequestMarshaler. The request could not be executed. Full error message: Connection refused: localhost/127.0.0.1:4317":                                                                                      true,
		`{"stack":"Error: connect ECONNREFUSED 127.0.0.1:4318","code":"ECONNREFUSED","name":"Error"}`:                                                                                                                                              true,
		`traces export: Post "http://localhost:4318/v1/traces": dial tcp 127.0.0.1:4318: connect: connection refused`:                                                                                                                              true,
		"ERROR -- : OpenTelemetry error: Unable to export 10 spans":                                                                                                                                                                                true,
		"OpenTelemetry: [error] Export failure [exception] Export retry limit exceeded":                                                                                                                                                            true,
		"failed to send, dropping 1 traces to intake at http://localhost:8126/v0.5/traces after 3 retries":                                                                                                                                         true,
		`Datadog Tracer v1.60.0 ERROR: lost 2 traces: Post "http://localhost:8126/v0.4/traces": connection refused`:                                                                                                                                true,
		"APM Server transport error (ECONNREFUSED): connect ECONNREFUSED 127.0.0.1:8200":                                                                                                                                                           true,
		"WARN zipkin2.reporter.AsyncReporter - Spans were dropped due to exceptions. All subsequent errors will be logged at FINE level.":                                                                                                          true,
		"connection to server at \"127.0.0.1\", port 5432 failed: Connection refused":                                                                                                                                                              false,
		"redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused.":                                                                                                                                            false,
		"127.0.0.1 - - GET /exports/4318 200":                                        false,
		"failed to connect to 127.0.0.1:43170":                                       false,
		"Listening on 0.0.0.0:8200":                                                  false,
		"Failed to export invoice 17: disk full":                                     false,
		"PDF export failure for order 5":                                             false,
		"failed to submit message: the queue is full":                                false,
		"item unavailable: id=8200":                                                  false,
		"Failed to export span batch code: 503, reason: Service Unavailable":         true,
		"WARNING: Failed to export spans. Server responded with gRPC status code 14": true,
		"Failed to submit message: \"Unable to reach APM Server: <urllib3.exceptions.MaxRetryError> (url: http://localhost:8200/intake/v2/events)\"": true,
	} {
		sign, err := FailedExports(t.Context(), func(_ context.Context, do func(string) error) error { return do(line) })
		if err != nil || (sign != nil) != want || want && (sign.Last != line || sign.Lines != 1) {
			t.Errorf("%q: %+v, %v; want %t", line, sign, err, want)
		}
	}
}

// A log may have a hundred megabytes: no expression is asked of each of its lines.
func TestExpressionsAreAskedOfFewLines(t *testing.T) {
	all := slices.Clone(exporters)
	for _, sign := range signs {
		all = append(all, sign.pattern)
	}
	for _, line := range []string{strings.Repeat("x", 999), `172.17.0.1 - - [28/Nov/2026:12:00:00 +0000] "GET /work?id=7 HTTP/1.1" 200 512 "-" "curl/8.5"`, `{"level":"info","trace_id":"ab","span_id":"cd","msg":"handled"}`} {
		for _, p := range all {
			if p.May(line) {
				t.Errorf("%s is asked of %q", p, line)
			}
		}
	}
}
