// This file compares the baselines of two results themselves.

package compare

import (
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// baselineChanges compares the baselines themselves.
func (c *comparison) baselineChanges(index int, after map[key]*finding.Finding, ask func(float64) float64) []finding.Change {
	var out []finding.Change
	seen := map[key]bool{}
	for _, f := range overBaseline(c.in.Base) {
		g, k := after[keyOf(f)], keyOf(f)
		k.variant = ""
		if g == nil || seen[k] || f.Role != "" || !c.in.Filter.matches(f) {
			continue
		}
		base, _ := estimate.Columns(f.Samples)
		now, _ := estimate.Columns(g.Samples)
		logsBase, okBase := logarithms(base)
		logsNow, okNow := logarithms(now)
		if len(base) == 0 || len(now) == 0 || !okBase || !okNow {
			continue
		}
		seen[k] = true
		before, later := onlyBaseline(f.Samples), onlyBaseline(g.Samples)
		out = append(out, finding.Change{
			Of: finding.OfBaseline, New: index, Operation: f.Operation, Variant: f.Against, Parameter: f.Parameter,
			Metric: f.Metric, Unit: f.Unit, Better: f.Better, Headline: f.Headline,
			Before:   finding.Cost{Value: stats.Center(base), Blocks: len(base)},
			After:    finding.Cost{Value: stats.Center(now), Blocks: len(now)},
			Absolute: shift(rankSum(values{base, estimate.ExtentOf(before, itself)}, values{now, estimate.ExtentOf(later, itself)}, ask(estimate.Confidence))),
			Relative: shift(stats.Ratio(rankSum(values{logsBase, estimate.ExtentOf(before, logOf)}, values{logsNow, estimate.ExtentOf(later, logOf)}, ask(estimate.Confidence)))),
			Note:     "the program without tracing, and the machine: both may have changed",
		})
	}
	return out
}
