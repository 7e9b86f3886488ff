// This file matches the findings of two results and estimates what changed.

package compare

import (
	"math"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
)

// pair compares the base with one other result.
func (c *comparison) pair(index int, doc *finding.Document) {
	after := map[key]*finding.Finding{}
	for _, f := range overBaseline(doc) {
		after[keyOf(f)] = f
	}
	ask := c.asked(doc)
	var made []*change
	for _, f := range overBaseline(c.in.Base) {
		g := after[keyOf(f)]
		if g == nil || !c.in.Filter.matches(f) || len(f.Samples) == 0 && len(g.Samples) == 0 {
			continue
		}
		made = append(made, c.changeOf(index, f, g, ask))
	}
	c.changes = append(c.changes, made...)
	c.changes = append(c.changes, means(index, made)...)
	c.baselines = append(c.baselines, c.baselineChanges(index, after, ask)...)
}

// asked widens a confidence where one of the results stopped when its own interval
// was narrow enough.
func (c *comparison) asked(doc *finding.Document) func(float64) float64 {
	return func(confidence float64) float64 {
		for _, e := range []finding.Experiment{c.in.Base.Experiment, doc.Experiment} {
			if e.Precision > 0 && e.Most > e.Blocks {
				return stats.SequentialConfidence(e.Blocks, e.Most, confidence)
			}
		}
		return confidence
	}
}

// changeOf compares one finding with its successor.
func (c *comparison) changeOf(index int, f, g *finding.Finding, ask func(float64) float64) *change {
	one := &change{Change: finding.Change{
		Of: finding.OfCost, New: index, Operation: f.Operation, Variant: f.Variant, Against: f.Against, Parameter: f.Parameter,
		Metric: f.Metric, Role: f.Role, Service: f.Service, Unit: f.Unit, Better: f.Better, Headline: f.Headline,
		Before: costOf(f), After: costOf(g),
	}, ask: ask}
	_, one.valuesBefore = estimate.Columns(f.Samples)
	_, one.valuesAfter = estimate.Columns(g.Samples)
	one.scale(f, g)
	if one.before != nil && one.Before.Absolute != nil && one.After.Absolute != nil {
		one.Absolute = shift(rankSum(values{addedBy(f), estimate.ExtentOf(f.Samples, estimate.Difference)}, values{addedBy(g), estimate.ExtentOf(g.Samples, estimate.Difference)}, ask(estimate.Confidence)))
	}
	if one.ratio {
		one.Relative = shift(stats.Ratio(one.estimate(estimate.Confidence)))
	}
	one.figure = one.figure || silent(f) || silent(g)
	one.unjudged = !c.claims(f)
	if pointOnly(f) || pointOnly(g) {
		one.bare()
	}
	one.overloaded, one.doubt = c.reasons(index, f, g)
	one.looksCheaper, one.looksDearer = c.flattered(index, f, g)
	one.unseen = func(allowed float64) *finding.Reason { return unseenLoss(c.in.Base, f, c.in.News[index], g, allowed) }
	if one.doubt == nil && one.ratio {
		one.doubt = modesBetween(c.names[0], c.names[index+1], one.before, one.after, 2*math.Max(estimate.Resolution(f.Samples), estimate.Resolution(g.Samples)))
	}
	return one
}

// claims reports whether a claim is made on a finding's change: by default on what
// people decide by, over all roles; and on whatever metric or role a filter names.
func (c *comparison) claims(f *finding.Finding) bool {
	row, _ := metric.Of(f.Metric) // each claim more makes all intervals wider
	return (row.Claimed || c.in.Filter.names("metric", f)) && (f.Role == "" || c.in.Filter.names("role", f) || c.in.Filter.names("service", f))
}

// scale chooses what is compared: the logarithms of the ratios to the baseline;
// where that is zero the amount that is added, as a ratio of what it was, if
// there was any. A machine's drift is in an amount, so that times have no verdict.
func (c *change) scale(f, g *finding.Finding) {
	before, errBefore := stats.LogRatios(estimate.Columns(f.Samples))
	after, errAfter := stats.LogRatios(estimate.Columns(g.Samples))
	if errBefore == nil && errAfter == nil && estimate.Sane(math.Exp(estimate.Largest(before))) && estimate.Sane(math.Exp(estimate.Largest(after))) {
		c.before, c.after, c.ratio = before, after, true
		c.apartBefore, c.apartAfter = estimate.ExtentOf(f.Samples, estimate.LogRatio), estimate.ExtentOf(g.Samples, estimate.LogRatio)
		c.logsBefore, c.logsAfter = byBlock(f.Samples, before, c.apartBefore), byBlock(g.Samples, after, c.apartAfter)
		return
	}
	c.before, c.after = addedBy(f), addedBy(g)
	c.Note = "there is no ratio to a baseline of zero: what is added is compared"
	if c.Unit != "bytes" && c.Unit != "count" {
		c.figure = true
		c.Note += ", and the machine's drift is in it"
	}
	logsBefore, okBefore := logarithms(c.before)
	logsAfter, okAfter := logarithms(c.after)
	if okBefore && okAfter {
		c.before, c.after, c.ratio = logsBefore, logsAfter, true
	}
}
