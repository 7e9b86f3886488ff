// Simulations: the same for variants of one result, compared block by block.

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

// Variants of one result that are all the same: no verdict on any metric there is
// says that they differ.
func TestAlarmOfVariants(t *testing.T) {
	every, err := compare.ParseFilter("metric:/./")
	if err != nil {
		t.Fatal(err)
	}
	n := experiments() / 2 // for each of two numbers of blocks
	for _, blocks := range []int{12, 20} {
		t.Run(fmt.Sprint(blocks), func(t *testing.T) {
			t.Parallel()
			var got alarms
			for i := range n {
				doc := alike(uint64(i), blocks).result(t, "same")
				got.plus(alarmsOf(func(budget []config.Limit) *finding.Comparison {
					one, err := compare.Variants(compare.Input{Base: doc, Budget: budget, Filter: every}, []string{"none", "a", "b"})
					if err != nil {
						t.Fatal(err)
					}
					return one
				}))
			}
			got.bearable(t, fmt.Sprintf("%d blocks", blocks), n)
		})
	}
}

// alike is an experiment in which no variant costs anything.
func alike(seed uint64, blocks int) scene {
	s := shop(seed, blocks, moody(rand.New(rand.NewPCG(seed, 77))))
	s.variants = []actor{{name: "none", tracer: "none"}, {name: "a", tracer: "none"}, {name: "b", tracer: "none"}}
	return s
}

// How often a difference between variants of one result is found.
func TestAlarmWhereVariantsDiffer(t *testing.T) {
	t.Parallel()
	n := experiments() / 20
	for _, c := range []struct {
		blocks int
		more   float64 // of the CPU per operation with b
		least  float64 // share found
	}{{8, 0.05, 0.2}, {12, 0.05, 0.5}, {20, 0.05, 0.8}} {
		found := 0
		for i := range n {
			s := alike(uint64(i), c.blocks)
			s.variants[2].adds = c.more * 50e-6
			one, err := compare.Variants(compare.Input{Base: s.result(t, "differ")}, []string{"a", "b"})
			if err != nil {
				t.Fatal(err)
			}
			found += count(changeIn(t, one, 0, "json", "b", metric.CPUPerOperation).Verdict.Kind == finding.Costs)
		}
		share := float64(found) / float64(n)
		t.Logf("%d blocks, variants that differ by %.0f %%: found in %.0f %% of %d", c.blocks, 100*c.more, 100*share, n)
		if share < c.least {
			t.Errorf("%d blocks, %.0f %%: found in %.0f %% of cases, want %.0f", c.blocks, 100*c.more, 100*share, 100*c.least)
		}
	}
}
