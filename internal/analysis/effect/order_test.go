package effect

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// What is told of an order is of the blocks that had it: where the baseline never ran right after the variant, what
// differs is that the variant ran right after the baseline.
func TestOrdersAreNamedByTheirBlocks(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		scores []float64
		code   finding.Code
		there  float64 // of the blocks that the code is about
	}{
		"the baseline ran after it, in some": {[]float64{1, 1, 0, 0, 0}, finding.DoubtRightNext, 0.5},
		"both ways":                          {[]float64{1, 1, -1, -1, 0}, finding.DoubtRightNext, 0.5},
		"it ran after the baseline, in some": {[]float64{0, 0, -1, -1, 1}, finding.DoubtRightPrev, 0.1},
	} {
		o := ordering{
			claim: &draft{Finding: finding.Finding{Variant: "otel", Against: "none", Unit: "s"}, evidence: claim.Paired(nil, true, claim.Given)},
			split: stats.Split{Values: []float64{math.Log(1.5), math.Log(1.5), math.Log(1.1), math.Log(1.1), nan}, Scores: c.scores},
			most:  finding.DoubtRightNext, least: finding.DoubtRightPrev,
		}
		r, large := o.reason()
		if r.Code != c.code || math.Abs(r.Figure("there")-c.there) > 1e-9 || !large {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
