// Simulations: how often modes are reported that are none, and how often those are
// found that are there.

package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// reported is the share of pairs of n runs each for which modes are said to differ.
// It leaves out the centres, which take most of the time of Modes.
func reported(seed uint64, n, repeat int, baseline, value func(*rand.Rand) float64) float64 {
	return reportedOn(comparable, false, seed, n, repeat, baseline, value)
}

// reportedOn is reported, of values that are compared on scales of one's choice; see split for strict.
func reportedOn(scales func(a, b []float64) (scale, scale), strict bool, seed uint64, n, repeat int, baseline, value func(*rand.Rand) float64) float64 {
	r, hits := seeded(seed), 0
	for range repeat {
		b, v := scales(sample(r, n, baseline), sample(r, n, value))
		hits += count(split(b, v, strict) > 0 || split(v, b, strict) > 0)
	}
	return float64(hits) / float64(repeat)
}

func TestModesFalseAlarms(t *testing.T) {
	const repeat = 4000
	normal, outliers := exchangeable[0].draw, exchangeable[2].draw
	uniform := func(r *rand.Rand) float64 { return 1 + 0.1*r.Float64() }
	slower := func(r *rand.Rand) float64 { return 1.15 * outliers(r) }
	noisier := func(r *rand.Rand) float64 { return 1 + 0.1*r.NormFloat64() }
	exponential := func(r *rand.Rand) float64 { return 1 + 0.1*r.ExpFloat64() }
	cases := []struct {
		name            string
		baseline, value func(*rand.Rand) float64
		most            float64
	}{
		{"normal", normal, normal, 0.01},
		{"log-normal", exchangeable[1].draw, exchangeable[1].draw, 0.01},
		{"outliers", outliers, outliers, 0.01},
		{"outliers, and a cost of 15 %", outliers, slower, 0.01},
		{"Laplace", exchangeable[3].draw, exchangeable[3].draw, 0.01},
		{"uniform", uniform, uniform, 0.01},
		{"exponential", exponential, exponential, 0.02},
		{"value twice as noisy", normal, noisier, 0.03},
		{"shared modes, 50 %", half, half, 0.03},
		{"shared modes, 30 %", exchangeable[4].draw, exchangeable[4].draw, 0.06},
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{6, 8, 10, 15, 20, 30} {
				share := reported(uint64(100*i+n), n, repeat, c.baseline, c.value)
				t.Logf("n = %2d: %.2f %%", n, 100*share)
				if share > c.most {
					t.Errorf("n = %d: modes reported in %.2f %% of cases, allowed %.0f", n, 100*share, 100*c.most)
				}
			}
		})
	}
}

// Where a cost is a difference, the value is far noisier than the baseline, whose spread then
// says nothing: modes must stand out from the value's own.
func TestModesOfDifferenceFalseAlarms(t *testing.T) {
	const repeat = 4000
	little := func(r *rand.Rand) float64 { return 0.03 * (1 + 0.02*r.NormFloat64()) }
	littleInModes := func(r *rand.Rand) float64 { return 0.03 * modal(r, 0.5) }
	cases := []struct {
		name            string
		baseline, value func(*rand.Rand) float64
		most            float64
	}{
		{"normal", little, exchangeable[0].draw, 0.03},
		{"log-normal", little, exchangeable[1].draw, 0.03},
		{"outliers", little, exchangeable[2].draw, 0.03},
		{"Laplace", little, exchangeable[3].draw, 0.03},
		{"uniform", little, func(r *rand.Rand) float64 { return 1 + 0.1*r.Float64() }, 0.05},
		{"exponential", little, func(r *rand.Rand) float64 { return 1 + 0.1*r.ExpFloat64() }, 0.03},
		{"modes of a small baseline", littleInModes, exchangeable[0].draw, 0.03},
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{6, 8, 10, 15, 20, 30} {
				share := reportedOn(amounts, true, uint64(100*i+n), n, repeat, c.baseline, c.value)
				t.Logf("n = %2d: %.2f %%", n, 100*share)
				if share > c.most {
					t.Errorf("n = %d: modes reported in %.2f %% of cases, allowed %.0f", n, 100*share, 100*c.most)
				}
			}
		})
	}
}

// Modes ten times the noise apart are found as differences too.
func TestModesOfDifferenceFound(t *testing.T) {
	little := func(r *rand.Rand) float64 { return 0.03 * (1 + 0.02*r.NormFloat64()) }
	two := func(r *rand.Rand) float64 {
		x := 1 + 0.02*r.NormFloat64()
		if r.Float64() < 0.5 {
			x += 0.2
		}
		return x
	}
	for n, least := range map[int]float64{6: 0.2, 8: 0.6, 10: 0.55, 15: 0.9, 20: 0.95, 30: 0.95} {
		share := reportedOn(amounts, true, uint64(n), n, 2000, little, two)
		t.Logf("n = %2d: %.1f %%", n, 100*share)
		if share < least {
			t.Errorf("n = %d: modes found in %.1f %% of cases, want %.0f", n, 100*share, 100*least)
		}
	}
}

func half(r *rand.Rand) float64 { return modal(r, 0.5) }

func TestModesFound(t *testing.T) {
	quiet := func(r *rand.Rand) float64 { return math.Exp(0.03 * r.NormFloat64()) }
	for _, c := range []struct {
		n     int
		share float64
		least float64
	}{
		{8, 0.5, 0.5}, {10, 0.5, 0.5}, {12, 0.5, 0.7}, {15, 0.5, 0.8}, {20, 0.5, 0.9}, {30, 0.5, 0.95},
		{15, 0.3, 0.55}, {20, 0.3, 0.8}, {30, 0.3, 0.85},
	} {
		t.Run(fmt.Sprintf("%g/%d", c.share, c.n), func(t *testing.T) {
			t.Parallel()
			value := func(r *rand.Rand) float64 { return modal(r, c.share) }
			up, down := reported(uint64(c.n), c.n, 2000, quiet, value), reported(uint64(c.n), c.n, 2000, value, quiet)
			t.Logf("found in the value in %.1f %%, in the baseline in %.1f %%", 100*up, 100*down)
			if math.Min(up, down) < c.least {
				t.Errorf("modes found in %.1f and %.1f %% of cases, want %.0f", 100*up, 100*down, 100*c.least)
			}
		})
	}
}

func TestModesReport(t *testing.T) {
	baseline := []float64{1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 0.99}
	value := []float64{1.25, 1.01, 1.24, 0.99, 1.26, 1.00, 1.25, 1.25}
	kept := slices.Clone(value)
	r := Modes(baseline, value)
	if !r.Differ || len(r.Baseline) != 1 || len(r.Value) != 2 {
		t.Fatalf("two clear modes were not seen: %+v", r)
	}
	low, high := r.Value[0], r.Value[1]
	if low.Runs != 3 || low.Share != 0.375 || !near(low.Center, 1, 1e-9) || high.Runs != 5 || !near(high.Center, 1.25, 1e-9) {
		t.Errorf("modes %+v", r.Value)
	}
	if !slices.Equal(value, kept) {
		t.Errorf("the values were reordered")
	}
	if back := Modes(value, baseline); !back.Differ || len(back.Baseline) != 2 {
		t.Errorf("not seen in the baseline: %+v", back)
	}
}

func TestModesSilent(t *testing.T) {
	nan := math.NaN()
	cases := map[string]struct{ baseline, value []float64 }{
		"nothing":          {nil, nil},
		"one side empty":   {nil, []float64{1, 1, 1, 2, 2, 2}},
		"too few":          {[]float64{1, 1.01, 1.02, 1, 1.01}, []float64{1, 1.01, 2, 2.01, 2.02}},
		"not a number":     {[]float64{1, 1.1, 1, nan, 1, 1.1}, []float64{1, 1.1, 1, 2, 2, 2.1}},
		"counts":           {[]float64{3, 3, 3, 3, 3, 3}, []float64{3, 3, 3, 4, 4, 4}},
		"half a percent":   {[]float64{1, 1.0001, 1, 1.0001, 1, 1}, []float64{1, 1.0001, 1, 1.005, 1.0051, 1.005}},
		"a second outlier": {[]float64{1, 1.01, 1.02, 0.99, 1, 1.01, 1, 1}, []float64{1, 1.01, 1.02, 0.99, 1, 1, 2, 2.01}},
	}
	for name, c := range cases {
		if r := Modes(c.baseline, c.value); r.Differ || len(r.Baseline) > 1 || len(r.Value) > 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Two heaps with stragglers all the way between them are one wide spread, however
// far apart the heaps are.
func TestModesNeedAGap(t *testing.T) {
	quiet := []float64{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}
	heaps := []float64{-1, 0, 0, 0, 0, 0, 10, 10, 10, 10, 10, 11}
	if r := Modes(quiet, heaps); !r.Differ {
		t.Fatalf("two clear modes were not seen: %+v", r)
	}
	bridge := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	bridged := slices.Concat(slices.Repeat(heaps, 3), bridge)
	if r := Modes(quiet, bridged); r.Differ {
		t.Errorf("modes without a gap: %+v", r)
	}
}

// Modes of a value are none beside a larger one with noise of their size where the two are
// subtracted, whatever they are as a ratio.
func TestModesOfDifference(t *testing.T) {
	small := []float64{0.64, 0.9, 0.65, 0.89, 0.63, 0.9, 0.64, 0.91}
	noisy := []float64{15.1, 15.9, 15.5, 15.2, 16.1, 15.7, 15.4, 15.6}
	steady := []float64{15.51, 15.5, 15.49, 15.52, 15.5, 15.48, 15.51, 15.5}
	if !Modes(small, noisy).Differ {
		t.Error("no modes as ratios")
	}
	if r := ModesOfDifference(small, noisy); r.Differ {
		t.Errorf("within the noise: %+v", r)
	}
	if r := ModesOfDifference(small, steady); len(r.Baseline) != 2 || len(r.Value) != 1 {
		t.Errorf("beyond the noise: %+v", r)
	}
}

// Zeros and negative values have no logarithm: they are compared as they are.
func TestModesOfDifferences(t *testing.T) {
	r := Modes([]float64{0, 1, -1, 0.5, -0.5, 0.2, 0.3, 0}, []float64{0, 1, -1, 0.5, 20, 21, 20.5, 19})
	if !r.Differ || r.Value[0].Runs != 4 {
		t.Errorf("two clear modes were not seen: %+v", r)
	}
}

// halves are scores of which every other one is 1.
func halves(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(1 - i%2)
	}
	return out
}

// One split of n blocks in halves that are wholly apart has the probability 2 ÷ (n over n ÷ 2).
func TestSplitsByHand(t *testing.T) {
	for n, want := range map[int]float64{8: 2.0 / 70, 10: 2.0 / 252, 12: 2.0 / 924} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i%2)*100 + float64(i)
		}
		got := Splits([]Split{{Values: values, Scores: halves(n)}})[0]
		if math.Abs(got-want) > 4*math.Sqrt(want/permutations) && want < 0.02 || want >= 0.02 && got < 0.015 {
			t.Errorf("%d blocks: %.4f, want %.4f", n, got, want)
		}
	}
	equal := []Split{{Values: make([]float64, 10), Scores: halves(10)}, {Values: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, Scores: make([]float64, 10)}}
	for i, p := range Splits(equal) {
		if p != 1 {
			t.Errorf("split %d, of equal values or of no second group: %g", i, p)
		}
	}
}

// A split that means something is found beside others that mean nothing, and a missing value is
// left out.
func TestSplitsFindOneOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var splits []Split
	for range 6 {
		s := Split{Scores: halves(20)}
		for range 20 {
			s.Values = append(s.Values, r.NormFloat64())
		}
		splits = append(splits, s)
	}
	for i := range splits[4].Values {
		splits[4].Values[i] += 4 * splits[4].Scores[i]
	}
	splits[4].Values[7] = math.NaN()
	for i, p := range Splits(splits) {
		if (p <= 0.01) != (i == 4) {
			t.Errorf("split %d: %g", i, p)
		}
	}
}

// Where no split means anything, one of several that depend on each other is said to in at most
// 1 % of cases.
func TestSplitsAlarm(t *testing.T) {
	const experiments = 2000
	for _, n := range []int{10, 12, 20} {
		r := rand.New(rand.NewPCG(uint64(n), 9))
		alarms := 0
		for range experiments {
			var splits []Split
			common := make([]float64, n)
			for i := range common {
				common[i] = r.ExpFloat64()
			}
			for k := range 4 {
				s := Split{Scores: halves(n)}
				if k > 1 {
					for i := range s.Scores {
						s.Scores[i] = float64(r.IntN(3) - 1)
					}
				}
				for i := range n {
					s.Values = append(s.Values, common[i]+r.NormFloat64())
				}
				splits = append(splits, s)
			}
			for _, p := range Splits(splits) {
				if p <= 0.01 {
					alarms++
					break
				}
			}
		}
		t.Logf("%d blocks: an alarm in %.2f %%", n, 100*float64(alarms)/experiments)
		if float64(alarms)/experiments > 0.01+3.1*math.Sqrt(0.01*0.99/experiments) {
			t.Errorf("%d blocks: %d alarms of %d", n, alarms, experiments)
		}
	}
}
