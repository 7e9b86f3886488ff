// Package stats owns what tracetax says about numbers: paired estimates with
// exact intervals, where an interval stands against a limit, the correction for
// several claims at once, modes, and binomial bands. All of it is pure: the same
// numbers in, the same answer out.
//
// It does not know what the numbers mean. Runs, blocks, metrics, budgets and
// words for a reader belong to its callers. What the methods assume, and what
// their intervals do not cover, is in docs/statistics.md.
package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// Several claims at once, and how many blocks a claim needs.

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

// Several claims at once, where there are too few blocks for corrected intervals.

// mostJointBlocks bounds the 2^(n−1) patterns of signs that are tried. Up to some
// 800 claims at 95 % corrected intervals exist from 15 blocks on.
const mostJointBlocks = 16

// JointSigns tests for each of several claims whether its differences are centred on
// zero, and returns p-values that are adjusted for their number: claims whose p-value
// is at most α include a wrong one with a probability of at most α. claims[j][i] is
// the difference of claim j in block i, NaN where the block has none; all rows have
// the same length.
//
// If a variant costs nothing, a block's difference is as likely to be positive as
// negative; so is the whole row of the claims' differences in that block, which come
// from the same runs. The test turns the signs of whole blocks in all 2^n ways, and
// asks how often the largest |t| of all claims is as large as what was seen; then,
// without the claim that was surest, how often that of the others is (step-down
// max-T: Westfall and Young, Resampling-Based Multiple Testing, 1993; Romano and
// Wolf, Econometrica 73, 2005). That claims depend on each other makes it sharper,
// and six blocks are enough for any number of claims: 2 of 64 patterns are as
// extreme as what points in one direction in all blocks.
//
// A claim of fewer than two blocks, or whose differences are not finite or all zero,
// gets 1, as all do where there are more than 16 blocks or none.
func JointSigns(claims [][]float64) []float64 {
	p := make([]float64, len(claims))
	for j := range p {
		p[j] = 1
	}
	var order []int
	for j, d := range claims {
		if testable(d) {
			order = append(order, j)
		}
	}
	if len(order) == 0 || len(claims[0]) > mostJointBlocks {
		return p
	}
	n := len(claims[0])
	whole := make([]float64, len(claims))
	for _, j := range order {
		whole[j] = signedT(claims[j], 0)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(whole[b], whole[a]) })
	// reached[k] is in how many patterns the largest of the k-th claim and those after
	// it is as large as what was seen of the k-th. The sign of one block is fixed: |t|
	// is the same with all signs turned.
	reached, patterns := make([]int, len(order)), 1<<(n-1)
	for signs := range patterns {
		largest := 0.0
		for k := len(order) - 1; k >= 0; k-- {
			j := order[k]
			largest = max(largest, signedT(claims[j], signs))
			if largest >= whole[j]*(1-1e-9) {
				reached[k]++
			}
		}
	}
	least := 0.0
	for k, j := range order {
		least = max(least, float64(reached[k])/float64(patterns))
		p[j] = least
	}
	return p
}

// testable reports whether the signs of differences can be turned.
func testable(d []float64) bool {
	n, different := 0, false
	for _, x := range d {
		switch {
		case math.IsInf(x, 0):
			return false
		case !math.IsNaN(x):
			n++
			different = different || x != 0
		}
	}
	return n >= 2 && different
}

// signedT is |t| of the differences, with the signs turned of the blocks whose bits
// are set. It is infinite where all are equal then.
func signedT(d []float64, signs int) float64 {
	n, sum, squares := 0.0, 0.0, 0.0
	for i, x := range d {
		if math.IsNaN(x) {
			continue
		}
		if signs>>i&1 == 1 {
			x = -x
		}
		n, sum, squares = n+1, sum+x, squares+x*x
	}
	rest := squares - sum*sum/n
	if rest <= squares*1e-12 {
		return math.Inf(1)
	}
	return math.Abs(sum) / math.Sqrt(n*rest/(n-1))
}

// What an estimate is, and how to read it against a limit.

// Estimate is a centre with a two-sided interval, in the unit of the values
// that it was made from.
type Estimate struct {
	Center     float64 // NaN where there is nothing to estimate from
	Low, High  float64 // the interval, ends included; 0 unless Bounded
	Confidence float64 // exact confidence of [Low, High], at least what was asked for; 0 unless Bounded
	N          int     // values (blocks) that it rests on
	Bounded    bool    // false: N is too small for the confidence asked for
}

// Position is where an interval stands in respect to a limit.
type Position int

// The positions. Unknown is the zero value: there is no interval.
const (
	Unknown   Position = iota
	Below              // the whole interval is below the limit
	Straddles          // the limit is inside the interval, or is one of its ends
	Above              // the whole interval is above the limit
)

// Against says where e's interval stands in respect to limit. A NaN limit is
// straddled: nothing can be said against it.
func (e Estimate) Against(limit float64) Position {
	switch {
	case !e.Bounded:
		return Unknown
	case e.High < limit:
		return Below
	case e.Low > limit:
		return Above
	}
	return Straddles
}

// Hidden is how large an effect in either direction the interval leaves room
// for: the larger of |Low| and |High|. It is +Inf where there is no interval.
func (e Estimate) Hidden() float64 {
	if !e.Bounded {
		return math.Inf(1)
	}
	return math.Max(math.Abs(e.Low), math.Abs(e.High))
}

// Stopping when an interval is narrow enough, and what that costs in confidence.

// keptMiss is the part of the probability to miss that each look may have. The
// rest pays for stopping: one stops early where the spread happens to look small,
// and there the interval is too narrow. Simulated, an interval that is asked for
// 95 % and stopped on its own width holds in no less than 92.8 % of cases: the
// miss grows by up to 1.45 times, which leaves two thirds; a little less is safer.
// stopping_test.go shows that it is enough, down to the small probabilities of
// many claims at once.
const keptMiss = 0.6

// SequentialConfidence is the confidence to ask of SignedRank at every look, so
// that the last interval has the confidence given although the number of blocks
// was not fixed: one looks after every block from least (8 or more) to most, and
// stops as soon as the interval is narrow enough. It is the confidence itself where
// there is one look only (most ≤ least), or where it is not strictly between 0 and 1.
//
// Only the width may decide when to stop, never the place of the interval: whoever
// adds blocks until an interval excludes zero will see it exclude zero.
func SequentialConfidence(least, most int, confidence float64) float64 {
	if !isConfidence(confidence) || most <= least {
		return confidence
	}
	return 1 - (1-confidence)*keptMiss
}

// What so many blocks can tell, before anything was measured: how narrow an interval can be expected to be, and how often
// a change is found. And from what was measured, whether more blocks help, or longer ones.

// HalfWidth is about half the width that the 95 % signed-rank interval of n
// paired differences will have, if the values of each variant vary from block to
// block with the given standard deviation (of their logarithms, so 0.01 is
// 1 %) and are near normal. It is the half-width of Student's interval at the
// confidence that the signed-rank interval achieves with n differences. It is
// infinite where n is too small for an interval.
func HalfWidth(n int, deviation float64) float64 {
	e := SignedRank(make([]float64, n), 0.95)
	if !e.Bounded {
		return math.Inf(1)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.5 + e.Confidence/2)
	return t * deviation * math.Sqrt2 / math.Sqrt(float64(n))
}

// experiments is the number of simulated ones, to know how often a change is found.
const experiments = 4000

// lowEnds are, by number of blocks, how far below the true difference the 95 % intervals of simulated experiments begin, in
// increasing order, where differences vary by 1.
var lowEnds = struct {
	sync.Mutex
	by map[int][]float64
}{by: map[int][]float64{}}

// reaches are the low ends of n blocks; nil where they are too few for an interval.
func reaches(n int) []float64 {
	lowEnds.Lock()
	defer lowEnds.Unlock()
	if known, has := lowEnds.by[n]; has {
		return known
	}
	var out []float64
	random := rand.New(rand.NewPCG(uint64(n), 1))
	for range experiments {
		d := make([]float64, n)
		for i := range d {
			d[i] = random.NormFloat64()
		}
		e := SignedRank(d, 0.95)
		if !e.Bounded {
			break
		}
		out = append(out, -e.Low)
	}
	slices.Sort(out)
	lowEnds.by[n] = out
	return out
}

// Found returns the share of experiments of n blocks whose 95 % interval finds a difference: it lies above zero. The differences
// of blocks vary by the given standard deviation and are near normal.
func Found(n int, deviation, difference float64) float64 {
	all := reaches(n)
	if len(all) == 0 {
		return 0
	}
	return float64(sort.SearchFloat64s(all, difference/deviation)) / float64(len(all))
}

// Findable is the smallest difference that is found in eight of ten experiments of n blocks; infinite where n is too small
// for an interval.
func Findable(n int, deviation float64) float64 {
	all := reaches(n)
	if len(all) == 0 {
		return math.Inf(1)
	}
	return deviation * all[len(all)*8/10]
}

// Nested is the scatter of log-ratios: of blocks, and of rounds of windows within blocks.
type Nested struct {
	Blocks  float64 // standard deviation of the blocks'
	Rounds  float64 // of the rounds', within blocks
	Windows float64 // rounds of a block, on average
}

// Nest reads it off the log-ratio of each block and those of its rounds; false where there are no two of either.
func Nest(blocks []float64, rounds [][]float64) (Nested, bool) {
	var squares, freedom, all float64
	for _, of := range rounds {
		if len(of) == 0 {
			continue
		}
		_, sum := spread(of)
		squares, freedom, all = squares+sum, freedom+float64(len(of)-1), all+float64(len(of))
	}
	if len(blocks) < 2 || len(rounds) != len(blocks) || freedom == 0 {
		return Nested{}, false
	}
	return Nested{deviation(blocks), math.Sqrt(squares / freedom), all / float64(len(rounds))}, true
}

// FromRounds is the share of the blocks' variance that comes from the scatter of their rounds: more windows make it less.
// The rest is the processes' own, and only more blocks help.
func (n Nested) FromRounds() float64 {
	if n.Blocks == 0 {
		return 1
	}
	return min(1, square(n.Rounds)/n.Windows/square(n.Blocks))
}
