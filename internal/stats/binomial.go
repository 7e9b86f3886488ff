// The band that a binomial count stays in: how many of n spans a sampler of
// probability p lets through, give or take.

package stats

import (
	"math"
	"slices"
)

// BinomialBand returns the central band of a binomial count of n trials with
// probability p each: a count below low, and one above high, each has at most half
// of the probability that confidence leaves over. So low ≤ count ≤ high holds with
// at least this confidence, and no narrower central band does.
//
// It is exact to the last count within float64 (n up to some 10¹⁵), and
// takes time in proportion to √n. A p or a confidence that is NaN, or a confidence
// of 1 or more, allows every count.
func BinomialBand(n uint64, p, confidence float64) (low, high uint64) {
	switch {
	case math.IsNaN(p) || !(confidence < 1):
		return 0, n
	case p <= 0:
		return 0, 0
	case p >= 1:
		return n, n
	}
	tail := (1 - math.Max(confidence, 0)) / 2
	low = binomial{n, p, 1 - p}.quantile(tail)
	return low, n - binomial{n, 1 - p, p}.quantile(tail)
}

// binomial is the distribution of successes in n trials. q = 1 − p is kept beside
// p because neither can be had exactly from the other when it is tiny.
type binomial struct {
	n    uint64
	p, q float64
}

// quantile is the smallest count k with P(X ≤ k) > tail, for tail up to ½. It sums
// the distribution once, up to a normal guess, and walks from there: the guess is
// off by a few counts only, whatever n is.
func (b binomial) quantile(tail float64) uint64 {
	mean := float64(b.n) * b.p
	guess := math.Floor(mean + normalQuantile(tail)*math.Sqrt(mean*b.q))
	k := uint64(math.Min(math.Max(guess, 0), float64(b.n)))
	sum := b.upTo(k)
	if sum > tail {
		return b.walkDown(k, sum, tail)
	}
	return b.walkUp(k, sum, tail)
}

// walkDown goes down from k, where sum = P(X ≤ k) is over tail.
func (b binomial) walkDown(k uint64, sum, tail float64) uint64 {
	for ; k > 0; k-- {
		if sum -= b.probability(k); sum <= tail {
			return k
		}
	}
	return 0
}

// walkUp goes up from k, where sum = P(X ≤ k) is not over tail.
func (b binomial) walkUp(k uint64, sum, tail float64) uint64 {
	for sum <= tail && k < b.n {
		k++
		sum += b.probability(k)
	}
	return k
}

// upTo is P(X ≤ k), for k not far above the mean: the terms from k downwards, each
// from the one before, until they no longer matter.
func (b binomial) upTo(k uint64) float64 {
	term := b.probability(k)
	sum := term
	for ; k > 0 && term > sum*1e-17; k-- {
		term *= float64(k) * b.q / (float64(b.n-k+1) * b.p)
		sum += term
	}
	return sum
}

// probability is P(X = k), 0 < p < 1, by the saddle-point form, which keeps its
// precision at any n, where factorials would not.
//
// Source: C. Loader, Fast and Accurate Computation of Binomial Probabilities,
// 2000, equations 1 to 5.
func (b binomial) probability(k uint64) float64 {
	n, x := float64(b.n), float64(k)
	switch k {
	case 0:
		return math.Exp(n * logOf(b.q, b.p))
	case b.n:
		return math.Exp(n * logOf(b.p, b.q))
	}
	y := float64(b.n - k)
	logarithm := stirlingError(n) - stirlingError(x) - stirlingError(y) -
		deviance(x, n*b.p) - deviance(y, n*b.q)
	return math.Exp(logarithm) * math.Sqrt(n/(2*math.Pi*x*y))
}

// logOf is ln p of a probability, from whichever of p and q = 1 − p is precise.
func logOf(p, q float64) float64 {
	if p < 0.5 {
		return math.Log(p)
	}
	return math.Log1p(-q)
}

// stirlingError is ln n! less Stirling's approximation of it.
func stirlingError(n float64) float64 {
	if n < 16 {
		factorial, _ := math.Lgamma(n + 1)
		return factorial - (n+0.5)*math.Log(n) + n - math.Log(2*math.Pi)/2
	}
	s := 1 / (n * n)
	return (1.0/12 - s*(1.0/360-s*(1.0/1260-s*(1.0/1680-s/1188)))) / n
}

// deviance is x·ln(x/m) + m − x, without the cancellation where x is close to m.
func deviance(x, m float64) float64 {
	v := (x - m) / (x + m)
	if math.Abs(v) > 0.1 {
		return x*math.Log(x/m) + m - x
	}
	// ln(x/m) = 2·artanh v, as a series; its first term is taken together with m − x.
	sum, power := (x-m)*v, 2*x*v
	for i := 3.0; ; i += 2 {
		power *= v * v
		next := sum + power/i
		if next == sum {
			return sum
		}
		sum = next
	}
}

// Whether two shares are the same but for chance: how many of n trials, and how many of m.

// SameShare is how likely chance alone makes shares as different as a of n and b of m, or more so, where both are the
// same: twice the smaller tail of Fisher's exact test, 1 at most. It takes time in proportion to the square root of the
// counts.
func SameShare(a, n, b, m uint64) float64 {
	if n == 0 || m == 0 || a+b == 0 || a+b == n+m {
		return 1
	}
	h := hypergeometric{n, m, a + b}
	return math.Min(1, 2*math.Min(h.tail(a, -1), h.tail(a, +1)))
}

// hypergeometric is the distribution of the successes among n of n + m trials, if there are k in all of them.
type hypergeometric struct{ n, m, k uint64 }

// probability is P(X = x), as the product of two binomial ones over that of their sum, which keeps its precision.
func (h hypergeometric) probability(x uint64) float64 {
	p := float64(h.k) / float64(h.n+h.m)
	q := float64(h.n+h.m-h.k) / float64(h.n+h.m)
	return binomial{h.n, p, q}.probability(x) * binomial{h.m, p, q}.probability(h.k-x) / binomial{h.n + h.m, p, q}.probability(h.k)
}

// tail is P(X ≤ x) for step −1 and P(X ≥ x) for step 1: the terms from x on, until they no longer matter.
func (h hypergeometric) tail(x uint64, step int) float64 {
	term := h.probability(x)
	sum := term
	for {
		// In floats: m + x − k may not be below zero, and is not for any x that there can be.
		f, n, m, k := float64(x), float64(h.n), float64(h.m), float64(h.k)
		if step < 0 {
			term *= f * (m - k + f) / ((n - f + 1) * (k - f + 1))
			x--
		} else {
			term *= (n - f) * (k - f) / ((f + 1) * (m - k + f + 1))
			x++
		}
		// Towards the middle of the distribution the terms grow, and none is small enough to end with.
		if sum += term; term <= sum*1e-17 {
			return sum
		}
	}
}

// Scatter is the chi-square of counts of successes, each of its number of trials, around the share of all of them, with its
// degrees of freedom: their quotient is about 1 where chance alone scatters them.
func Scatter(successes, trials []uint64) (sum float64, freedom int) {
	var k, n float64
	for i := range trials {
		k, n = k+float64(successes[i]), n+float64(trials[i])
	}
	p := k / n
	if n == 0 || p <= 0 || p >= 1 {
		return 0, max(0, len(trials)-1)
	}
	for i := range trials {
		if of := float64(trials[i]); of > 0 {
			off := float64(successes[i]) - of*p
			sum += off * off / (of * p * (1 - p))
		}
	}
	return sum, len(trials) - 1
}

// Where a series of readings becomes steady.

const (
	fewestReadings = 16    // for any answer
	steadyShare    = 0.125 // of the readings: so many at least are left by a cut
	neighbours     = 2     // readings before and after one that it is held against
	spike          = 8.0   // times the usual distance from the neighbours' median that a reading stands out by
	goodEnough     = 1.25  // times the least error of the mean that an earlier cut may have
	steadyDrift    = 0.05  // by which the parts of what is steady may differ
	driftErrors    = 3     // times its own standard error that a drift must be, to be one
)

// Steadiness is the point from which on a series of readings is steady.
type Steadiness struct {
	From   int     // the first reading that is; where Steady is false, the most that may be cut off
	Steady bool    // false: it never gets steady, or there are too few readings to tell
	Drift  float64 // by which what is left still changes, relatively: −0.1 is a fall by 10 %
}

// SteadyFrom finds the reading from which on a series in the order of time is
// steady. Of the readings at most so many may be cut off; where what is left after that
// still changes by over 5 %, the series never gets steady. Readings are positive, in any
// unit, each over a stretch of the same length; under 16 of them, or with one that is not
// finite, there is no answer.
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
// them. At both ends there are as many on each side as the nearer end has, so the
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
