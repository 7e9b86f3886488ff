// Tables with a row for each variant: the headline with each variant's step
// over another, and the values of the other metrics side by side.

package report

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// variantTable has a row for each variant, the baseline first, on one metric.
func variantTable(doc *finding.Document, g *group, metric, role, base string, contenders []string) grid {
	first := g.find(metric, role, contenders[0], base)
	if first == nil {
		return grid{}
	}
	chain := isChain(g, metric, role, base, contenders)
	table := grid{caption: visible(label(first)), columns: []column{
		{head: "", give: true},
		{head: "value", right: true},
		{head: "over " + visible(base), right: true},
		{head: "", close: true, drop: 3},
		{head: "", close: true},
		{head: "verdict", close: true, drop: 4},
		{head: "step", right: true, drop: 1},
		{head: "", close: true, drop: 2},
		{head: "over", drop: 1},
	}}
	if chain {
		table.remark = "each step is over the variant above"
	}
	table.rows = append(table.rows, pad(len(table.columns),
		textCell{text: visible(base)}, textCell{text: finding.FormatValue(first.Baseline, first.Unit)}))
	for _, name := range contenders {
		f := g.find(metric, role, name, base)
		if f == nil {
			continue
		}
		row := []textCell{markedCell(doc, g, name), {text: finding.FormatValue(f.Value, f.Unit)}}
		estimate, ends := shownCells(f)
		mark, word := verdictCells(f)
		row = append(row, estimate, ends, mark, word)
		step := g.step(metric, role, name, base)
		if step == nil && chain && name == contenders[0] {
			step = f
		}
		table.rows = append(table.rows, append(row, stepCells(doc, g, step, !chain)...))
	}
	return dropEmpty(table)
}

// stepCells are the absolute increment over another variant, its interval, and
// that variant's name if it must be named, marked where it lost too many spans.
func stepCells(doc *finding.Document, g *group, f *finding.Finding, named bool) []textCell {
	if f == nil || f.Absolute == nil {
		return make([]textCell, 3)
	}
	estimate, ends := intervalCells(*f.Absolute, f.Unit, false, verdictStyle(f.Verdict.Kind))
	if !named {
		return []textCell{estimate, ends, {}}
	}
	return []textCell{estimate, ends, {text: visible(markedVariant(doc, g, f.Against)), style: dim}}
}

// isChain reports whether every step is over the variant in the row above, so
// that it need not be named. The first one's is over the baseline.
func isChain(g *group, metric, role, base string, contenders []string) bool {
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
// the headline; the mark of its verdict stands beside a value.
func otherMetrics(g *group, metric, role, base string, contenders []string) grid {
	var shown []*finding.Finding // one of each metric
	for _, f := range g.findings {
		known := slices.ContainsFunc(shown, func(s *finding.Finding) bool { return s.Metric == f.Metric && s.Charged() == f.Charged() })
		if f.Against == base && isMain(f) && !known && !(f.Metric == metric && f.Charged() == role) {
			shown = append(shown, f)
		}
	}
	if len(shown) == 0 {
		return grid{}
	}
	table := grid{columns: []column{{head: "", give: true}}}
	baseRow := []textCell{{text: visible(base)}}
	for i, m := range shown {
		drop := i + 1
		if m.Metric == "latency_p95" { // between two that say more
			drop += len(shown)
		}
		table.columns = append(table.columns, column{head: visible(label(m)), right: true, drop: drop}, column{close: true, drop: drop})
		baseRow = append(baseRow, textCell{text: finding.FormatValue(m.Baseline, m.Unit)}, textCell{})
	}
	table.rows = append(table.rows, baseRow)
	for _, name := range contenders {
		row := []textCell{{text: visible(name)}}
		for _, m := range shown {
			row = append(row, valueCells(g.find(m.Metric, m.Charged(), name, base))...)
		}
		table.rows = append(table.rows, row)
	}
	return table
}

// valueCells is a value and the mark of its verdict.
func valueCells(f *finding.Finding) []textCell {
	if f == nil {
		return []textCell{{text: finding.Missing, style: dim}, {}}
	}
	s := verdictStyle(f.Verdict.Kind)
	return []textCell{{text: finding.FormatValue(f.Value, f.Unit)}, {text: verdictMark(f.Verdict.Kind), style: s}}
}

// everyVariantTable is a variant table for every metric and role of the group.
func (t *terminal) everyVariantTable(g *group, base string, contenders []string) []grid {
	var tables []grid
	var metric, role string
	for _, f := range g.findings {
		if len(tables) > 0 && f.Metric == metric && f.Charged() == role {
			continue
		}
		metric, role = f.Metric, f.Charged()
		measured := slices.DeleteFunc(slices.Clone(contenders), func(name string) bool {
			return g.find(metric, role, name, base) == nil
		})
		if len(measured) > 0 {
			tables = append(tables, variantTable(t.doc, g, metric, role, base, measured))
		}
	}
	return tables
}

// dropEmpty takes out the columns that have nothing in any row.
func dropEmpty(g grid) grid {
	keep := make([]bool, len(g.columns))
	for _, row := range g.rows {
		for c, it := range row {
			keep[c] = keep[c] || it.text != ""
		}
	}
	out := grid{caption: g.caption, remark: g.remark, rows: make([][]textCell, len(g.rows))}
	for c, col := range g.columns {
		if !keep[c] {
			continue
		}
		out.columns = append(out.columns, col)
		for r, row := range g.rows {
			out.rows[r] = append(out.rows[r], row[c])
		}
	}
	return out
}

func pad(n int, cells ...textCell) []textCell {
	return append(cells, make([]textCell, n-len(cells))...)
}
