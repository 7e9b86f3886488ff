// The web services in Java and in Node, each with its tracers: the answers are
// checked against TechEmpower's rules, and every span is accounted for.
package e2e

import (
	"fmt"
	"os/exec"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// spanTable is how many spans an operation makes with a variant.
type spanTable map[string]map[string]int64 // by variant, then by operation

func TestRequestsSpring(t *testing.T) {
	needPrograms(t, "java", "mvn")
	verifiedRequests(t, "requests/spring", `
  otel: {tracer: otel, settings: {delay: 200ms}}
  otel-driver: {tracer: otel, settings: {delay: 200ms, instrument: driver, protocol: grpc}}
  otel-http: {tracer: otel, settings: {delay: 200ms, instrument: http}}
  elastic: {tracer: elastic, settings: {delay: 500ms, compression: off}}
  elastic-http: {tracer: elastic, settings: {delay: 500ms, instrument: http}}
`, spanTable{
		// The request; the repository's method, Hibernate's session and the statement for
		// each row; the commit. What is changed makes a statement each.
		"otel": {"json": 1, "db": 5, "queries": 32, "updates": 22},
		// The request, and the statements.
		"otel-driver":  {"json": 1, "db": 2, "queries": 11, "updates": 11},
		"elastic":      {"json": 1, "db": 2, "queries": 11, "updates": 11},
		"otel-http":    {"json": 1, "db": 1, "queries": 1, "updates": 1},
		"elastic-http": {"json": 1, "db": 1, "queries": 1, "updates": 1},
	})
}

func TestRequestsNode(t *testing.T) {
	needPrograms(t, "node", "npm")
	verifiedRequests(t, "requests/node", `
  otel: {tracer: otel, settings: {delay: 200ms}}
  otel-grpc: {tracer: otel, settings: {delay: 200ms, protocol: grpc}}
  otel-http: {tracer: otel, settings: {delay: 200ms, instrument: http}}
  elastic: {tracer: elastic, settings: {delay: 500ms, compression: off}}
  elastic-http: {tracer: elastic, settings: {delay: 500ms, instrument: http}}
`, spanTable{
		// The request; for each statement, taking a connection and the statement.
		"otel":         {"json": 1, "db": 3, "queries": 21, "updates": 21},
		"otel-grpc":    {"json": 1, "db": 3, "queries": 21, "updates": 21},
		"elastic":      {"json": 1, "db": 2, "queries": 11, "updates": 11},
		"otel-http":    {"json": 1, "db": 1, "queries": 1, "updates": 1},
		"elastic-http": {"json": 1, "db": 1, "queries": 1, "updates": 1},
	})
}

// needPrograms skips the test where a program is missing that the workload is made with.
func needPrograms(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
}

// verifiedRequests runs a workload once with each variant. That its answers are right is
// checked on the way: a variant that fails the verifier is left out.
func verifiedRequests(t *testing.T, workload, variants string, want spanTable) {
	t.Helper()
	file := write(t, `
workload: `+workload+`
operations: [json, db, queries, updates]
variants:
  none:`+variants+`
load: {rate: 10/s, warmup: 100ms, duration: 1s, idle: 100ms, timeout: 60s}
design: {blocks: 1, seed: 3}
`)
	out := t.TempDir() + "/results"
	doc := document(t, tracetax(t, "run", file, "--json", "--out", out).exit(t, 0))
	for variant, operations := range want {
		for operation, spans := range operations {
			if err := delivers(ledger(t, doc, operation, variant), spans); err != nil {
				t.Errorf("%s, %s: %v", operation, variant, err)
			}
		}
	}
	checked := verifiedVariants(t, out)
	for variant := range want {
		if !slices.Contains(checked, variant) {
			t.Errorf("the answers of %s were not checked", variant)
		}
	}
	if !slices.Contains(checked, "none") {
		t.Error("the answers of the baseline were not checked")
	}
}

// delivers complains where an operation did not make and deliver so many spans each time.
func delivers(l finding.Ledger, spans int64) error {
	want := spans * int64(l.Operations)
	if l.Operations == 0 || entry(l, "expected") != want || entry(l, "delivered") != want || !l.Exact {
		return fmt.Errorf("%d operations of %d spans each, and the ledger says %+v", l.Operations, spans, l.Entries)
	}
	return nil
}

// verifiedVariants are the variants whose answers the verifier found good.
func verifiedVariants(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	for _, r := range records(t, dir) {
		if len(r.Start.Verified) > 0 {
			out = append(out, r.Variant)
		}
	}
	return out
}
