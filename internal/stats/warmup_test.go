package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

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
