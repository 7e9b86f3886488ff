// A comparison of results: a table per metric, and what stands against comparing.

package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// BriefComparison is a comparison for a terminal: what people decide by, or all.
func BriefComparison(doc *finding.Comparison, all bool) *model.Page {
	p := comparisonHead(doc)
	for _, g := range changeGroups(doc, all) {
		p.Sections = append(p.Sections, changeSection(doc, g))
	}
	p.Sections = append(p.Sections, rankSection(doc)...)
	return p
}

// WholeComparison is all of a comparison: what decides first, every change last.
func WholeComparison(doc *finding.Comparison) *model.Page {
	p := comparisonHead(doc)
	for i, g := range changeGroups(doc, false) {
		if i == 0 || g.telling() {
			p.Sections = append(p.Sections, changeSection(doc, g))
		}
	}
	every := model.Section{Title: "Every figure", Depth: model.Behind}
	for _, g := range changeGroups(doc, true) {
		every.Grids = append(every.Grids, changeSection(doc, g).Grids...)
	}
	p.Sections = append(append(p.Sections, parts.Sections(every)...), rankSection(doc)...)
	return p
}

func comparisonHead(doc *finding.Comparison) *model.Page {
	p := &model.Page{Answer: doc.Answer, Warnings: parts.Warnings(doc.Warnings), How: model.How{Reading: parts.Faint(changeText(doc))}}
	for _, text := range sidesText(doc) {
		p.About = append(p.About, []string{text})
	}
	var budgets []finding.Kind
	for _, c := range doc.Changes {
		if c.Verdict.Budget != nil {
			budgets = append(budgets, c.Verdict.Kind)
		}
	}
	p.Kept = parts.Kept(budgets)
	return p
}

// sidesText says what is compared, a line a result.
func sidesText(doc *finding.Comparison) []string {
	var out []string
	for i, side := range append([]finding.Side{doc.Base}, doc.News...) {
		lead := "before: "
		if i > 0 {
			lead = "after:  "
		}
		text := lead + side.Name + ", " + parts.Counted(side.Blocks, "block")
		if i == 0 {
			text += " · " + side.Workload + " · " + side.Load
		}
		if len(side.Changed) > 0 {
			text += "; set differently: " + strings.Join(side.Changed, ", ")
		}
		out = append(out, text)
	}
	return out
}

// changeCentres explains why the figures of a row need not give its change.
const changeCentres = " Each figure is a centre over the blocks, of its own (Hodges–Lehmann): those of a row need not subtract or divide exactly."

// changeText says what a change is.
func changeText(doc *finding.Comparison) string {
	if doc.Mode == "variants" {
		return "A change is that of the whole figure, from one variant to the other, within blocks. Intervals are of 95 %; verdicts are corrected for all claims made here together." + changeCentres
	}
	return "A change is the ratio of two ratios to the baseline, after ÷ before: what slowed the machine down in one of the results cancels out. Intervals are of 95 %; verdicts are corrected for all claims made here together. The baseline's own change has no verdict: the machine's is in it." + changeCentres
}

// changeGroup is what changed in one metric.
type changeGroup struct {
	metric, role, service string
	changes               []*finding.Change
}

// changeGroups splits the changes by metric and role, as far as they are shown:
// those that people decide by, and any that has a verdict worth seeing.
func changeGroups(doc *finding.Comparison, all bool) []*changeGroup {
	var out []*changeGroup
	byKey := map[[3]string]*changeGroup{}
	for i := range doc.Changes {
		c := &doc.Changes[i]
		k := [3]string{c.Metric, c.Role, c.Service}
		if byKey[k] == nil {
			byKey[k] = &changeGroup{metric: c.Metric, role: c.Role, service: c.Service}
			out = append(out, byKey[k])
		}
		byKey[k].changes = append(byKey[k].changes, c)
	}
	out = slices.DeleteFunc(out, func(g *changeGroup) bool {
		return !all && doc.Filter == "" && !parts.IsMain(&finding.Finding{Metric: g.metric, Role: g.role}) && !g.telling()
	})
	slices.SortStableFunc(out, func(a, b *changeGroup) int {
		return cmp.Or(cmp.Compare(parts.Rank(a.metric), parts.Rank(b.metric)), strings.Compare(a.role, b.role), strings.Compare(a.service, b.service))
	})
	return out
}

// telling reports whether a verdict is on a change, or on a budget.
func (g *changeGroup) telling() bool {
	return slices.ContainsFunc(g.changes, func(c *finding.Change) bool {
		return c.Verdict.Budget != nil || c.Verdict.Kind == finding.Costs || c.Verdict.Kind == finding.Saves
	})
}

func (g *changeGroup) title() string {
	return parts.Label(&finding.Finding{Metric: g.metric, Role: g.role, Service: g.service})
}

// notes are the remarks on its changes, each once; that on baselines stands at the
// end of the report.
func (g *changeGroup) notes() []string {
	var out []string
	for _, c := range g.changes {
		if c.Note != "" && c.Of != finding.OfBaseline && !slices.Contains(out, c.Note) {
			out = append(out, c.Note)
		}
	}
	return out
}
