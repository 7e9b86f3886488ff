// The tables of one operation: metrics as rows where there is one variant to
// compare, variants as rows where there are several.

package report

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/role"
)

// tables are the tables that the group is shown as.
func (t *terminal) tables(g *group, base string) []grid {
	contenders := g.contenders(t.doc, base)
	if kept := slices.DeleteFunc(slices.Clone(contenders), func(name string) bool { return lossyOf(t.doc, g, name) != nil && !isUntraced(t.doc, g, name) }); len(kept) > 0 && !t.opts.All {
		contenders = kept // the others are listed apart
	}
	switch {
	case len(contenders) == 0:
		return nil
	case len(contenders) == 1:
		return t.nonEmpty(t.metricTable(g, base, contenders[0]))
	case t.opts.All:
		return t.everyVariantTable(g, base, contenders)
	}
	metric, role := g.headline()
	tables := t.nonEmpty(variantTable(t.doc, g, metric, role, base, contenders))
	return append(tables, t.nonEmpty(otherMetrics(g, metric, role, base, contenders))...)
}

func (t *terminal) nonEmpty(table grid) []grid {
	if len(table.rows) == 0 {
		return nil
	}
	return []grid{table}
}

// metricTable has a row for each metric of one pair.
func (t *terminal) metricTable(g *group, base, variant string) grid {
	table := grid{columns: []column{
		{head: "", give: true},
		{head: visible(base), right: true},
		{head: visible(markedVariant(t.doc, g, variant)), right: true},
		{head: "difference", right: true, drop: 3},
		{head: changeHead(g.findings, base), right: true},
		{head: intervalHead(g), close: true, drop: 1},
		{head: ""},
		{head: "verdict", close: true, drop: 2},
	}}
	roles := severalRoles(g)
	for _, f := range g.findings {
		if f.Variant != variant || f.Against != base || !(t.opts.All || isMain(f) || roles && isRoleOfHeadline(g, f)) {
			continue
		}
		name := textCell{text: visible(label(f))}
		if f.Headline {
			name.style = bold
		}
		if isRoleOfHeadline(g, f) && !t.opts.All {
			name = textCell{"  " + visible(f.Role), dim}
		}
		estimate, ends := shownCells(f)
		mark, word := verdictCells(f)
		table.rows = append(table.rows, []textCell{
			name,
			{text: finding.FormatValue(f.Baseline, f.Unit)},
			{text: finding.FormatValue(f.Value, f.Unit), style: name.style},
			{text: differenceText(f)},
			estimate, ends, mark, word,
		})
	}
	return dropEmpty(table)
}

// intervalHead names the column of intervals, where any is.
// changeHead heads what is over the baseline: a share of it, or an amount as well.
func changeHead(findings []*finding.Finding, base string) string {
	if slices.ContainsFunc(findings, func(f *finding.Finding) bool { return f.Amount }) {
		return visible("over " + base)
	}
	return "relative"
}

func intervalHead(g *group) string {
	for _, f := range g.findings {
		if i := f.Shown(); i != nil && i.Low != nil {
			return "(95 %)"
		}
	}
	return ""
}

// isRoleOfHeadline reports whether f is a part of the headline by role. Load
// and sink are not: no user's system pays for them.
func isRoleOfHeadline(g *group, f *finding.Finding) bool {
	metric, _ := g.headline()
	return f.Metric == metric && f.Role != "" && !role.Role(f.Role).Harness()
}

// severalRoles reports whether the headline is made up of more than one role,
// so that the parts say something that the sum does not.
func severalRoles(g *group) bool {
	roles := map[string]bool{}
	for _, f := range g.findings {
		if isRoleOfHeadline(g, f) {
			roles[f.Role] = true
		}
	}
	return len(roles) > 1
}

// differenceText is the absolute difference without its interval.
func differenceText(f *finding.Finding) string {
	if f.Absolute == nil {
		return finding.Missing
	}
	return finding.FormatInterval(finding.Interval{Estimate: f.Absolute.Estimate}, f.Unit, false)
}

// shownCells is what answers and, apart from it, its interval: the ratio, or the difference
// where there is none or it says nothing, so that no verdict is without a figure.
func shownCells(f *finding.Finding) (estimate, ends textCell) {
	i := f.Shown()
	if i == nil {
		return textCell{text: finding.Missing, style: dim}, textCell{}
	}
	return intervalCells(*i, f.Unit, f.ByRatio(), verdictStyle(f.Verdict.Kind))
}

func intervalCells(i finding.Interval, unit string, relative bool, s style) (estimate, ends textCell) {
	size, between := finding.FormatApart(i, unit, relative)
	if i.Estimate > 0 && size != finding.Missing {
		size = "+" + size
	}
	if between != "" {
		ends = textCell{text: between, style: dim}
	}
	return textCell{text: size, style: s}, ends
}

// verdictCells are the verdict's mark and its words.
func verdictCells(f *finding.Finding) (mark, word textCell) {
	s := verdictStyle(f.Verdict.Kind)
	return textCell{verdictMark(f.Verdict.Kind), s}, textCell{badge(f), s}
}
