// This file reckons with capacities that are only known to lie between two rates: the
// highest that passed and the lowest that did not. Whatever rate between them is the
// true one, an interval that covers the worst of them covers it.
package analysis

import (
	"fmt"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/stats"
)

// finerSearch says what settles what a bracket leaves open.
const finerSearch = "the searches leave that open, each knows its rate only to within its resolution: a finer one (for a staircase, a smaller step) would help, more blocks would not"

// finerCount is the same of what is over a number of spans.
const finerCount = "the number of spans per operation leaves that open, it is only known to lie between two ends: where it is the same in every operation, declare it (operations: {NAME: {spans: 3}}); more blocks would not help"

// finer is what settles what the claim's ends leave open.
func (c *claim) finer() string {
	if c.Metric == metric.CPUPerSpan {
		return finerCount
	}
	return finerSearch
}

// bracketed reports whether the answer of a search is a bracket. A fit to a CPU
// target reads the rate off a line, which can be as fine as it likes.
func bracketed(c *record.Capacity) bool {
	return c.Method == string(spec.MethodStaircase) || c.Goal != string(spec.GoalCPU)
}

// bracket is where the capacity that a phase found lies; nil where it is the rate
// itself, or where none was found.
func (p *phase) bracket() *finding.Range {
	if p.Capacity == nil {
		return nil
	}
	return bracketOf(p.Capacity)
}

func bracketOf(c *record.Capacity) *finding.Range {
	if c.Outcome != record.Found || !bracketed(c) {
		return nil
	}
	out := &finding.Range{Low: math.Min(c.Passing, c.Rate)}
	if c.Failing > 0 && sane(c.Failing) {
		high := math.Max(c.Failing, c.Rate)
		out.High = &high
	}
	return out
}

// extent is the least and the most that a difference can be, block by block; nil
// where every block is exact. One that is not known is infinite.
type extent struct{ low, high []float64 }

// extentOf is the extent of a difference between both sides of the samples. It must rise
// with the value and fall with the baseline.
func extentOf(samples []finding.Sample, difference func(value, baseline float64) float64) *extent {
	within := func(s finding.Sample) bool { return s.BaselineWithin != nil || s.ValueWithin != nil }
	if !slices.ContainsFunc(samples, within) {
		return nil
	}
	e := &extent{}
	for _, s := range samples {
		leastBase, mostBase := rangeOf(s.Baseline, s.BaselineWithin)
		least, most := rangeOf(s.Value, s.ValueWithin)
		e.low = append(e.low, difference(least, mostBase))
		e.high = append(e.high, difference(most, leastBase))
	}
	return e
}

// rangeOf is where a value lies: at itself where it is exact.
func rangeOf(exact float64, r *finding.Range) (low, high float64) {
	switch {
	case r == nil:
		return exact, exact
	case r.High == nil:
		return r.Low, math.Inf(1)
	}
	return r.Low, *r.High
}

func logRatio(value, baseline float64) float64 { return math.Log(value) - math.Log(baseline) }

func difference(value, baseline float64) float64 { return value - baseline }

// signedRank is the interval of paired differences of which the ends are known: from
// the low end of the least that they can be to the high end of the most. Both ends of
// a signed-rank interval rise with every difference, so that it holds whatever the
// interval of the true differences would hold. Without ends it is that of mid.
func (e *extent) signedRank(mid []float64, confidence float64) stats.Estimate {
	out := stats.SignedRank(mid, confidence)
	if e == nil {
		return out
	}
	return outermost(out, stats.SignedRank(e.low, confidence), stats.SignedRank(e.high, confidence))
}

// outermost is an estimate with the ends of others. There is no interval where one
// of these has none, as an end is infinite.
func outermost(e, low, high stats.Estimate) stats.Estimate {
	e.Low, e.High, e.Bounded = low.Low, high.High, low.Bounded && high.Bounded
	if !e.Bounded {
		e.Low, e.High, e.Confidence = 0, 0, 0
	}
	return e
}

// open is the number of blocks of which an end is not known.
func (e *extent) open() int {
	n := 0
	for i := range e.low {
		if math.IsInf(e.low[i], 0) || math.IsInf(e.high[i], 0) {
			n++
		}
	}
	return n
}

// least is the half-width that no number of blocks makes smaller; 0 where every
// block is exact.
func (e *extent) least() float64 {
	if e == nil || e.open() > 0 {
		return 0
	}
	return (stats.Center(e.high) - stats.Center(e.low)) / 2
}

// blocksToExclude is stats.BlocksToExclude; bracket is true where the limit lies
// between what the centre is at the least and at the most, so that no number of
// blocks takes the interval off it.
func (e *extent) blocksToExclude(mid []float64, limit, confidence float64) (all int, bracket bool) {
	if e == nil {
		return stats.BlocksToExclude(mid, limit, confidence, patience), false
	}
	switch {
	case stats.Center(e.low) > limit:
		return stats.BlocksToExclude(e.low, limit, confidence, patience), false
	case stats.Center(e.high) < limit:
		return stats.BlocksToExclude(e.high, limit, confidence, patience), false
	}
	return 0, true
}

// openText says why there is no interval of brackets; "" where that is not why.
func (e *extent) openText() string {
	if e == nil || e.open() == 0 {
		return ""
	}
	return "in " + blocks(e.open()) + " the search found a rate that passed or one that did not, but not both"
}

// resolution is how far apart the two rates of a bracket are at the most, as a share;
// 0 where every sample is exact or an end is not known.
func resolution(samples []finding.Sample) float64 {
	widest := 0.0
	for _, s := range samples {
		for _, r := range []*finding.Range{s.BaselineWithin, s.ValueWithin} {
			if r == nil {
				continue
			}
			if r.High == nil || r.Low <= 0 {
				return 0
			}
			widest = math.Max(widest, *r.High/r.Low-1)
		}
	}
	return widest
}

// resolutionNote says that a capacity is a bracket; "" where it is not.
func resolutionNote(samples []finding.Sample) string {
	share := resolution(samples)
	if share <= 0 {
		return ""
	}
	return fmt.Sprintf("each search knows its rate only to lie between one that passed and one that did not, up to %s apart: the interval covers both",
		finding.FormatBound(share, "1", true))
}
