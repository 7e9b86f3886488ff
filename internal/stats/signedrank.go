// The estimate of a paired difference: the Hodges–Lehmann centre with the
// interval that the Wilcoxon signed-rank test gives.

package stats

import (
	"math"
	"slices"
)

// SignedRank estimates the centre of paired differences d (one a block) by the
// median of their Walsh averages (dᵢ+dⱼ)/2, i ≤ j, with the two-sided interval
// that holds every centre which the Wilcoxon signed-rank test would not reject.
// The interval is the smallest of those whose confidence is at least what is
// asked for; the confidence that it has is exact for independent differences
// from any continuous, symmetric distribution up to exactMost blocks, and a
// normal approximation beyond. Equal values and zeros are kept; they make the
// interval conservative.
//
// The interval is left out if there are fewer than MinBlocks(confidence)
// differences, or if confidence is not strictly between 0 and 1. If any
// difference is NaN or infinite there is no estimate at all: Center is NaN.
// Memory grows with the square of len(d).
//
// Source: Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd
// ed., sections 3.2 (estimate 3.23) and 3.3 (interval 3.27).
func SignedRank(d []float64, confidence float64) Estimate {
	e := Estimate{Center: math.NaN(), N: len(d)}
	if len(d) == 0 || !allFinite(d) {
		return e
	}
	walsh := walshAverages(d)
	e.Center = middle(walsh)
	cut, achieved, ok := signedRankCut(len(d), confidence)
	if !ok {
		return e
	}
	e.Low, e.High = walsh[cut], walsh[len(walsh)-1-cut]
	e.Confidence, e.Bounded = achieved, true
	return e
}

// Center is the one-sample Hodges–Lehmann estimate of x, in its unit: the median
// of all averages of two values (each with itself included). It is NaN if x is
// empty or holds a value that is not finite.
func Center(x []float64) float64 {
	if len(x) == 0 || !allFinite(x) {
		return math.NaN()
	}
	return middle(walshAverages(x))
}

// MinBlocks is the fewest differences for which SignedRank gives an interval of
// this confidence: 6 for 0.95. It is 0 if confidence is not strictly between 0
// and 1, because then no number is enough.
func MinBlocks(confidence float64) int {
	if !isConfidence(confidence) {
		return 0
	}
	n, miss := 1, 1.0 // the range of n values misses the centre with 2 × 2⁻ⁿ
	for miss > missable(confidence) {
		n, miss = n+1, miss/2
	}
	return n
}

func isConfidence(c float64) bool { return c > 0 && c < 1 }

// missable is the probability with which an interval may miss. The sliver on top
// is for confidences such as 1 − 1/32 that are met exactly, but were computed.
func missable(confidence float64) float64 { return (1 - confidence) * (1 + 1e-9) }

func allFinite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// walshAverages returns all averages of two values of x, sorted.
func walshAverages(x []float64) []float64 {
	w := make([]float64, 0, len(x)*(len(x)+1)/2)
	for i, a := range x {
		for _, b := range x[i:] {
			w = append(w, average(a, b))
		}
	}
	slices.Sort(w)
	return w
}

// average of two finite values; it does not overflow.
func average(a, b float64) float64 {
	if s := a + b; !math.IsInf(s, 0) {
		return s / 2
	}
	return a/2 + b/2
}

// middle is the median of sorted values.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return average(sorted[(n-1)/2], sorted[n/2])
}
