// Whether groups of figures differ by more than the figures of a group do.

package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// GroupsDiffer returns the probability that the centres of groups lie at least so far apart by chance, if each figure differs from
// one centre by the same normal scatter: the p-value of the one-way analysis of variance. It is 1 with fewer than two groups, or
// where no group has two figures, and 0 where figures differ between groups alone.
//
// Source: Montgomery, Design and Analysis of Experiments, 9th ed., section 3.3 (table 3.3).
func GroupsDiffer(groups [][]float64) float64 {
	var all []float64
	var within, between float64
	used := 0
	for _, g := range groups {
		if len(g) > 0 {
			all = append(all, g...)
			used++
		}
	}
	freedom := len(all) - used
	if used < 2 || freedom < 1 || !allFinite(all) {
		return 1
	}
	mean, _ := spread(all)
	for _, g := range groups {
		if len(g) == 0 {
			continue
		}
		centre, squares := spread(g)
		within += squares
		between += float64(len(g)) * square(centre-mean)
	}
	switch {
	case between == 0:
		return 1
	case within == 0:
		return 0
	}
	f := between / float64(used-1) / (within / float64(freedom))
	p := distuv.F{D1: float64(used - 1), D2: float64(freedom)}.Survival(f)
	return math.Min(1, math.Max(0, p))
}
