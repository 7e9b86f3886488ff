// The paired estimate: by hand, against tables, and on what nobody would send.

package stats

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSignedRankByHand(t *testing.T) {
	cases := []struct {
		name       string
		d          []float64
		confidence float64
		want       Estimate
	}{
		{"one", []float64{3}, 0.95, Estimate{Center: 3, N: 1}},
		{"one is enough for nothing", []float64{3}, 0.01, Estimate{Center: 3, N: 1}},
		{"two", []float64{1, 3}, 0.5, Estimate{Center: 2, Low: 1, High: 3, Confidence: 0.5, N: 2, Bounded: true}},
		{"five are too few", []float64{1, 2, 3, 4, 5}, 0.95, Estimate{Center: 3, N: 5}},
		{"six are just enough", []float64{6, 1, 2, 5, 3, 4}, 0.95, Estimate{Center: 3.5, Low: 1, High: 6, Confidence: 0.96875, N: 6, Bounded: true}},
		{"exactly what is asked", []float64{6, 1, 2, 5, 3, 4}, 0.96875, Estimate{Center: 3.5, Low: 1, High: 6, Confidence: 0.96875, N: 6, Bounded: true}},
		{"seven leave two out", []float64{1, 2, 4, 8, 16, 32, 64}, 0.95, Estimate{Center: 14, Low: 2, High: 40, Confidence: 1 - 6.0/128, N: 7, Bounded: true}},
		{"all equal", []float64{2, 2, 2, 2, 2, 2}, 0.95, Estimate{Center: 2, Low: 2, High: 2, Confidence: 0.96875, N: 6, Bounded: true}},
		{"one far out", []float64{1, 1, 1, 1, 1, 1000}, 0.95, Estimate{Center: 1, Low: 1, High: 1000, Confidence: 0.96875, N: 6, Bounded: true}},
		{"huge", []float64{math.MaxFloat64, math.MaxFloat64}, 0.5, Estimate{Center: math.MaxFloat64, Low: math.MaxFloat64, High: math.MaxFloat64, Confidence: 0.5, N: 2, Bounded: true}},
		{"confidence of one", []float64{6, 1, 2, 5, 3, 4}, 1, Estimate{Center: 3.5, N: 6}},
		{"confidence of nothing", []float64{6, 1, 2, 5, 3, 4}, 0, Estimate{Center: 3.5, N: 6}},
		{"confidence not a number", []float64{6, 1, 2, 5, 3, 4}, math.NaN(), Estimate{Center: 3.5, N: 6}},
	}
	for _, c := range cases {
		if got := SignedRank(c.d, c.confidence); got != c.want {
			t.Errorf("%s: SignedRank(%v, %g)\n got %+v\nwant %+v", c.name, c.d, c.confidence, got, c.want)
		}
	}
}

func TestSignedRankOfWhatIsNotFinite(t *testing.T) {
	for _, odd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		d := []float64{1, 2, 3, 4, 5, 6, odd}
		if e := SignedRank(d, 0.95); !math.IsNaN(e.Center) || e.Bounded || e.N != 7 {
			t.Errorf("with %g: %+v", odd, e)
		}
		if c := Center(d); !math.IsNaN(c) {
			t.Errorf("centre with %g: %g", odd, c)
		}
	}
	if e := SignedRank(nil, 0.95); !math.IsNaN(e.Center) || e.Bounded || e.N != 0 {
		t.Errorf("of nothing: %+v", e)
	}
	if c := Center(nil); !math.IsNaN(c) {
		t.Errorf("centre of nothing: %g", c)
	}
}

// Two-sided critical values as every textbook tabulates them, after F. Wilcoxon
// and R. A. Wilcox, Some Rapid Approximate Statistical Procedures, 1964: the
// largest T that is significant. So many Walsh averages are left out at each end.
func TestCriticalValues(t *testing.T) {
	const none = -1
	tables := map[float64]map[int]int{
		0.90: {4: none, 5: 0, 6: 2, 7: 3, 8: 5, 9: 8, 10: 10, 11: 13, 12: 17, 13: 21, 14: 25, 15: 30, 20: 60, 25: 100},
		0.95: {5: none, 6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 11: 10, 12: 13, 13: 17, 14: 21, 15: 25, 16: 29, 17: 34, 18: 40, 19: 46, 20: 52, 25: 89, 30: 137},
		0.98: {6: none, 7: 0, 8: 1, 9: 3, 10: 5, 11: 7, 12: 9, 13: 12, 14: 15, 15: 19, 20: 43, 25: 76, 30: 120},
		0.99: {7: none, 8: 0, 9: 1, 10: 3, 11: 5, 12: 7, 13: 9, 14: 12, 15: 15, 16: 19, 17: 23, 18: 27, 19: 32, 20: 37, 25: 68, 30: 109},
	}
	for confidence, table := range tables {
		for n, want := range table {
			cut, achieved, ok := signedRankCut(n, confidence)
			if !ok {
				cut = none
			}
			if cut != want {
				t.Errorf("n = %d at %g: %d, the table says %d", n, confidence, cut, want)
			}
			if ok && (achieved < confidence || achieved > confidence+0.05) {
				t.Errorf("n = %d at %g: achieved %g", n, confidence, achieved)
			}
		}
	}
}

// Beyond exactMost the normal approximation takes over: where they meet, it must
// leave out about as many, and be right about the confidence that this gives.
func TestNormalApproximation(t *testing.T) {
	for _, confidence := range []float64{0.9, 0.95, 0.99, 0.999} {
		exact, _, _ := signedRankCut(exactMost, confidence)
		cut, achieved, ok := normalCut(exactMost, confidence)
		if !ok || math.Abs(float64(cut-exact)) > 0.001*float64(exact) {
			t.Errorf("at %g: normal %d, exact %d", confidence, cut, exact)
		}
		if truth := 1 - 2*below(exactMost, cut); math.Abs(achieved-truth) > 1.5e-4 {
			t.Errorf("at %g: said to achieve %g, achieves %g", confidence, achieved, truth)
		}
	}
	d := sample(seeded(1), exactMost+1, func(r *rand.Rand) float64 { return r.NormFloat64() })
	if e := SignedRank(d, 0.95); !e.Bounded || e.Confidence < 0.95 || e.Confidence > 0.951 || e.High-e.Low > 0.25 {
		t.Errorf("%d values: %+v", len(d), e)
	}
}

func TestMinBlocks(t *testing.T) {
	for confidence, want := range map[float64]int{
		0.5: 2, 0.75: 3, 0.9: 5, 0.9375: 5, 0.95: 6, 0.96875: 6, 0.99: 8, 0.995: 9, 0.999: 11, 0: 0, 1: 0, -1: 0, 2: 0,
	} {
		got := MinBlocks(confidence)
		if got != want {
			t.Errorf("MinBlocks(%g) = %d, want %d", confidence, got, want)
		}
		if got == 0 {
			continue
		}
		d := sample(seeded(2), got, func(r *rand.Rand) float64 { return r.NormFloat64() })
		if !SignedRank(d, confidence).Bounded || SignedRank(d[1:], confidence).Bounded {
			t.Errorf("at %g, %d differences are not the fewest", confidence, got)
		}
	}
}

func TestSignedRankProperties(t *testing.T) {
	r := seeded(3)
	for range 300 {
		d := sample(r, 1+r.IntN(40), func(r *rand.Rand) float64 { return r.NormFloat64() * math.Exp(3*r.NormFloat64()) })
		e := SignedRank(d, 0.95)
		shifted, scaled, negated := make([]float64, len(d)), make([]float64, len(d)), make([]float64, len(d))
		for i, v := range d {
			shifted[i], scaled[i], negated[i] = v+7, v*3, -v
		}
		same(t, "shifted by 7", SignedRank(shifted, 0.95), Estimate{Center: e.Center + 7, Low: e.Low + 7, High: e.High + 7}, e)
		same(t, "times 3", SignedRank(scaled, 0.95), Estimate{Center: e.Center * 3, Low: e.Low * 3, High: e.High * 3}, e)
		same(t, "negated", SignedRank(negated, 0.95), Estimate{Center: -e.Center, Low: -e.High, High: -e.Low}, e)
		if wider := SignedRank(d, 0.99); wider.Bounded && (wider.Low > e.Low || wider.High < e.High) {
			t.Errorf("99 %% %+v is narrower than 95 %% %+v", wider, e)
		}
		if c := Center(d); c != e.Center {
			t.Errorf("Center %g, SignedRank's %g", c, e.Center)
		}
	}
}

// same checks numbers against want, and all else against original.
func same(t *testing.T, what string, got, want, original Estimate) {
	t.Helper()
	if got.Bounded != original.Bounded || got.Confidence != original.Confidence || got.N != original.N {
		t.Errorf("%s: %+v of %+v", what, got, original)
	}
	if !near(got.Center, want.Center, 1e-9) || got.Bounded && (!near(got.Low, want.Low, 1e-9) || !near(got.High, want.High, 1e-9)) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

func FuzzSignedRank(f *testing.F) {
	odd := []float64{0, math.Copysign(0, -1), 1, -1, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}
	for i := range odd {
		f.Add(floatBytes(append(odd[:i:i], odd[:min(i+1, 7)]...)), 0.95)
	}
	f.Add([]byte{}, 0.5)
	f.Fuzz(func(t *testing.T, data []byte, confidence float64) {
		d := bytesFloats(data)
		if len(d) > 200 {
			return
		}
		kept := slices.Clone(d)
		e := SignedRank(d, confidence)
		checkEstimate(t, d, confidence, e)
		for i := range d {
			if math.Float64bits(d[i]) != math.Float64bits(kept[i]) {
				t.Fatalf("the differences were changed")
			}
		}
		slices.Reverse(d)
		if back := SignedRank(d, confidence); back != e && !math.IsNaN(e.Center) {
			t.Fatalf("the order matters: %+v, %+v", e, back)
		}
		BlocksToExclude(d, 0, confidence, 100)
		Modes(d, kept)
		Ratio(e)
	})
}

// checkEstimate checks what must hold for every input.
func checkEstimate(t *testing.T, d []float64, confidence float64, e Estimate) {
	t.Helper()
	if e.N != len(d) {
		t.Fatalf("N is %d of %d", e.N, len(d))
	}
	if len(d) == 0 || !allFinite(d) {
		if !math.IsNaN(e.Center) || e.Bounded {
			t.Fatalf("an estimate from %v: %+v", d, e)
		}
		return
	}
	if e.Center < slices.Min(d) || e.Center > slices.Max(d) {
		t.Fatalf("centre of %v outside of them: %+v", d, e)
	}
	if !e.Bounded {
		if e.Low != 0 || e.High != 0 || e.Confidence != 0 || isConfidence(confidence) && len(d) >= MinBlocks(confidence) {
			t.Fatalf("%d differences at %g: %+v", len(d), confidence, e)
		}
		return
	}
	if !(slices.Min(d) <= e.Low && e.Low <= e.Center && e.Center <= e.High && e.High <= slices.Max(d)) {
		t.Fatalf("out of order: %+v of %v", e, d)
	}
	if !(e.Confidence >= confidence-1e-9 && e.Confidence < 1+1e-12) {
		t.Fatalf("asked for %g: %+v", confidence, e)
	}
}

func floatBytes(x []float64) []byte {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func bytesFloats(b []byte) []float64 {
	x := make([]float64, len(b)/8)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return x
}
