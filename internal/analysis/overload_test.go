package analysis

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// served is a window at a constant rate; latency gives that of the i-th operation
// of n, in seconds.
func served(t *testing.T, seconds, rate float64, latency func(i, n int) float64) *phase {
	t.Helper()
	n := int(seconds * rate)
	h := record.NewHistogram()
	wall := 0.0
	for i := range n {
		l := latency(i, n)
		if err := h.RecordValue(int64(l * 1e9)); err != nil {
			t.Fatal(err)
		}
		wall = math.Max(wall, float64(i)/rate+l)
	}
	encoded, err := record.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	d, err := distributionOf(encoded, 0)
	if err != nil {
		t.Fatal(err)
	}
	return &phase{latency: d, Phase: &record.Phase{OfferedRate: rate, Load: record.Load{
		WallSeconds: wall, Intended: uint64(n), Started: uint64(n), Completed: uint64(n), Latency: encoded,
	}}}
}

func TestOverloadIsABacklog(t *testing.T) {
	// chance is a fixed sequence of numbers from 0 to 1.
	chance := func(i int) float64 { return math.Mod(float64(i+1)*0.6180339887, 1) }
	// capacity makes a queue before a server that takes so many operations a second.
	capacity := func(offered, served float64) func(int, int) float64 {
		return func(i, _ int) float64 { return 0.001 + math.Max(0, float64(i)*(1/served-1/offered)) }
	}
	for _, c := range []struct {
		name          string
		seconds, rate float64
		latency       func(i, n int) float64
		holds         bool
	}{
		{"fast", 1, 100, func(int, int) float64 { return 0.0005 }, true},
		{"two speeds", 1, 100, func(i, n int) float64 {
			if i%2 == (n-1)%2 {
				return 0.041
			}
			return 0.0005
		}, true},
		{"two speeds, one in ten slow", 1, 100, func(i, n int) float64 {
			if i%10 == (n-1)%10 {
				return 0.041
			}
			return 0.0005
		}, true},
		{"the last one slow", 1, 100, func(i, n int) float64 {
			if i == n-1 {
				return 0.3
			}
			return 0.0005
		}, true},
		{"constant and slow", 5, 20, func(int, int) float64 { return 0.6 }, true},
		{"slow and uneven", 1, 1000, func(i, _ int) float64 { return 0.55 + 0.1*chance(i) }, true},
		{"exponential", 1, 10000, func(i, _ int) float64 { return -0.010 * math.Log(1-chance(i)) }, true},
		{"twice the capacity", 5, 200, capacity(200, 100), false},
		{"twice the capacity, short", 1, 200, capacity(200, 100), false},
		{"5 % over the capacity", 20, 200, capacity(200, 190), false},
		{"overloaded from the middle on", 10, 200, func(i, n int) float64 {
			return 0.001 + math.Max(0, float64(i-n/2)*0.005)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &study{in: Input{Experiment: &spec.Experiment{}}}
			p := served(t, c.seconds, c.rate, c.latency)
			held, asked := s.held(p)
			if !asked || p.holds(held) != c.holds {
				t.Errorf("held %.3f, wall %.3f s; want holds %v", held, p.Load.WallSeconds, c.holds)
			}
		})
	}
}

func TestTimeOutsAreOverload(t *testing.T) {
	s := &study{in: Input{Experiment: &spec.Experiment{}}}
	p := served(t, 10, 100, func(int, int) float64 { return 0.001 })
	for timedOut, want := range map[uint64]bool{0: true, 10: true, 11: false} {
		p.Load.TimedOut, p.Load.Completed = timedOut, p.Load.Intended-timedOut
		if held, _ := s.held(p); p.holds(held) != want {
			t.Errorf("%d of %d timed out: holds %v", timedOut, p.Load.Intended, !want)
		}
	}
}

// An interval that holds zero only because of the correction claims nothing.
func TestNotSureAmongClaims(t *testing.T) {
	c := &claim{metric: cpuMetric("")}
	c.Metric, c.Unit, c.Better = cpuPerOperation, "s", lower
	for block, v := range []float64{1.02, 1.06, 1.03, 1.08, 1.05, 1.07, 1.01, 0.995} {
		c.Samples = append(c.Samples, finding.Sample{Block: block + 1, Baseline: 1e-3, Value: v * 1e-3})
	}
	c.Blocks = len(c.Samples)
	c.estimate(confidence, false)
	if *c.Relative.Low <= 0 {
		t.Fatalf("the interval by itself holds zero: %s", finding.FormatInterval(*c.Relative, "1", true))
	}
	alone, among := *c, *c
	alone.judge(1, asGiven, false)
	if alone.Verdict.Kind != finding.Costs {
		t.Errorf("alone %+v", alone.Verdict)
	}
	among.judge(6, asGiven, false)
	v := among.Verdict
	if v.Kind != finding.CannotTell || v.Low == nil || *v.Low > 0 || v.Bound != nil || v.Claims != 6 {
		t.Errorf("among 6 claims %+v", v)
	}
	t.Log(v.Text)
}

// asGiven asks of an interval the confidence that it is to have.
func asGiven(confidence float64) float64 { return confidence }
