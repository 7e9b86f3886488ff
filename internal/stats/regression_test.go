package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// norris is the data set Norris of the NIST Statistical Reference Datasets (linear
// regression, J. Norris, calibration of ozone monitors), as pairs y, x.
var norris = [][2]float64{
	{0.1, 0.2}, {338.8, 337.4}, {118.1, 118.2}, {888.0, 884.6}, {9.2, 10.1}, {228.1, 226.5}, {668.5, 666.3}, {998.5, 996.3}, {449.1, 448.6},
	{778.9, 777.0}, {559.2, 558.2}, {0.3, 0.4}, {0.1, 0.6}, {778.1, 775.5}, {668.8, 666.9}, {339.3, 338.0}, {448.9, 447.5}, {10.8, 11.6},
	{557.7, 556.0}, {228.3, 228.1}, {998.0, 995.8}, {888.8, 887.6}, {119.6, 120.2}, {0.3, 0.3}, {0.6, 0.3}, {557.6, 556.8}, {339.3, 339.1},
	{888.0, 887.2}, {998.5, 999.0}, {778.9, 779.0}, {10.2, 11.1}, {117.6, 118.3}, {228.9, 229.2}, {668.4, 669.1}, {449.2, 448.9}, {0.2, 0.5},
}

func TestFitLineOfNIST(t *testing.T) {
	var x, y []float64
	for _, p := range norris {
		x, y = append(x, p[1]), append(y, p[0])
	}
	l, ok := FitLine(x, y)
	if !ok {
		t.Fatal("no line")
	}
	for what, pair := range map[string][2]float64{
		"base": {l.Base, -0.262323073774029}, "slope": {l.Slope, 1.00211681802045}, "r2": {l.R2, 0.999993745883712},
	} {
		if !near(pair[0], pair[1], 1e-12) {
			t.Errorf("%s is %.17g, NIST certifies %.15g", what, pair[0], pair[1])
		}
	}
}

func TestFitLine(t *testing.T) {
	for _, c := range []struct {
		name string
		x, y []float64
		want Line
		ok   bool
	}{
		{"two points", []float64{2, 4}, []float64{1, 5}, Line{2, -3, 1}, true},
		{"flat", []float64{1, 2, 3}, []float64{7, 7, 7}, Line{0, 7, 1}, true},
		{"nothing explained", []float64{1, 2, 3, 4}, []float64{1, -1, -1, 1}, Line{0, 0, 0}, true},
		{"far from zero", []float64{1e9, 1e9 + 1, 1e9 + 2}, []float64{3, 5, 7}, Line{2, 3 - 2e9, 1}, true},
		{"one x", []float64{2, 2}, []float64{1, 5}, Line{}, false},
		{"one point", []float64{2}, []float64{1}, Line{}, false},
		{"uneven", []float64{2, 3}, []float64{1}, Line{}, false},
		{"not finite", []float64{2, 3}, []float64{1, math.NaN()}, Line{}, false},
		{"too large", []float64{-1e200, 1e200}, []float64{1, 2}, Line{}, false},
	} {
		got, ok := FitLine(c.x, c.y)
		if ok != c.ok || !near(got.Slope, c.want.Slope, 1e-12) || !near(got.Base, c.want.Base, 1e-12) || !near(got.R2, c.want.R2, 1e-9) {
			t.Errorf("%s: %+v, %v", c.name, got, ok)
		}
	}
}

// The interval is over blocks: it holds whatever the errors within a block have in
// common, which an interval of least squares over all points would not.
func TestSlopeCoverage(t *testing.T) {
	const blocks, slope, base = 8, 300e-9, 1e-6
	depths := []float64{2, 4, 8, 16, 32, 64, 128}
	r := seeded(5)
	held, heldBase := 0, 0
	for range repetitions {
		var slopes, bases []float64
		for range blocks {
			l := blockLine(r, depths, slope, base)
			slopes, bases = append(slopes, l.Slope), append(bases, l.Base)
		}
		e, b := SignedRank(slopes, 0.95), SignedRank(bases, 0.95)
		held += count(e.Low <= slope && slope <= e.High)
		heldBase += count(b.Low <= base && base <= b.High)
	}
	want := SignedRank(make([]float64, blocks), 0.95).Confidence
	for what, n := range map[string]int{"slope": held, "base": heldBase} {
		if got := float64(n) / repetitions; math.Abs(got-want) > noise(want) {
			t.Errorf("%s: the interval holds the truth in %.4f of the experiments, want %.4f", what, got, want)
		}
	}
}

// blockLine is the line of one block's cost: both runs have an error that all depths
// share, and one of each depth.
func blockLine(r *rand.Rand, depths []float64, slope, base float64) Line {
	run := func() float64 { return 0.02 * r.NormFloat64() }
	plain, traced := run(), run()
	var cost []float64
	for _, d := range depths {
		before := 20e-9 * d * (1 + plain + 0.01*r.NormFloat64())
		after := 20e-9*d + (base+slope*d)*(1+traced+0.01*r.NormFloat64())
		cost = append(cost, after-before)
	}
	l, _ := FitLine(depths, cost)
	return l
}

func TestKendallTau(t *testing.T) {
	for _, c := range []struct {
		name string
		x, y []float64
		want float64
		ok   bool
	}{
		{"same order", []float64{1, 2, 3}, []float64{10, 20, 90}, 1, true},
		{"opposite", []float64{1, 2, 3}, []float64{9, 4, 1}, -1, true},
		{"one pair swapped", []float64{1, 2, 3, 4}, []float64{1, 2, 4, 3}, 4.0 / 6, true},
		{"a tie", []float64{1, 2, 3}, []float64{1, 1, 2}, 2 / math.Sqrt(3*2), true},
		{"all the same", []float64{1, 2}, []float64{5, 5}, 0, false},
		{"one", []float64{1}, []float64{1}, 0, false},
		{"not finite", []float64{1, math.Inf(1)}, []float64{1, 2}, 0, false},
	} {
		if got, ok := KendallTau(c.x, c.y); ok != c.ok || !near(got, c.want, 1e-12) {
			t.Errorf("%s: %g, %v", c.name, got, ok)
		}
	}
}

// warming draws the i-th reading of a run that gets warm.
type warming struct {
	name     string
	draw     func(r *rand.Rand, i int) float64
	low, top int     // nine in ten cuts lie from low to top
	never    float64 // the share of runs that never get steady is at most this
	always   float64 // and at least this
}

func noisy(r *rand.Rand, v, noise float64) float64 { return v * math.Exp(noise*r.NormFloat64()) }

func after(i, at int, before, then float64) float64 {
	if i < at {
		return before
	}
	return then
}

// Of 80 readings 60 may be cut off: 40 s in slices of 500 ms, and a warm-up of 30 s at most.
var warmings = []warming{
	{"flat", func(r *rand.Rand, _ int) float64 { return noisy(r, 1, 0.02) }, 0, 0, 0.005, 0},
	{"flat and noisy", func(r *rand.Rand, _ int) float64 { return noisy(r, 1, 0.2) }, 0, 0, 0.005, 0},
	{"a decay", func(r *rand.Rand, i int) float64 { return noisy(r, 1+2*math.Exp(-float64(i)/6), 0.02) }, 18, 30, 0.005, 0},
	{"a decay in noise", func(r *rand.Rand, i int) float64 { return noisy(r, 1+2*math.Exp(-float64(i)/6), 0.2) }, 4, 15, 0.005, 0},
	{"a cold first reading", func(r *rand.Rand, i int) float64 { return noisy(r, after(i, 1, 10, 1), 0.02) }, 1, 1, 0.005, 0},
	{"a step", func(r *rand.Rand, i int) float64 { return noisy(r, after(i, 24, 1.3, 1), 0.03) }, 24, 24, 0.005, 0},
	{"a step up", func(r *rand.Rand, i int) float64 { return noisy(r, after(i, 24, 1, 1.3), 0.03) }, 24, 24, 0.005, 0},
	{"a step too late", func(r *rand.Rand, i int) float64 { return noisy(r, after(i, 70, 1.3, 1), 0.03) }, 60, 60, 1, 0.9},
	{"a drift", func(r *rand.Rand, i int) float64 { return noisy(r, 2-float64(i)/80, 0.03) }, 60, 60, 1, 0.9},
	{"collections now and then", func(r *rand.Rand, i int) float64 { return noisy(r, after(i%7, 6, 1, 2), 0.02) }, 0, 0, 0.005, 0},
	{"long collections", func(r *rand.Rand, i int) float64 { return noisy(r, after(i%10, 8, 1, 2), 0.02) }, 0, 0, 0.005, 0},
	{"a pause", func(r *rand.Rand, i int) float64 { return noisy(r, after(i, 48, 1, after(i, 50, 4, 1)), 0.02) }, 0, 0, 0.005, 0},
	{"modes by chance", func(r *rand.Rand, _ int) float64 { return modal(r, 0.3) }, 0, 20, 0.02, 0},
}

func TestSteadyFrom(t *testing.T) {
	const repeats, readings, most = 1000, 80, 60
	for _, w := range warmings {
		t.Run(w.name, func(t *testing.T) {
			r, never, outside, cuts := seeded(5), 0.0, 0, []float64(nil)
			for range repeats {
				x := make([]float64, readings)
				for i := range x {
					x[i] = w.draw(r, i)
				}
				got := SteadyFrom(x, most)
				if !got.Steady {
					never++
				}
				cuts = append(cuts, float64(got.From))
				if got.From < w.low || got.From > w.top {
					outside++
				}
				if got.Steady != (got.Drift == 0) || got.From > most {
					t.Fatalf("%+v", got)
				}
			}
			slices.Sort(cuts)
			t.Logf("cuts: median %.0f, %.0f to %.0f in nine of ten; never steady %.1f %%",
				cuts[repeats/2], cuts[repeats/20], cuts[repeats*19/20], 100*never/repeats)
			if share := never / repeats; share > w.never || share < w.always {
				t.Errorf("%.1f %% never get steady, want %.1f to %.1f %%", 100*share, 100*w.always, 100*w.never)
			}
			if outside > repeats/10 {
				t.Errorf("%d of %d cuts lie outside of %d to %d", outside, repeats, w.low, w.top)
			}
		})
	}
}

// Readings that say nothing are not steady, and do not end the program.
func TestSteadyFromNothing(t *testing.T) {
	same := make([]float64, 40)
	for i := range same {
		same[i] = 3
	}
	if got := SteadyFrom(same, 30); got != (Steadiness{Steady: true}) {
		t.Errorf("equal readings: %+v", got)
	}
	broken := append([]float64{math.NaN()}, same...)
	for name, x := range map[string][]float64{"none": nil, "few": same[:fewestReadings-1], "not a number": broken} {
		if got := SteadyFrom(x, 20); got.Steady || got.Drift != 0 || got.From > 20 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := SteadyFrom(same, -1); got.Steady || got.From != 0 {
		t.Errorf("nothing may be cut off: %+v", got)
	}
}

// The unit of the readings is of no matter.
func TestSteadyFromAnyUnit(t *testing.T) {
	r := seeded(6)
	x, scaled := make([]float64, 80), make([]float64, 80)
	for i := range x {
		x[i] = noisy(r, after(i, 20, 3, 1), 0.05)
		scaled[i] = 1 << 20 * x[i]
	}
	if a, b := SteadyFrom(x, 60), SteadyFrom(scaled, 60); a != b || a.From != 20 {
		t.Errorf("%+v and %+v, want a cut at 20", a, b)
	}
}
