// This file asks for the verdicts of a comparison. They are corrected in the families in which those of one result are: a
// budget on a cost is answered alike by both.

package compare

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/wording"
)

// judge gives every change its verdict.
func (c *comparison) judge() {
	c.limit()
	var asked []*change
	var questions []claim.Question
	for _, one := range c.changes {
		if one.judged() {
			asked, questions = append(asked, one), append(questions, one.question())
		}
	}
	// The blocks of one result are pairs: their signs may decide if they are too few for so many claims.
	fixed := c.mode == finding.ByVariants && !stops(c.in.Base.Experiment)
	for i, v := range claim.Answer(questions, claim.Rules{Fixed: fixed}) {
		one := asked[i]
		if claim.TakeBack(&v, one.looksCheaper, one.looksDearer) {
			v.Estimate, v.Low, v.High, v.Bound, v.Joint = nil, nil, nil, nil, false
		}
		one.Verdict = v
		wording.FillChange(&one.Change, one.paired)
	}
}

// judged reports whether the change gets a verdict.
func (c *change) judged() bool { return !c.figure && !c.unjudged }

// question returns the question of a change.
func (c *change) question() claim.Question {
	q := claim.Question{
		Evidence: c.evidence, Family: claim.Family(c.budget, c.Headline && c.Role == "", c.Metric),
		Higher: c.Better == metric.Higher, Wanted: true, Limit: c.budget, First: c.doubt, Overloaded: c.overloaded, Broken: c.broken,
	}
	if c.unanswered { // one result counts its losses, and asks nothing of what is missing
		q.Family = claim.Missing
	}
	if c.budget != nil && c.budget.Metric != metric.LostShare {
		q.NoRatio = &finding.Reason{Code: finding.WhyNoRatio}
		if c.noRatio.Code != "" {
			q.NoRatio = &c.noRatio
		}
	}
	return q
}

// Changes against the allowed addition.

// limit finds the changes that a budget is meant for, and makes those for limits
// that nothing would answer: a limit is never met by silence.
func (c *comparison) limit() {
	for i := range c.in.Budget {
		budget := &c.in.Budget[i]
		for index := range c.in.News {
			answered := map[key]bool{}
			for _, one := range c.changes {
				if one.New == index && one.Of == finding.OfCost && one.Role == "" && one.Metric == limitedMetric(budget) {
					one.hold(budget)
					answered[key{operation: one.Operation, variant: one.Variant, level: cell.LevelOf(one.Parameter)}] = true
				}
			}
			c.changes = append(c.changes, c.unmeasured(index, budget, answered)...)
		}
	}
}

// unmeasured answers for a limit where a figure is missing in one of the results, or
// in both: of a variant, an operation, or one level of what was varied.
func (c *comparison) unmeasured(index int, budget *config.Limit, answered map[key]bool) []*change {
	var out []*change
	add := func(operation, variant string, parameter map[string]string) {
		out = append(out, &change{
			Change: finding.Change{
				Of: finding.OfCost, New: index, Operation: operation, Variant: variant, Parameter: parameter, Metric: budget.Metric, Unit: cmp.Or(budget.Unit, "1"), Better: metric.Lower,
			},
			budget: budget, unanswered: true, doubt: c.whyUnmeasured(index, budget, operation, variant),
			evidence: claim.Paired(nil, false, claim.Given), ask: claim.Given,
		})
	}
	operations := c.in.Base.Experiment.Operations
	if row, _ := metric.Of(budget.Metric); row.WholeRun {
		operations = []string{""}
	}
	for _, operation := range operations {
		for _, parameter := range c.levels(index, operation) {
			for _, variant := range c.common(index) {
				meant := &finding.Finding{Metric: limitedMetric(budget), Operation: operation, Variant: variant, Parameter: parameter}
				if !answered[key{operation: operation, variant: variant, level: cell.LevelOf(parameter)}] && c.in.Filter.matches(meant) {
					add(operation, variant, parameter)
				}
			}
		}
	}
	if len(out) == 0 && len(answered) == 0 {
		add("", "", nil) // the filter leaves it out, or there is no variant
	}
	return out
}

// whyUnmeasured returns the reason why there is no figure of both results to hold against a limit.
func (c *comparison) whyUnmeasured(index int, budget *config.Limit, operation, variant string) *finding.Reason {
	for _, doc := range []*finding.Document{c.in.Base, c.in.News[index]} {
		if slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool {
			return f.Uncompared && f.Metric == budget.Metric && f.Operation == operation && f.Variant == variant
		}) {
			return &finding.Reason{Code: finding.WhyOtherRates}
		}
	}
	return &finding.Reason{Code: finding.WhyNotInBoth}
}

// levels are those at which anything was measured on an operation, in either of the
// results; one without a name where nothing was varied.
func (c *comparison) levels(index int, operation string) []map[string]string {
	var out []map[string]string
	seen := map[cell.Level]bool{{}: true}
	for _, doc := range []*finding.Document{c.in.Base, c.in.News[index]} {
		for i := range doc.Findings {
			f := &doc.Findings[i]
			if level := cell.LevelOf(f.Parameter); f.Operation == operation && !seen[level] {
				seen[level] = true
				out = append(out, f.Parameter)
			}
		}
	}
	if len(out) == 0 {
		return []map[string]string{nil}
	}
	return out
}

// common are the variants that a limit is meant for: those of both experiments but
// the baseline; where variants are compared, the one that is.
func (c *comparison) common(index int) []string {
	if c.mode == finding.ByVariants {
		return c.names[index+1 : index+2]
	}
	var out []string
	for i, v := range c.in.Base.Experiment.Variants {
		has := slices.ContainsFunc(c.in.News[index].Experiment.Variants, func(o finding.Variant) bool { return o.Name == v.Name })
		if i > 0 && has {
			out = append(out, v.Name)
		}
	}
	return out
}

// hold gives the change a budget to be held against.
func (c *change) hold(budget *config.Limit) {
	c.budget = budget
	if budget.Unit != "" && c.byAmount != nil {
		c.byAmount()
	}
	switch {
	case budget.Metric == metric.LostShare:
		c.lostScale()
		if c.unseen != nil {
			c.doubt = cmp.Or(c.doubt, c.unseen(budget.Value))
		}
	case c.figure && c.doubt == nil:
		c.doubt = &finding.Reason{Code: finding.WhyFigureOnly}
	}
	c.figure, c.unjudged = false, false
}

// limitedMetric is the metric that answers for a limit: what is lost is not
// delivered.
func limitedMetric(b *config.Limit) string {
	if b.Metric == metric.LostShare {
		return metric.DeliveredShare
	}
	return b.Metric
}

// lostScale turns what was delivered into what was lost: counted, so the
// shares themselves are compared.
func (c *change) lostScale() {
	c.Better, c.Metric, c.Unit, c.Relative = metric.Lower, metric.LostShare, "1", nil
	if c.paired { // what is lost more is delivered less
		c.evidence = claim.Paired(c.valuesBefore.Minus(c.valuesAfter), false, c.ask)
	} else {
		c.evidence = claim.Apart(c.valuesAfter, c.valuesBefore, false, c.ask)
	}
	c.Before = finding.Cost{Value: 1 - c.Before.Value, Blocks: c.Before.Blocks}
	c.After = finding.Cost{Value: 1 - c.After.Value, Blocks: c.After.Blocks}
	c.Absolute = c.evidence.Interval(claim.Confidence)
	c.Note = ""
}
