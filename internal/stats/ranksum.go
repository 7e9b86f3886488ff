// The estimate for two samples that are not paired: the Hodges–Lehmann shift with
// the interval that the Wilcoxon rank-sum (Mann–Whitney) test gives.

package stats

import (
	"math"
	"slices"
)

// RankSum estimates by how much value lies above base by the median of all
// differences vⱼ − bᵢ, with the two-sided interval that holds every shift which
// the Wilcoxon rank-sum test would not reject. The interval is the smallest of
// those whose confidence is at least what is asked for; that confidence is exact
// for independent values of which one sample's distribution is the other's,
// shifted, up to exactPairs pairs, and a normal approximation beyond. Equal values
// are kept; they make the interval conservative. N counts the values of both.
//
// The interval is left out where there are too few values (see MinEach), or where
// confidence is not strictly between 0 and 1. If any value is NaN or infinite, or
// a sample is empty, there is no estimate at all: Center is NaN.
//
// Source: Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd ed.,
// sections 4.2 (estimate 4.36) and 4.3 (interval 4.40).
func RankSum(base, value []float64, confidence float64) Estimate {
	return NewShifts(base, value).At(confidence)
}

// Shifts are two samples, ready to be asked for intervals of several confidences.
// It is not for concurrent use.
type Shifts struct {
	m, n   int
	sorted []float64 // all differences vⱼ − bᵢ; nil where there is no estimate
	null   []float64 // made when it is first needed
}

// NewShifts prepares the estimate of RankSum.
func NewShifts(base, value []float64) *Shifts {
	s := &Shifts{m: len(base), n: len(value)}
	if s.m > 0 && s.n > 0 && allFinite(base) && allFinite(value) {
		s.sorted = allDifferences(base, value)
	}
	return s
}

// At is what RankSum returns for this confidence.
func (s *Shifts) At(confidence float64) Estimate {
	e := Estimate{Center: math.NaN(), N: s.m + s.n}
	if s.sorted == nil {
		return e
	}
	e.Center = middle(s.sorted)
	cut, achieved, ok := s.cut(confidence)
	if !ok {
		return e
	}
	e.Low, e.High = s.sorted[cut], s.sorted[len(s.sorted)-1-cut]
	e.Confidence, e.Bounded = achieved, true
	return e
}

// MinEach is the fewest values in each of two samples of one size for which
// RankSum gives an interval of this confidence: 4 for 0.95. It is 0 if confidence
// is not strictly between 0 and 1.
func MinEach(confidence float64) int {
	if !isConfidence(confidence) {
		return 0
	}
	n := 1
	for 2*apartByLuck(n, n) > missable(confidence) {
		n++
	}
	return n
}

// ValuesToExclude says about how many values there would have to be in each of the
// two samples until the interval of RankSum excludes limit, if shift and spread
// stayed what they are and the width shrank with the square root of the number. It
// is 0 if limit is excluded already, and -1 if that would take more than max or
// cannot be said. Like BlocksToExclude it is a rule of thumb.
func ValuesToExclude(base, value []float64, limit, confidence float64, max int) int {
	const hopeless = -1
	e := RankSum(base, value, confidence)
	if at := e.Against(limit); at == Below || at == Above {
		return 0
	}
	least := min(len(base), len(value))
	distance := math.Abs(e.Center - limit)
	if least < 2 || !isConfidence(confidence) || !(distance > 0) {
		return hopeless
	}
	// Two samples of one size do as well as two of different sizes whose harmonic
	// mean it is.
	size := 2 / (1/float64(len(base)) + 1/float64(len(value)))
	needed := math.Ceil(size * square(shiftReach(e, base, value, limit, confidence)/distance))
	needed = math.Max(needed, math.Max(float64(least+1), float64(MinEach(confidence))))
	if !(needed <= float64(max)) {
		return hopeless
	}
	return int(needed)
}

// shiftReach is how far the interval reaches from the centre towards limit; where
// there is none, how far a normal one would.
func shiftReach(e Estimate, base, value []float64, limit, confidence float64) float64 {
	switch {
	case e.Bounded && limit < e.Center:
		return e.Center - e.Low
	case e.Bounded:
		return e.High - e.Center
	}
	variance := square(deviation(base))/float64(len(base)) + square(deviation(value))/float64(len(value))
	return normalQuantile(1-(1-confidence)/2) * math.Sqrt(variance)
}

// allDifferences returns value − base of every pair, sorted.
func allDifferences(base, value []float64) []float64 {
	d := make([]float64, 0, len(base)*len(value))
	for _, b := range base {
		for _, v := range value {
			d = append(d, math.Max(-math.MaxFloat64, math.Min(math.MaxFloat64, v-b)))
		}
	}
	slices.Sort(d)
	return d
}
