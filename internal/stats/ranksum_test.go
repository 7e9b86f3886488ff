// The estimate for two samples: by hand, as R has it, and on what nobody would send.

package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

func TestRankSumByHand(t *testing.T) {
	four := []float64{1, 2, 4, 8}
	cases := []struct {
		name        string
		base, value []float64
		confidence  float64
		want        Estimate
	}{
		{"one each", []float64{1}, []float64{3}, 0.95, Estimate{Center: 2, N: 2}},
		{"three each are too few", []float64{1, 2, 3}, []float64{4, 5, 6}, 0.95, Estimate{Center: 3, N: 6}},
		{"four each are just enough", four, []float64{11, 12, 14, 18}, 0.95, Estimate{Center: 10, Low: 3, High: 17, Confidence: 1 - 2.0/70, N: 8, Bounded: true}},
		{"all equal", []float64{2, 2, 2, 2}, []float64{2, 2, 2, 2}, 0.95, Estimate{Low: 0, High: 0, Confidence: 1 - 2.0/70, N: 8, Bounded: true}},
		{"no confidence", four, four, 1, Estimate{Center: 0, N: 8}},
		{"confidence not a number", four, four, math.NaN(), Estimate{Center: 0, N: 8}},
	}
	for _, c := range cases {
		if got := RankSum(c.base, c.value, c.confidence); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
	for _, odd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if e := RankSum(four, []float64{1, 2, 3, 4, odd}, 0.95); !math.IsNaN(e.Center) || e.Bounded {
			t.Errorf("with %g: %+v", odd, e)
		}
	}
	if e := RankSum(nil, four, 0.95); !math.IsNaN(e.Center) || e.Bounded {
		t.Errorf("against nothing: %+v", e)
	}
}

func TestRankSumOfR(t *testing.T) {
	content, err := os.ReadFile("testdata/ranksum.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Source string
		Shifts []struct {
			Name                               string
			Base, Value                        []float64
			Asked, Center, Low, High, Achieved float64
		}
		Null []struct {
			M, N     int
			U, Below []float64
		}
	}
	if err := json.Unmarshal(content, &f); err != nil {
		t.Fatal(err)
	}
	t.Log(f.Source)
	for _, s := range f.Shifts {
		e := RankSum(s.Base, s.Value, s.Asked)
		for what, pair := range map[string][2]float64{
			"centre": {e.Center, s.Center}, "low": {e.Low, s.Low}, "high": {e.High, s.High}, "confidence": {e.Confidence, s.Achieved},
		} {
			if !near(pair[0], pair[1], 1e-12) || !e.Bounded {
				t.Errorf("%s at %g: %s %.17g, R says %.17g", s.Name, s.Asked, what, pair[0], pair[1])
			}
		}
	}
	for _, n := range f.Null {
		null := rankSumNull(n.M, n.N)
		for i, u := range n.U {
			if p := total(null[:int(u)+1]); !near(p, n.Below[i], 1e-11) {
				t.Errorf("%d and %d: P(U ≤ %g) = %.15g, R says %.15g", n.M, n.N, u, p, n.Below[i])
			}
		}
	}
}

func TestRankSumCoverage(t *testing.T) {
	for s, shape := range exchangeable {
		for _, n := range [][2]int{{6, 6}, {8, 8}, {8, 12}, {10, 30}, {20, 20}} {
			r, held, e := seeded(uint64(100*s+n[0]+n[1])), 0, Estimate{}
			for range repetitions {
				// What is compared are log-ratios of two runs each, shifted by a tenth.
				base, value := ratios(r, shape, n[0]), ratios(r, shape, n[1])
				for i := range value {
					value[i] += 0.1
				}
				e = RankSum(base, value, 0.95)
				held += count(e.Against(0.1) == Straddles)
			}
			share := float64(held) / repetitions
			t.Logf("%s, %d and %d: holds in %.2f %%, says %.2f", shape.name, n[0], n[1], 100*share, 100*e.Confidence)
			if math.Abs(share-e.Confidence) > noise(e.Confidence) {
				t.Errorf("%s, %d and %d: holds in %.2f %% of cases, says %.2f", shape.name, n[0], n[1], 100*share, 100*e.Confidence)
			}
		}
	}
}

// Where one session is noisier than the other the interval is not exact any more:
// docs/statistics.md has the figures.
func TestRankSumWhereTheNoiseDiffers(t *testing.T) {
	for _, c := range []struct {
		m, n        int
		times, want float64
	}{{8, 8, 2, 0.94}, {8, 8, 4, 0.92}, {20, 20, 2, 0.93}, {20, 20, 4, 0.92}, {10, 30, 0.5, 0.88}, {10, 30, 2, 0.97}} {
		r, held := seeded(uint64(c.m)), 0
		for range repetitions {
			base := sample(r, c.m, (*rand.Rand).NormFloat64)
			value := sample(r, c.n, func(r *rand.Rand) float64 { return c.times * r.NormFloat64() })
			held += count(RankSum(base, value, 0.95).Against(0) == Straddles)
		}
		share := float64(held) / repetitions
		t.Logf("%d and %d, the second %g times as noisy: holds in %.1f %%", c.m, c.n, c.times, 100*share)
		if share < c.want-noise(c.want) {
			t.Errorf("%d and %d, the second %g times as noisy: holds in %.1f %%, the page says about %.0f", c.m, c.n, c.times, 100*share, 100*c.want)
		}
	}
}

// ratios draws n log-ratios of two runs each.
func ratios(r *rand.Rand, s shape, n int) []float64 {
	return must(LogRatios(sample(r, n, s.draw), sample(r, n, s.draw)))
}

func TestNormalRankSum(t *testing.T) {
	for _, confidence := range []float64{0.9, 0.95, 0.99, 0.999} {
		for _, n := range [][2]int{{100, 100}, {25, 400}} {
			exact, _, _ := (&Shifts{m: n[0], n: n[1]}).cut(confidence)
			cut, achieved, ok := normalRankSumCut(n[0], n[1], confidence)
			truth := 1 - 2*total(rankSumNull(n[0], n[1])[:cut+1])
			if !ok || math.Abs(float64(cut-exact)) > 0.012*float64(exact) || math.Abs(achieved-truth) > 7e-4 {
				t.Errorf("%v at %g: cut %d (exact %d), achieved %g (in truth %g)", n, confidence, cut, exact, achieved, truth)
			}
		}
	}
}

func TestMinEach(t *testing.T) {
	for confidence, want := range map[float64]int{0.9: 3, 0.95: 4, 0.99: 5, 0.999: 7, 0: 0, 1: 0} {
		got := MinEach(confidence)
		if got != want {
			t.Errorf("MinEach(%g) = %d, want %d", confidence, got, want)
		}
		if got == 0 {
			continue
		}
		base, value := sample(seeded(1), got, (*rand.Rand).NormFloat64), sample(seeded(2), got, (*rand.Rand).NormFloat64)
		if !RankSum(base, value, confidence).Bounded || RankSum(base[1:], value[1:], confidence).Bounded {
			t.Errorf("at %g, %d are not the fewest", confidence, got)
		}
	}
}

func TestValuesToExclude(t *testing.T) {
	base, value := []float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{11, 12, 13, 14, 15, 16, 17, 18}
	e := RankSum(base, value, 0.95)
	cases := []struct {
		name        string
		base, value []float64
		limit       float64
		max, want   int
	}{
		{"excluded", base, value, e.Low - 0.1, 100, 0},
		{"half as wide: four times as many", base, value, 10 - (10-e.Low)/2, 100, 32},
		{"more than may be", base, value, 10 - (10-e.Low)/2, 31, -1},
		{"on the centre", base, value, 10, 100, -1},
		{"one", base[:1], value, 0, 100, -1},
		{"two each, all equal", []float64{1, 1}, []float64{2, 2}, 0, 100, 4},
	}
	for _, c := range cases {
		if got := ValuesToExclude(c.base, c.value, c.limit, 0.95, c.max); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func FuzzRankSum(f *testing.F) {
	f.Add(floatBytes([]float64{1, 2, 3, 4, 5, 6, 7, 8}), uint8(4), 0.95)
	f.Add(floatBytes([]float64{math.MaxFloat64, -math.MaxFloat64, math.NaN(), math.Inf(1)}), uint8(2), 0.5)
	f.Add([]byte{}, uint8(0), 0.0)
	f.Fuzz(func(t *testing.T, data []byte, at uint8, confidence float64) {
		x := bytesFloats(data)
		if len(x) > 60 {
			return
		}
		at = min(at, uint8(len(x)))
		base, value := x[:at], x[at:]
		e, mirrored := RankSum(base, value, confidence), RankSum(value, base, confidence)
		if e.Bounded && !(e.Low <= e.Center && e.Center <= e.High && e.Confidence >= confidence-1e-9) {
			t.Fatalf("out of order: %+v", e)
		}
		if !math.IsNaN(e.Center) && (mirrored.Center != -e.Center || mirrored.Low != -e.High || mirrored.High != -e.Low) {
			t.Fatalf("not symmetric: %+v, %+v", e, mirrored)
		}
		ValuesToExclude(base, value, 0, confidence, 100)
	})
}

func ExampleRankSum() {
	before := []float64{0.101, 0.098, 0.103, 0.099, 0.100, 0.102, 0.097, 0.104}
	after := []float64{0.131, 0.128, 0.134, 0.127, 0.130, 0.132, 0.129, 0.133}
	e := Ratio(RankSum(before, after, 0.95))
	fmt.Printf("costs %.1f %% more than before (%.1f to %.1f)\n", 100*e.Center, 100*e.Low, 100*e.High)
	// Output: costs 3.0 % more than before (2.7 to 3.4)
}
