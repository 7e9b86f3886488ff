// Simulations: whether the intervals hold what they promise, and where they do not.

package stats

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const repetitions = 2000

// noise is four standard errors of a simulated share near p.
func noise(p float64) float64 { return 4 * math.Sqrt(p*(1-p)/repetitions) }

func TestCoverage(t *testing.T) {
	for s, shape := range exchangeable {
		for _, n := range []int{6, 7, 8, 10, 15, 20, 30} {
			t.Run(fmt.Sprintf("%s/%d", shape.name, n), func(t *testing.T) {
				t.Parallel()
				relative, absolute, achieved := coverage(seeded(uint64(100*s+n)), shape, n)
				t.Logf("relative %.2f %%, absolute %.2f %%, exact %.2f %%", 100*relative, 100*absolute, 100*achieved)
				for kind, share := range map[string]float64{"relative": relative, "absolute": absolute} {
					if share < 0.93 || share > 0.98 {
						t.Errorf("%s interval covers in %.2f %% of cases, want 93 to 98", kind, 100*share)
					}
					if math.Abs(share-achieved) > noise(achieved) {
						t.Errorf("%s interval covers in %.2f %% of cases, but says %.2f", kind, 100*share, 100*achieved)
					}
				}
			})
		}
	}
}

// coverage is the share of experiments of n blocks in which the interval holds the
// true cost: 10 % of what the run would have taken, or 0.1 on top of it. The blocks
// differ by some 10 % from each other.
func coverage(r *rand.Rand, s shape, n int) (relative, absolute, achieved float64) {
	const cost = 0.1
	var ratios, differences int
	base, more, on := make([]float64, n), make([]float64, n), make([]float64, n)
	for range repetitions {
		for i := range n {
			block := math.Exp(0.1 * r.NormFloat64())
			base[i] = block * s.draw(r)
			run := block * s.draw(r)
			more[i], on[i] = run*(1+cost), run+cost
		}
		ratio := Ratio(SignedRank(must(LogRatios(base, more)), 0.95))
		difference := SignedRank(must(Differences(base, on)), 0.95)
		ratios += count(ratio.Against(cost) == Straddles)
		differences += count(difference.Against(cost) == Straddles)
		achieved = ratio.Confidence
	}
	return float64(ratios) / repetitions, float64(differences) / repetitions, achieved
}

func TestSimultaneousCoverage(t *testing.T) {
	for _, c := range []struct{ claims, blocks int }{{2, 8}, {5, 10}, {5, 20}, {12, 15}} {
		t.Run(fmt.Sprintf("%d claims/%d", c.claims, c.blocks), func(t *testing.T) {
			t.Parallel()
			r := seeded(uint64(1000*c.claims + c.blocks))
			plain, corrected := 0, 0
			for range repetitions {
				single, all := jointly(r, c.claims, c.blocks)
				plain += count(single)
				corrected += count(all)
			}
			share := float64(corrected) / repetitions
			t.Logf("all hold: %.2f %% corrected, %.2f %% not corrected", 100*share, 100*float64(plain)/repetitions)
			if share < 0.95-noise(0.95) {
				t.Errorf("all %d corrected intervals hold in %.2f %% of cases, want 95", c.claims, 100*share)
			}
			if c.claims >= 5 && float64(plain)/repetitions > 0.93 {
				t.Errorf("the correction has nothing to do: this test is not testing it")
			}
		})
	}
}

// jointly makes one experiment of several variants against one baseline and says
// whether all intervals hold the truth, without and with the correction.
func jointly(r *rand.Rand, claims, blocks int) (plain, corrected bool) {
	draw := exchangeable[1].draw
	base := sample(r, blocks, draw)
	plain, corrected = true, true
	for range claims {
		d := must(LogRatios(base, sample(r, blocks, draw)))
		plain = plain && SignedRank(d, 0.95).Against(0) == Straddles
		corrected = corrected && SignedRank(d, Bonferroni(0.95, claims)).Against(0) == Straddles
	}
	return plain, corrected
}

func TestCenterIsUnbiased(t *testing.T) {
	for s, shape := range exchangeable {
		r := seeded(uint64(s))
		centers := make([]float64, repetitions)
		means := make([]float64, repetitions)
		for i := range centers {
			d := must(LogRatios(sample(r, 10, shape.draw), sample(r, 10, shape.draw)))
			centers[i] = Center(d)
			means[i], _ = spread(d)
		}
		mean, _ := spread(centers)
		t.Logf("%s: bias %.4f, deviation %.4f (of the mean: %.4f)", shape.name, mean, deviation(centers), deviation(means))
		if limit := 4 * deviation(centers) / math.Sqrt(repetitions); math.Abs(mean) > limit {
			t.Errorf("%s: the centre is off by %.5f on average, allowed %.5f", shape.name, mean, limit)
		}
		if shape.name == "outliers" && deviation(centers) > 0.7*deviation(means) {
			t.Errorf("outliers: the centre varies by %.4f, hardly less than the mean with %.4f", deviation(centers), deviation(means))
		}
	}
}

// The limits that docs/statistics.md names are real: here the interval holds less
// often than it says. If one of these fails, the page is to be corrected.
func TestWhatTheIntervalDoesNotCover(t *testing.T) {
	limits := []struct {
		name  string
		truth float64
		d     func(r *rand.Rand) []float64
	}{
		{"each block's error is half that of the block before", 0, func(r *rand.Rand) []float64 {
			return carriedOver(r, 20, 0.5)
		}},
		{"skewed cost, and the mean is asked for", 1, func(r *rand.Rand) []float64 {
			return sample(r, 30, func(r *rand.Rand) float64 { return r.ExpFloat64() })
		}},
		{"one variant always second, while the machine slows down", 0, func(r *rand.Rand) []float64 {
			return whileSlowing(r, 10, func() bool { return true })
		}},
		{"calls of one run taken for blocks", 0, func(r *rand.Rand) []float64 {
			run := r.NormFloat64()
			return sample(r, 30, func(r *rand.Rand) float64 { return run + r.NormFloat64() })
		}},
	}
	for _, limit := range limits {
		r, held := seeded(7), 0
		for range repetitions {
			held += count(SignedRank(limit.d(r), 0.95).Against(limit.truth) == Straddles)
		}
		t.Logf("%s: holds in %.1f %%", limit.name, 100*float64(held)/repetitions)
		if float64(held)/repetitions > 0.93 {
			t.Errorf("%s: the interval holds in %.1f %% of cases after all", limit.name, 100*float64(held)/repetitions)
		}
	}
}

// A machine that slows down all the time is no harm where the order is random.
func TestRandomOrderCancelsDrift(t *testing.T) {
	for _, n := range []int{6, 10, 20} {
		r, held, e := seeded(10), 0, Estimate{}
		for range repetitions {
			e = SignedRank(whileSlowing(r, n, func() bool { return r.Float64() < 0.5 }), 0.95)
			held += count(e.Against(0) == Straddles)
		}
		if share := float64(held) / repetitions; math.Abs(share-e.Confidence) > noise(e.Confidence) {
			t.Errorf("n = %d: holds in %.1f %% of cases, says %.1f", n, 100*share, 100*e.Confidence)
		}
	}
}

// whileSlowing draws the log-ratios of n blocks of two runs, each run 2 % slower
// than the one before, with 3 % noise.
func whileSlowing(r *rand.Rand, n int, valueSecond func() bool) []float64 {
	return sample(r, n, func(r *rand.Rand) float64 {
		d := 0.03 * math.Sqrt2 * r.NormFloat64()
		if valueSecond() {
			return d + 0.02
		}
		return d - 0.02
	})
}

// carriedOver draws n values of which each keeps a part of the one before.
func carriedOver(r *rand.Rand, n int, part float64) []float64 {
	x := make([]float64, n)
	before := r.NormFloat64() / math.Sqrt(1-part*part)
	for i := range x {
		before = part*before + r.NormFloat64()
		x[i] = before
	}
	return x
}

func count(held bool) int {
	if held {
		return 1
	}
	return 0
}

func must(x []float64, err error) []float64 {
	if err != nil {
		panic(err)
	}
	return x
}

// The binomial band against sums that are exact; fixtures_test.go has R's values
// up to n = 10¹³.

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
