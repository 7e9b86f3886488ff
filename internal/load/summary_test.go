package load

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/tracetax/tracetax/internal/record"
)

// made is a load whose i-th of n latencies is latency(i), and whose lags are all lag.
func made(t *testing.T, n int, lag time.Duration, timedOut uint64, latency func(i int) time.Duration) record.Load {
	t.Helper()
	lags, latencies := record.NewHistogram(), record.NewHistogram()
	last := time.Duration(0)
	for i := range n {
		took := latency(i)
		last = max(last, time.Duration(i)*time.Millisecond+took)
		enter(t, lags, lag)
		enter(t, latencies, took)
	}
	return record.Load{
		WallSeconds: last.Seconds(), Intended: uint64(n), Started: uint64(n), Completed: uint64(n) - timedOut, TimedOut: timedOut,
		Latency: encoded(t, latencies), Lag: encoded(t, lags),
	}
}

func enter(t *testing.T, h *hdrhistogram.Histogram, d time.Duration) {
	t.Helper()
	if err := h.RecordValue(max(int64(d), h.LowestTrackableValue())); err != nil {
		t.Fatal(err)
	}
}

func encoded(t *testing.T, h *hdrhistogram.Histogram) record.Histogram {
	t.Helper()
	out, err := record.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLimitIsNamed(t *testing.T) {
	steady := func(d time.Duration) func(int) time.Duration { return func(int) time.Duration { return d } }
	growing := func(i int) time.Duration { return time.Duration(i) * time.Millisecond }
	hiccup := func(i int) time.Duration {
		if i == 999 {
			return time.Second
		}
		return time.Millisecond
	}
	open := Task{Rate: 1000, Duration: time.Second}
	closed := Task{Connections: 2, Duration: time.Second}
	for _, c := range []struct {
		name string
		task Task
		load record.Load
		cpu  time.Duration
		want Limit
	}{
		{"fine", open, made(t, 1000, time.Microsecond, 0, steady(time.Millisecond)), time.Second, NoLimit},
		{"slow but keeping up", open, made(t, 1000, 0, 0, steady(time.Second)), 0, NoLimit},
		{"one slow answer at the end", open, made(t, 1000, 0, 0, hiccup), 0, NoLimit},
		{"late", open, made(t, 1000, 2*time.Millisecond, 0, steady(3*time.Millisecond)), 0, GeneratorLate},
		{"late, but not beside its latency", open, made(t, 1000, 2*time.Millisecond, 0, steady(time.Second)), 0, NoLimit},
		{"backlog", open, made(t, 1000, 0, 0, growing), 0, ServerOverloaded},
		{"time-outs", open, made(t, 1000, 0, 1, steady(time.Millisecond)), 0, ServerOverloaded},
		{"backlog of a busy generator", open, made(t, 1000, 0, 0, growing), 1950 * time.Millisecond, GeneratorBusy},
		{"backlog of so few that one pause explains it", Task{Rate: 1000, Duration: 19 * time.Millisecond}, made(t, 19, 0, 0, growing), 0, NoLimit},
		{"time-outs of few", Task{Rate: 10, Duration: time.Second}, made(t, 19, 0, 2, steady(time.Millisecond)), 0, NoLimit},
		{"closed loop", closed, made(t, 1000, 0, 0, steady(time.Millisecond)), 100 * time.Millisecond, NoLimit},
		{"closed loop, generator busy", closed, made(t, 1000, 0, 0, steady(time.Millisecond)), 990 * time.Millisecond, GeneratorBusy},
	} {
		s, err := Summarize(c.task, c.load, CPUTime{Ran: c.cpu})
		if err != nil || s.Limit != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, s.Limit, err, c.want)
		}
	}
}

// A load of which nothing came back says nothing of speed, whoever was late.
func TestNothingAnswered(t *testing.T) {
	lags := record.NewHistogram()
	for range 50 {
		enter(t, lags, 5*time.Millisecond)
	}
	l := record.Load{
		WallSeconds: 0.98, Intended: 50, Failed: 50, Errors: map[string]uint64{"connection refused": 50},
		Latency: encoded(t, record.NewHistogram()), Lag: encoded(t, lags),
	}
	for _, task := range []Task{{Rate: 50, Duration: time.Second}, {Connections: 1, Duration: time.Second}} {
		if s, err := Summarize(task, l, CPUTime{Ran: time.Hour}); err != nil || s.Limit != NothingAnswered {
			t.Errorf("%+v: %q, %v", task, s.Limit, err)
		}
	}
}

// The CPU time is shared out among the operations that were due, sent or not.
func TestCPUPerOperation(t *testing.T) {
	for due, want := range map[uint64]float64{0: 0, 100: 0.0012} {
		l := made(t, 2, 0, 0, func(int) time.Duration { return time.Millisecond })
		l.Intended = due
		if s, err := Summarize(Task{Rate: 100, Duration: time.Second}, l, CPUTime{Ran: 120 * time.Millisecond}); err != nil || math.Abs(s.CPUPerRequest-want) > 1e-9 {
			t.Errorf("%d due: %v s, %v; want %v", due, s.CPUPerRequest, err, want)
		}
	}
}

// A closed loop has no schedule to be late for.
func TestClosedLoopHasNoLag(t *testing.T) {
	l := made(t, 100, 0, 0, func(int) time.Duration { return time.Millisecond })
	for rate, want := range map[float64]bool{0: false, 1000: true} {
		s, err := Summarize(Task{Rate: rate, Connections: 1, Duration: time.Second}, l, CPUTime{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "lag_") != want {
			t.Errorf("rate %v: %s; want lag: %v", rate, text, want)
		}
	}
}

// A rate that was held is not lower for a last answer that comes after the end;
// one that left a backlog is.
func TestOvertime(t *testing.T) {
	steady := made(t, 200, 0, 0, func(int) time.Duration { return 40 * time.Millisecond })
	growing := made(t, 200, 0, 0, func(i int) time.Duration { return time.Duration(i) * time.Millisecond })
	for _, c := range []struct {
		name              string
		task              Task
		load              record.Load
		reached, overtime float64
	}{
		{"held", Task{Rate: 1000, Duration: 200 * time.Millisecond}, steady, 1000, 0.039},
		{"backlog", Task{Rate: 1000, Duration: 200 * time.Millisecond}, growing, 200 / 0.398, 0.198},
		{"random, fewer than on average", Task{Rate: 1000, Arrivals: Poisson, Duration: 220 * time.Millisecond}, steady, 200 / 0.22, 0.019},
		{"random, given up", Task{Rate: 1000, Arrivals: Poisson, Duration: time.Hour}, steady, 1000, 0.039},
	} {
		s, err := Summarize(c.task, c.load, CPUTime{})
		if err != nil || math.Abs(s.Reached-c.reached) > 0.1 || math.Abs(s.Overtime-c.overtime) > 1e-6 {
			t.Errorf("%s: %v/s, %v s over, %v; want %v, %v", c.name, s.Reached, s.Overtime, err, c.reached, c.overtime)
		}
	}
}

// A load given up half way reached what it reached until then.
func TestReachedRate(t *testing.T) {
	l := made(t, 500, 0, 0, func(int) time.Duration { return time.Microsecond })
	for _, task := range []Task{{Rate: 1000, Duration: time.Hour}, {Rate: 1000, Duration: 500 * time.Millisecond}, {Duration: time.Hour}} {
		s, err := Summarize(task, l, CPUTime{})
		if err != nil || s.Reached < 999 || s.Reached > 1003 {
			t.Errorf("%+v: %v/s reached, %v; want 1000", task, s.Reached, err)
		}
	}
}

func TestQuantilesNeedValuesAboveThem(t *testing.T) {
	for n, want := range map[int]float64{39: 0, 40: 50, 79: 50, 80: 75, 200: 90, 1999: 95, 2000: 99, 20000: 99.9} {
		s, err := Summarize(Task{Rate: 1000}, made(t, n, 0, 0, func(i int) time.Duration { return time.Duration(i + 1) }), CPUTime{})
		if err != nil {
			t.Fatal(err)
		}
		highest := 0.0
		if len(s.Latency) > 0 {
			highest = s.Latency[len(s.Latency)-1].Percentile
		}
		if highest != want {
			t.Errorf("%d values: up to p%v, want p%v", n, highest, want)
		}
	}
}

func TestQuantilesAmongTimeoutsAreLowerBounds(t *testing.T) {
	l := made(t, 1000, 0, 60, func(i int) time.Duration { return time.Duration(i + 1) })
	s, err := Summarize(Task{Rate: 1000}, l, CPUTime{})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range s.Latency {
		if q.Censored != (q.Percentile > 94) {
			t.Errorf("p%v with 6 %% timed out: censored %v", q.Percentile, q.Censored)
		}
	}
}

// A generator that was kept from its CPU is the limit, as one that used it up is.
func TestWaitingForACPUIsTheGeneratorsFault(t *testing.T) {
	l := made(t, 1000, 0, 0, func(i int) time.Duration { return time.Duration(i) * time.Millisecond })
	for _, task := range []Task{{Rate: 1000, Duration: time.Second}, {Connections: 2, Duration: time.Second}} {
		s, err := Summarize(task, l, CPUTime{Ran: time.Second, Waited: 950 * time.Millisecond})
		if err != nil || s.Limit != GeneratorBusy || !s.Limit.ByGenerator() || s.CPUSeconds != 1 {
			t.Errorf("%+v: %+v, %v", task, s, err)
		}
	}
}

func TestThreadsSince(t *testing.T) {
	before := Threads{1: {10, 5}, 2: {20, 0}, 3: {7, 7}}
	after := Threads{1: {110, 25}, 2: {70, 3}, 4: {2, 900}} // 3 has ended, 4 has begun
	for n, want := range map[int]CPUTime{0: {152, 0}, 1: {152, 20}, 2: {152, 23}, 9: {152, 923}} {
		if got := after.Since(before, n); got != want {
			t.Errorf("%d threads: %+v, want %+v", n, got, want)
		}
	}
}

func TestReadCPU(t *testing.T) {
	if _, err := ReadCPU(1 << 30); err == nil {
		t.Error("a process that is not there uses something")
	}
}
