// A change on its way to a verdict, and the numbers it is estimated from.

package compare

import (
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/wording"
)

// change is a finding of a comparison on its way to a verdict.
type change struct {
	finding.Change
	evidence     *claim.Evidence // on the scale that is compared; where not paired, of the older side and the newer one
	valuesBefore claim.Figures   // the variant's own values
	valuesAfter  claim.Figures
	unjudged     bool // no claim is made on it
	figure       bool // none can be made
	paired       bool // within blocks
	doubt        *finding.Reason
	looksCheaper *finding.Reason                       // against the newer side costing no more
	looksDearer  *finding.Reason                       // against its costing more
	unseen       func(allowed float64) *finding.Reason // why a limit on what is lost more is not kept for sure; nil where chance has no part
	overloaded   *finding.Reason
	broken       *finding.Reason // the newer variant could not hold the rate, and the older one did
	budget       *config.Limit
	noRatio      finding.Reason // why there is no ratio to the baseline
	unanswered   bool           // nothing was measured that the budget could be held against
	byAmount     func()         // changes the scale to what is added, for a limit of it
	ask          claim.Ask      // widens a confidence where a result stopped by its precision
}

// bare takes the intervals away; of enough blocks this is not for want of them.
func (c *change) bare() {
	c.Absolute, c.Relative = claim.Bare(c.Absolute), claim.Bare(c.Relative)
	c.figure = c.evidence.Blocks() >= stats.MinBlocks(claim.Confidence)
}

// pointOnly reports whether a finding has estimates without intervals.
func pointOnly(f *finding.Finding) bool {
	return f.Absolute != nil && f.Absolute.Low == nil && (f.Relative == nil || f.Relative.Low == nil)
}

func costOf(f *finding.Finding) finding.Cost {
	return finding.Cost{Value: f.Value, Absolute: f.Absolute, Relative: f.Relative, Amount: f.Amount, Blocks: f.Blocks}
}

// addedBy returns the difference to the baseline in each block of a finding.
func addedBy(f *finding.Finding) claim.Figures {
	base, value := claim.Sides(f.Samples)
	return value.Minus(base)
}

// Matching the findings of two results, and estimating the changes.

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
		if g == nil || !c.in.Filter.matches(f) {
			continue
		}
		if len(f.Samples) == 0 && len(g.Samples) == 0 {
			made = append(made, c.untold(index, f, g)...)
			continue
		}
		made = append(made, c.changeOf(index, f, g, ask))
	}
	c.changes = append(c.changes, made...)
	c.changes = append(c.changes, means(index, made)...)
	c.baselines = append(c.baselines, c.baselineChanges(index, after, ask)...)
}

// untold returns a change without an answer for a headline that one side cannot answer: silence would read as no change.
func (c *comparison) untold(index int, f, g *finding.Finding) []*change {
	if !f.Headline && !g.Headline {
		return nil
	}
	one := &change{Change: finding.Change{
		Of: finding.OfCost, New: index, Operation: g.Operation, Variant: g.Variant, Against: g.Against, Parameter: g.Parameter,
		Metric: g.Metric, Unit: g.Unit, Better: g.Better, Headline: true, Before: costOf(f), After: costOf(g),
	}, evidence: claim.Paired(nil, false, claim.Given), ask: claim.Given}
	if c.mode == finding.ByVariants {
		one.Against, one.paired = f.Variant, true
	}
	one.doubts(c, index, f, g)
	if one.doubt == nil && one.overloaded == nil {
		one.doubt = &finding.Reason{Code: finding.WhyNotInBoth}
	}
	return []*change{one}
}

// asked widens a confidence where one of the results stopped when its own interval
// was narrow enough.
func (c *comparison) asked(doc *finding.Document) claim.Ask {
	return func(confidence float64) float64 {
		for _, e := range []finding.Experiment{c.in.Base.Experiment, doc.Experiment} {
			if stops(e) {
				return stats.SequentialConfidence(e.Blocks, e.Most, confidence)
			}
		}
		return confidence
	}
}

// stops reports whether what was seen decided how many blocks there are.
func stops(e finding.Experiment) bool { return e.Precision > 0 && e.Most > e.Blocks }

// changeOf compares one finding with its successor.
func (c *comparison) changeOf(index int, f, g *finding.Finding, ask claim.Ask) *change {
	one := &change{Change: finding.Change{
		Of: finding.OfCost, New: index, Operation: f.Operation, Variant: f.Variant, Against: f.Against, Parameter: f.Parameter,
		Metric: f.Metric, Role: f.Role, Service: f.Service, Unit: f.Unit, Better: f.Better, Headline: f.Headline,
		Before: costOf(f), After: costOf(g),
	}, ask: ask}
	_, one.valuesBefore = claim.Sides(f.Samples)
	_, one.valuesAfter = claim.Sides(g.Samples)
	one.scale(f, g)
	if one.Before.Absolute != nil && one.After.Absolute != nil {
		one.Absolute = claim.Apart(addedBy(f), addedBy(g), false, ask).Interval(claim.Confidence)
	}
	if one.evidence.Ratio {
		one.Relative = one.evidence.Interval(claim.Confidence)
	}
	one.byAmount = func() { one.amounts(f, g) }
	one.figure = one.figure || silent(f) || silent(g)
	one.unjudged = !c.claims(f)
	if pointOnly(f) || pointOnly(g) {
		one.bare()
	}
	one.doubts(c, index, f, g)
	one.looksCheaper, one.looksDearer = c.flattered(index, f, g)
	one.unseen = func(allowed float64) *finding.Reason { return unseenLoss(c.in.Base, f, c.in.News[index], g, allowed) }
	if one.doubt == nil && one.evidence.Ratio {
		one.doubt = modesBetween(c.names[0], c.names[index+1], one.evidence, 2*max(claim.Resolution(f.Samples), claim.Resolution(g.Samples)))
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
// there was any. A machine's drift is in an amount, so times have no verdict.
func (c *change) scale(f, g *finding.Finding) {
	before, okBefore := claim.Ratios(claim.Sides(f.Samples))
	after, okAfter := claim.Ratios(claim.Sides(g.Samples))
	if okBefore && okAfter {
		c.evidence = claim.Apart(before, after, true, c.ask)
		return
	}
	before, after = addedBy(f), addedBy(g)
	c.evidence = claim.Apart(before, after, false, c.ask)
	c.noRatio = claim.NoRatio(f.Samples, f.Against, f.Variant)
	if c.noRatio.Code == finding.WhyNoRatio {
		c.noRatio = claim.NoRatio(g.Samples, g.Against, g.Variant)
	}
	c.Note = wording.Reason(c.noRatio) + ": what is added is compared"
	if c.Unit != "bytes" && c.Unit != "count" {
		c.figure = true
		c.Note += ", and the machine's drift is in it"
	}
	logsBefore, okBefore := before.Logs()
	logsAfter, okAfter := after.Logs()
	if okBefore && okAfter {
		c.evidence = claim.Apart(logsBefore, logsAfter, true, c.ask)
	}
}

// amounts compares what is added to the baseline, in its unit. Between two results the machine's drift is in it, and
// times have no verdict.
func (c *change) amounts(f, g *finding.Finding) {
	c.evidence, c.Relative = claim.Apart(addedBy(f), addedBy(g), false, c.ask), nil
	if c.Unit == "s" && c.doubt == nil {
		c.doubt = &finding.Reason{Code: finding.WhyFigureOnly}
	}
}

// The baselines of two results compared with each other.

// baselineChanges compares the baselines themselves.
func (c *comparison) baselineChanges(index int, after map[key]*finding.Finding, ask claim.Ask) []finding.Change {
	var out []finding.Change
	seen := map[key]bool{}
	for _, f := range overBaseline(c.in.Base) {
		g, k := after[keyOf(f)], keyOf(f)
		k.variant = ""
		if g == nil || seen[k] || f.Role != "" || !c.in.Filter.matches(f) {
			continue
		}
		base, _ := claim.Sides(f.Samples)
		now, _ := claim.Sides(g.Samples)
		logsBase, okBase := base.Logs()
		logsNow, okNow := now.Logs()
		if len(base) == 0 || len(now) == 0 || !okBase || !okNow {
			continue
		}
		seen[k] = true
		out = append(out, finding.Change{
			Of: finding.OfBaseline, New: index, Operation: f.Operation, Variant: f.Against, Parameter: f.Parameter,
			Metric: f.Metric, Unit: f.Unit, Better: f.Better, Headline: f.Headline,
			Before:   finding.Cost{Value: finding.Number(base.Center()), Blocks: len(base)},
			After:    finding.Cost{Value: finding.Number(now.Center()), Blocks: len(now)},
			Absolute: claim.Apart(base, now, false, ask).Interval(claim.Confidence),
			Relative: claim.Apart(logsBase, logsNow, true, ask).Interval(claim.Confidence),
			Note:     "the program without tracing, and the machine: both may have changed",
		})
	}
	return out
}
