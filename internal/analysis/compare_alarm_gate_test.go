// Simulations: the gate of a pull request, as docs/ci-experiment.yaml measures it: both commits in one experiment.

package analysis_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tracetax/tracetax/internal/compare"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// gateBudget is that of docs/github-actions.yml, but for the share of CPU.
func gateBudget(cpu float64) []config.Limit {
	return append(cpuBudget(cpu), config.Limit{Metric: metric.LostShare, Text: "as tested"})
}

// gateOf is a pull request that adds a share to the CPU of the traced program.
func gateOf(seed uint64, blocks int, noise, adds float64) scene {
	r := rand.New(rand.NewPCG(seed, 33))
	s := shop(seed, blocks, moody(r))
	s.noise = noise
	s.order, s.operations = []string{"json"}, map[string]float64{"json": 50e-6}
	s.variants = []actor{
		{name: "none", tracer: "none"}, {name: "before", tracer: "otel-go", adds: 30e-6, spans: 3},
		{name: "after", tracer: "otel-go", against: "before", adds: 30e-6 + adds*80e-6, spans: 3},
	}
	s.orders = func(int) []int { return r.Perm(len(s.variants)) }
	return s
}

// verdictsOf are the kinds of the gate's verdicts on what changed from the base branch to the pull request.
func verdictsOf(t *testing.T, s scene, budget []config.Limit) map[finding.Kind]bool {
	t.Helper()
	doc, err := compare.Variants(compare.Input{Base: s.result(t, "gate"), Budget: budget}, []string{"before", "after"})
	if err != nil {
		t.Fatal(err)
	}
	out := map[finding.Kind]bool{}
	for _, c := range doc.Changes {
		if c.Verdict.Budget != nil {
			out[c.Verdict.Kind] = true
		}
	}
	return out
}

// A pull request that changes nothing keeps its budget of 5 %, or cannot be told. It is over the budget on no seed; with a
// budget of nothing, which a change of nothing lies on, no more often than is promised: in 5 of 100.
func TestAlarmOfGates(t *testing.T) {
	n := experiments() / 2
	for _, c := range []struct {
		blocks int
		noise  float64
		kept   float64 // the least share in which 5 % are kept for sure
	}{{10, 0.02, 0.6}, {20, 0.02, 0.9}, {10, 0.05, 0}, {10, 0.15, 0}} {
		t.Run(fmt.Sprintf("%d blocks, noise of %.0f %%", c.blocks, 100*c.noise), func(t *testing.T) {
			t.Parallel()
			kept, over, overNothing := 0, 0, 0
			for i := range n {
				s := func() scene { return gateOf(uint64(i), c.blocks, c.noise, 0) }
				five := verdictsOf(t, s(), gateBudget(0.05))
				over += count(five[finding.Over])
				kept += count(five[finding.Within] && len(five) == 1)
				overNothing += count(verdictsOf(t, s(), gateBudget(0))[finding.Over])
			}
			share := func(k int) float64 { return float64(k) / float64(n) }
			t.Logf("%d pull requests without a change: 5 %% kept in %.1f %%, over in %.2f %%; over a budget of 0 in %.2f %%", n, 100*share(kept), 100*share(over), 100*share(overNothing))
			if c.noise <= 0.05 && over > 0 || share(over) > alarmAllowed(n) {
				t.Errorf("5 %% are not kept in %d of %d pull requests without a change", over, n)
			}
			if share(overNothing) > alarmAllowed(n) {
				t.Errorf("over a budget of 0 in %.2f %% of pull requests without a change, allowed %.2f %%", 100*share(overNothing), 100*alarmAllowed(n))
			}
			if share(kept) < c.kept {
				t.Errorf("5 %% are kept in %.1f %% of pull requests without a change, want %.0f", 100*share(kept), 100*c.kept)
			}
		})
	}
}

// A pull request that makes the traced program use 12 % more CPU is found.
func TestAlarmOfGatesWhereThereIsOne(t *testing.T) {
	t.Parallel()
	n := experiments() / 20
	over := 0
	for i := range n {
		over += count(verdictsOf(t, gateOf(uint64(i), 10, 0.02, 0.12), gateBudget(0.05))[finding.Over])
	}
	t.Logf("12 %% more, 10 blocks: over a budget of 5 %% in %d of %d", over, n)
	if over*10 < n*6 {
		t.Errorf("12 %% more are over a budget of 5 %% in %d of %d pull requests", over, n)
	}
}
