// Tail sampling in the traced process.

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// Three tiers in Python of which each decides for itself: of a trace with an error all three have one, so that it comes whole, and the
// others are left out by the tracer's own word. The same spans come as Zipkin's.
func TestTailSamplingInTheProcess(t *testing.T) {
	more(t, "sampling")
	t.Parallel()
	need(t, "python3")
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: tiers/flask
operations: [fails]
variants:
  none:
  process: {tracer: otel, settings: {delay: 100ms, keep: errors}}
  each: {tracer: otel, settings: {processor: simple, keep: errors}}
  zipkin: {tracer: otel, settings: {delay: 100ms, export: zipkin}}
load: {rate: 20/s, warmup: 500ms, duration: 4s, idle: 50ms}
design: {blocks: 1}
`), "--out", out).exit(t, 0))
	keepsErrors(t, doc, out, "process", "each")
	if l := ledger(t, doc, "fails", "zipkin"); entry(l, "delivered") != 5*int64(l.Operations) || !l.Exact {
		t.Errorf("as Zipkin's: %+v", l)
	}
}

// keepsErrors wants the five spans of each answer 500, and all others left out by the tracer's own word.
func keepsErrors(t *testing.T, doc finding.Document, out string, variants ...string) {
	t.Helper()
	failed := map[string]int64{}
	for _, r := range records(t, out) {
		for _, p := range r.Phases {
			if r.Block > 0 {
				failed[r.Variant] += int64(p.Warmup.Answers[500] + p.Load.Answers[500])
			}
		}
	}
	for _, variant := range variants {
		l := ledger(t, doc, "fails", variant)
		made, kept := int64(l.Operations), failed[variant]
		if kept == 0 || entry(l, "delivered") != 5*kept || entry(l, "sampled-by-tracer") != 5*(made-kept) || entry(l, "unaccounted") != 0 || !l.Exact || l.LostShare != 0 {
			t.Errorf("%s: %d of %d answers were errors, want five spans of each: %+v", variant, kept, made, l)
		}
	}
}
