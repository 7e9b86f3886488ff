// A search for a capacity, held against a cost that is known.

package e2e

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// Each operation burns 2 ms of the app's one CPU: at the rate found, what an operation used of the CPU comes to 75 %,
// within the two points that a search verifies, and one for the requests between the probes. Where the machine is too
// busy for a search it says so, and no rate; that is a right answer too.
func TestCapacity(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results")
	tracetax(t, "run", write(t, `
workload: hello/go
operations: [json]
variants: {none: , burn: {tracer: synthetic-go, settings: {burn: 2ms}}}
load: {capacity: {cpu: 75%, from: 100}, warmup: 300ms, duration: 1500ms, idle: 100ms}
design: {blocks: 1}
`), "--quick", "--json", "--out", out).exit(t, 0, 1)
	runs := slices.DeleteFunc(records(t, out), func(r record.Record) bool { return r.Kind != record.Measured || r.Variant != "burn" || r.Failed() })
	if len(runs) == 0 {
		t.Fatal("no measured run succeeded")
	}
	phase := runs[0].Phases[0]
	c := phase.Capacity
	t.Logf("%s: %.1f/s, %s %s", c.Outcome, c.Rate, c.Binding, c.Note)
	if c.Outcome != record.Found {
		if c.Outcome != record.Unsteady && c.Outcome != record.ByGenerator || c.Rate != 0 {
			t.Errorf("%s at %g/s: nothing but a busy machine keeps this search from its end", c.Outcome, c.Rate)
		}
		return
	}
	app := 0.0
	for _, u := range phase.Usage {
		if u.Role == "app" && u.Process == "app" {
			app += u.CPUSeconds
		}
	}
	each := app / float64(phase.Load.Started)
	if each < 0.002 {
		t.Errorf("an operation is charged %g s; it burns 0.002", each)
	}
	if used := each * c.Rate; math.Abs(used-0.75) > 0.03 {
		t.Errorf("at %.1f/s, with %.6f s an operation, %.3f of the CPU is used; want 0.75", c.Rate, each, used)
	}
}
