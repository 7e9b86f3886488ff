// Tables with a row for each variant: the headline with each variant's step
// over another, and the values of the other metrics side by side.

package view

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/role"
)

// variantTable has a row for each variant, the baseline first, on one metric.
func variantTable(doc *finding.Document, g *Group, metric, role, base string, contenders []string) model.Grid {
	first := g.find(metric, role, contenders[0], base)
	if first == nil {
		return model.Grid{}
	}
	chain := isChain(g, metric, role, base, contenders)
	table := model.Grid{Caption: parts.Label(first), Columns: []model.Column{
		{Head: "", Give: true},
		{Head: "value", Right: true},
		{Head: "over " + base, Right: true},
		{Head: "", Close: true, Drop: 3},
		{Head: "verdict", Badge: true, Close: true, Drop: 4},
		{Head: "step", Right: true, Drop: 1},
		{Head: "", Close: true, Drop: 2},
		{Head: "over", Drop: 1},
	}}
	if chain {
		table.Remark = "each step is over the variant above"
	}
	table.Add(model.Pad(len(table.Columns), model.Cell{Text: base}, model.Cell{Text: parts.Value(first, first.Baseline)})...)
	for _, name := range contenders {
		f := g.find(metric, role, name, base)
		if f == nil {
			continue
		}
		row := []model.Cell{markedCell(doc, g, name), {Text: parts.Value(f, f.Value)}}
		estimate, ends := parts.Shown(f)
		row = append(row, estimate, ends, parts.BadgeCell(f))
		step := g.step(metric, role, name, base)
		if step == nil && chain && name == contenders[0] {
			step = f
		}
		table.Add(append(row, stepCells(doc, g, step, !chain)...)...)
	}
	return table.DropEmpty()
}

// stepCells are the absolute increment over another variant, its interval, and
// that variant's name if it must be named, marked where it lost too many spans.
func stepCells(doc *finding.Document, g *Group, f *finding.Finding, named bool) []model.Cell {
	if f == nil || f.Absolute == nil {
		return make([]model.Cell, 3)
	}
	estimate, ends := parts.Interval(*f.Absolute, f.Unit, false, parts.ToneOf(f.Verdict.ShownKind(f.ByRatio())))
	if !named {
		return []model.Cell{estimate, ends, {}}
	}
	return []model.Cell{estimate, ends, {Text: markedVariant(doc, g, f.Against), Tone: model.Faint}}
}

// isChain reports whether every step is over the variant in the row above, so
// that it need not be named. The first one's is over the baseline.
func isChain(g *Group, metric, role, base string, contenders []string) bool {
	steps := 0
	for i, name := range contenders {
		f := g.step(metric, role, name, base)
		if f == nil {
			continue
		}
		if i == 0 || f.Against != contenders[i-1] {
			return false
		}
		steps++
	}
	return steps > 0
}

// otherMetrics has a row for each variant and a column for each main metric but
// the headline, of which it has the parts by role where there are several; the
// mark of its verdict stands beside a value.
func otherMetrics(g *Group, metric, role, base string, contenders []string) model.Grid {
	var shown []*finding.Finding // one of each metric
	roles := severalRoles(g)
	for _, f := range g.Findings {
		known := slices.ContainsFunc(shown, func(s *finding.Finding) bool { return s.Metric == f.Metric && s.Charged() == f.Charged() })
		part := roles && f.Service == "" && isRoleOfHeadline(g, f)
		if f.Against == base && (parts.IsMain(f) || part) && !known && !(f.Metric == metric && f.Charged() == role) {
			shown = append(shown, f)
		}
	}
	if len(shown) == 0 {
		return model.Grid{}
	}
	table := model.Grid{Columns: []model.Column{{Head: "", Give: true}}}
	baseRow := []model.Cell{{Text: base}}
	for i, m := range shown {
		drop := i + 1
		if parts.IsSpare(m.Metric) || isRoleOfHeadline(g, m) {
			drop += len(shown)
		}
		table.Columns = append(table.Columns, model.Column{Head: columnHead(g, m), Right: true, Drop: drop}, model.Column{Close: true, Drop: drop})
		baseRow = append(baseRow, model.Cell{Text: finding.FormatValue(m.Baseline, m.Unit)}, model.Cell{})
	}
	table.Add(baseRow...)
	for _, name := range contenders {
		row := []model.Cell{{Text: name}}
		for _, m := range shown {
			row = append(row, parts.ValueCells(g.part(m, name, base))...)
		}
		table.Add(row...)
	}
	return table
}

// part is the finding of a variant in the column of m. Where nothing but the application takes a part in the headline, that
// is the headline itself, which then has no parts.
func (g *Group) part(m *finding.Finding, name, base string) *finding.Finding {
	parted := slices.ContainsFunc(g.Findings, func(f *finding.Finding) bool {
		return f.Variant == name && f.Against == base && isRoleOfHeadline(g, f)
	})
	if isRoleOfHeadline(g, m) && m.Role == string(role.App) && !parted {
		return g.find(m.Metric, "", name, base)
	}
	return g.find(m.Metric, m.Charged(), name, base)
}

// columnHead is a metric's name, and of a part of the headline its role.
func columnHead(g *Group, m *finding.Finding) string {
	if m.Metric == metric.CPUPerOperation && isRoleOfHeadline(g, m) {
		return m.Charged() + " CPU"
	}
	return parts.Label(m)
}

// everyVariantTable is a variant table for every metric and role of the group.
func (b *brief) everyVariantTable(g *Group, base string, contenders []string) []model.Grid {
	var tables []model.Grid
	var metric, role string
	for _, f := range g.Findings {
		if len(tables) > 0 && f.Metric == metric && f.Charged() == role {
			continue
		}
		metric, role = f.Metric, f.Charged()
		measured := slices.DeleteFunc(slices.Clone(contenders), func(name string) bool {
			return g.find(metric, role, name, base) == nil
		})
		if len(measured) > 0 {
			tables = append(tables, variantTable(b.doc, g, metric, role, base, measured))
		}
	}
	return tables
}
