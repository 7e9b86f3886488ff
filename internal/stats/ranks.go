// The estimate of a paired difference: the Hodges–Lehmann centre with the
// interval that the Wilcoxon signed-rank test gives.

package stats

import (
	"math"
	"slices"
)

// SignedRank estimates the centre of paired differences d (one a block) by the
// median of their Walsh averages (dᵢ+dⱼ)/2, i ≤ j, with the two-sided interval
// that holds every centre which the Wilcoxon signed-rank test would not reject.
// The interval is the smallest of those whose confidence is at least what is
// asked for; the confidence that it has is exact for independent differences
// from any continuous, symmetric distribution up to exactMost blocks, and a
// normal approximation beyond. Equal values and zeros are kept; they make the
// interval conservative.
//
// The interval is left out if there are fewer than MinBlocks(confidence)
// differences, or if confidence is not strictly between 0 and 1. If any
// difference is NaN or infinite there is no estimate at all: Center is NaN.
// Memory grows with the square of len(d).
//
// Source: Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd
// ed., sections 3.2 (estimate 3.23) and 3.3 (interval 3.27).
func SignedRank(d []float64, confidence float64) Estimate {
	e := Estimate{Center: math.NaN(), N: len(d)}
	if len(d) == 0 || !allFinite(d) {
		return e
	}
	walsh := walshAverages(d)
	e.Center = middle(walsh)
	cut, achieved, ok := signedRankCut(len(d), confidence)
	if !ok {
		return e
	}
	e.Low, e.High = walsh[cut], walsh[len(walsh)-1-cut]
	e.Confidence, e.Bounded = achieved, true
	return e
}

// Center is the one-sample Hodges–Lehmann estimate of x, in its unit: the median
// of all averages of two values (each with itself included). It is NaN if x is
// empty or holds a value that is not finite.
func Center(x []float64) float64 {
	if len(x) == 0 || !allFinite(x) {
		return math.NaN()
	}
	return middle(walshAverages(x))
}

// MinBlocks is the fewest differences for which SignedRank gives an interval of
// this confidence: 6 for 0.95. It is 0 if confidence is not strictly between 0
// and 1, because then no number is enough.
func MinBlocks(confidence float64) int {
	if !isConfidence(confidence) {
		return 0
	}
	n, miss := 1, 1.0 // the range of n values misses the centre with 2 × 2⁻ⁿ
	for miss > missable(confidence) {
		n, miss = n+1, miss/2
	}
	return n
}

func isConfidence(c float64) bool { return c > 0 && c < 1 }

// missable is the probability with which an interval may miss. The sliver on top
// is for confidences such as 1 − 1/32 that are met exactly, but were computed.
func missable(confidence float64) float64 { return (1 - confidence) * (1 + 1e-9) }

func allFinite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// walshAverages returns all averages of two values of x, sorted.
func walshAverages(x []float64) []float64 {
	w := make([]float64, 0, len(x)*(len(x)+1)/2)
	for i, a := range x {
		for _, b := range x[i:] {
			w = append(w, average(a, b))
		}
	}
	slices.Sort(w)
	return w
}

// average of two finite values; it does not overflow.
func average(a, b float64) float64 {
	if s := a + b; !math.IsInf(s, 0) {
		return s / 2
	}
	return a/2 + b/2
}

// middle is the median of sorted values.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return average(sorted[(n-1)/2], sorted[n/2])
}

// The distribution of the signed-rank statistic where nothing differs, and the
// order statistics of the Walsh averages that follow from it.

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

// The estimate for two samples that are not paired: the Hodges–Lehmann shift with
// the interval that the Wilcoxon rank-sum (Mann–Whitney) test gives.

// RankSum estimates by how much value lies above base by the median of all
// differences vⱼ − bᵢ, with the two-sided interval that holds every shift which
// the Wilcoxon rank-sum test would not reject. The interval is the smallest of
// those whose confidence is at least what is asked for; that confidence is exact
// for independent values, if one sample's distribution is the other's,
// shifted, up to exactPairs pairs, and a normal approximation beyond. Equal values
// are kept; they make the interval conservative. N counts the values of both.
//
// The interval is left out where there are too few values (see MinEach), or where
// confidence is not strictly between 0 and 1. If any value is NaN or infinite, or
// a sample is empty, there is no estimate at all: Center is NaN.
//
// Source: Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd ed.,
// sections 4.2 (estimate 4.36) and 4.3 (interval 4.40).
func RankSum(base, value []float64, confidence float64) Estimate {
	return NewShifts(base, value).At(confidence)
}

// Shifts are two samples, ready to be asked for intervals of several confidences.
// It is not for concurrent use.
type Shifts struct {
	m, n   int
	sorted []float64 // all differences vⱼ − bᵢ; nil where there is no estimate
	null   []float64 // made when it is first needed
}

// NewShifts prepares the estimate of RankSum.
func NewShifts(base, value []float64) *Shifts {
	s := &Shifts{m: len(base), n: len(value)}
	if s.m > 0 && s.n > 0 && allFinite(base) && allFinite(value) {
		s.sorted = allDifferences(base, value)
	}
	return s
}

// At returns the result of RankSum for this confidence.
func (s *Shifts) At(confidence float64) Estimate {
	e := Estimate{Center: math.NaN(), N: s.m + s.n}
	if s.sorted == nil {
		return e
	}
	e.Center = middle(s.sorted)
	cut, achieved, ok := s.cut(confidence)
	if !ok {
		return e
	}
	e.Low, e.High = s.sorted[cut], s.sorted[len(s.sorted)-1-cut]
	e.Confidence, e.Bounded = achieved, true
	return e
}

// MinEach is the fewest values in each of two samples of one size for which
// RankSum gives an interval of this confidence: 4 for 0.95. It is 0 if confidence
// is not strictly between 0 and 1.
func MinEach(confidence float64) int {
	if !isConfidence(confidence) {
		return 0
	}
	n := 1
	for 2*apartByLuck(n, n) > missable(confidence) {
		n++
	}
	return n
}

// ValuesToExclude says about how many values there would have to be in each of the
// two samples until the interval of RankSum excludes limit, if shift and spread
// stayed what they are and the width shrank with the square root of the number. It
// is 0 if limit is excluded already, and -1 if that would take more than max or
// cannot be said. Like BlocksToExclude it is a rule of thumb.
func ValuesToExclude(base, value []float64, limit, confidence float64, max int) int {
	const hopeless = -1
	e := RankSum(base, value, confidence)
	if at := e.Against(limit); at == Below || at == Above {
		return 0
	}
	least := min(len(base), len(value))
	distance := math.Abs(e.Center - limit)
	if least < 2 || !isConfidence(confidence) || !(distance > 0) {
		return hopeless
	}
	// Two samples of one size do as well as two of different sizes whose harmonic
	// mean it is.
	size := 2 / (1/float64(len(base)) + 1/float64(len(value)))
	needed := math.Ceil(size * square(shiftReach(e, base, value, limit, confidence)/distance))
	needed = math.Max(needed, math.Max(float64(least+1), float64(MinEach(confidence))))
	if !(needed <= float64(max)) {
		return hopeless
	}
	return int(needed)
}

// shiftReach is how far the interval reaches from the centre towards limit; where
// there is none, how far a normal one would.
func shiftReach(e Estimate, base, value []float64, limit, confidence float64) float64 {
	switch {
	case e.Bounded && limit < e.Center:
		return e.Center - e.Low
	case e.Bounded:
		return e.High - e.Center
	}
	variance := square(deviation(base))/float64(len(base)) + square(deviation(value))/float64(len(value))
	return normalQuantile(1-(1-confidence)/2) * math.Sqrt(variance)
}

// allDifferences returns value − base of every pair, sorted.
func allDifferences(base, value []float64) []float64 {
	d := make([]float64, 0, len(base)*len(value))
	for _, b := range base {
		for _, v := range value {
			d = append(d, math.Max(-math.MaxFloat64, math.Min(math.MaxFloat64, v-b)))
		}
	}
	slices.Sort(d)
	return d
}

// The distribution of the rank-sum statistic where nothing differs, and the order
// statistics of the differences that follow from it.

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
// numbers occur, so no digits are lost.
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
