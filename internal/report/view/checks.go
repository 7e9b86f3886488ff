// The verdict on top: what was measured beside what was allowed; and which figures that tells, so no other place tells them again.

package view

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/wording"
)

// fewChecks are shown at once; more are folded.
const fewChecks = 10

// checksOf has a line for each finding with a budget: those over it first, then those that cannot be told.
func checksOf(doc *finding.Document, paints map[string]parts.Paint) model.Checks {
	var out model.Checks
	rank := map[model.Tone]int{model.Bad: 0, model.Doubtful: 1, model.Good: 2}
	counts := map[model.Tone]int{}
	for _, g := range Groups(doc) {
		for _, f := range g.Findings {
			if f.Verdict.Budget == nil {
				continue
			}
			c := model.Check{
				Key: keyOf(doc, f), Hue: paints[f.Variant].Colour, Variant: markedVariant(doc, g, f.Variant), Where: g.title(), Metric: parts.Label(f),
				Measured: measured(doc, g, f), Allowed: wording.Allowed(f), Verdict: parts.VerdictCell(f),
			}
			if f.Against != baseline(doc) {
				c.Variant += " over " + markedVariant(doc, g, f.Against)
			}
			if _, known := rank[c.Verdict.Tone]; !known { // overloaded, for one
				c.Verdict.Tone = model.Bad
			}
			c.Verdict.Text, c.Why = wording.CheckBadge(f), wording.CheckRemark(f)
			counts[c.Verdict.Tone]++
			out.List = append(out.List, c)
		}
	}
	if len(out.List) == 0 {
		return out
	}
	slices.SortStableFunc(out.List, func(a, b model.Check) int { return cmp.Compare(rank[a.Verdict.Tone], rank[b.Verdict.Tone]) })
	if len(out.List) > fewChecks {
		out.List, out.More = out.List[:fewChecks], out.List[fewChecks:]
	}
	out.Text, out.Tone = wording.Kept(counts[model.Bad], counts[model.Doubtful], counts[model.Good]), parts.Kept(budgetKinds(doc))
	return out
}

// measured is what a budget was held against, in words: an amount where the budget is one.
func measured(doc *finding.Document, g *Group, f *finding.Finding) string {
	switch {
	case doc.NotTracing(f):
		return "no spans"
	case f.Metric == metric.DeliveredShare:
		return parts.Value(f, f.Value) + " delivered"
	case f.Shown() != nil && wording.Withheld(f): // as a card has it
		return "unknown"
	}
	text := parts.IntervalText(f.Relative, f.Unit, true)
	if f.Verdict.BudgetUnit != "" || f.Relative == nil {
		text = parts.IntervalText(f.Absolute, f.Unit, false)
	}
	if isLeast(doc, g, f) && text != finding.Missing {
		text = atLeast + " " + text
	}
	return text
}

// told are the headlines whose ratio, which answers, stands elsewhere than in the cards: in a check, or in a table of ways.
func told(doc *finding.Document) map[*finding.Finding]bool {
	out := map[*finding.Finding]bool{}
	for i := range doc.Findings {
		f := &doc.Findings[i]
		checked := f.Verdict.Budget != nil && f.Verdict.BudgetUnit == ""
		if f.Headline && !doc.NotTracing(f) && f.ByRatio() && (checked || inWays(doc, f)) {
			out[f] = true
		}
	}
	return out
}

// inWays reports whether a table of ways has the figure.
func inWays(doc *finding.Document, f *finding.Finding) bool {
	return slices.ContainsFunc(doc.Decisions, func(d finding.Decision) bool {
		w := d.Way(f.Variant)
		return differ(&d) && d.Operation == f.Operation && parts.Parameter(d.Parameter) == parts.Parameter(f.Parameter) &&
			d.Baseline == f.Against && f.Metric == metric.CPUPerOperation && w != nil && w.Relative != nil
	})
}
