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

// Components returns the standard deviations of the two parts that the scatter of grouped figures has: between the centres of groups,
// 0 where these differ by no more than the figures of a group let them, and within groups. They are known where two groups or more
// have two figures or more each.
//
// Source: Montgomery, Design and Analysis of Experiments, 9th ed., section 3.9 (the analysis of variance method, with its n0 for
// groups of several sizes).
func Components(groups [][]float64) (between, within float64, known bool) {
	var all, sizes float64 // the number of figures, and the sum of the squares of the groups' sizes
	var sums, inside float64
	used, repeated := 0, 0
	for _, g := range groups {
		if len(g) == 0 {
			continue
		}
		centre, squares := spread(g)
		n := float64(len(g))
		all, sizes, used = all+n, sizes+n*n, used+1
		sums, inside = sums+n*centre, inside+squares
		if len(g) > 1 {
			repeated++
		}
	}
	if repeated < 2 {
		return 0, 0, false
	}
	outside := 0.0
	for _, g := range groups {
		if len(g) > 0 {
			centre, _ := spread(g)
			outside += float64(len(g)) * square(centre-sums/all)
		}
	}
	variance := inside / (all - float64(used))
	typical := (all - sizes/all) / float64(used-1)
	between = math.Sqrt(math.Max(0, (outside/float64(used-1)-variance)/typical))
	return between, math.Sqrt(variance), !math.IsNaN(between+variance) && !math.IsInf(between+variance, 0)
}
