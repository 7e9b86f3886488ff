// Package estimate owns figures by block: their differences and ratios, also where they are known only to lie between two
// ends, and the intervals over them. It must not know what the figures are of, but for searches: it reads where each found
// its rate to lie.
package estimate

import (
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// Confidence of every interval that is not corrected for the number of claims.
const Confidence = 0.95

// Patience is the most blocks that "about n more" is said for.
const Patience = 1000

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
