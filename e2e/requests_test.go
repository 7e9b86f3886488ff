// The web services in Go and in Flask, each with its tracers: the answers are
// checked against TechEmpower's rules, and every span is accounted for.
package e2e

import "testing"

// httpOnly is one span a request, whatever it does.
var httpOnly = map[string]int64{"json": 1, "db": 1, "queries": 1, "updates": 1}

func TestRequestsGo(t *testing.T) {
	needPrograms(t, "go")
	verifiedRequests(t, "requests/gohttp", `
  otel: {tracer: otel, settings: {delay: 200ms}}
  otel-http: {tracer: otel, settings: {delay: 200ms, instrument: http}}
  elastic: {tracer: elastic, settings: {delay: 200ms, compression: off, exit-span-min: 0s}}
  elastic-http: {tracer: elastic, settings: {delay: 200ms, instrument: http}}
`, spanTable{
		// The request, and the statements: begin and commit are two to otelpgx.
		"otel": {"json": 1, "db": 2, "queries": 11, "updates": 13},
		// They are none to apmsql.
		"elastic":      {"json": 1, "db": 2, "queries": 11, "updates": 11},
		"otel-http":    httpOnly,
		"elastic-http": httpOnly,
	})
}

func TestRequestsFlask(t *testing.T) {
	needPrograms(t, "python3")
	verifiedRequests(t, "requests/flask", `
  otel: {tracer: otel, settings: {delay: 200ms}}
  otel-driver: {tracer: otel, settings: {delay: 200ms, instrument: driver}}
  otel-http: {tracer: otel, settings: {delay: 200ms, instrument: http}}
  elastic: {tracer: elastic, settings: {delay: 200ms, compression: off}}
  elastic-http: {tracer: elastic, settings: {delay: 200ms, instrument: http}}
`, spanTable{
		// The request; SQLAlchemy's connect; for each statement one of SQLAlchemy's and one of psycopg's.
		"otel": {"json": 1, "db": 4, "queries": 22, "updates": 14},
		// The request, and the statements: the updates are one executemany.
		"otel-driver":  {"json": 1, "db": 2, "queries": 11, "updates": 7},
		"elastic":      {"json": 1, "db": 2, "queries": 11, "updates": 7},
		"otel-http":    httpOnly,
		"elastic-http": httpOnly,
	})
}
