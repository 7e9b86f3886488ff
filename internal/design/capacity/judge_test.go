package capacity

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// probed is a good probe: 100/s for 10 s at 75 % of the CPU.
func probed(t *testing.T, change func(*record.Probe)) record.Probe {
	t.Helper()
	v := service{cpu: linear(0, 0.0075), latency: 0.002, spans: 2}
	p := v.make(t, record.Probe{Purpose: "verify", Rate: 100, Seconds: 10}, 0, rand.New(rand.NewPCG(1, 1)))
	if change != nil {
		change(&p)
	}
	return p
}

func latencies(t *testing.T, ns ...int64) record.Histogram {
	t.Helper()
	h := record.NewHistogram()
	for _, v := range ns {
		if err := h.RecordValues(v, 1000/int64(len(ns))); err != nil {
			t.Fatal(err)
		}
	}
	encoded, err := record.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// tail has the generator be late with 5 % of the operations.
func tail(lag time.Duration) func(*record.Probe) {
	return func(p *record.Probe) {
		p.Load.Lag = histogram(950, 20*time.Microsecond, 50, lag)
		p.Load.Latency = histogram(950, 2*time.Millisecond, 50, lag+2*time.Millisecond)
	}
}

// histogram is one of two values, each so many times.
func histogram(n int64, a time.Duration, m int64, b time.Duration) record.Histogram {
	h := record.NewHistogram()
	if err := errors.Join(h.RecordValues(int64(a), n), h.RecordValues(int64(b), m)); err != nil {
		panic(err)
	}
	encoded, err := record.EncodeHistogram(h)
	if err != nil {
		panic(err)
	}
	return encoded
}

// Whose failure it is where the generator was late at the percentile looked at.
func TestLateAtThePercentile(t *testing.T) {
	for limit, want := range map[time.Duration]bool{10 * time.Millisecond: true, 1900 * time.Microsecond: false, 15 * time.Millisecond: false} {
		s := New(config.RateSearch{Goal: config.GoalLatency, Percentile: 97, Limit: limit}, Options{})
		p := s.Judge(probed(t, tail(12*time.Millisecond)))
		if got := s.failedByGenerator(&p); got != want {
			t.Errorf("limit %v: the generator's failure is %t, want %t (%s)", limit, got, want, p.Why)
		}
	}
}

func TestJudge(t *testing.T) {
	const ms = int64(time.Millisecond)
	limit := func(percentile float64, d time.Duration) config.RateSearch {
		return config.RateSearch{Goal: config.GoalLatency, Percentile: percentile, Limit: d}
	}
	for name, test := range map[string]struct {
		goal         config.RateSearch
		change       func(*record.Probe)
		held, passed bool
		why          string
	}{
		"at the target":       {cpu75, nil, true, true, ""},
		"1.9 points above":    {cpu75, func(p *record.Probe) { p.Utilisation = 0.769 }, true, true, ""},
		"2.1 points above":    {cpu75, func(p *record.Probe) { p.Utilisation = 0.771 }, true, false, "+2.1 points"},
		"2.1 points below":    {cpu75, func(p *record.Probe) { p.Utilisation = 0.729 }, true, false, "-2.1 points"},
		"not all completed":   {cpu75, func(p *record.Probe) { p.Load.Completed = 970 }, false, false, "97/s of 100/s held"},
		"a few not completed": {cpu75, func(p *record.Probe) { p.Load.Completed = 985 }, true, true, ""},
		"time-outs":           {cpu75, func(p *record.Probe) { p.Load.TimedOut = 11 }, false, false, "11 timed out"},
		"failures":            {cpu75, func(p *record.Probe) { p.Load.Failed = 11 }, false, false, "11 failed"},
		"a backlog": {cpu75, func(p *record.Probe) {
			p.Load.WallSeconds = 11
			p.Load.Latency = latencies(t, 2*ms, 300*ms, 600*ms, 1000*ms)
		}, false, false, "of 100/s held"},
		"slow, without a backlog":        {cpu75, func(p *record.Probe) { p.Load.WallSeconds = 11; p.Load.Latency = latencies(t, 1000*ms) }, true, true, ""},
		"throttled as the target has it": {cpu75, func(p *record.Probe) { p.Usage[0].ThrottleSeconds = 2.4 }, true, true, ""},
		"throttled beyond":               {cpu75, func(p *record.Probe) { p.Usage[0].ThrottleSeconds = 2.6 }, true, false, "throttled for 2.6 s (all its CPUs added up) in 10.0 s"},
		"a sidecar throttled beyond": {cpu75, func(p *record.Probe) {
			p.Usage = append(p.Usage, record.Usage{Process: "proxy", Role: "sidecar", Seconds: 10, ThrottleSeconds: 2.6})
		}, true, false, "proxy was throttled for 2.6 s"},
		"a database throttled beyond": {cpu75, func(p *record.Probe) { p.Usage[1].ThrottleSeconds = 2.6 }, true, true, ""},
		"nothing was asked":           {cpu75, func(p *record.Probe) { p.Load = record.Load{} }, false, false, "nothing was asked"},
		"no histogram":                {cpu75, func(p *record.Probe) { p.Load.Latency = "x" }, false, false, "decoding"},
		"held, though late":           {cpu75, func(p *record.Probe) { p.Load.Lag = latencies(t, 50*ms) }, true, true, ""},

		"fast enough":                 {limit(90, 3*time.Millisecond), nil, true, true, ""},
		"just too slow":               {limit(90, 2300*time.Microsecond), nil, true, false, "p90 is 2.3"},
		"too few for the percentile":  {limit(99.9, time.Second), nil, true, false, "the probe is too short"},
		"among those that timed out":  {limit(99.5-5, time.Hour), func(p *record.Probe) { p.Load.TimedOut = 60 }, false, false, "timed out"},
		"a latency of the generator":  {limit(90, time.Second), func(p *record.Probe) { p.Load.Lag = latencies(t, 50*ms) }, true, false, "generator"},
		"late at the percentile":      {limit(97, 10*time.Millisecond), tail(12 * time.Millisecond), true, false, "the generator was late; p97 is 14"},
		"late, and slow all the same": {limit(97, 1900*time.Microsecond), tail(12 * time.Millisecond), true, false, "p97 is 14"},
		"one not answered":            {lossless, func(p *record.Probe) { p.Load.Completed--; p.Load.Failed = 1 }, true, false, "1 operations were not answered as expected"},
		"one in time-out":             {lossless, func(p *record.Probe) { p.Load.Completed--; p.Load.TimedOut = 1 }, true, false, "not known"},
		"no span lost":                {lossless, nil, true, true, ""},
		"one span lost":               {lossless, func(p *record.Probe) { p.Lost = 1 }, true, false, "1 spans lost"},
		"spans still came":            {lossless, func(p *record.Probe) { p.Quiet = false }, true, false, "patience"},
		"nothing to lose":             {lossless, func(p *record.Probe) { p.Expected = 0 }, true, false, "no span is to come"},
	} {
		t.Run(name, func(t *testing.T) {
			s, p := New(test.goal, Options{}), probed(t, test.change)
			if held := s.Held(p); held != test.held {
				t.Errorf("before all is known of it: held %t, want %t", held, test.held)
			}
			got := s.Judge(p)
			if got.Held != test.held || got.Passed != test.passed || !strings.Contains(got.Why, test.why) {
				t.Errorf("held %t, passed %t: %q; want %t, %t, %q", got.Held, got.Passed, got.Why, test.held, test.passed, test.why)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*record.Probe)
		want   string
	}{
		"the app":            {nil, "quota"},
		"one thread of many": {func(p *record.Probe) { p.Utilisation, p.Hottest, p.HottestOf = 0.5, 0.97, "shop" }, "hottest thread of shop"},
		"a sidecar at its own quota": {func(p *record.Probe) {
			p.Usage = append(p.Usage, record.Usage{Process: "proxy", Role: "sidecar", Seconds: 10, CPUSeconds: 0.98, CPUs: 0.1})
		}, "sidecar (proxy)"},
		"a sidecar beside the app": {func(p *record.Probe) {
			p.Usage = append(p.Usage, record.Usage{Process: "proxy", Role: "sidecar", Seconds: 10, CPUSeconds: 5, CPUs: 1})
		}, "quota"},
		"the only thread":              {func(p *record.Probe) { p.Hottest, p.HottestOf = 0.75, "shop" }, "quota"},
		"the only thread, on one CPU":  {func(p *record.Probe) { p.Utilisation, p.Hottest = 0.97, 0.97 }, "quota"},
		"a database with a quota":      {func(p *record.Probe) { p.Usage[1].CPUs, p.Usage[1].CPUSeconds = 0.5, 4.9 }, "database (db)"},
		"a database with room":         {func(p *record.Probe) { p.Usage[1].CPUSeconds = 5 }, "quota"},
		"the CPUs beside the app's":    {func(p *record.Probe) { p.Usage[1].CPUSeconds, p.Usage[2].CPUSeconds = 6, 3.8 }, "database (db)"},
		"the generator, on these CPUs": {func(p *record.Probe) { p.Usage[1].CPUSeconds, p.Usage[2].CPUSeconds = 3, 6.8 }, "generator"},
	} {
		p := probed(t, test.change)
		if got, share := nearest(&p); got != test.want {
			t.Errorf("%s: %s (%.2f), want %s", name, got, share, test.want)
		}
	}
}

// The same probes give the same answer, and asking changes nothing.
func TestSearchIsPure(t *testing.T) {
	s := New(cpu75, Options{})
	c := find(t, s, service{cpu: linear(0.02, 0.001), latency: 0.002}, 1)
	for n := range c.Probes {
		a, moreA := s.Next(c.Probes[:n])
		b, moreB := New(cpu75, Options{}).Next(c.Probes[:n])
		if moreA != moreB || a.Rate != b.Rate || a.Rate != c.Probes[n].Rate {
			t.Errorf("after %d probes: %.3f/s, and asked again %.3f/s; it was %.3f/s", n, a.Rate, b.Rate, c.Probes[n].Rate)
		}
	}
	if got := s.Result(c.Probes[:1]); got.Outcome != record.Unsteady || !strings.Contains(got.Note, "broken off") {
		t.Errorf("a search that was broken off is %s: %s", got.Outcome, got.Note)
	}
	if got := s.Result(nil); got.Outcome != record.Unsteady || got.Binding != "" {
		t.Errorf("a search without probes: %+v", got)
	}
	if c.Goal != "cpu" || c.Target != 0.75 || !c.Linear || c.Seconds < 30 || c.Demand < 0.00099 || c.Demand > 0.00101 || c.Base < 0.019 || c.Base > 0.021 {
		t.Errorf("%+v", c)
	}
	if !(c.Passing > 0 && c.Passing <= c.Rate*1.03) || c.Failing != 0 {
		t.Errorf("passing %g, failing %g, found %g", c.Passing, c.Failing, c.Rate)
	}
}
