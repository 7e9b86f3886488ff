// Modes: whether the runs of one variant fall into two groups that the runs of
// the other variant do not fall into.

package stats

import (
	"math"
	"slices"
)

// What it takes to call two groups of runs modes. The simulation in modes_test.go
// shows what follows from these numbers: how often they speak up without cause,
// and what they find.
const (
	modeDistance = 4.5  // centres at least so many times the noise apart
	modeAlone    = 6.5  // likewise of differences, where the small side's spread says nothing of the large one's noise
	modeGap      = 1.0  // and between them nothing over at least so many times the noise
	modeRelative = 0.01 // and the centres at least 1 % apart, where a ratio makes sense
	modeShare    = 0.2  // each with at least a fifth of the runs: fewer are outliers
	modeChance   = 0.1  // the chance that the other variant would lack the smaller by luck is at most so much
)

// Mode is one group of runs.
type Mode struct {
	Center float64 // Hodges–Lehmann centre of the group's values, in their unit
	Runs   int
	Share  float64 // of all runs of the variant, 0 to 1
}

// ModeReport says into which modes the runs of two variants fall, lowest first. A
// variant without modes that the other lacks is given as one mode.
type ModeReport struct {
	Baseline, Value []Mode
	Differ          bool // one variant has two modes that the other has not
}

// Modes looks for two modes in the runs of one variant that those of the other do
// not have. It takes one value a run; the order does not matter.
//
// Noise is the larger of two things: the spread within the two groups, and the
// whole spread of the *other* variant. So modes that both variants have are not
// reported, however clear they are: the other's spread is then as wide as the
// modes are apart. If all values are positive they are compared as logarithms.
//
// It is made to be silent when in doubt: on fewer than six runs, on values that
// are not finite, and on values that repeat without any noise, which are counts.
func Modes(baseline, value []float64) ModeReport {
	b, v := comparable(baseline, value)
	return reportOf(modesOf(baseline, b, v, false), modesOf(value, v, b, false))
}

// ModesOfDifference looks for modes like Modes where the variants are compared by their
// difference and not by their ratio. The values are taken as they are, so that modes of a small
// value are held against the noise of the large one that it is subtracted from. Those of the large
// one have but its own noise to stand out from, and so must do it more clearly.
func ModesOfDifference(baseline, value []float64) ModeReport {
	b, v := amounts(baseline, value)
	return reportOf(modesOf(baseline, b, v, true), modesOf(value, v, b, true))
}

func reportOf(baseline, value []Mode) ModeReport {
	return ModeReport{Baseline: baseline, Value: value, Differ: len(baseline) > 1 || len(value) > 1}
}

// scale is the values of a variant as they are compared, sorted; ratio says that
// they are logarithms.
type scale struct {
	x     []float64
	ratio bool
}

// comparable returns the values of both variants on one scale: logarithms if all
// of them have one.
func comparable(a, b []float64) (scale, scale) {
	isNot := func(x float64) bool { return !isPositive(x) }
	ratio := !slices.ContainsFunc(a, isNot) && !slices.ContainsFunc(b, isNot)
	return onScale(a, ratio), onScale(b, ratio)
}

// amounts returns the values of both variants as they are.
func amounts(a, b []float64) (scale, scale) { return onScale(a, false), onScale(b, false) }

func onScale(x []float64, ratio bool) scale {
	x = slices.Clone(x)
	slices.Sort(x)
	for i := 0; ratio && i < len(x); i++ {
		x[i] = math.Log(x[i])
	}
	return scale{x, ratio}
}

// modesOf splits values, which are own on their original scale, in two if own has
// modes that other has not; see split for strict.
func modesOf(values []float64, own, other scale, strict bool) []Mode {
	if len(values) == 0 {
		return nil
	}
	values = slices.Clone(values)
	slices.Sort(values)
	k := split(own, other, strict)
	if k == 0 {
		return []Mode{mode(values, len(values))}
	}
	return []Mode{mode(values[:k], len(values)), mode(values[k:], len(values))}
}

func mode(group []float64, all int) Mode {
	return Mode{Center: Center(group), Runs: len(group), Share: float64(len(group)) / float64(all)}
}

// split says how many of own's values are in the lower mode; 0 if there are no
// two modes. Of several cuts it takes the one that sets the centres farthest
// apart, in units of the noise. With strict they must be farther apart where the noise is own's,
// because the spread of other is less.
func split(own, other scale, strict bool) int {
	n, m := len(own.x), len(other.x)
	if n < 2 || m < 2 || !allFinite(own.x) || !allFinite(other.x) {
		return 0
	}
	least, elsewhere := leastRuns(n, m), deviation(other.x)
	best, farthest := 0, modeDistance
	for k := least; k <= n-least; k++ {
		d, noise := distance(own, k, elsewhere)
		if d >= farthest && !(strict && noise > elsewhere && d < modeAlone) {
			best, farthest = k, d
		}
	}
	return best
}

// distance is how far the centres of the lowest k values of s and of the rest are
// apart, in units of the noise, and that noise; 0 if the cut between them is not a mode's.
func distance(s scale, k int, elsewhere float64) (apart, noise float64) {
	gap := s.x[k] - s.x[k-1]
	if gap < modeGap*elsewhere {
		return 0, elsewhere
	}
	low, lowSquares := spread(s.x[:k])
	high, highSquares := spread(s.x[k:])
	noise = math.Max(elsewhere, math.Sqrt((lowSquares+highSquares)/float64(len(s.x)-2)))
	if !(noise > 0) || gap < modeGap*noise || (s.ratio && high-low < modeRelative) {
		return 0, noise
	}
	return (high - low) / noise, noise
}

// leastRuns is how many of n runs the smaller mode must hold. Against m runs of
// the other variant it must be so many that it is unlikely for all of them to
// have fallen on this side by luck, if both variants had the mode alike.
func leastRuns(n, m int) int {
	chance, least := 1.0, max(2, int(math.Ceil(modeShare*float64(n))))
	for k := 0; k < n; k++ {
		if k >= least && chance <= modeChance*(1+1e-9) {
			return k
		}
		chance *= float64(n-k) / float64(n+m-k)
	}
	return n
}
