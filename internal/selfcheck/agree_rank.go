// This file reckons centres and intervals once more, in the plainest way: it shares no
// code with the ordinary analysis, which it is held against.

package selfcheck

import (
	"math"
	"slices"
)

// scale is a list of paired differences, and how a figure of theirs is shown.
type scale struct {
	of    []float64
	shown func(float64) float64
	size  float64 // of what they are the differences of, as shown: what rounding is measured by
}

func linear(v float64) float64 { return v }

// change turns the logarithm of a ratio into ratio − 1.
func change(v float64) float64 { return math.Exp(v) - 1 }

func (s scale) centre() float64 { return s.shown(centre(s.of)) }

// same reports whether a figure is the one reckoned here, but for rounding.
func (s scale) same(said, is float64) bool { return same(said, is, s.size) }

func same(said, is, size float64) bool {
	return math.Abs(said-is) <= 1e-9*max(math.Abs(said), math.Abs(is))+1e-12*math.Abs(size)
}

// largest is the largest size among the values of all lists.
func largest(lists ...[]float64) float64 {
	most := 0.0
	for _, list := range lists {
		for _, v := range list {
			most = max(most, math.Abs(v))
		}
	}
	return most
}

// pairMeans are the means of all pairs of values, each with itself included, in order.
func pairMeans(x []float64) []float64 {
	var means []float64
	for i := range x {
		for j := 0; j <= i; j++ {
			means = append(means, x[i]/2+x[j]/2)
		}
	}
	slices.Sort(means)
	return means
}

// centre is the median of the means of all pairs.
func centre(x []float64) float64 {
	means := pairMeans(x)
	if len(means) == 0 {
		return math.NaN()
	}
	return means[(len(means)-1)/2]/2 + means[len(means)/2]/2
}

// interval is the interval of a signed-rank test, in the words of shown; false where there
// are too few values for one of such a confidence.
//
// If there is no difference each value is as likely above zero as below, so that each of
// the 2ⁿ sets of ranks 1 … n is as likely as any other to be that of the values above.
// As many means are left out at either end as the sets of the least sums allow.
func (s scale) interval(confidence float64) (low, high float64, bounded bool) {
	n := len(s.of)
	sets := make([]float64, n*(n+1)/2+1) // by the sum of their ranks
	sets[0] = 1
	for rank := 1; rank <= n; rank++ {
		for sum := len(sets) - 1; sum >= rank; sum-- {
			sets[sum] += sets[sum-rank]
		}
	}
	allowed := (1 - confidence) / 2 * math.Pow(2, float64(n)) * (1 + 1e-9) // of sets; 1 − 1/32 is reckoned, and has an error
	out, counted := 0, 0.0
	for out < len(sets) && counted+sets[out] <= allowed {
		counted += sets[out]
		out++
	}
	if out == 0 {
		return 0, 0, false
	}
	means := pairMeans(s.of)
	return s.shown(means[out-1]), s.shown(means[len(means)-out]), true
}
