// Simulations: the same within one result, over all metrics that it has a verdict on.

package analysis_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// Experiments in which no variant costs anything, and in which the metrics of a run go
// together: neither the headline nor any of all the other metrics says that one does, in
// more than 5 % of experiments each. 8 blocks are too few for corrected intervals of the
// others, so their signs decide; 12 and 20 are enough.
func TestAlarmOfMetrics(t *testing.T) {
	n := experiments() / 5
	for _, c := range []struct {
		blocks    int
		latencies bool
		joint     bool // the others
	}{{6, false, true}, {8, false, true}, {12, false, false}, {20, false, false}, {12, true, false}} {
		t.Run(fmt.Sprintf("%d blocks, latencies %t", c.blocks, c.latencies), func(t *testing.T) {
			t.Parallel()
			n := n
			if c.latencies {
				n = max(n/8, 25) // they take time
			}
			headline, other, claims := 0, 0, 0
			for i := range n {
				s := goingTogether(uint64(i), c.blocks)
				s.latencies = c.latencies
				alarm := map[bool]bool{}
				for _, f := range s.result(t, "same").Findings {
					v := f.Verdict
					if !f.Headline && v.Claims > 0 {
						claims = v.Claims
					}
					if v.Kind != finding.Costs && v.Kind != finding.Saves {
						continue
					}
					alarm[f.Headline] = true
					if !f.Headline && v.Joint != c.joint {
						t.Fatalf("%s of %s: joint is %t", f.Metric, f.Variant, v.Joint)
					}
				}
				headline, other = headline+count(alarm[true]), other+count(alarm[false])
			}
			share := func(k int) float64 { return 100 * float64(k) / float64(n) }
			t.Logf("%d blocks: %d experiments of %d claims beside the headline: the headline alarms in %.2f %%, any other metric in %.2f %%", c.blocks, n, claims, share(headline), share(other))
			if allowed := 100 * alarmAllowed(n); share(max(headline, other)) > allowed {
				t.Errorf("too many alarms, allowed %.2f %%", allowed)
			}
		})
	}
}

// goingTogether is an experiment in which no variant costs anything, and whatever slows a
// run down slows down, or swells, all that is measured of it.
func goingTogether(seed uint64, blocks int) scene {
	s := alike(seed, blocks)
	weather, r := s.change, rand.New(rand.NewPCG(seed, 55))
	s.change = func(one *record.Record) {
		weather(one)
		factor := math.Exp(0.02 * r.NormFloat64())
		for i := range one.Phases {
			for j := range one.Phases[i].Usage {
				u := &one.Phases[i].Usage[j]
				u.CPUSeconds *= factor
				u.ContextSwitches = uint64(float64(u.ContextSwitches) * factor)
				u.MemoryMean, u.MemoryPeak = uint64(float64(u.MemoryMean)*factor), uint64(float64(u.MemoryPeak)*factor)
			}
		}
		one.Start.ReadySeconds *= factor
		one.Start.FirstOperationSeconds *= factor
	}
	return s
}
