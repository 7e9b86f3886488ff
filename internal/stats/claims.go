// Several claims at once, and how many blocks a claim needs.

package stats

import "math"

// Bonferroni is the confidence that each of so many intervals must have in order
// that all of them hold at once with the confidence given. It is right however
// the claims depend on each other, and here they do: variants share a baseline.
// One claim or fewer leaves the confidence as it is.
//
// Šidák's correction is hardly narrower (0.9949 against 0.9950 at ten claims) and
// needs assumptions; step-down methods (Holm) decide more, but have no intervals
// that a reader could use.
func Bonferroni(confidence float64, claims int) float64 {
	if claims <= 1 {
		return confidence
	}
	return 1 - (1-confidence)/float64(claims)
}

// BlocksToExclude says about how many blocks there would have to be in all until
// the interval of SignedRank excludes limit, if centre and spread stayed what
// they are in d and the width shrank with the square root of the number. It is 0
// if limit is excluded already, and -1 if that would take more than max or cannot
// be said (fewer than two differences, a centre on the limit, values that are not
// finite). It is a rule of thumb from little data: a factor of two either way is
// usual.
func BlocksToExclude(d []float64, limit, confidence float64, max int) int {
	const hopeless = -1
	e := SignedRank(d, confidence)
	if at := e.Against(limit); at == Below || at == Above {
		return 0
	}
	distance := math.Abs(e.Center - limit)
	if len(d) < 2 || !isConfidence(confidence) || !(distance > 0) {
		return hopeless
	}
	needed := math.Ceil(float64(len(d)) * square(reach(e, d, limit, confidence)/distance))
	needed = math.Max(needed, math.Max(float64(len(d)+1), float64(MinBlocks(confidence))))
	if !(needed <= float64(max)) {
		return hopeless
	}
	return int(needed)
}

// reach is how far the interval of d reaches from the centre towards limit; where
// there is none, how far a normal one would.
func reach(e Estimate, d []float64, limit, confidence float64) float64 {
	switch {
	case e.Bounded && limit < e.Center:
		return e.Center - e.Low
	case e.Bounded:
		return e.High - e.Center
	}
	return normalQuantile(1-(1-confidence)/2) * deviation(d) / math.Sqrt(float64(len(d)))
}
