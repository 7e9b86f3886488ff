// A program in .NET, traced from outside.

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
)

// needDotnet leaves a test out without .NET, which TRACETAX_REQUIRE_DOTNET=1 asks for, unlike other languages apart.
func needDotnet(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("dotnet"); err != nil {
		if os.Getenv("TRACETAX_REQUIRE_DOTNET") == "1" {
			t.Fatal(err)
		}
		t.Skip("dotnet is not here, and not every machine that checks has to have it")
	}
}

// tiersDotnet runs the three tiers in ASP.NET Core.
func tiersDotnet(t *testing.T, operations, variants string) finding.Document {
	t.Helper()
	needDotnet(t)
	return document(t, tracetax(t, "run", "--json", write(t, `
workload: tiers/aspnet
operations: `+operations+`
variants:
  none:
`+variants+`
load: {rate: 20/s, warmup: 0s, warmup_all: 0s, duration: 1s, idle: 50ms}
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

// Every operation makes them, whatever the protocol; large is left out, for cold code and a busy machine do not hold its rate.
func TestDotnetProtocols(t *testing.T) {
	more(t, ".NET")
	t.Parallel()
	operations := []string{"small", "factorial", "pi", "matrix", "fails"}
	doc := tiersDotnet(t, "[small, factorial, pi, matrix, fails]", `  http: {tracer: otel, settings: {delay: 100ms, protocol: http/protobuf}}
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

// Of the traces with an error all three tiers keep theirs, whatever the processor and the exporter; the others they leave out
// by their own word.
func TestDotnetKeepsErrors(t *testing.T) {
	more(t, "sampling")
	t.Parallel()
	out := filepath.Join(t.TempDir(), "results")
	needDotnet(t)
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: tiers/aspnet
operations: [fails]
variants:
  none:
  process: {tracer: otel, settings: {delay: 100ms, keep: errors}}
  each: {tracer: otel, settings: {processor: simple, keep: errors, export: zipkin}}
load: {rate: 20/s, warmup: 0s, warmup_all: 0s, duration: 4s, idle: 50ms}
design: {blocks: 1}
`), "--out", out).exit(t, 0))
	keepsErrors(t, doc, out, "process", "each")
}

// A program that brings its own OpenTelemetry needs no hook: with one every span comes twice, and that is told.
func TestDotnetWithItsOwn(t *testing.T) {
	more(t, ".NET")
	t.Parallel()
	needDotnet(t)
	program := filepath.Join(installed(t, "dotnet", config.Artifact{NuGet: "projects"}), "own", "own.dll")
	doc := document(t, tracetax(t, "run", "--json", "--op", "op=GET /", "--variant", "none", "--variant", "own:tracer=otel-dotnet,attach=own,delay=100ms",
		"--variant", "both:tracer=otel-dotnet,attach=hook,delay=100ms", "--rate", "20", "--warmup", "0s", "--duration", "1s", "--blocks", "1", "--patience", "120s",
		"--", "dotnet", program, "--urls", "http://127.0.0.1:{port}").exit(t, 0))
	if l := ledger(t, doc, "op", "own"); l.Operations == 0 || entry(l, "delivered") != int64(l.Operations) || entry(l, "duplicated") > 0 {
		t.Errorf("with its own alone: %+v", l)
	}
	l := ledger(t, doc, "op", "both")
	if entry(l, "duplicated") < int64(l.Operations) || !slices.ContainsFunc(doc.Warnings, func(w finding.Warning) bool { return w.Code == "duplicates" }) {
		t.Errorf("with the hook on top: %+v, and the warnings are %+v", l, doc.Warnings)
	}
}
