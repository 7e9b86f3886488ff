// This file fills in the centres and intervals of a claim.

package effect

import (
	"math"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/stats"
)

// estimate fills in the centres and intervals.
func (c *claim) estimate(confidence float64) {
	base, value := estimate.Columns(c.Samples)
	c.Baseline, c.Value = stats.Center(base), stats.Center(value)
	c.differences, c.apart = estimate.Minus(value, base), estimate.ExtentOf(c.Samples, estimate.Difference)
	logs, err := stats.LogRatios(base, value)
	if err == nil && estimate.Sane(math.Exp(estimate.Largest(logs))) { // otherwise there is no ratio: absolute only
		c.logs, c.logsApart = logs, estimate.ExtentOf(c.Samples, estimate.LogRatio)
		c.Relative = estimate.Interval(stats.Ratio(c.logsApart.SignedRank(logs, confidence)), c.metric.PointOnly)
	}
	c.Absolute = estimate.Interval(c.apart.SignedRank(c.differences, confidence), c.metric.PointOnly)
}
