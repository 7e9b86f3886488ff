// The distribution of the signed-rank statistic where nothing differs, and the
// order statistics of the Walsh averages that follow from it.

package stats

import "math"

// exactMost is the largest number of differences for which the null distribution
// is summed exactly. The work grows with its third power (some 10 ms here); from
// here on the normal approximation is off by less than 0.0002 in probability.
const exactMost = 400

// signedRankCut says how many Walsh averages are to be left out at each end: the
// largest cut for which 1 − 2·P(T ≤ cut) is still at least confidence, where T
// is the signed-rank statistic of n differences. achieved is that probability.
// ok is false if not even leaving out none is enough.
func signedRankCut(n int, confidence float64) (cut int, achieved float64, ok bool) {
	least := MinBlocks(confidence)
	if least == 0 || n < least {
		return 0, 0, false
	}
	if n > exactMost {
		return normalCut(n, confidence)
	}
	cut, below := -1, 0.0
	for k, p := range signedRankNull(n) {
		if 2*(below+p) > missable(confidence) {
			break
		}
		cut, below = k, below+p
	}
	return cut, 1 - 2*below, true
}

// signedRankNull returns P(T = k) for k from 0 to the middle of the range of T,
// n(n+1)/4 rounded down; the other half is its mirror image. T is the sum of a
// random subset of the ranks 1 … n, each in it with probability ½, so rank by
// rank the distribution is half as it was and half shifted by the rank. Only
// sums of positive numbers occur: the relative error stays near n·10⁻¹⁶.
func signedRankNull(n int) []float64 {
	p := make([]float64, n*(n+1)/4+1)
	p[0] = 1
	for rank := 1; rank <= n; rank++ {
		for k := len(p) - 1; k >= 0; k-- {
			if k >= rank {
				p[k] += p[k-rank]
			}
			p[k] /= 2
		}
	}
	return p
}

// normalCut is signedRankCut by the normal approximation with continuity
// correction.
func normalCut(n int, confidence float64) (cut int, achieved float64, ok bool) {
	size := float64(n)
	mean := size * (size + 1) / 4
	deviation := math.Sqrt(size * (size + 1) * (2*size + 1) / 24)
	k := math.Floor(mean - 0.5 - normalQuantile(1-(1-confidence)/2)*deviation)
	if k < 0 {
		return 0, 0, false
	}
	return int(k), math.Erf((mean - 0.5 - k) / deviation / math.Sqrt2), true
}

// normalQuantile is the value below which the standard normal distribution has
// probability p, 0 < p < 1.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
