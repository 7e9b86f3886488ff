package capacity

import (
	"math"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// On a machine whose speed changes from probe to probe single answers scatter, but
// their mean is right: otherwise no number of blocks would help.
func TestScatterIsUnbiased(t *testing.T) {
	const seeds, truth = 200, 730.0
	for _, drift := range []float64{0.03, 0.08} {
		s := New(cpu75, Options{Duration: 10 * time.Second})
		sum, squares, found := 0.0, 0.0, 0
		for seed := range seeds {
			c := find(t, s, service{cpu: linear(0.02, 0.001), latency: 0.002, drift: drift}, uint64(seed))
			if c.Outcome == record.Found {
				off := math.Log(c.Rate / truth)
				sum, squares, found = sum+off, squares+off*off, found+1
			}
		}
		mean := sum / float64(found)
		deviation := math.Sqrt(squares/float64(found) - mean*mean)
		t.Logf("drift %g: %d of %d found, %+.2f %% off on average, standard deviation %.1f %%", drift, found, seeds, 100*mean, 100*deviation)
		if found < seeds*98/100 {
			t.Errorf("drift %g: only %d of %d searches found a rate", drift, found, seeds)
		}
		if math.Abs(mean) > 0.01 {
			t.Errorf("drift %g: the rates found are %+.1f %% off on average", drift, 100*mean)
		}
		if deviation > 1.1*drift {
			t.Errorf("drift %g: the rates found scatter by %.1f %%", drift, 100*deviation)
		}
	}
}

// Probes that scatter too much are no answer.
func TestTooMuchScatter(t *testing.T) {
	s := New(cpu75, Options{Duration: 10 * time.Second})
	unsteady := 0
	for seed := range uint64(60) {
		c := find(t, s, service{cpu: linear(0.02, 0.0005), latency: 0.002, drift: 0.5}, seed)
		if c.Outcome == record.Unsteady {
			unsteady++
		}
	}
	if unsteady < 10 {
		t.Errorf("%d of 60 searches on a machine that nothing can be told of said so", unsteady)
	}
}

// Whether CPU grows in proportion to the rate is told of every goal.
func TestLinearForEveryGoal(t *testing.T) {
	bent := func(x float64) float64 { return 0.02 + 0.0002*x + 8e-7*x*x }
	for name, s := range map[string]*Search{"cpu": New(cpu75, Options{}), "latency": New(p99, Options{}), "lossless": New(lossless, Options{})} {
		for straight, cpu := range map[bool]func(float64) float64{true: linear(0.02, 0.001), false: bent} {
			c := find(t, s, service{cpu: cpu, queue: true, most: 1000, spans: 2, lossless: 600}, 1)
			if c.Linear != straight {
				t.Errorf("%s: linear %t, want %t", name, c.Linear, straight)
				show(t, c)
			}
		}
	}
}
