// A program in .NET, traced from outside.
package e2e

import (
	"os/exec"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// tiersDotnet runs the three tiers in ASP.NET Core. Unlike other languages .NET is not asked for by TRACETAX_REQUIRE_PROGRAMS.
func tiersDotnet(t *testing.T, operations, variants string) finding.Document {
	t.Helper()
	if _, err := exec.LookPath("dotnet"); err != nil {
		t.Skip("dotnet is not here, and not every machine that checks has to have it")
	}
	return document(t, tracetax(t, "run", "--json", write(t, `
workload: tiers/aspnet
operations: `+operations+`
variants:
  none:
`+variants+`
load: {rate: 20/s, warmup: 0s, duration: 1s, idle: 50ms}
design: {blocks: 1}
`)).exit(t, 0))
}

// Three tiers make five spans a request, all of which come; with hardly a queue as many are missing as the SDK says.
func TestDotnet(t *testing.T) {
	t.Parallel() // it asks for counts, not for times
	doc := tiersDotnet(t, "[small]", `  otel: {tracer: otel, settings: {delay: 100ms}}
  few: {tracer: otel, settings: {queue: 1, batch: 1, delay: 100ms}}`)
	fiveSpans(t, doc, "small", "otel")
	l := ledger(t, doc, "(run)", "few")
	dropped := entry(l, "dropped")
	if dropped <= 0 || entry(l, "delivered")+dropped != entry(l, "expected") || entry(l, "unaccounted") > 0 {
		t.Errorf("with a queue of one span: %+v", l)
	}
}

// Every operation makes them, whatever the protocol.
func TestDotnetProtocols(t *testing.T) {
	more(t, ".NET")
	t.Parallel()
	operations := []string{"small", "large", "factorial", "pi", "matrix", "fails"}
	doc := tiersDotnet(t, "[small, large, factorial, pi, matrix, fails]", `  http: {tracer: otel, settings: {delay: 100ms, protocol: http/protobuf}}
  zipkin: {tracer: otel, settings: {delay: 100ms, export: zipkin}}
  simple: {tracer: otel, settings: {processor: simple}}`)
	for _, operation := range operations {
		for _, variant := range []string{"http", "zipkin", "simple"} {
			fiveSpans(t, doc, operation, variant)
		}
	}
}

func fiveSpans(t *testing.T, doc finding.Document, operation, variant string) {
	t.Helper()
	l := ledger(t, doc, operation, variant)
	if want := 5 * int64(l.Operations); l.Operations == 0 || !l.Exact || entry(l, "expected") != want || entry(l, "delivered") != want {
		t.Errorf("%s with %s: %+v, want five spans for each of %d operations", operation, variant, l, l.Operations)
	}
}
