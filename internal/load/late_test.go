package load

import (
	"net/http"
	"slices"
	"testing"
	"time"
)

// fixed hands out arrivals at given times.
type fixed struct{ at []time.Duration }

func (f *fixed) take(now time.Duration, _ int) (arrival, bool) {
	if len(f.at) == 0 || f.at[0] > now {
		return arrival{}, false
	}
	a := arrival{at: f.at[0]}
	f.at = f.at[1:]
	return a, true
}

func (f *fixed) wake(int) time.Duration {
	if len(f.at) == 0 {
		return never
	}
	return f.at[0]
}

func (f *fixed) over(time.Duration) bool { return len(f.at) == 0 }
func (f *fixed) refused(time.Duration)   {}
func (f *fixed) answered()               {}

func TestLateFeeder(t *testing.T) {
	f := &lateFeeder{feeder: &fixed{at: []time.Duration{1, 3, 9}}, by: 5}
	var got []time.Duration
	now := time.Duration(0)
	for !f.over(now) {
		for a, ok := f.take(now, 0); ok; a, ok = f.take(now, 0) {
			got = append(got, a.at, now)
		}
		if f.over(now) {
			break
		}
		next := f.wake(0)
		if next <= now {
			t.Fatalf("at %d it wants to be woken at %d", now, next)
		}
		now = next
	}
	if want := []time.Duration{1, 6, 3, 8, 9, 14}; !slices.Equal(got, want) {
		t.Errorf("intended and made at %v, want %v", got, want)
	}
}

// A generator that is late on purpose says so in the lag of every operation, and
// their latencies hold it.
func TestLateOnPurpose(t *testing.T) {
	addr := httpServer(t, func(http.ResponseWriter, *http.Request) {})
	const late = 30 * time.Millisecond
	for _, task := range []Task{
		{Rate: 1000, Count: 100},
		{Rate: 1000, Count: 100, Threads: 2},
		{Connections: 4, Count: 20},
		{Connections: 2, Duration: 100 * time.Millisecond},
	} {
		task.Operations, task.Late = []Request{{Address: addr}}, late
		eachEngine(t, func(t *testing.T, g *Generator) {
			l := do(t, g, task)
			if l.Completed != l.Intended || l.Intended == 0 || task.Count > 0 && l.Completed != task.Count {
				t.Errorf("%+v", l)
			}
			const least = int64(late * 99 / 100) // the histogram keeps three digits
			if lag, latency := decode(t, l.Lag).Min(), decode(t, l.Latency).Min(); lag < least || latency < least {
				t.Errorf("least lag %v, least latency %v, want at least %v", time.Duration(lag), time.Duration(latency), late)
			}
		})
	}
	eachEngine(t, func(t *testing.T, g *Generator) {
		l := do(t, g, Task{Operations: []Request{{Address: addr}}, Rate: 1000, Count: 20, Late: time.Second, Timeout: 50 * time.Millisecond})
		if l.TimedOut != 20 || l.Started != 0 {
			t.Errorf("later than the time-out: %d of 20 timed out, %d started", l.TimedOut, l.Started)
		}
	})
}
