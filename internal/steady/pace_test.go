package steady

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// chance is a fixed sequence of numbers from 0 to 1.
func chance(i int) float64 { return math.Mod(float64(i+1)*0.6180339887, 1) }

// queue is the latency before a server that takes so many operations a second.
func queue(offered, served float64) func(i, n int) float64 {
	return func(i, _ int) float64 { return 0.001 + math.Max(0, float64(i)*(1/served-1/offered)) }
}

// offered is a schedule at a constant rate; latency gives that of the i-th
// operation of n, in seconds.
func offered(t *testing.T, seconds, rate float64, latency func(i, n int) float64) Offer {
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
	return Offer{Rate: rate, Latency: LatenciesOf(h), Load: &record.Load{WallSeconds: wall, Intended: uint64(n), Completed: uint64(n)}}
}

func TestHeld(t *testing.T) {
	always := func(l float64) func(int, int) float64 { return func(int, int) float64 { return l } }
	for _, c := range []struct {
		name          string
		seconds, rate float64
		latency       func(i, n int) float64
		want          bool
	}{
		{"fast", 1, 100, always(0.0005), true},
		{"slow from the start", 5, 20, always(0.6), true},
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
		{"slow and uneven", 1, 1000, func(i, _ int) float64 { return 0.55 + 0.1*chance(i) }, true},
		{"the last one slow", 1, 100, func(i, n int) float64 {
			if i == n-1 {
				return 0.3
			}
			return 0.0005
		}, true},
		{"exponential", 1, 10000, func(i, _ int) float64 { return -0.010 * math.Log(1-chance(i)) }, true},
		{"twice what is served", 5, 200, queue(200, 100), false},
		{"twice what is served, short", 1, 200, queue(200, 100), false},
		{"5 % more than is served", 20, 200, queue(200, 190), false},
		{"1 % more than is served", 20, 200, queue(200, 198), true},
		{"overloaded from the middle on", 10, 200, func(i, n int) float64 {
			return 0.001 + math.Max(0, float64(i-n/2)*0.005)
		}, false},
	} {
		if o := offered(t, c.seconds, c.rate, c.latency); o.Held() != c.want {
			t.Errorf("%s: held %v, a share of %.3f, %.3f s late; want %v", c.name, o.Held(), o.Share(), o.Lateness(), c.want)
		}
	}
}

func TestHeldCountsOperations(t *testing.T) {
	for _, c := range []struct {
		completed, timedOut uint64
		want                bool
	}{
		{1000, 0, true}, {980, 0, true}, {979, 0, false}, {990, 10, true}, {989, 11, false},
	} {
		o := offered(t, 10, 100, func(int, int) float64 { return 0.001 })
		o.Load.Completed, o.Load.TimedOut = c.completed, c.timedOut
		if o.Held() != c.want {
			t.Errorf("%d completed, %d timed out: held %v", c.completed, c.timedOut, o.Held())
		}
	}
}

// The schedule may be longer than the operations took to ask, as random arrivals
// have it: what ends within it is in time.
func TestScheduleGiven(t *testing.T) {
	o := offered(t, 10, 100, func(int, int) float64 { return 0.001 })
	o.Load.WallSeconds = 10.5 // unexplained by any latency
	if o.Held() || math.Abs(o.Lateness()-0.499) > 1e-6 || math.Abs(o.Share()-10/10.499) > 1e-6 {
		t.Errorf("half a second beyond what was asked: %.4f late, share %.4f", o.Lateness(), o.Share())
	}
	o.Seconds = 10.6
	if !o.Held() || o.Lateness() != 0 || o.Share() != 1 {
		t.Errorf("within the schedule: %.4f late, share %.4f", o.Lateness(), o.Share())
	}
}

func TestNoLatencies(t *testing.T) {
	o := Offer{Rate: 10, Latency: LatenciesOf(record.NewHistogram()), Load: &record.Load{WallSeconds: 12, Intended: 100}}
	if o.Held() || o.Lateness() != 2 || o.Share() != 0 {
		t.Errorf("nothing was answered: held %v, %.1f late, share %v", o.Held(), o.Lateness(), o.Share())
	}
}

func TestLatencies(t *testing.T) {
	h := record.NewHistogram()
	for i := range 1000 {
		if err := h.RecordValue(int64(i+1) * 1e6); err != nil {
			t.Fatal(err)
		}
	}
	l := LatenciesOf(h)
	near := func(got, want float64) bool { return math.Abs(got-want) < 0.01*want }
	if !near(l.Least, 0.001) || !near(l.Most, 1) || !near(l.quantile(90), 0.9) || !near(l.below(0.305), 0.3) || l.below(2) != 1 || l.below(0) != 0 {
		t.Errorf("least %v, most %v, p90 %v, below 0.305 %v", l.Least, l.Most, l.quantile(90), l.below(0.305))
	}
}
