// This file judges the lengths that are estimated: an interval against a margin.

package selfcheck

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// patience is the most blocks that "about n more" is said for.
const patience = 1000

// length is a known cost: the difference between a variant and the baseline.
type length struct {
	name       string
	experiment string
	variant    string
	metric     string
	unit       string
	known      float64
	margin     float64
	kind       kind
}

// kind is what is known of a length.
type kind int

const (
	exactly kind = iota // it is known, and is to be found within the margin
	none                // there is none: nothing may be found
	atMost              // it is not more than the margin
	logged              // the program itself logged it, block by block
)

// The margins. Each is half the width of what passes, in the unit of its metric.
const (
	marginCPU     = 20e-6  // s: 10 % of 200 µs
	marginSmall   = 10e-6  // s: of 20 µs, and of none at all
	marginFine    = 5e-6   // s: the same in the full form
	marginSwitch  = 30e-6  // s: what a sleep costs: to give the CPU away and to be woken up
	marginLatency = 100e-6 // s: 10 % of 1 ms
	marginMemory  = 5e6    // bytes: 10 % of 50 MB
)

// lengths lists the claims of a form that have intervals.
func (f Form) lengths() []length {
	small := marginSmall
	if f == Full {
		small = marginFine
	}
	const cpu, median, latency, memory = "cpu_per_operation", "latency_p50", "latency_mean", "memory_mean"
	list := []length{
		{"same again: CPU", SmallCosts, Again, cpu, "s", 0, small, none},
		{"same again: latency", SmallCosts, Again, median, "s", 0, marginLatency, none},
		{"same again: memory", SmallCosts, Again, memory, "bytes", 0, marginMemory, none},
		{"20 µs of CPU", SmallCosts, Burn20, cpu, "s", 20e-6, small, exactly},
		{"200 µs of CPU", Costs, Burn200, cpu, "s", 200e-6, marginCPU, exactly},
		{"200 µs at the flush", DeferredCosts, Flush200, cpu, "s", 200e-6, marginCPU, exactly},
		{"1 ms of sleep: latency", OtherCosts, Sleep, latency, "s", 1e-3, marginLatency, logged},
		{"1 ms of sleep: CPU", OtherCosts, Sleep, cpu, "s", 0, marginSwitch, atMost},
		{"50 MB of memory", OtherCosts, Hold, memory, "bytes", 50e6, marginMemory, exactly},
	}
	if f != Full {
		return list
	}
	return append(list,
		length{"woven, same again: CPU", WovenSame, Again, cpu, "s", 0, marginSmall, none}, // the two disturb each other
		length{"woven, 200 µs of CPU", WovenBurn, Burn200, cpu, "s", 200e-6, marginCPU, exactly})
}

// check judges the length at a confidence of its own interval.
func (l length) check(all map[string]Evidence, confidence float64) Check {
	c := Check{Name: l.name, Experiment: l.experiment, Unit: l.unit, Known: l.known, Margin: l.margin, kind: l.kind}
	e := all[l.experiment]
	f := l.finding(e.Document)
	if f == nil || len(f.Samples) == 0 {
		return c.verdict(Failed, "it was not measured: there is no "+finding.MetricName(l.metric)+" of "+l.variant+" in any block")
	}
	differences, known, ok := l.differences(e, f)
	if !ok {
		return c.verdict(Failed, "the program's log does not say in every block how long it slept")
	}
	c.Known = known
	return c.judge(differences, confidence, f)
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

// differences returns the difference in each block, and what is known to be there.
// What the program logged differs from block to block: the differences are then
// those from the log, around its centre.
func (l length) differences(e Evidence, f *finding.Finding) (differences []float64, known float64, ok bool) {
	var slept []float64
	for _, s := range f.Samples {
		differences = append(differences, s.Value-s.Baseline)
		if l.kind == logged {
			one, found := e.Slept[s.Block]
			if !found {
				return nil, 0, false
			}
			slept = append(slept, one)
		}
	}
	if l.kind != logged {
		return differences, l.known, true
	}
	known = stats.Center(slept)
	for i := range differences {
		differences[i] += known - slept[i]
	}
	return differences, known, len(differences) > 0
}

// judge holds the interval of the differences against the margin.
func (c Check) judge(differences []float64, confidence float64, f *finding.Finding) Check {
	e := stats.SignedRank(differences, confidence)
	if math.IsNaN(e.Center) {
		return c.verdict(Failed, "what was measured is no number")
	}
	c.Measured, c.Blocks = e.Center, e.N
	switch {
	case f.Verdict.Kind == finding.Overloaded:
		return c.verdict(CannotTell, f.Verdict.Text+", so it did not do the same work: a machine that does nothing else settles it")
	case !e.Bounded:
		c.MoreBlocks = stats.MinBlocks(confidence) - e.N
		return c.verdict(CannotTell, fmt.Sprintf("%d blocks are too few: an interval of %.4g %% needs %d more; %s", e.N, 100*confidence, c.MoreBlocks, c.wayOut()))
	}
	c.Low, c.High, c.Bounded = e.Low, e.High, true
	low, high := c.Known-c.Margin, c.Known+c.Margin
	switch {
	case e.Low > high || e.High < low || c.kind == none && !c.holds(0):
		return c.wrong(f)
	case e.Low < low || e.High > high:
		return c.open(differences, confidence, low, high)
	case c.kind != none && c.kind != atMost && c.holds(0): // a margin as large as the length itself
		return c.open(differences, confidence, 0, 0)
	}
	return c.verdict(Passed, "found")
}

func (c Check) holds(v float64) bool { return c.Low <= v && v <= c.High }

// wrong is the verdict on an interval that lies beside the injected overhead. Where the
// ordinary analysis withheld its verdict, a user would not have been misled.
func (c Check) wrong(f *finding.Finding) Check {
	if f.Verdict.Kind == finding.CannotTell && f.Verdict.Low == nil {
		return c.verdict(CannotTell, "the interval lies beside it, but the result says of itself that it "+f.Verdict.Text)
	}
	if c.kind == none {
		return c.verdict(Failed, "a difference is found where there is none: "+c.measured())
	}
	return c.verdict(Failed, fmt.Sprintf("%s is measured, all of it outside %s", c.measured(), c.wanted()))
}

// open is the verdict on an interval that reaches over an end of the margin. How
// many blocks settle it depends on the distance from the estimate to that end, so it
// is said.
func (c Check) open(differences []float64, confidence, low, high float64) Check {
	text := "too noisy: the interval is " + c.spread()
	if (c.High-c.Low)/2 <= c.Margin {
		text = "the interval, " + c.spread() + ", reaches over an end of the margin"
	}
	edges := c.straddled(low, high)
	text += fmt.Sprintf("; the margin is ±%s, and its end is %s away", finding.FormatValue(c.Margin, c.Unit), finding.FormatValue(c.nearest(edges), c.Unit))
	more := 0
	for _, edge := range edges {
		all := stats.BlocksToExclude(differences, edge, confidence, patience)
		if all < 0 {
			return c.verdict(CannotTell, text+"; only a quieter machine settles it")
		}
		more = max(more, all-len(differences))
	}
	c.MoreBlocks = more
	if more == 0 {
		return c.verdict(CannotTell, text+"; a quieter machine settles it")
	}
	return c.verdict(CannotTell, fmt.Sprintf("%s; %d blocks in all would settle it: %s", text, c.Blocks+more, c.wayOut()))
}

// nearest is how far the estimate is from the nearest of the limits.
func (c Check) nearest(edges []float64) float64 {
	least := math.Inf(1)
	for _, edge := range edges {
		least = min(least, math.Abs(edge-c.Measured))
	}
	return least
}

// wayOut is what a user can do about too few blocks: selfcheck has no flag for
// their number, but its full form makes more of them.
func (c Check) wayOut() string {
	for _, one := range Full.Experiments() {
		if one.Name == c.Experiment && one.Blocks > c.Blocks {
			if c.Blocks+c.MoreBlocks <= one.Blocks {
				return fmt.Sprintf("'tracetax selfcheck --full' makes %d%s; or use a quieter machine", one.Blocks, c.fullMargin())
			}
			return fmt.Sprintf("more than the %d of 'tracetax selfcheck --full': use a quieter machine", one.Blocks)
		}
	}
	return "use a quieter machine"
}

// fullMargin says that the full form asks for more than this one.
func (c Check) fullMargin() string {
	for _, l := range Full.lengths() {
		if l.name == c.Name && l.margin < c.Margin {
			return ", with a margin of ±" + finding.FormatValue(l.margin, c.Unit)
		}
	}
	return ""
}

// straddled returns the limits that the interval reaches over.
func (c Check) straddled(low, high float64) []float64 {
	var out []float64
	for _, edge := range []float64{low, high} {
		if c.holds(edge) {
			out = append(out, edge)
		}
	}
	return out
}

// spread is half the width of the interval, in words.
func (c Check) spread() string { return "±" + finding.FormatValue((c.High-c.Low)/2, c.Unit) }

func (c Check) wanted() string {
	return finding.FormatValue(c.Known, c.Unit) + " ± " + finding.FormatValue(c.Margin, c.Unit)
}

// measured is the estimate with its interval, in words.
func (c Check) measured() string {
	i := finding.Interval{Estimate: c.Measured}
	if c.Bounded {
		i.Low, i.High = &c.Low, &c.High
	}
	return finding.FormatInterval(i, c.Unit, false)
}

func (c Check) verdict(v Verdict, text string) Check {
	c.Verdict, c.Text = v, text
	return c
}
