// What is burnt when spans are sent, after the operations, is charged to them.

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/selfcheck"
)

func TestSelfcheckChargesWhatIsDeferred(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	tracetax(t, "run", selfcheck.DeferredCosts, "--blocks", "2", "--out", out).exit(t, 0)
	const perSpan = 200e-6 // s
	seen := map[string]int{}
	for _, r := range records(t, out) {
		if r.Kind != record.Measured {
			continue
		}
		if r.Failed() {
			t.Fatalf("%s failed at %s: %s", r.Variant, r.Failure.Stage, r.Failure.Message)
		}
		seen[r.Variant]++
		p := r.Phases[0]
		var used float64
		for _, u := range p.Usage {
			if u.Process == "app" {
				used += u.CPUSeconds
			}
		}
		least := perSpan * float64(p.Load.Started)
		t.Logf("block %d, %s: %d operations, %d spans, %.3f s of CPU; %.3f s are burnt at the flush of flush-200", r.Block, r.Variant, p.Load.Started, p.Sink.Spans, used, least)
		if p.Load.Started == 0 || p.Sink.Spans != p.Load.Started || !p.Quiet || r.Life.Spans != p.Load.Started+1 {
			t.Errorf("%s: %d operations, %d spans in the window, %d in all, quiet %t", r.Variant, p.Load.Started, p.Sink.Spans, r.Life.Spans, p.Quiet)
		}
		if deferred := r.Variant == selfcheck.Flush200; deferred && used < least {
			t.Errorf("%s: %.3f s are charged, and %.3f s are burnt at the flush alone", r.Variant, used, least)
		}
	}
	if seen["spans"] != 2 || seen[selfcheck.Flush200] != 2 {
		t.Errorf("good runs: %v, want 2 of each variant", seen)
	}
}
