// This file fills in the centres and intervals of a claim.
package analysis

import (
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// estimate fills in the centres and intervals.
func (c *claim) estimate(confidence float64, quick bool) {
	base, value := columns(c.Samples)
	c.Baseline, c.Value = stats.Center(base), stats.Center(value)
	c.differences, c.apart = minus(value, base), extentOf(c.Samples, difference)
	logs, err := stats.LogRatios(base, value)
	if err == nil && sane(math.Exp(largest(logs))) { // otherwise there is no ratio: absolute only
		c.logs, c.logsApart = logs, extentOf(c.Samples, logRatio)
		c.Relative = interval(stats.Ratio(c.logsApart.signedRank(logs, confidence)), quick || c.metric.PointOnly)
	}
	c.Absolute = interval(c.apart.signedRank(c.differences, confidence), quick || c.metric.PointOnly)
}

// sane reports whether a figure can be calculated with: what no process can have
// used comes from a broken record, and must not become an infinity.
func sane(v float64) bool { return math.Abs(v) < 1e100 }

// largest is the largest size among x, 0 for none.
func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// interval is an estimate as a finding has it.
func interval(e stats.Estimate, pointOnly bool) *finding.Interval {
	i := &finding.Interval{Estimate: e.Center}
	if e.Bounded && !pointOnly {
		i.Low, i.High = &e.Low, &e.High
	}
	return i
}

func columns(samples []finding.Sample) (base, value []float64) {
	for _, s := range samples {
		base, value = append(base, s.Baseline), append(value, s.Value)
	}
	return base, value
}

func minus(value, base []float64) []float64 {
	d := make([]float64, len(value))
	for i := range value {
		d[i] = value[i] - base[i]
	}
	return d
}

func allZero(samples []finding.Sample) bool {
	for _, s := range samples {
		if s.Baseline != 0 || s.Value != 0 {
			return false
		}
	}
	return true
}
