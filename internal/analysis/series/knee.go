// This file finds where a curve of throughput bends: from where on more connections
// bring little more.
//
// The rule is marginal: from the knee on, doubling the connections brings under a
// tenth more throughput. Kneedle (Satopää et al., Finding a "Kneedle" in a Haystack,
// ICDCSW 2011) takes the point farthest from the chord, which moves with the range
// that was measured and exists on every concave curve; the peak of the Universal
// Scalability Law (Gunther, Guerrilla Capacity Planning, ch. 4) needs a fit of more
// levels than people measure, and of one shape. What a doubling brings can be told
// from two levels, with an interval over the blocks.

package series

import (
	"math"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/words"
)

// littleMore is the gain of a doubling under which more brings little more.
const littleMore = 0.10

// level is the values of one level by block.
type level struct {
	x      float64
	values map[int]float64
}

// kneeOf returns the first level from which every larger level gains surely less
// than a tenth per doubling; nil where none can be told from noise. Whether "surely"
// holds is read from the interval of the gain over the blocks, corrected for the
// number of levels that are tried. Where the level before it is not surely a bend
// away, After says between which levels the knee lies.
func kneeOf(curve []level, parameter string, ask func(float64) float64) *finding.Knee {
	sure := ask(stats.Bonferroni(estimate.Confidence, len(curve)-1))
	limit := math.Log1p(littleMore)
	for i := range curve[:max(0, len(curve)-1)] {
		if !flatFrom(curve, i, limit, sure) {
			continue
		}
		before := i
		for before > 0 && gain(curve[before-1], curve[before], sure).Against(limit) != stats.Above {
			before--
		}
		last := gain(curve[i], curve[len(curve)-1], sure)
		knee := &finding.Knee{X: curve[i].x, First: i == 0, Under: littleMore, Last: curve[len(curve)-1].x, Gain: *estimate.Interval(stats.Ratio(last), false)}
		if before < i {
			knee.After = &curve[before].x
		}
		knee.Text = words.Knee(*knee, parameter)
		return knee
	}
	return nil
}

func flatFrom(curve []level, i int, limit, confidence float64) bool {
	for _, later := range curve[i+1:] {
		if gain(curve[i], later, confidence).Against(limit) != stats.Below {
			return false
		}
	}
	return true
}

// gain is what a doubling from one level to another brings: the logarithm of the
// ratio, within blocks, per doubling.
func gain(from, to level, confidence float64) stats.Estimate {
	doublings := math.Log2(to.x / from.x)
	var gains []float64
	for _, block := range dataset.BlocksIn(from.values) {
		a, b := from.values[block], to.values[block]
		if a > 0 && b > 0 {
			gains = append(gains, math.Log(b/a)/doublings)
		}
	}
	return stats.SignedRank(gains, confidence)
}
