// Package claim owns the way from two sides to a verdict: figures by block, their differences and ratios, also where they
// are known only to lie between two ends, the intervals over them, which claims are corrected for each other, whether a
// limit is kept, how many more blocks would settle what is open, and what takes an answer back. It must not know what the
// figures are of, but for searches: it reads where each found its rate to lie.
package claim

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// Confidence of every interval that is not corrected for the number of claims.
const Confidence = 0.95

// Patience is the most blocks that "about n more" is said for: nobody makes more, and so few as there were foresee no such number.
const Patience = 100

// Sane reports whether a figure can be calculated with: what no process can have
// used comes from a broken record, and must not become an infinity.
func Sane(v float64) bool { return math.Abs(v) < 1e100 }

// Largest is the largest size among x, 0 for none.
func Largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// Interval is an estimate as a finding has it.
func Interval(e stats.Estimate, pointOnly bool) *finding.Interval {
	i := &finding.Interval{Estimate: e.Center}
	if e.Bounded && !pointOnly {
		i.Low, i.High = &e.Low, &e.High
	}
	return i
}

// Columns are both sides of the samples, in their order.
func Columns(samples []finding.Sample) (base, value []float64) {
	for _, s := range samples {
		base, value = append(base, s.Baseline), append(value, s.Value)
	}
	return base, value
}

// Minus is value less base, one by one.
func Minus(value, base []float64) []float64 {
	d := make([]float64, len(value))
	for i := range value {
		d[i] = value[i] - base[i]
	}
	return d
}

// AllZero reports whether both sides are 0 in all samples.
func AllZero(samples []finding.Sample) bool {
	for _, s := range samples {
		if s.Baseline != 0 || s.Value != 0 {
			return false
		}
	}
	return true
}

// Magnitude is an interval that excludes zero, or an estimate without one, as a size.
func Magnitude(i finding.Interval) finding.Interval {
	if i.Estimate >= 0 {
		return i
	}
	if i.Low == nil || i.High == nil {
		return finding.Interval{Estimate: -i.Estimate}
	}
	low, high := -*i.High, -*i.Low
	return finding.Interval{Estimate: -i.Estimate, Low: &low, High: &high}
}

// ModeShare is the share of the larger mode by which modes must differ to matter.
const ModeShare = 0.01

// ModesDiffer reports whether modes differ by more than a share of the larger, and by more than
// matters, also where the other side is zero and there is no ratio to judge them by.
func ModesDiffer(modes []stats.Mode, share, matters float64) bool {
	if len(modes) < 2 {
		return false
	}
	least, most := modes[0].Center, modes[len(modes)-1].Center
	return most-least > math.Max(matters, share*math.Max(math.Abs(least), math.Abs(most)))
}

// Extent is the least and the most that a difference can be, block by block; nil
// where every block is exact. One that is not known is infinite.
type Extent struct{ Low, High []float64 }

// ExtentOf is the extent of a difference between both sides of the samples. It must rise
// with the value and fall with the baseline.
func ExtentOf(samples []finding.Sample, difference func(value, baseline float64) float64) *Extent {
	within := func(s finding.Sample) bool { return s.BaselineWithin != nil || s.ValueWithin != nil }
	if !slices.ContainsFunc(samples, within) {
		return nil
	}
	e := &Extent{}
	for _, s := range samples {
		leastBase, mostBase := rangeOf(s.Baseline, s.BaselineWithin)
		least, most := rangeOf(s.Value, s.ValueWithin)
		e.Low = append(e.Low, difference(least, mostBase))
		e.High = append(e.High, difference(most, leastBase))
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

// LogRatio is the logarithm of a ratio.
func LogRatio(value, baseline float64) float64 { return math.Log(value) - math.Log(baseline) }

// Difference is what a value is over its baseline.
func Difference(value, baseline float64) float64 { return value - baseline }

// SignedRank is the interval of paired differences with known ends: from
// the low end of the least that they can be to the high end of the most. Both ends of
// a signed-rank interval rise with every difference, so it holds whatever the
// interval of the true differences would hold. Without ends it is that of mid.
func (e *Extent) SignedRank(mid []float64, confidence float64) stats.Estimate {
	out := stats.SignedRank(mid, confidence)
	if e == nil {
		return out
	}
	return Outermost(out, stats.SignedRank(e.Low, confidence), stats.SignedRank(e.High, confidence))
}

// Outermost is an estimate with the ends of others. There is no interval where one
// of these has none, as an end is infinite.
func Outermost(e, low, high stats.Estimate) stats.Estimate {
	e.Low, e.High, e.Bounded = low.Low, high.High, low.Bounded && high.Bounded
	if !e.Bounded {
		e.Low, e.High, e.Confidence = 0, 0, 0
	}
	return e
}

// Open is the number of blocks with an unknown end.
func (e *Extent) Open() int {
	n := 0
	for i := range e.Low {
		if math.IsInf(e.Low[i], 0) || math.IsInf(e.High[i], 0) {
			n++
		}
	}
	return n
}

// Least is the half-width that no number of blocks makes smaller; 0 where every
// block is exact.
func (e *Extent) Least() float64 {
	if e == nil || e.Open() > 0 {
		return 0
	}
	return (stats.Center(e.High) - stats.Center(e.Low)) / 2
}

// BlocksToExclude is stats.BlocksToExclude; bracket is true where the limit lies
// between what the centre is at the least and at the most, so no number of
// blocks takes the interval off it.
func (e *Extent) BlocksToExclude(mid []float64, limit, confidence float64) (all int, bracket bool) {
	if e == nil {
		return stats.BlocksToExclude(mid, limit, confidence, Patience), false
	}
	switch {
	case stats.Center(e.Low) > limit:
		return stats.BlocksToExclude(e.Low, limit, confidence, Patience), false
	case stats.Center(e.High) < limit:
		return stats.BlocksToExclude(e.High, limit, confidence, Patience), false
	}
	return 0, true
}

// NoRatio says why samples have no ratio: the baseline is zero, or the figure of a variant is not above zero in some blocks.
func NoRatio(samples []finding.Sample, against, variant string) finding.Reason {
	base, value := 0, 0
	nothing := true
	for _, s := range samples {
		nothing = nothing && s.Baseline == 0
		if s.Baseline <= 0 {
			base++
		}
		if s.Value <= 0 {
			value++
		}
	}
	who, blocks := against, base
	if value > base {
		who, blocks = variant, value
	}
	if nothing || blocks == 0 {
		return finding.Reason{Code: finding.WhyNoRatio}
	}
	return finding.Reason{Code: finding.WhyNotAbove, Variant: who, Figures: []finding.Figure{
		{Name: "blocks", Value: float64(blocks), Unit: "count"}, {Name: "of", Value: float64(len(samples)), Unit: "count"},
	}}
}

// Resolution is how far apart the two rates of a bracket are at the most, as a share;
// 0 where every sample is exact or an end is not known.
func Resolution(samples []finding.Sample) float64 {
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

// This file tells what several searches for a rate came to.

// Each collects a figure of the searches that have it.
func Each(made []*record.Search, value func(*record.Search) (float64, bool)) []float64 {
	var out []float64
	for _, c := range made {
		if v, ok := value(c); ok && Sane(v) {
			out = append(out, v)
		}
	}
	return out
}

// Ended counts the searches that ended in one way.
func Ended(made []*record.Search, outcome record.Outcome) int {
	n := 0
	for _, c := range made {
		if c.Outcome == outcome {
			n++
		}
	}
	return n
}

// Bracket is where the rate that a search found lies; nil where it is the rate itself, or where none was found.
func Bracket(c *record.Search) *finding.Range {
	if c.Outcome != record.Found || !bracketed(c) {
		return nil
	}
	out := &finding.Range{Low: math.Min(c.Passing, c.Rate)}
	if c.Failing > 0 && Sane(c.Failing) {
		high := math.Max(c.Failing, c.Rate)
		out.High = &high
	}
	return out
}

// bracketed reports whether the answer of a search is a bracket. A fit to a CPU
// target reads the rate off a line, which can be as fine as it likes.
func bracketed(c *record.Search) bool {
	return c.Goal != string(config.GoalCPU)
}
