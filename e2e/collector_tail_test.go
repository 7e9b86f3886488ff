// Tail sampling in a real Collector.

package e2e

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// twoPolicies keeps errors, and what is long: the same.
var twoPolicies = collectorConfig(`batch: {timeout: 200ms}
  tail_sampling: {decision_wait: 1s, policies: [{name: errors, type: status_code, status_code: {status_codes: [ERROR]}}, {name: slow, type: latency, latency: {threshold_ms: 1000}}]}`,
	"tail_sampling, batch", "")

// 437 traces at once, of which 37 have an error and are long: 37 are kept and 400 sampled out. With room for 100 traces, 337 are thrown
// away undecided: these are lost in the Collector, and not sampled out. Errors and a share are one policy, and as exact. Of two policies
// nobody knows how many were.
func TestTailSamplingKnownAnswers(t *testing.T) {
	more(t, "Collector")
	t.Parallel()
	need(t, "python3")
	program, err := filepath.Abs(filepath.Join("testdata", "burst.py"))
	if err != nil {
		t.Fatal(err)
	}
	doc := document(t, tracetax(t, "run", "--json", write(t, fmt.Sprintf(`
workload:
  processes: [{name: app, run: [python3, %q, "{port}"], env: {TO: "{sink.otlp.http}"}, ready: "tcp://127.0.0.1:{port}"}]
  operations: {burst: {request: GET /, spans: 437}}
variants:
  none:
  errors: {tracer: none, env: {SPANS: "1"}, via: {collector: {keep: errors, wait: 1s}}}
  slow: {tracer: none, env: {SPANS: "1"}, via: {collector: {keep: slow, slower: 1s, wait: 1s}}}
  both: {tracer: none, env: {SPANS: "1"}, via: {collector: {keep: errors-and-share, share: 10%%, wait: 1s}}}
  few: {tracer: none, env: {SPANS: "1"}, via: {collector: {keep: errors, wait: 1s, traces: 100}}}
  two: {tracer: none, env: {SPANS: "1"}, via: {collector: {config: %s, wait: 2s}}}
load: {rate: 0.3/s, warmup: 1s, duration: 7s, idle: 50ms}
design: {blocks: 1, order: woven}
`, program, strconv.Quote(twoPolicies)))).exit(t, 0))
	for variant, want := range map[string]struct{ kept, decided, lost int64 }{
		"errors": {37, 437, 0}, "slow": {37, 437, 0}, "both": {-1, 437, 0}, "few": {-1, 100, 337},
	} {
		l := ledger(t, doc, "burst", variant)
		made := int64(l.Operations)
		first, second := pageOf(t, l, "app", "collector"), pageOf(t, l, "collector", "sink")
		kept, sampled := second.Received, told(t, "what it sampled", second.Sampled)
		if made == 0 || first.Received != 437*made || kept+sampled != want.decided*made || second.Early != want.lost*made || second.Inside != 0 || second.Between != 0 {
			t.Errorf("%s: in %d operations %+v, want %+v of each", variant, made, l.Pages, want)
		}
		early, traces, partial := told(t, "traces dropped early", second.EarlyTraces), told(t, "traces that came", second.Traces), told(t, "partial traces", second.Partial)
		if early != want.lost*made || traces != kept || partial != 0 || told(t, "traces kept", second.KeptTraces) != kept {
			t.Errorf("%s: in %d operations %d traces dropped too early, %d came, %d not whole; want %+v of each", variant, made, early, traces, partial, want)
		}
		if want.kept >= 0 && kept != want.kept*made { // which traces are thrown away is chance: they came in one export
			t.Errorf("%s: in %d operations it kept %d, want %d of each", variant, made, kept, want.kept)
		}
		if entry(l, "delivered") != kept || entry(l, "sampled-on-way") != sampled || max(0, entry(l, "dropped-early")) != want.lost*made || entry(l, "unaccounted") != 0 {
			t.Errorf("%s: %+v", variant, l)
		}
	}
	l := ledger(t, doc, "burst", "both")
	if kept, made := entry(l, "delivered"), int64(l.Operations); kept < (37+10)*made || kept > (37+90)*made || l.LostShare != 0 {
		t.Errorf("of 37 errors and 400 others it kept %d in %d operations, want 37 and a tenth: %+v", kept, made, l)
	}
	l = ledger(t, doc, "burst", "two")
	if page := pageOf(t, l, "collector", "sink"); page.Sampled != nil || page.Outcome != finding.HopUnsure || page.Received != 37*int64(l.Operations) || l.Exact {
		t.Errorf("two policies: %+v", l)
	}
}

// failedOf is how many operations of a variant were answered with an error.
func failedOf(t *testing.T, out, variant string) int64 {
	t.Helper()
	failed := int64(0)
	for _, r := range records(t, out) {
		for _, p := range r.Phases {
			if r.Variant == variant && r.Block > 0 {
				failed += int64(record.Counted(p.Made()...).Answers[500])
			}
		}
	}
	return failed
}

// Three tiers make five spans a request, and one request in ten fails in the last: each trace that was kept has all five.
func TestKeptTracesAreWhole(t *testing.T) {
	more(t, "Collector")
	t.Parallel()
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: tiers/gohttp
operations: [fails]
variants:
  none:
  tail: {tracer: otel, settings: {delay: 100ms}, via: {collector: {keep: errors, wait: 2s}}}
load: {rate: 100/s, warmup: 500ms, duration: 4s, idle: 50ms}
design: {blocks: 1, order: woven}
`), "--out", out).exit(t, 0))
	failed := failedOf(t, out, "tail")
	l := ledger(t, doc, "fails", "tail")
	page := pageOf(t, l, "collector", "sink")
	if failed == 0 || page.Received != 5*failed || told(t, "what it sampled", page.Sampled) != 5*(int64(l.Operations)-failed) || page.Outcome != finding.HopWhole || l.Exact ||
		told(t, "traces that came", page.Traces) != failed || told(t, "partial traces", page.Partial) != 0 {
		t.Errorf("%d answers were errors, want five spans of each: %+v", failed, l)
	}
}

// Tail sampling in the traced process.

// Three tiers in Python of which each decides for itself: of a trace with an error all three have one, so it comes whole, and the
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
design: {blocks: 1, order: woven}
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
				failed[r.Variant] += int64(record.Counted(p.Made()...).Answers[500])
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
