// Blocks that differ between sittings.

package effect

import (
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// doubtful is the probability of chance below which sittings differ.
const doubtful = 0.05

// SittingsDiffer returns the headlines whose blocks differ between sittings by more than within them, where each block counts as
// one for want of sittings: their intervals may be too narrow.
func (s *Estimator) SittingsDiffer() []Doubt {
	var out []Doubt
	for _, c := range s.headlines {
		of := measure.Sat(s.Set, c.Samples)
		if len(of) < 2 || measure.Joined(s.Set) {
			continue
		}
		groups := make([][]float64, len(of))
		for i, samples := range of {
			groups[i] = c.figures(samples)
		}
		if stats.GroupsDiffer(groups) < doubtful {
			out = append(out, c.doubt(c.centresOf(finding.NoteSittings, "sitting", groups)))
		}
	}
	return out
}
