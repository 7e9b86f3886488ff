package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// The same program twice, of which one is waited for after every stretch of load as if it sent
// spans: that it rests for longer costs no memory. What is held in a drain alone is no part of a window's memory:
// TestMemoryIsOfTheLoad of internal/run asks it of one run.
func TestAForcedDrainCostsNoMemory(t *testing.T) {
	more(t, "memory")
	t.Parallel()
	catalog := t.TempDir()
	write := func(path, text string) string {
		path = filepath.Join(catalog, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// It is told where the sink is, and samples nothing: only time can tell that no span comes.
	write("tracers/waited-for/tracer.yaml", `language: go
description: no tracer, but one for whose spans tracetax waits
env: {WAITED_SINK: "{sink.otlp.http}"}
settings:
  delay: {description: how long spans would be held back, kind: duration, meaning: delay, default: 600ms, env: {WAITED_DELAY: "{value}"}}
  sampling: {description: share of the traces, kind: share, meaning: sampling, default: 0%, env: {WAITED_SAMPLING: "{value}"}}
`)
	file := write("drained.yaml", `workload: hello/go
operations: [json]
variants:
  none:
  drained: {tracer: waited-for}
load: {rate: 1500/s, idle: 100ms, warmup: 200ms, duration: 700ms}
design: {blocks: 6}
`)
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", "--go-on", file, "--out", out, "--json") // no span is to come
	c.Env = append(c.Env, "TRACETAX_CATALOG="+catalog)
	doc := document(t, c.exit(t, 0))
	for _, r := range records(t, out) {
		if r.Block == 0 {
			continue // a calibration
		}
		if r.Failed() || len(r.Phases) != 1 {
			t.Fatalf("block %d, %s: %+v", r.Block, r.Variant, r.Failure)
		}
		const forced = 1.0 // s: the delay, and what is waited for beyond it
		if p := r.Phases[0]; r.Variant == "drained" && p.DrainSeconds < forced {
			t.Errorf("block %d: a drain of %.2f s was not forced", r.Block, p.DrainSeconds)
		}
	}
	told := 0
	for _, f := range doc.Findings {
		if !strings.HasPrefix(f.Metric, "memory_") {
			continue
		}
		told++
		t.Logf("%s: %+v", f.Metric, f.Verdict)
		// One in thirty or so of such verdicts is a chance, of next to nothing.
		const nothing = 0.03
		if v := f.Verdict; f.Operation != "" || v.Kind == finding.Costs && *v.Low > nothing {
			t.Errorf("the same program costs memory where it rests for longer: %s on %q: %s", f.Metric, f.Operation, v.Text)
		}
	}
	if told != 2 {
		t.Errorf("%d findings of memory, want the mean and the peak of the run", told)
	}
}
