// Where a series of readings becomes steady.

package stats

import (
	"math"
	"slices"
)

const (
	fewestReadings = 16    // to say anything
	steadyShare    = 0.125 // of the readings: so many at least are left by a cut
	neighbours     = 2     // readings before and after one that it is held against
	spike          = 8.0   // times the usual distance from the neighbours' median that a reading stands out by
	goodEnough     = 1.25  // times the least error of the mean that an earlier cut may have
	steadyDrift    = 0.05  // by which the parts of what is steady may differ
	driftErrors    = 3     // times its own standard error that a drift must be, to be one
)

// Steadiness says from where on a series of readings is steady.
type Steadiness struct {
	From   int     // the first reading that is; where Steady is false, the most that may be cut off
	Steady bool    // false: it never gets steady, or there are too few readings to tell
	Drift  float64 // by which what is left still changes, relatively: −0.1 is a fall by 10 %
}

// SteadyFrom finds the reading from which on a series in the order of time is
// steady. Of the readings at most so many may be cut off; where what is left after that
// still changes by over 5 %, the series never gets steady. Readings are positive, in any
// unit, each over a stretch of the same length; under 16 of them, or with one that is not
// finite, nothing is told.
//
// The cut is where the mean of the rest has the least standard error (MSER: White, An
// effective truncation heuristic for bias reduction in simulation output, Simulation 69,
// 1997), a reading being a batch of operations, as MSER-5 asks for (White, Cobb and
// Spratt 2000). It is mended in three places. A reading that stands out alone, such as
// a pause of the machine or a garbage collection, gives way to its neighbours before. Of
// cuts that are nearly as good the first is taken: on steady readings the least error
// lies anywhere. And as a cut that leaves too little is none (Hoad, Robinson and Davies,
// Automating warm-up length estimation, J. Oper. Res. Soc. 61, 2010), what is left is
// held against itself (its halves; the last eighth of all readings, and what a cut without
// a limit would leave, against the rest), and more is cut off while it changes.
func SteadyFrom(readings []float64, most int) Steadiness {
	n := len(readings)
	if n < fewestReadings || most < 0 || !allFinite(readings) {
		return Steadiness{From: max(0, min(n, most))}
	}
	x := withoutSpikes(readings)
	end := n - max(2*neighbours, int(steadyShare*float64(n)))
	most = min(most, end)
	errs := errorsOfMeans(x)
	late, drift := firstGood(errs[:end+1]), 0.0
	for from := firstGood(errs[:most+1]); from <= most; from++ {
		drift = 0
		for _, at := range []int{(n - from) / 2, late - from, end - from} {
			if one := changes(x[from:], at); math.Abs(one) > math.Abs(drift) {
				drift = one
			}
		}
		if drift == 0 {
			return Steadiness{From: from, Steady: true}
		}
	}
	return Steadiness{From: most, Drift: drift}
}

// changes is by how much what comes after a place differs from what comes before,
// relatively; 0 where that is little, or may be chance.
func changes(x []float64, at int) float64 {
	if at < 2 || len(x)-at < 2 {
		return 0
	}
	before, _ := spread(x[:at])
	after, _ := spread(x[at:])
	chance := math.Sqrt(square(deviation(x[:at]))/float64(at) + square(deviation(x[at:]))/float64(len(x)-at))
	if before <= 0 || math.Abs(after-before) <= max(steadyDrift*before, driftErrors*chance) {
		return 0
	}
	return after/before - 1
}

// withoutSpikes replaces the values that stand out from their neighbours by the median with
// them. At both ends there are as many on each side as the nearer end has, so that the
// first reading, the coldest of all, stays.
func withoutSpikes(x []float64) []float64 {
	out, off := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		reach := min(neighbours, i, len(x)-1-i)
		out[i] = slices.Sorted(slices.Values(x[i-reach : i+reach+1]))[reach]
		off[i] = math.Abs(x[i] - out[i])
	}
	usual := spike * slices.Sorted(slices.Values(off))[len(x)/2]
	for i := range x {
		if off[i] <= usual {
			out[i] = x[i]
		}
	}
	return out
}

// errorsOfMeans is, for each cut, the square of the standard error of the mean of the rest.
func errorsOfMeans(x []float64) []float64 {
	errs := make([]float64, len(x))
	var mean, squares, n float64
	for i := range slices.Backward(x) {
		n++
		delta := x[i] - mean
		mean += delta / n
		squares += delta * (x[i] - mean)
		errs[i] = squares / (n * n)
	}
	return errs
}

// firstGood is the first cut with an error that is nearly the least.
func firstGood(errs []float64) int {
	least := slices.Min(errs)
	return slices.IndexFunc(errs, func(e float64) bool { return e <= goodEnough*least })
}
