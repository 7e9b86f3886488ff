// The binomial band against sums that are exact; fixtures_test.go has R's values
// up to n = 10¹³.

package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestBinomialBandOfExactSums(t *testing.T) {
	for _, n := range []uint64{0, 1, 2, 7, 30, 300} {
		for _, p := range []float64{1e-12, 0.001, 0.1, 0.25, 0.5, 0.7, 0.999, 1 - 1e-12} {
			for _, confidence := range []float64{0.5, 0.95, 0.999, 1 - 1e-12} {
				low, high := BinomialBand(n, p, confidence)
				wantLow, wantHigh := exactBand(n, p, confidence)
				if low != wantLow || high != wantHigh {
					t.Errorf("BinomialBand(%d, %g, %g) = %d, %d; exact sums say %d, %d", n, p, confidence, low, high, wantLow, wantHigh)
				}
			}
		}
	}
}

// The probabilities themselves, of which the bands see only the sums.
func TestBinomialProbability(t *testing.T) {
	for _, n := range []uint64{1, 5, 17, 40, 300} {
		for _, p := range []float64{1e-12, 0.1, 0.5, 0.999} {
			for k, term := range exactTerms(n, p) {
				want, _ := term.Float64()
				if got := (binomial{n, p, 1 - p}).probability(uint64(k)); math.Abs(got-want) > 1e-12*want && want > 1e-300 {
					t.Errorf("P(%d of %d at %g) = %.17g, want %.17g", k, n, p, got, want)
				}
			}
		}
	}
}

// exactTerms is the binomial distribution with 300 bits.
func exactTerms(n uint64, p float64) []*big.Float {
	term := make([]*big.Float, n+1)
	for k := range term {
		term[k] = wide(1).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
		for i := range n {
			factor := wide(p)
			if i >= uint64(k) {
				factor = wide(1 - p)
			}
			term[k].Mul(term[k], factor)
		}
	}
	return term
}

// exactBand sums the distribution from either side.
func exactBand(n uint64, p, confidence float64) (low, high uint64) {
	tail, term := (1-confidence)/2, exactTerms(n, p)
	sum := wide(0)
	for sum.Add(sum, term[low]); low < n && sum.Cmp(wide(tail)) <= 0; sum.Add(sum, term[low]) {
		low++
	}
	high = n
	sum = wide(0)
	for sum.Add(sum, term[high]); high > 0 && sum.Cmp(wide(tail)) <= 0; sum.Add(sum, term[high]) {
		high--
	}
	return low, high
}

func wide(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }

func TestBinomialBandAtTheEdges(t *testing.T) {
	nan := math.NaN()
	cases := []struct {
		n             uint64
		p, confidence float64
		low, high     uint64
	}{
		{0, 0.5, 0.95, 0, 0},
		{100, 0, 0.95, 0, 0},
		{100, -1, 0.95, 0, 0},
		{100, 1, 0.95, 100, 100},
		{100, 2, 0.95, 100, 100},
		{100, nan, 0.95, 0, 100},
		{100, 0.5, nan, 0, 100},
		{100, 0.5, 1, 0, 100},
		{100, 0.5, 0, 50, 50},
		{100, 0.5, -3, 50, 50},
		{1000, 1e-300, 0.999, 0, 0},
	}
	for _, c := range cases {
		low, high := BinomialBand(c.n, c.p, c.confidence)
		if low != c.low || high != c.high {
			t.Errorf("BinomialBand(%d, %g, %g) = %d, %d, want %d, %d", c.n, c.p, c.confidence, low, high, c.low, c.high)
		}
	}
}

func TestBinomialBandMirrors(t *testing.T) {
	r := seeded(5)
	for range 200 {
		n, p := r.Uint64N(1_000_000), float64(1+r.IntN(1023))/1024 // 1 − p is exact
		low, high := BinomialBand(n, p, 0.999)
		mirrorLow, mirrorHigh := BinomialBand(n, 1-p, 0.999)
		if low != n-mirrorHigh || high != n-mirrorLow || low > high || high > n {
			t.Errorf("n = %d, p = %g: %d to %d, mirrored %d to %d", n, p, low, high, mirrorLow, mirrorHigh)
		}
	}
}

// A sampler that does what it says stays in the band as often as promised.
func TestBinomialBandHolds(t *testing.T) {
	const n, p, repeat = 500, 0.1, 4000
	r, held := seeded(6), 0
	low, high := BinomialBand(n, p, 0.99)
	for range repeat {
		sampled := sampledOf(r, n, p)
		held += count(low <= sampled && sampled <= high)
	}
	if share := float64(held) / repeat; share < 0.985 || share > 0.998 {
		t.Errorf("%.2f %% of counts are in the 99 %% band of %d to %d", 100*share, low, high)
	}
}

func sampledOf(r *rand.Rand, n int, p float64) (sampled uint64) {
	for range n {
		if r.Float64() < p {
			sampled++
		}
	}
	return sampled
}
