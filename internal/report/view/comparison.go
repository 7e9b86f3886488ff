// A comparison of results: a table per metric, and what stands against comparing.

package view

import (
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
	p := &model.Page{Summary: doc.Summary, Warnings: parts.Warnings(doc.Warnings), How: model.How{Reading: parts.Faint(changeText(doc))}}
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

// changeIntervals says what the intervals of a comparison are.
const changeIntervals = "An interval beside a verdict is the one that the verdict was read off: corrected, so that all of them hold at once in 95 of 100 comparisons. One without a verdict is of 95 % by itself."

// changeText says what a change is.
func changeText(doc *finding.Comparison) string {
	if doc.Mode == "variants" {
		return "A change is that of the whole figure, from one variant to the other, within blocks. " + changeIntervals + changeCentres
	}
	return "A change is the ratio of two ratios to the baseline, after ÷ before: what slowed the machine down in one of the results cancels out. " + changeIntervals + " The baseline's own change has no verdict: the machine's is in it." + changeCentres
}
