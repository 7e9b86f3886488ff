// The schedule: a pure function of the task, whatever the number of threads.

package load

import (
	"math"
	"slices"
	"testing"
	"time"
)

func all(next func() (Arrival, bool)) []Arrival {
	var as []Arrival
	for a, ok := next(); ok; a, ok = next() {
		as = append(as, a)
	}
	return as
}

func TestConstantArrivals(t *testing.T) {
	for _, c := range []struct {
		rate     float64
		duration time.Duration
		count    uint64
		want     int
		last     time.Duration
	}{
		{rate: 400, duration: 20 * time.Second, want: 8000, last: 20*time.Second - 2500*time.Microsecond},
		{rate: 3, duration: time.Second, want: 3, last: 666666666},
		{rate: 0.5, duration: 3 * time.Second, want: 2, last: 2 * time.Second},
		{rate: 1000, duration: time.Second, count: 7, want: 7, last: 6 * time.Millisecond},
		{rate: 1000, count: 1, want: 1, last: 0},
		{rate: 475, duration: 10 * time.Second, want: 4750, last: 9997894736}, // whose last product is a little under 10 s
		{rate: 29, duration: time.Second, want: 29, last: 965517241},
		{rate: 950, duration: 10 * time.Second, want: 9500, last: 9998947368},
		{rate: 5000, duration: 100100 * time.Microsecond, want: 501, last: 100 * time.Millisecond}, // in groups of 250 µs
	} {
		task := Task{Operations: make([]Request, 1), Rate: c.rate, Duration: c.duration, Count: c.count, Arrivals: Constant}
		as := all(newSchedule(task).next)
		if len(as) != c.want || as[len(as)-1].At != c.last {
			t.Errorf("%v/s for %v, count %d: %d operations, the last at %v; want %d, %v",
				c.rate, c.duration, c.count, len(as), as[len(as)-1].At, c.want, c.last)
		}
	}
}

// Even arrivals: one in each period, at a moment that is as likely early as late (Kolmogorov–Smirnov); another task's choices
// at other moments. Above 4000/s whole groups start at random moments of their stretches.
func TestEvenArrivals(t *testing.T) {
	const n = 20000
	for _, c := range []struct {
		rate   float64
		period time.Duration // in which all of so many start together, at one moment
		many   int
	}{{1500, 0, 1}, {0.3, 0, 1}, {4000, 0, 1}, {8000, groupEvery, 2}, {40000, groupEvery, 10}} {
		task := Task{Operations: []Request{{Weight: 1}, {Weight: 2}}, Rate: c.rate, Count: n, Seed: 7}.WithDefaults()
		as := all(newSchedule(task).next)
		period := float64(c.period)
		if c.period == 0 {
			period = 1e9 / c.rate
		}
		var within []float64
		for i, a := range as {
			nth := float64(i / c.many)
			at := (float64(a.At) - nth*period) / period
			if at < -1e-6 || at > 1+1e-6 {
				t.Fatalf("%v/s: operation %d starts at %v, %v periods after its own began", c.rate, i, a.At, at)
			}
			if i%c.many == 0 {
				within = append(within, at)
			} else if a.At != as[i-1].At {
				t.Fatalf("%v/s: operation %d starts at %v, the others of its group at %v", c.rate, i, a.At, as[i-1].At)
			}
		}
		slices.Sort(within)
		d := 0.0
		for i, at := range within {
			d = max(d, math.Abs(at-float64(i)/float64(len(within))), math.Abs(at-float64(i+1)/float64(len(within))))
		}
		if limit := 1.63 / math.Sqrt(float64(len(within))); d > limit { // the 1 % point
			t.Errorf("%v/s: Kolmogorov–Smirnov distance %v from a uniform moment, want at most %v", c.rate, d, limit)
		}
		task.Own = 1
		moments := 0
		for i, a := range all(newSchedule(task).next) {
			if a.Op != as[i].Op || a.Nth != as[i].Nth {
				t.Fatalf("%v/s: another task's operation %d is %+v, want that of %+v", c.rate, i, a, as[i])
			}
			if a.At == as[i].At {
				moments++
			}
		}
		if moments > n/100 {
			t.Errorf("%v/s: %d of %d operations of another task start at the same moments", c.rate, moments, n)
		}
	}
}

// The last period may be cut off: no operation starts after the end.
func TestEvenArrivalsEndInTime(t *testing.T) {
	for seed := range uint64(200) {
		task := Task{Operations: make([]Request, 1), Rate: 1.5, Duration: time.Second, Seed: seed}.WithDefaults()
		as := all(newSchedule(task).next)
		if len(as) != 2 || as[1].At >= time.Second {
			t.Fatalf("seed %d: %+v, want two within a second", seed, as)
		}
	}
}

// The gaps of Poisson arrivals are exponential: their mean and their variation
// are right, and a Kolmogorov–Smirnov test finds nothing. The seed is fixed, so
// the outcome is too.
func TestPoissonArrivals(t *testing.T) {
	const n, rate = 20000, 1000.0
	task := Task{Operations: make([]Request, 1), Rate: rate, Count: n, Arrivals: Poisson, Seed: 7}
	as := all(newSchedule(task).next)
	gaps := make([]float64, n)
	before := time.Duration(0)
	for i, a := range as {
		gaps[i] = (a.At - before).Seconds()
		before = a.At
	}
	slices.Sort(gaps)
	mean, d := 0.0, 0.0
	for i, g := range gaps {
		mean += g / n
		f := 1 - math.Exp(-g*rate)
		d = max(d, math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n))
	}
	if math.Abs(mean*rate-1) > 4/math.Sqrt(n) {
		t.Errorf("mean gap %v s, want %v", mean, 1/rate)
	}
	if limit := 1.63 / math.Sqrt(n); d > limit { // the 1 % point
		t.Errorf("Kolmogorov–Smirnov distance %v, want at most %v", d, limit)
	}
}

func TestScheduleIsTheSameForAnyThreads(t *testing.T) {
	task := Task{
		Operations: []Request{{Weight: 1}, {Weight: 3}}, Rate: 5000, Duration: 200 * time.Millisecond,
		Arrivals: Poisson, Seed: 42,
	}
	want := all(newSchedule(task).next)
	if len(want) < 900 || len(want) > 1100 {
		t.Fatalf("%d operations, want about 1000", len(want))
	}
	for _, threads := range []int{1, 2, 3, 7} {
		got := make([]Arrival, len(want))
		n := 0
		for i := range threads {
			for k, a := range all(newPart(task, i, threads).next) {
				got[i+k*threads] = a
				n++
			}
		}
		if n != len(want) || !slices.Equal(got, want) {
			t.Errorf("%d threads: %d operations, or other ones than with one thread's %d", threads, n, len(want))
		}
	}
	task.Seed++
	if slices.Equal(all(newSchedule(task).next), want) {
		t.Error("another seed gives the same schedule")
	}
}

func TestMixFollowsTheWeights(t *testing.T) {
	const n = 30000
	for _, c := range []struct{ weights, want []float64 }{
		{[]float64{1}, []float64{1}},
		{[]float64{0, 0}, []float64{0.5, 0.5}},
		{[]float64{0.6, 0.4}, []float64{0.6, 0.4}},
		{[]float64{3, 0, 1}, []float64{0.75, 0, 0.25}},
	} {
		task := Task{Rate: 1, Count: n, Seed: 3, Arrivals: Constant}
		for _, w := range c.weights {
			task.Operations = append(task.Operations, Request{Weight: w})
		}
		share := make([]float64, len(c.weights))
		for _, a := range all(newSchedule(task).next) {
			share[a.Op] += 1.0 / n
		}
		for i, want := range c.want {
			if math.Abs(share[i]-want) > 0.012 || want == 0 && share[i] > 0 {
				t.Errorf("weights %v: shares %v, want %v", c.weights, share, c.want)
			}
		}
	}
}

func TestClosedLoop(t *testing.T) {
	task := Task{Operations: make([]Request, 1), Connections: 2, Count: 5, Threads: 1}
	f := NewFeeder(task, 0)
	taken := 0
	for busy := range 4 {
		if _, ok := f.Take(time.Second, busy); ok {
			taken++
		}
	}
	if taken != 2 {
		t.Errorf("%d operations under way on 2 connections", taken)
	}
	f.Refused(time.Second)
	if _, ok := f.Take(time.Second, 0); ok {
		t.Error("no pause after a refused connection")
	}
	if at := f.Wake(0); at != time.Second+firstPause {
		t.Errorf("goes on at %v, want %v", at, time.Second+firstPause)
	}
	for f.Wake(0) != Never {
		if _, ok := f.Take(f.Wake(0), 0); !ok {
			t.Fatal("wake names a time at which nothing is due")
		}
		taken++
	}
	if taken != 5 || !f.Over(0) {
		t.Errorf("%d operations, over %v; want 5, true", taken, f.Over(0))
	}
}

func TestShareAddsUp(t *testing.T) {
	for total := range uint64(20) {
		for n := 1; n < 6; n++ {
			sum := uint64(0)
			for i := range n {
				sum += Share(total, i, n)
			}
			if sum != total {
				t.Errorf("%d in %d parts make %d", total, n, sum)
			}
		}
	}
}

// fixed hands out arrivals at given times.
type fixed struct{ at []time.Duration }

func (f *fixed) Take(now time.Duration, _ int) (Arrival, bool) {
	if len(f.at) == 0 || f.at[0] > now {
		return Arrival{}, false
	}
	a := Arrival{At: f.at[0]}
	f.at = f.at[1:]
	return a, true
}

func (f *fixed) Wake(int) time.Duration {
	if len(f.at) == 0 {
		return Never
	}
	return f.at[0]
}

func (f *fixed) Over(time.Duration) bool { return len(f.at) == 0 }

func (f *fixed) Refused(time.Duration) {}

func (f *fixed) Answered() {}

func TestLateFeeder(t *testing.T) {
	f := &lateFeeder{Feeder: &fixed{at: []time.Duration{1, 3, 9}}, by: 5}
	var got []time.Duration
	now := time.Duration(0)
	for !f.Over(now) {
		for a, ok := f.Take(now, 0); ok; a, ok = f.Take(now, 0) {
			got = append(got, a.At, now)
		}
		if f.Over(now) {
			break
		}
		next := f.Wake(0)
		if next <= now {
			t.Fatalf("at %d it wants to be woken at %d", now, next)
		}
		now = next
	}
	if want := []time.Duration{1, 6, 3, 8, 9, 14}; !slices.Equal(got, want) {
		t.Errorf("intended and made at %v, want %v", got, want)
	}
}
