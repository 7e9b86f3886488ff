// Whether values depend on what their blocks were like, for many questions at once.

package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

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
