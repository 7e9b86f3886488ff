// What so many blocks can tell, before anything was measured: how narrow an interval can be expected to be, and how often
// a change is found. And from what was measured, whether more blocks help, or longer ones.

package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// HalfWidth is about half the width that the 95 % signed-rank interval of n
// paired differences will have, if the values of each variant vary from block to
// block with the given standard deviation (of their logarithms, so that 0.01 is
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

// experiments is how many are simulated, to know how often a change is found.
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

// Found is the share of experiments of n blocks whose 95 % interval finds a difference: it lies above zero. The differences
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

// Nested is how much log-ratios scatter: those of blocks, and within blocks those of rounds of windows.
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
