// A tap before a Collector counts what goes to it.

package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// The sink stands between and counts for itself: it and the Collector's counters agree on every span, phase by phase; with every test, of
// 100,000.
func TestTapAgreesWithTheCollector(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	program, err := filepath.Abs(filepath.Join("testdata", "burst.py"))
	if err != nil {
		t.Fatal(err)
	}
	seconds, least := 2, uint64(5_000)
	if all() {
		seconds, least = 24, 100_000
	}
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, tracetax(t, "run", "--json", write(t, fmt.Sprintf(`
workload:
  processes: [{name: app, run: [python3, %q, "{port}"], env: {TO: "{sink.otlp.http}"}, ready: "tcp://127.0.0.1:{port}"}]
  operations: {burst: {request: GET /, spans: 437}}
variants:
  none:
  tapped: {tracer: none, env: {SPANS: "1"}, via: {collector: {tap: on, queue: 10000}}}
load: {rate: 10/s, warmup: 1s, duration: %ds, idle: 50ms}
design: {blocks: 1}
`, program, seconds)), "--out", out).exit(t, 0))
	for _, r := range records(t, out) {
		if r.Variant != "tapped" || r.Block == 0 {
			continue
		}
		for _, hops := range [][]record.Hop{r.Hops, r.Phases[0].Hops} {
			tap, collector := hops[0].Received, hops[1].Received
			if tap == nil || collector == nil || *tap != *collector || *tap < least {
				t.Errorf("the tap and the Collector differ, or say too little (at least %d spans): %+v", least, hops)
			}
		}
	}
	l := ledger(t, doc, "burst", "tapped")
	made := 437 * int64(l.Operations)
	for _, hop := range [][2]string{{"app", "collector-tap"}, {"collector-tap", "collector"}, {"collector", "sink"}} {
		if p := pageOf(t, l, hop[0], hop[1]); p.Received != made || p.Outcome != finding.HopWhole {
			t.Errorf("%s to %s: %+v, want %d", hop[0], hop[1], p, made)
		}
	}
}
