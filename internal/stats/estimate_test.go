// Reading an estimate, and the ratios it is made from.

package stats

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestAgainst(t *testing.T) {
	e := Estimate{Center: 2, Low: 1, High: 3, Bounded: true}
	for limit, want := range map[float64]Position{0.9: Above, 1: Straddles, 2: Straddles, 3: Straddles, 3.1: Below, math.Inf(1): Below, math.Inf(-1): Above} {
		if got := e.Against(limit); got != want {
			t.Errorf("1 to 3 against %g: %d, want %d", limit, got, want)
		}
	}
	if got := e.Against(math.NaN()); got != Straddles {
		t.Errorf("against NaN: %d", got)
	}
	if got := (Estimate{Center: 2}).Against(0); got != Unknown {
		t.Errorf("no interval against 0: %d", got)
	}
}

func TestHidden(t *testing.T) {
	for _, c := range []struct{ low, high, want float64 }{{-2, 1, 2}, {-1, 2, 2}, {1, 2, 2}, {-3, -2, 3}} {
		if got := (Estimate{Low: c.low, High: c.high, Bounded: true}).Hidden(); got != c.want {
			t.Errorf("%g to %g hides %g, want %g", c.low, c.high, got, c.want)
		}
	}
	if got := (Estimate{}).Hidden(); !math.IsInf(got, 1) {
		t.Errorf("no interval hides %g", got)
	}
}

func TestLogRatios(t *testing.T) {
	logs, err := LogRatios([]float64{1, 2, 1e-300}, []float64{2, 1, 1e300})
	if err != nil || !near(logs[0], math.Ln2, 1e-15) || !near(logs[1], -math.Ln2, 1e-15) || !near(logs[2], 600*math.Ln10, 1e-14) {
		t.Errorf("%v, %v", logs, err)
	}
	for _, odd := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := LogRatios([]float64{1, odd}, []float64{1, 1}); !errors.Is(err, ErrNoRatio) {
			t.Errorf("baseline %g: %v", odd, err)
		}
		if _, err := LogRatios([]float64{1, 1}, []float64{1, odd}); !errors.Is(err, ErrNoRatio) {
			t.Errorf("value %g: %v", odd, err)
		}
	}
	if _, err := LogRatios([]float64{1}, nil); err == nil || errors.Is(err, ErrNoRatio) {
		t.Errorf("one baseline value, none of the variant: %v", err)
	}
}

func TestDifferences(t *testing.T) {
	if d, err := Differences([]float64{1, 0}, []float64{3, -1}); err != nil || !slices.Equal(d, []float64{2, -1}) {
		t.Errorf("%v, %v", d, err)
	}
	if _, err := Differences([]float64{1}, nil); err == nil {
		t.Error("one baseline value, none of the variant: no error")
	}
}

func TestRatio(t *testing.T) {
	e := Ratio(Estimate{Center: math.Log(1.1), Low: math.Log(0.9), High: math.Log(1.3), Confidence: 0.96, N: 8, Bounded: true})
	if !near(e.Center, 0.1, 1e-12) || !near(e.Low, -0.1, 1e-12) || !near(e.High, 0.3, 1e-12) || e.Confidence != 0.96 || e.N != 8 || !e.Bounded {
		t.Errorf("%+v", e)
	}
	if e := Ratio(Estimate{Center: math.Ln2}); e.Low != 0 || e.High != 0 || e.Bounded || !near(e.Center, 1, 1e-12) {
		t.Errorf("without an interval: %+v", e)
	}
}

func TestLogLimit(t *testing.T) {
	for relative, want := range map[float64]float64{0: 0, 1: math.Ln2, -0.5: -math.Ln2, -1: math.Inf(-1), -2: math.Inf(-1)} {
		if got := LogLimit(relative); got != want && !near(got, want, 1e-14) {
			t.Errorf("LogLimit(%g) = %g, want %g", relative, got, want)
		}
	}
}

// Twice as much and half as much are equally far from no change.
func TestRatioIsSymmetric(t *testing.T) {
	r := seeded(8)
	a, b := sample(r, 12, exchangeable[1].draw), sample(r, 12, exchangeable[1].draw)
	there := Ratio(SignedRank(must(LogRatios(a, b)), 0.95))
	back := Ratio(SignedRank(must(LogRatios(b, a)), 0.95))
	if !near((1+there.Center)*(1+back.Center), 1, 1e-12) || !near((1+there.Low)*(1+back.High), 1, 1e-12) {
		t.Errorf("there %+v, back %+v", there, back)
	}
}

func TestQuantileSupported(t *testing.T) {
	for _, c := range []struct {
		n          uint64
		percentile float64
		want       bool
	}{
		{40, 50, true}, {39, 50, false}, {2000, 99, true}, {1999, 99, false},
		{20_000, 99.9, true}, {19_999, 99.9, false}, {200_000, 99.99, true}, {199_999, 99.99, false},
		{20, 0, true}, {0, 0, false}, {math.MaxUint64, 100, false}, {1000, -1, false}, {1000, math.NaN(), false},
	} {
		if got := QuantileSupported(c.n, c.percentile); got != c.want {
			t.Errorf("%d values for percentile %g: %t", c.n, c.percentile, got)
		}
	}
}

// The expectation must agree with what simulated experiments give.
func TestHalfWidth(t *testing.T) {
	const deviation, repetitions = 0.02, 4000
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{6, 8, 10, 15, 20, 30} {
		sum := 0.0
		for range repetitions {
			d := make([]float64, n)
			for i := range d {
				d[i] = deviation * (random.NormFloat64() - random.NormFloat64())
			}
			e := SignedRank(d, 0.95)
			sum += (e.High - e.Low) / 2
		}
		mean, expected := sum/repetitions, HalfWidth(n, deviation)
		if math.Abs(mean/expected-1) > 0.12 {
			t.Errorf("n=%d: simulated %.4f, expected %.4f", n, mean, expected)
		}
	}
	if !math.IsInf(HalfWidth(5, deviation), 1) {
		t.Error("5 differences have no interval, so its width is infinite")
	}
}

// Found and Findable are what other simulated experiments come to.
func TestFound(t *testing.T) {
	random := seeded(77)
	for _, n := range []int{6, 8, 12} {
		const deviation = 0.03
		change, found := Findable(n, deviation), 0
		for range repetitions {
			found += count(SignedRank(sample(random, n, func(r *rand.Rand) float64 { return change + deviation*r.NormFloat64() }), 0.95).Low > 0)
		}
		if share := float64(found) / repetitions; math.Abs(share-0.8) > noise(0.8)+0.01 || math.Abs(Found(n, deviation, change)-0.8) > 0.01 {
			t.Errorf("%d blocks: %.3f is found in %.1f %% of cases, and %.1f are foretold; want 80", n, change, 100*share, 100*Found(n, deviation, change))
		}
	}
	if Found(5, 0.01, 1) != 0 || !math.IsInf(Findable(5, 0.01), 1) {
		t.Error("5 blocks have no interval, and find nothing")
	}
}

// What scatters is told apart: the windows, and the processes that they are of.
func TestNest(t *testing.T) {
	random := seeded(78)
	for name, c := range map[string]struct{ own, window, fromRounds float64 }{
		"windows": {0, 0.06, 1}, "processes": {0.05, 0.01, 0.004}, "both": {0.02, 0.0632, 0.5},
	} {
		var blocks []float64
		var rounds [][]float64
		for range 2000 {
			own := c.own * random.NormFloat64()
			of := sample(random, 10, func(r *rand.Rand) float64 { return own + c.window*r.NormFloat64() })
			mean, _ := spread(of)
			blocks, rounds = append(blocks, mean), append(rounds, of)
		}
		n, ok := Nest(blocks, rounds)
		if !ok || math.Abs(n.Rounds/c.window-1) > 0.05 || n.Windows != 10 || math.Abs(n.FromRounds()-c.fromRounds) > 0.05 {
			t.Errorf("%s: %+v, of which %.2f from rounds, want %.2f", name, n, n.FromRounds(), c.fromRounds)
		}
	}
	for name, rounds := range map[string][][]float64{"one window each": {{1}, {2}}, "no windows": {nil, nil}, "of another block": {{1, 2}}} {
		if n, ok := Nest([]float64{1, 2}, rounds); ok {
			t.Errorf("%s: %+v", name, n)
		}
	}
}

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
