package estimate

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

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

// SignedRank is the interval of paired differences of which the ends are known: from
// the low end of the least that they can be to the high end of the most. Both ends of
// a signed-rank interval rise with every difference, so that it holds whatever the
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

// Open is the number of blocks of which an end is not known.
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
// between what the centre is at the least and at the most, so that no number of
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
