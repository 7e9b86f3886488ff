// This file judges the lengths that are estimated: an interval against what is known.

package selfcheck

import (
	"fmt"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// length is a known cost: the difference between a variant and the baseline.
type length struct {
	name       string
	experiment Experiment
	variant    string
	metric     string
	unit       string
	known      float64
	tolerance  float64
	bound      float64  // of half the interval's width
	logged     logged   // nil: known is all that is known
	doubts     []string // besides those of all lengths
}

// logged is what the program itself says of a block that it cost an operation; false where it does not.
type logged func(Said, record.Load) (float64, bool)

func burnt(s Said, _ record.Load) (float64, bool)   { return each(s.Burnt, s.Requests) }
func slept(s Said, _ record.Load) (float64, bool)   { return each(s.Slept, s.Requests) }
func flushed(s Said, _ record.Load) (float64, bool) { return each(s.FlushBurnt, s.Flushed) }

// idled is what falls on an operation of what the program uses all the time: while it had its load, and no longer.
func idled(s Said, l record.Load) (float64, bool) {
	if s.Alive == 0 || l.Completed == 0 {
		return 0, false
	}
	return float64(s.Idled) / float64(s.Alive) * l.WallSeconds / float64(l.Completed), true
}

// The tolerances: by how much the interval may miss what is known, for reasons that are no fault of the harness. A variant's
// program takes another way to its known cost, or wakes up less often.
const (
	tinyCPU    = 1e-6  // s
	busierCPU  = 2e-6  // s: a program that burns is busier when requests come, and is woken up less often
	idleCPU    = 12e-6 // s: beside requests a program's idle work takes some 8 % more than without (Go looks after its threads)
	flushCPU   = 10e-6 // s
	switchCPU  = 30e-6 // s: what a sleep costs: to give the CPU away and to be woken up
	sameTime   = 10e-6 // s: of latency
	otherTime  = 50e-6 // s: to be woken up late
	sameMemory = 1e6   // bytes
	holdMemory = 2e6   // bytes
)

// asWasAsked is the least share of a known cost that the program has to have made.
const asWasAsked = 0.9

// The warnings by which the result says of itself that its CPU may be wrong: others had the machine, or nothing was taken off
// for what programs use idle.
var (
	doubts       = []string{"busy-neighbour", "cpu-stolen"}
	doubtsOfIdle = []string{"idle-differs", "idle-unknown"}
)

// lengths lists the claims of a form that have intervals: those of its experiments, by order.
func (f Form) lengths() []length {
	bound := func(quick, full float64) float64 { // of half an interval's width
		if f == Full {
			return full
		}
		return quick
	}
	const cpu, median, mean, high, memory = "cpu_per_operation", "latency_p50", "latency_mean", "latency_p90", "memory_mean"
	var all []length
	for _, x := range f.Experiments() {
		var list []length
		switch x.Name {
		case Costs:
			list = []length{
				{name: "same again: CPU", variant: Again, metric: cpu, tolerance: tinyCPU, bound: bound(4e-6, 1.5e-6)},
				{name: "same again: latency", variant: Again, metric: median, tolerance: sameTime, bound: bound(30e-6, 15e-6)},
				{name: "same again: memory", variant: Again, metric: memory, tolerance: sameMemory, bound: bound(2e6, 1e6)},
				{name: "3 µs of CPU", variant: Burn3, metric: cpu, known: 3e-6, tolerance: tinyCPU, bound: bound(4e-6, 1.5e-6), logged: burnt},
				{name: "73 µs of CPU", variant: Burn73, metric: cpu, known: 73e-6, tolerance: busierCPU, bound: bound(8e-6, 3e-6), logged: burnt},
				{name: "1 ms of sleep: latency", variant: Sleep1, metric: mean, known: 1e-3, tolerance: otherTime, bound: bound(100e-6, 50e-6), logged: slept},
				{name: "1 ms of sleep: CPU", variant: Sleep1, metric: cpu, tolerance: switchCPU, bound: bound(10e-6, 5e-6)},
				{name: "50 MB of memory", variant: Burn73, metric: memory, known: 50e6, tolerance: holdMemory, bound: bound(2e6, 1e6)},
				{name: "5 % of a CPU, idle", variant: Idle5, metric: cpu, known: 25e-6, tolerance: idleCPU, bound: bound(10e-6, 5e-6), logged: idled, doubts: doubtsOfIdle},
			}
		case DeferredCosts:
			list = []length{
				{name: "200 µs, later: CPU", variant: Flush200, metric: cpu, known: 200e-6, tolerance: flushCPU, bound: bound(10e-6, 5e-6), logged: flushed},
				// Burnt in the next window it would be in four of ten of the latencies of half of the baseline's windows.
				{name: "200 µs, later: latency", variant: Flush200, metric: high, tolerance: otherTime, bound: bound(100e-6, 50e-6)},
			}
		case Flushes:
			list = []length{{name: "200 µs every 2 s", variant: Flush200, metric: cpu, known: 200e-6, tolerance: flushCPU, bound: bound(10e-6, 10e-6), logged: flushed}}
		}
		for _, l := range list {
			if l.unit = "s"; l.metric == memory {
				l.unit = "bytes"
			}
			if l.experiment = x; !x.has(l.variant) {
				continue
			}
			all = append(all, l)
		}
	}
	return all
}

// check judges the length at a confidence of its own interval.
func (l length) check(all map[string]Evidence, confidence float64) Check {
	c := Check{Name: l.name, Experiment: l.experiment.Name, Order: l.experiment.Order, Unit: l.unit, Known: l.known, Tolerance: l.tolerance, Bound: l.bound}
	e := all[l.experiment.Folder()]
	f := l.finding(e.Document)
	if f != nil && len(f.Samples) == 0 && f.Verdict.Reason().Code == finding.WhyRestless { // a busy machine has no room for all at once
		return c.verdict(Inconclusive, Withheld, "the report withheld its figure ("+f.Verdict.Text+"): use a quieter machine")
	}
	if f == nil || len(f.Samples) == 0 {
		return c.verdict(Failed, NotMeasured, "it was not measured: there is no "+finding.MetricName(l.metric)+" of "+l.variant+" in any block")
	}
	differences, known, ok := l.differences(e, f)
	if !ok {
		return c.verdict(Failed, NotLogged, "the program's log does not say in every block what it did")
	}
	c.Known = known
	if known < asWasAsked*l.known {
		return c.verdict(Failed, Wrong, fmt.Sprintf("the program says that it was %s, and %s was to be: the experiment is another one", finding.FormatValue(known, l.unit), finding.FormatValue(l.known, l.unit)))
	}
	c = c.judge(differences, confidence, f)
	if c.Code != Beyond {
		return c
	}
	for _, w := range e.Document.Warnings {
		if slices.Contains(doubts, w.Code) || slices.Contains(l.doubts, w.Code) {
			return c.verdict(Inconclusive, Withheld, fmt.Sprintf("%s, but the result warns of it (%s): use a quieter machine", c.Text, w.Code))
		}
	}
	return c
}

// finding returns what the ordinary analysis found of the length, nil where nothing.
func (l length) finding(doc *finding.Document) *finding.Finding {
	if doc == nil || len(doc.Experiment.Variants) == 0 {
		return nil
	}
	for i := range doc.Findings {
		f := &doc.Findings[i]
		if f.Variant == l.variant && f.Against == doc.Experiment.Variants[0].Name && f.Metric == l.metric && f.Role == "" { // on the one operation that there is, or of the run
			return f
		}
	}
	return nil
}

// differences returns the difference in each block, and what is known to be there. What the program logged differs from
// block to block: the differences are then those from the log, around its centre.
func (l length) differences(e Evidence, f *finding.Finding) (differences []float64, known float64, ok bool) {
	var says []float64
	for _, s := range f.Samples {
		differences = append(differences, s.Value-s.Baseline)
		if l.logged != nil {
			said, found := e.Said[l.variant][s.Block]
			one, known := l.logged(said, loadOf(e.Records, l.variant, s.Block))
			if !found || !known {
				return nil, 0, false
			}
			says = append(says, one)
		}
	}
	if l.logged == nil {
		return differences, l.known, true
	}
	known = stats.Center(says)
	for i := range differences {
		differences[i] += known - says[i]
	}
	return differences, known, true
}

// loadOf is what was done in the window of a variant's good run.
func loadOf(records []record.Record, variant string, block int) record.Load {
	for i := range records {
		if r := &records[i]; r.Kind == record.Measured && !r.Failed() && r.Variant == variant && r.Block == block && len(r.Phases) > 0 {
			return r.Phases[0].Load
		}
	}
	return record.Load{}
}

// judge holds the interval of the differences against what is known.
func (c Check) judge(differences []float64, confidence float64, f *finding.Finding) Check {
	e := stats.SignedRank(differences, confidence)
	if math.IsNaN(e.Center) {
		return c.verdict(Failed, NotMeasured, "what was measured is no number")
	}
	c.Measured, c.Blocks = e.Center, e.N
	switch {
	case f.Verdict.Kind == finding.Overloaded:
		return c.verdict(Inconclusive, Overloaded, f.Verdict.Text+", and did not do the same work: use a machine that does nothing else")
	case !e.Bounded:
		return c.verdict(Inconclusive, TooFewBlocks, fmt.Sprintf("%d blocks are too few: an interval of %.4g %% needs %d more", e.N, 100*confidence, stats.MinBlocks(confidence)-e.N))
	}
	c.Low, c.High, c.Bounded = e.Low, e.High, true
	switch half := (e.High - e.Low) / 2; {
	case c.Low > c.Known+c.Tolerance || c.High < c.Known-c.Tolerance:
		if f.Verdict.Kind == finding.CannotTell && f.Verdict.Low == nil { // a user would not have been misled
			return c.verdict(Inconclusive, Withheld, "the interval misses the injected overhead, but the report withheld its verdict ("+f.Verdict.Text+")")
		}
		return c.verdict(Failed, Beyond, fmt.Sprintf("%s is measured, all of it outside %s", c.measured(), c.wanted()))
	case half > c.Bound:
		return c.verdict(Inconclusive, TooWide, fmt.Sprintf("the interval is ±%s, wider than ±%s: use a quieter machine", finding.FormatValue(half, c.Unit), finding.FormatValue(c.Bound, c.Unit)))
	}
	return c.verdict(Passed, Found, "found")
}

func (c Check) wanted() string {
	return finding.FormatValue(c.Known, c.Unit) + " ± " + finding.FormatValue(c.Tolerance, c.Unit)
}

// measured is the estimate with its interval, in words.
func (c Check) measured() string {
	i := finding.Interval{Estimate: c.Measured}
	if c.Bounded {
		i.Low, i.High = &c.Low, &c.High
	}
	return finding.FormatInterval(i, c.Unit, false)
}

func (c Check) verdict(v Verdict, code Code, text string) Check {
	c.Verdict, c.Code, c.Text = v, code, text
	return c
}
