package capacity

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

var (
	cpu75    = config.RateSearch{Goal: config.GoalCPU, CPU: 0.75}
	p99      = config.RateSearch{Goal: config.GoalLatency, Percentile: 99, Limit: 20 * time.Millisecond, Resolution: 0.05}
	lossless = config.RateSearch{Goal: config.GoalLossless, Resolution: 0.05}
)

// finely asks for what an experiment file does by default.
func finely(c config.RateSearch) config.RateSearch { c.Resolution = 0.02; return c }

func confirm(c config.RateSearch, over time.Duration) config.RateSearch { c.Confirm = over; return c }

func from(c config.RateSearch, rate float64) config.RateSearch { c.From = rate; return c }

// The answer over many seeds: how it comes out, and how near to the truth.
func TestSimulation(t *testing.T) {
	convex := func(x float64) float64 { return 0.02 + 0.0004*x + 4e-7*x*x }
	for name, test := range map[string]struct {
		goal    config.RateSearch
		service service
		options Options
		outcome record.Outcome
		truth   float64 // of the rate, or of Passing where none is found; 0: not looked at
		within  float64 // relative
		binding string
		note    string
		probes  float64 // on average, at most
	}{
		"linear":                   {goal: cpu75, service: service{cpu: linear(0.02, 0.001), latency: 0.002}, outcome: record.Found, truth: 730, within: 0.005, binding: "quota", probes: 3.1},
		"linear, without a base":   {goal: cpu75, service: service{cpu: linear(0, 0.0001), latency: 0.001}, outcome: record.Found, truth: 7500, within: 0.005, binding: "quota", probes: 4.1},
		"linear, slow":             {goal: cpu75, service: service{cpu: linear(0.01, 0.05), latency: 0.06}, outcome: record.Found, truth: 14.8, within: 0.03, binding: "quota", probes: 5},
		"linear, near from":        {goal: from(cpu75, 740), service: service{cpu: linear(0, 0.001), latency: 0.002}, outcome: record.Found, truth: 750, within: 0.0005, probes: 1},
		"linear, from far above":   {goal: from(cpu75, 5000), service: service{cpu: linear(0.02, 0.001), latency: 0.002}, outcome: record.Found, truth: 730, within: 0.005, probes: 4.1},
		"a high base":              {goal: cpu75, service: service{cpu: linear(0.30, 0.001), latency: 0.002}, outcome: record.Found, truth: 450, within: 0.005, probes: 3.1},
		"noise of 5 %":             {goal: cpu75, service: service{cpu: linear(0.02, 0.001), latency: 0.002, noise: 0.05}, outcome: record.Found, truth: 730, within: 0.05, probes: 5},
		"speed drifts by 8 %":      {goal: cpu75, service: service{cpu: linear(0.02, 0.001), latency: 0.002, drift: 0.08}, outcome: record.Found, truth: 730, within: 0.16, binding: "quota", probes: 7},
		"speed drifts by 12 %":     {goal: cpu75, service: service{cpu: linear(0.02, 0.001), latency: 0.002, drift: 0.12}, outcome: record.Found, truth: 730, within: 0.25, binding: "quota", probes: 9},
		"drift of 5 %, and spikes": {goal: cpu75, service: service{cpu: linear(0.02, 0.001), latency: 0.002, drift: 0.05, spikes: 0.15}, outcome: record.Found, truth: 730, within: 0.2, binding: "quota", probes: 8},
		"convex, and drifting":     {goal: cpu75, service: service{cpu: convex, latency: 0.002, drift: 0.08}, outcome: record.Found, truth: 940.5, within: 0.16, probes: 8},
		"cold":                     {goal: cpu75, service: service{cpu: linear(0.02, 0.001), latency: 0.002, cold: 5}, outcome: record.Found, truth: 730, within: 0.03, probes: 13},
		"convex":                   {goal: cpu75, service: service{cpu: convex, latency: 0.002}, outcome: record.Found, truth: 940.5, within: 0.03, binding: "quota", probes: 6},
		"convex, noise of 2 %":     {goal: cpu75, service: service{cpu: convex, latency: 0.002, noise: 0.02}, outcome: record.Found, truth: 940.5, within: 0.035, probes: 7},
		"a pausing machine":        {goal: cpu75, service: service{cpu: linear(0.02, 0.001), latency: 0.002, pauses: 0.1}, outcome: record.Found, truth: 730, within: 0.03, probes: 5},
		"a lock":                   {goal: cpu75, service: service{cpu: linear(0.01, 0.001), most: 400, latency: 0.002}, outcome: record.Saturated, truth: 400, within: 0.07, binding: bindsUnseen, probes: 10},
		"one thread of two CPUs":   {goal: cpu75, service: service{cpu: linear(0, 0.0005), hottest: linear(0, 0.001), most: 980, latency: 0.002}, outcome: record.Saturated, truth: 980, within: 0.07, binding: "hottest thread of app", probes: 10},
		"a database at its limit":  {goal: cpu75, service: service{cpu: linear(0, 0.0005), database: 0.001, most: 1000, latency: 0.002}, outcome: record.Saturated, truth: 1000, within: 0.07, binding: "database (db)", probes: 10},
		"a slow generator":         {goal: cpu75, service: service{cpu: linear(0, 0.0001), generator: 3000, latency: 0.002}, outcome: record.ByGenerator, truth: 3000, within: 0.07, binding: "generator", probes: 10},
		"not more than asked for":  {goal: config.RateSearch{Goal: config.GoalCPU, CPU: 0.75, Max: 500}, service: service{cpu: linear(0, 0.001), latency: 0.002}, outcome: record.AboveMax, truth: 500, within: 0.001, probes: 3},
		"beside other programs":    {goal: cpu75, service: service{cpu: linear(0, 0.001), most: 400, latency: 0.002, others: 0.6}, outcome: record.Unsteady, probes: 11},
		"M/M/1, beside others":     {goal: p99, service: service{cpu: linear(0, 0.001), queue: true, most: 1000, others: 0.6}, outcome: record.Unsteady, probes: 11},
		"hopeless":                 {goal: cpu75, service: service{cpu: linear(0.9, 0.05), latency: 0.002}, outcome: record.BelowLeast, probes: 6},

		"a lock, finely":     {goal: finely(cpu75), service: service{cpu: linear(0.01, 0.001), most: 400, latency: 0.002}, outcome: record.Saturated, truth: 400, within: 0.03, binding: bindsUnseen, probes: 12},
		"M/M/1, finely":      {goal: finely(p99), service: service{cpu: linear(0, 0.001), queue: true, most: 1000}, outcome: record.Found, truth: 769.7, within: 0.02, probes: 13},
		"M/M/1, very finely": {goal: func() config.RateSearch { c := p99; c.Resolution = 0.001; return c }(), service: service{cpu: linear(0, 0.001), queue: true, most: 1000}, outcome: record.Found, truth: 773.8, within: 0.002, probes: 17},
		"lossy, finely":      {goal: finely(lossless), service: service{cpu: linear(0, 0.001), latency: 0.002, spans: 2, lossless: 600}, outcome: record.Found, truth: 600, within: 0.02, probes: 13},

		"M/M/1":                       {goal: p99, service: service{cpu: linear(0, 0.001), queue: true, most: 1000}, outcome: record.Found, truth: 769.7, within: 0.05, binding: "quota", probes: 10},
		"M/M/1, jitter of 5 %":        {goal: p99, service: service{cpu: linear(0, 0.001), queue: true, most: 1000, jitter: 0.05}, outcome: record.Found, truth: 769.7, within: 0.06, probes: 12},
		"M/M/1, from far above":       {goal: from(p99, 20000), service: service{cpu: linear(0, 0.001), queue: true, most: 1000}, outcome: record.Found, truth: 769.7, within: 0.05, probes: 12},
		"M/M/1, pauses":               {goal: p99, service: service{cpu: linear(0, 0.001), queue: true, most: 1000, pauses: 0.05}, outcome: record.Found, truth: 769.7, within: 0.08, probes: 14},
		"always too slow":             {goal: p99, service: service{cpu: linear(0, 0.001), latency: 0.1}, outcome: record.BelowLeast, probes: 8},
		"fast, with a slow generator": {goal: p99, service: service{cpu: linear(0, 0.00001), latency: 0.001, generator: 3000}, outcome: record.ByGenerator, truth: 3000, within: 0.07, probes: 12},
		"a generator with a tail":     {goal: from(p99, 400), service: service{cpu: linear(0, 0.001), latency: 0.010, tail: 0.012}, outcome: record.ByGenerator, binding: bindsGenerator, probes: 9},
		"a tail now and then":         {goal: p99, service: service{cpu: linear(0, 0.001), queue: true, most: 1000, tail: 0.012, tailed: 0.1}, outcome: record.Found, truth: 769.7, within: 0.08, binding: "quota", probes: 13},
		"a small tail":                {goal: finely(p99), service: service{cpu: linear(0, 0.001), queue: true, most: 1000, tail: 0.0003}, outcome: record.Found, truth: 769.7, within: 0.04, binding: "quota", probes: 15},

		"throttled at the target": {goal: cpu75, service: service{cpu: linear(0.02, 0.001), latency: 0.002, throttle: 0.3}, outcome: record.Unsteady, note: "app was throttled for 3.0 s", probes: 14},
		"lossy":                   {goal: lossless, service: service{cpu: linear(0, 0.001), latency: 0.002, spans: 2, lossless: 600}, outcome: record.Found, truth: 600, within: 0.05, binding: bindsTracer, probes: 12},
		// A buffer of 5,000 spans hides a loss at up to 850/s from a probe of 10 s, at up to 683/s from one of 30 s.
		"a large buffer":                 {goal: lossless, service: service{cpu: linear(0, 0.0005), latency: 0.002, spans: 2, lossless: 600, buffer: 5000}, outcome: record.Found, truth: 850, within: 0.05, binding: bindsTracer, probes: 12},
		"a large buffer, confirmed":      {goal: confirm(lossless, 30*time.Second), service: service{cpu: linear(0, 0.0005), latency: 0.002, spans: 2, lossless: 600, buffer: 5000}, outcome: record.Found, truth: 683, within: 0.05, binding: bindsTracer, probes: 17},
		"no buffer, confirmed":           {goal: confirm(lossless, 30*time.Second), service: service{cpu: linear(0, 0.001), latency: 0.002, spans: 2, lossless: 600}, outcome: record.Found, truth: 600, within: 0.05, binding: bindsTracer, probes: 12},
		"not more than asked, confirmed": {goal: func() config.RateSearch { c := confirm(lossless, 30*time.Second); c.Max = 500; return c }(), service: service{cpu: linear(0, 0.001), latency: 0.002, spans: 2}, outcome: record.AboveMax, truth: 500, within: 0.001, probes: 6},
		"lossless":                       {goal: lossless, service: service{cpu: linear(0, 0.001), latency: 0.002, spans: 2}, outcome: record.Found, truth: 1000, within: 0.07, binding: "quota", probes: 12},
		"no spans to lose":               {goal: lossless, service: service{cpu: linear(0, 0.001), latency: 0.002}, outcome: record.NoSpans, probes: 1},
		"loses at any rate":              {goal: lossless, service: service{cpu: linear(0, 0.001), latency: 0.002, spans: 2, lossless: 0.01}, outcome: record.BelowLeast, probes: 9},
	} {
		t.Run(name, func(t *testing.T) {
			o := test.options
			o.Duration = 10 * time.Second
			s := New(test.goal, o)
			right, probes := 0, 0
			seeds := 1 // enough where nothing is left to chance
			if v := test.service; v.noise > 0 || v.drift > 0 || v.spikes > 0 || v.jitter > 0 || v.pauses > 0 || v.tailed > 0 {
				seeds = 20
				if n, err := strconv.Atoi(os.Getenv("TRACETAX_SEEDS")); err == nil {
					seeds = n
				}
			}
			var wrong record.Search
			for seed := range seeds {
				c := find(t, s, test.service, uint64(seed))
				probes += len(c.Probes)
				rate := c.Rate
				if c.Outcome != record.Found {
					rate = c.Passing
				}
				if c.Outcome == record.NoSpans && (c.Passing != 0 || c.Failing != 0) {
					t.Errorf("without a span to lose, %v passed and %v did not", c.Passing, c.Failing)
				}
				good := c.Outcome == test.outcome && (test.truth == 0 || math.Abs(rate-test.truth) <= test.within*test.truth+1e-9) &&
					(test.binding == "" || c.Binding == test.binding) && strings.Contains(c.Note, test.note)
				if c.Outcome == record.Found && test.goal.Goal != config.GoalCPU {
					confirmed(t, c, s.goal)
					confirmedOver(t, c, test.goal.Confirm)
				}
				if good {
					right++
				} else {
					wrong = c
				}
			}
			t.Logf("%.1f %% right, %.1f probes", 100*float64(right)/float64(seeds), float64(probes)/float64(seeds))
			if right*100 < seeds*95 {
				t.Errorf("%d of %d right; a wrong one:", right, seeds)
				show(t, wrong)
			}
			if mean := float64(probes) / float64(seeds); mean > test.probes {
				t.Errorf("%.1f probes on average, want at most %.1f", mean, test.probes)
				show(t, find(t, s, test.service, 1))
			}
		})
	}
}

// confirmed checks that neither end of a bracket rests on a single probe.
func confirmed(t *testing.T, c record.Search, goal config.RateSearch) {
	t.Helper()
	passed, failed := 0, 0
	for _, p := range c.Probes {
		if p.Passed && p.Rate == c.Rate {
			passed++
			if goal.Confirm > 0 && p.Seconds >= goal.Confirm.Seconds() {
				passed++ // it is as long as several
			}
		}
		if !p.Passed && p.Rate >= c.Failing && p.Rate <= c.Rate*(1+2*goal.Resolution) {
			failed++
		}
	}
	if passed < 2 || failed < 2 {
		t.Errorf("passed %d times at the rate found, and failed %d times just above", passed, failed)
		show(t, c)
	}
}

// confirmedOver checks that the rate found has passed for so long, and that none is probed
// for so long before a short probe has passed, unless short ones have misled.
func confirmedOver(t *testing.T, c record.Search, over time.Duration) {
	t.Helper()
	long, refuted := false, false
	passed := map[float64]bool{}
	for _, p := range c.Probes {
		long = long || p.Passed && p.Rate == c.Rate && p.Seconds >= over.Seconds()
		if over > 0 && p.Seconds >= over.Seconds() && !passed[p.Rate] && !refuted {
			t.Errorf("%g/s was probed for %g s before a short probe had passed", p.Rate, p.Seconds)
		}
		refuted = refuted || over > 0 && p.Seconds >= over.Seconds() && !p.Passed
		passed[p.Rate] = passed[p.Rate] || p.Passed
	}
	if !long {
		t.Errorf("%g/s was never seen to pass for %v", c.Rate, over)
		show(t, c)
	}
}
