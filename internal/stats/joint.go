// Several claims at once, where there are too few blocks for corrected intervals.

package stats

import (
	"cmp"
	"math"
	"slices"
)

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
