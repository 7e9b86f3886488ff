// Whether two shares are the same but for chance: how many of n trials, and how many of m.

package stats

import "math"

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
