// An experiment as a matter of minutes.

package config

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/metric"
)

// What a quick experiment is cut down to, where it asks for more.
const (
	quickBlocks     = 6               // the fewest that give an interval
	quickLoad       = 2 * time.Minute // of all phases of all blocks: where there are many, each is shorter; in a sweep over connections with their warm-ups and delays
	quickPhases     = 60              // of all blocks, beyond which only the ends of a sweep over connections are kept
	quickWarmupAll  = 10 * time.Second
	quickLongest    = 5 * time.Second // where a tracer's delay asks for more
	quickWindows    = 4               // windows that a delay is given the time for
	quickDelays     = 5               // of a tracer in a phase, at least: in a shorter one it sends more often than in a long one
	quickShortest   = 500 * time.Millisecond
	quickFree       = time.Second     // likewise, of operations as fast as programs make them
	quickProbe      = 2 * time.Second // of a search
	quickIdle       = 300 * time.Millisecond
	quickResolution = 0.1 // likewise
	quickConfirm    = 5 * time.Second
	quickCalls      = 200_000
	quickProfiled   = 75 * time.Second // under profilers, of all phases of all blocks: as many operations are profiled as fit, and one at least
	quickLeast      = 2                // blocks, where an experiment of many phases is profiled as well
)

// quickStretches are how long an operation of a variant is under a profiler in all blocks together, by the language: where one
// sees little, as few samples as causes take need longer.
var quickStretches = map[string]time.Duration{"python": 12 * time.Second, "": 4 * time.Second}

// Quicken makes the experiment a matter of minutes: the same, with shorter windows and warm-ups, and the fewest blocks
// that give intervals, whatever precision it was to reach. Keys that are given stay as they are.
func (e *Experiment) Quicken(sets ...Set) {
	given := Sets(sets)
	defer e.keepGiven(given, *e)
	d := &e.Design
	d.Quick, d.Blocks = true, min(d.Blocks, quickBlocks)
	d.Most, d.Precision, d.Metric, d.Sittings, d.Pause = 0, 0, "", 0, 0
	if e.Profile.stretches() { // causes need samples, and not blocks
		d.Blocks = min(d.Blocks, max(quickLeast, d.Blocks*quickPhases/e.quickPhases()))
	}
	e.declareRates()
	l := &e.Load
	warmup := program.Requests.Row().QuickWarmup
	switch {
	case l.WarmupAll == 0 && e.Compiles() != "": // what is profiled or compared cold is another program
		warmup = max(warmup, quickCompiling)
	case l.WarmupAll == 0:
		warmup = e.quickWarmup()
	}
	if l.WarmupMost > 0 {
		l.Warmup, l.WarmupMost = warmup, 0 // there is no time to find it
	}
	l.Warmup, l.WarmupAll = min(l.Warmup, warmup), min(l.WarmupAll, quickWarmupAll)
	if len(l.Levels) > 2 && e.quickPhases() > quickPhases {
		l.Levels = []int{slices.Min(l.Levels), slices.Max(l.Levels)}
	}
	l.Duration = min(l.Duration, e.quickest())
	if !given.Has("profile") {
		e.quickenProfile()
	}
	e.quickenOperations()
	if l.Calls > 0 {
		l.Calls = min(l.Calls, quickCalls)
	}
	l.Idle = min(l.Idle, quickIdle)
	// The searches are shared with the same experiment over other workloads.
	if l.Capacity != nil {
		c := l.Capacity.quick()
		l.Capacity = &c
	}
	if l.Relative != nil {
		l.Relative = &Relative{Share: l.Relative.Share, Shares: l.Relative.Shares, Search: l.Relative.Search.quick()}
	}
}

// keepGiven takes back from asked what keys that are given say.
func (e *Experiment) keepGiven(given Sets, asked Experiment) {
	if d := asked.Design; given.Has("design.blocks") || given.Has("design.precision") {
		e.Design.Blocks, e.Design.Most, e.Design.Precision, e.Design.Metric = d.Blocks, d.Most, d.Precision, d.Metric
	}
	if d := asked.Design; given.Has("design.sittings") {
		e.Design.Sittings, e.Design.Pause = d.Sittings, d.Pause
	}
	to, l := &e.Load, asked.Load
	for key, take := range map[string]func(){
		"duration":    func() { to.Duration = l.Duration },
		"warmup":      func() { to.Warmup, to.WarmupMost = l.Warmup, l.WarmupMost },
		"warmup_all":  func() { to.WarmupAll = l.WarmupAll },
		"calls":       func() { to.Calls = l.Calls },
		"idle":        func() { to.Idle = l.Idle },
		"connections": func() { to.Levels = l.Levels },
		"capacity":    func() { to.Capacity = l.Capacity },
	} {
		if given.Has("load." + key) {
			take()
		}
	}
}

// declareRates puts the rates that the workload declares in the place of a share of what the slowest variant can do: pilots
// that find that take longer than all the rest. Where it declares none, or several shares are swept, pilots find it all the same.
func (e *Experiment) declareRates() {
	l := &e.Load
	if l.Relative == nil || len(l.Relative.Shares) > 0 {
		return
	}
	most := 0.0
	for _, o := range e.Operations {
		rate := cmp.Or(o.Rate, e.Workload.Rate)
		if rate == 0 {
			return
		}
		most = max(most, rate)
	}
	e.Design.Unpiloted, l.Relative = l.Relative.Text(), nil
	l.Rate = cmp.Or(e.Workload.Rate, most) // of the operations that have none of their own
}

// delay returns the longest time of a variant's spans to the sink; 0 without a plan, an error that is reported elsewhere.
func (e *Experiment) delay() time.Duration {
	var longest time.Duration
	for _, v := range e.Variants {
		if plan, err := e.Plan(v); err == nil {
			longest = max(longest, plan.Passed())
		}
	}
	return longest
}

func (c RateSearch) quick() RateSearch {
	c.Resolution = max(c.Resolution, quickResolution)
	c.Confirm = min(c.Confirm, quickConfirm)
	return c
}

// quickest is how long a quick phase has the load: the shorter, the more of them there are, but in it each operation happens
// at least once, and where it can a tracer sends as often as it does in a long one.
func (e *Experiment) quickest() time.Duration {
	length := e.driver().QuickWindow
	if e.Load.Capacity != nil && e.driver().Generator {
		length = quickProbe
	}
	if long := quickWindows * delaysInWindow * e.delay(); long <= quickLongest && e.Load.Capacity == nil && e.driver().Generator {
		length = max(length, long)
	}
	each := quickLoad / time.Duration(e.quickPhases())
	if e.Profile.stretches() { // most of the time is for profilers
		each /= 3
	}
	if len(e.Load.Levels) > 0 {
		each -= e.Load.Warmup + e.delay()
	}
	shortest := max(quickShortest, quickDelays*e.delay())
	if e.Regime() == metric.Unthrottled {
		shortest = quickFree
	}
	length = min(length, max(each.Round(100*time.Millisecond), shortest))
	for _, o := range e.Operations {
		for _, level := range e.Load.Steps() {
			if o.Duration == 0 {
				length = inWhich(cmp.Or(o.Rate, level.Load.Rate), length)
			}
		}
	}
	if c := e.Load.search(); c != nil {
		length = inWhich(c.From, length)
	}
	return length
}

// quickWarmup is how long an operation of a quick phase is warmed up where nothing warms up all of them: as long as there is time
// for, where the program makes it itself. The
// compiler of a JVM works on for seconds, on the CPU that the calls have.
func (e *Experiment) quickWarmup() time.Duration {
	row := e.driver()
	if row.Generator {
		return row.QuickWarmup
	}
	return max(row.QuickWarmup, (quickLoad / time.Duration(e.quickPhases())).Round(100*time.Millisecond))
}

// quickPhases returns the number of phases of all blocks.
func (e *Experiment) quickPhases() int {
	return max(1, e.Design.Blocks*len(e.Variants)*len(e.Operations)*len(e.Load.Steps()))
}

// quickenProfile leaves a profile of CPU time alone, of as many operations as there is time for.
func (e *Experiment) quickenProfile() {
	p := &e.Profile
	if !p.stretches() {
		return
	}
	all := cmp.Or(quickStretches[e.Language()], quickStretches[""])
	stretches := time.Duration(e.Design.Blocks * len(e.Variants) * len(e.Load.Steps())) // of an operation
	longest := max(min(all/time.Duration(e.Design.Blocks), quickProfiled/stretches-Attaching), time.Second)
	p.CPU, p.Wall, p.Alloc = min(cmp.Or(p.CPU, p.Wall, p.Alloc), longest), 0, 0
	if many := max(1, int(quickProfiled/(stretches*(p.CPU+Attaching)))); len(p.Operations) == 0 && many < len(e.Operations) {
		for _, o := range e.Operations[:many] {
			p.Operations = append(p.Operations, o.Name)
		}
	}
}

// quickenOperations makes the operations' own durations as short as the load's, where they happen in that.
func (e *Experiment) quickenOperations() {
	e.Operations = slices.Clone(e.Operations)
	for i := range e.Operations {
		if o := &e.Operations[i]; o.Duration > 0 {
			o.Duration = min(o.Duration, inWhich(cmp.Or(o.Rate, e.Load.Rate), e.Load.Duration))
		}
	}
}

// inWhich is a length, or a longer one in which an operation happens at a rate.
func inWhich(rate float64, length time.Duration) time.Duration {
	if happens(rate, length) {
		return length
	}
	return time.Duration(math.Ceil(float64(time.Second) / rate))
}
