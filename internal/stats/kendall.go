// How far two orders of the same things agree.

package stats

import "math"

// KendallTau is Kendall's rank correlation τ-b of x and y: 1 where they put the same
// things in the same order, −1 where in the opposite one. Ties are allowed for. It is false
// where there is none: the numbers of values differ or are under two, all values
// of one side are the same, or a value is not finite.
//
// Source: Kendall, The treatment of ties in ranking problems, Biometrika 33 (1945).
func KendallTau(x, y []float64) (float64, bool) {
	if len(x) != len(y) || len(x) < 2 || !allFinite(x) || !allFinite(y) {
		return 0, false
	}
	var agree, pairsX, pairsY float64 // pairs that are no ties
	for i := range x {
		for j := range i {
			a, b := sign(x[i], x[j]), sign(y[i], y[j])
			agree += a * b
			pairsX += a * a
			pairsY += b * b
		}
	}
	if pairsX == 0 || pairsY == 0 {
		return 0, false
	}
	return agree / math.Sqrt(pairsX*pairsY), true
}

// sign is 1, 0 or −1 as a is above, at or below b.
func sign(a, b float64) float64 {
	switch {
	case a > b:
		return 1
	case a < b:
		return -1
	}
	return 0
}
