// Modes: whether the runs of one variant fall into two groups that the runs of
// the other variant do not fall into.

package stats

import (
	"math"
	"math/rand/v2"
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
// difference and not by their ratio. The values are taken as they are, so modes of a small
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
func distance(s scale, k int, elsewhere float64) (separation, noise float64) {
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

// Whether values depend on what their blocks were like, for many questions at once.

// A Split asks whether the values of blocks rise or fall with a score that the blocks have, such
// as 1 for those of one group and 0 for the others: Values[i] and Scores[i] are of the i-th
// block. A block whose value is NaN does not count.
type Split struct{ Values, Scores []float64 }

const (
	permutations = 20000 // that are drawn
	unlikely     = 2.3   // standard deviations of a rank sum below which no probability of 1 % is reached
)

// Splits tests whether any of several splits of the same blocks is more than luck, and returns
// for each the probability that luck makes the largest of all of them as large as this one (in
// steps of 1/20,000; 1 where it is over some 2 %). It is adjusted for their number: a probability
// of α or less is seen for any of them in at most α of cases where no split means anything,
// however they depend on each other.
//
// How large a split is, is the sum of ranks times scores in standard deviations; of two groups,
// that is their rank sum. The scores of whole blocks are shuffled, all splits together (max-T: Westfall and Young, 1993), with random
// numbers that are always the same. All splits have one length.
func Splits(splits []Split) []float64 {
	p := make([]float64, len(splits))
	z := make([]float64, len(splits))
	ranked := make([]ranking, len(splits))
	asked := false
	for i, s := range splits {
		p[i] = 1
		ranked[i] = rankingOf(s)
		z[i] = ranked[i].z(nil)
		asked = asked || z[i] >= unlikely
	}
	if !asked {
		return p
	}
	n := len(splits[0].Values)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	r := rand.New(rand.NewPCG(uint64(n), 1))
	reached := make([]int, len(splits))
	for range permutations {
		r.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		largest := 0.0
		for i := range ranked {
			largest = max(largest, ranked[i].z(order))
		}
		for i := range z {
			if largest >= z[i]-1e-9 {
				reached[i]++
			}
		}
	}
	for i := range p {
		if z[i] >= unlikely {
			p[i] = float64(reached[i]+1) / (permutations + 1)
		}
	}
	return p
}

// ranking is a split with the ranks in the place of the values, less their mean; NaN where there is none.
type ranking struct {
	ranks  []float64
	scores []float64
	spread float64 // the sum of the squares of the ranks over their number less one
}

func rankingOf(s Split) ranking {
	out := ranking{ranks: make([]float64, len(s.Values)), scores: s.Scores}
	var sorted []float64
	for _, v := range s.Values {
		if !math.IsNaN(v) {
			sorted = append(sorted, v)
		}
	}
	slices.Sort(sorted)
	squares := 0.0
	for i, v := range s.Values {
		if math.IsNaN(v) {
			out.ranks[i] = v
			continue
		}
		low, _ := slices.BinarySearch(sorted, v)
		high := low
		for high < len(sorted) && sorted[high] == v {
			high++
		}
		rank := float64(low+high-1)/2 - float64(len(sorted)-1)/2
		out.ranks[i] = rank
		squares += rank * rank
	}
	if n := len(sorted); n > 1 {
		out.spread = squares / float64(n-1)
	}
	return out
}

// z is the size of the split with its scores in an order; nil leaves them where they are.
func (s ranking) z(order []int) float64 {
	n, sum, total, squares := 0.0, 0.0, 0.0, 0.0
	for i, rank := range s.ranks {
		if math.IsNaN(rank) {
			continue
		}
		at := i
		if order != nil {
			at = order[i]
		}
		score := s.scores[at]
		n, sum, total, squares = n+1, sum+rank*score, total+score, squares+score*score
	}
	variance := (squares - total*total/n) * s.spread
	if !(variance > 1e-9) {
		return 0
	}
	return math.Abs(sum) / math.Sqrt(variance)
}
