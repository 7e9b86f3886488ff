// The distribution of the rank-sum statistic where nothing differs, and the order
// statistics of the differences that follow from it.

package stats

import "math"

// exactPairs is the largest number of pairs for which the null distribution is
// summed exactly. The work grows with its square (some 50 ms here).
const exactPairs = 10000

// cut says how many of the m·n differences are to be left out at each end: the
// largest cut for which 1 − 2·P(U ≤ cut) is still at least confidence, U being the
// Mann–Whitney statistic. ok is false if not even leaving out none is enough.
func (s *Shifts) cut(confidence float64) (cut int, achieved float64, ok bool) {
	if !isConfidence(confidence) || 2*apartByLuck(s.m, s.n) > missable(confidence) {
		return 0, 0, false
	}
	if s.m*s.n > exactPairs {
		return normalRankSumCut(s.m, s.n, confidence)
	}
	if s.null == nil {
		s.null = rankSumNull(s.m, s.n)
	}
	cut, below := -1, 0.0
	for k, p := range s.null {
		if 2*(below+p) > missable(confidence) {
			break
		}
		cut, below = k, below+p
	}
	return cut, 1 - 2*below, true
}

// apartByLuck is P(U = 0): the chance that all of m values lie below all of n.
func apartByLuck(m, n int) float64 {
	p := 1.0
	for i := 1; i <= m; i++ {
		p *= float64(i) / float64(n+i)
	}
	return p
}

// rankSumNull returns P(U = u) for u from 0 to the middle of its range, m·n/2
// rounded down; the other half is its mirror image. The largest of all m+n values
// is one of the m with probability m/(m+n), and is then above all n; otherwise it
// is one of the n, and below it U is that of m and n−1. Only sums of positive
// numbers occur, so that no digits are lost.
func rankSumNull(m, n int) []float64 {
	size := m*n/2 + 1
	all := make([]float64, (n+1)*size)
	row := make([][]float64, n+1) // of the m so far, by n
	for j := range row {
		row[j] = all[j*size : (j+1)*size]
		row[j][0] = 1
	}
	for i := 1; i <= m; i++ {
		for j := 1; j <= n; j++ { // row[0] stays: without a second sample U is 0
			mine, other := float64(i)/float64(i+j), float64(j)/float64(i+j)
			for u := min(size-1, i*j); u >= 0; u-- {
				p := other * row[j-1][u]
				if u >= j {
					p += mine * row[j][u-j]
				}
				row[j][u] = p
			}
		}
	}
	return row[n]
}

// normalRankSumCut is rankSumCut by the normal approximation with continuity
// correction.
func normalRankSumCut(m, n int, confidence float64) (cut int, achieved float64, ok bool) {
	a, b := float64(m), float64(n)
	mean, deviation := a*b/2, math.Sqrt(a*b*(a+b+1)/12)
	k := math.Floor(mean - 0.5 - normalQuantile(1-(1-confidence)/2)*deviation)
	if k < 0 {
		return 0, 0, false
	}
	return int(k), math.Erf((mean - 0.5 - k) / deviation / math.Sqrt2), true
}
