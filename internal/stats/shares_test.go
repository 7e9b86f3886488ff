package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// sameShareByHand sums exact fractions.
func sameShareByHand(a, n, b, m int64) float64 {
	ways := func(x int64) *big.Int {
		return new(big.Int).Mul(new(big.Int).Binomial(n, x), new(big.Int).Binomial(m, a+b-x))
	}
	low, high := new(big.Int), new(big.Int)
	for x := max(0, a+b-m); x <= min(n, a+b); x++ {
		if x <= a {
			low.Add(low, ways(x))
		}
		if x >= a {
			high.Add(high, ways(x))
		}
	}
	if low.Cmp(high) > 0 {
		low = high
	}
	p, _ := new(big.Rat).SetFrac(low.Lsh(low, 1), new(big.Int).Binomial(n+m, a+b)).Float64()
	return math.Min(1, p)
}

func TestSameShare(t *testing.T) {
	for _, sizes := range [][2]int64{{1, 1}, {3, 7}, {10, 10}, {40, 23}} {
		n, m := sizes[0], sizes[1]
		for a := int64(0); a <= n; a++ {
			for b := int64(0); b <= m; b++ {
				got, want := SameShare(uint64(a), uint64(n), uint64(b), uint64(m)), sameShareByHand(a, n, b, m)
				if math.Abs(got-want) > 1e-9*want {
					t.Errorf("%d of %d and %d of %d: %g, want %g", a, n, b, m, got, want)
				}
			}
		}
	}
	for _, c := range []struct{ a, n, b, m uint64 }{{100, 5000, 130, 4900}, {3, 100_000, 19, 100_000}, {60, 100, 0, 100_000}} {
		got, want := SameShare(c.a, c.n, c.b, c.m), sameShareByHand(int64(c.a), int64(c.n), int64(c.b), int64(c.m))
		if math.Abs(got-want) > 1e-7*want {
			t.Errorf("%+v: %g, want %g", c, got, want)
		}
	}
	if p := SameShare(600_000, 1_000_000, 0, 1_000_000); p > 1e-300 {
		t.Errorf("what cannot be by chance is so with %g", p)
	}
	if SameShare(0, 0, 5, 9) != 1 || SameShare(0, 5, 0, 9) != 1 || SameShare(5, 5, 9, 9) != 1 {
		t.Error("where there is nothing to compare, nothing differs")
	}
}

func TestScatter(t *testing.T) {
	if sum, freedom := Scatter([]uint64{10, 30}, []uint64{100, 100}); math.Abs(sum-200.0/16) > 1e-9 || freedom != 1 {
		t.Errorf("%g with %d", sum, freedom)
	}
	if sum, freedom := Scatter([]uint64{0, 0, 0}, []uint64{5, 0, 9}); sum != 0 || freedom != 2 {
		t.Errorf("of none: %g with %d", sum, freedom)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var sum float64
	var freedom int
	for range 500 {
		counts, trials := make([]uint64, 8), make([]uint64, 8)
		for i := range counts {
			trials[i] = 200
			for range trials[i] {
				if r.Float64() < 0.3 {
					counts[i]++
				}
			}
		}
		s, f := Scatter(counts, trials)
		sum, freedom = sum+s, freedom+f
	}
	if by := sum / float64(freedom); by < 0.95 || by > 1.05 {
		t.Errorf("chance alone scatters by %g, want 1", by)
	}
}
