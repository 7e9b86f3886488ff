// This file tells of runs of one side that fall into modes which the other side's do not
// have: when that leaves a cost without a verdict, and when not.

package effect

import (
	"math"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// modesOf looks for modes of one side that the other has not. They Differ only where they are so
// far apart that it matters.
func modesOf(c *claim) stats.ModeReport {
	base, value := estimate.Columns(c.Samples)
	if c.metric.Added {
		base = nil // its baseline is nought by definition
	}
	least := math.Max(estimate.ModeShare, estimate.Resolution(c.Samples)) // neighbouring brackets may hold the same rate
	matters, find := 0.0, stats.Modes
	if c.Amount && c.Absolute != nil { // modes of an operation that does nothing may be next to nothing beside what is added
		matters, find = estimate.ModeShare*math.Abs(c.Absolute.Estimate), stats.ModesOfDifference
	}
	report := find(base, value)
	report.Differ = report.Differ && (estimate.Apart(report.Baseline, least, matters) || estimate.Apart(report.Value, least, matters))
	return report
}

// divided is the side that falls into modes, and its name.
func (c *claim) divided(r stats.ModeReport) (string, []stats.Mode) {
	if len(r.Baseline) > len(r.Value) {
		return c.Against, r.Baseline
	}
	return c.Variant, r.Value
}

// gapBetween is how far apart the modes are, on the scale of the verdict.
func (c *claim) gapBetween(r stats.ModeReport) float64 {
	_, modes := c.divided(r)
	least, most := modes[0].Center, modes[len(modes)-1].Center
	if c.logs != nil {
		return math.Log(most / least)
	}
	return most - least
}

func modesReason(r stats.ModeReport, c *claim) *finding.Reason {
	name, modes := c.divided(r)
	reason := &finding.Reason{Code: finding.WhyModes, Variant: name}
	for _, m := range modes {
		reason.Figures = append(reason.Figures, finding.Figure{Name: "share", Value: m.Share, Unit: "1"}, finding.Figure{Name: "at", Value: m.Center, Unit: c.Unit})
	}
	return reason
}
