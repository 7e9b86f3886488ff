// The tables of what was varied between phases: a row for each level, so that
// many levels need few columns.

package view

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// levels are the groups of one operation that differ in their parameter only, in the
// document's order; none where there is one group.
func levels(all []*Group, operation string) []*Group {
	var out []*Group
	for _, g := range all {
		if g.Operation == operation && g.Parameter != "" {
			out = append(out, g)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// levelsSection has all levels of one operation: a table for each metric that people
// decide by, the knees, and the ledger.
func (b *brief) levelsSection(levels []*Group) model.Section {
	s := model.Section{Title: parts.Operation(levels[0].Operation) + ", by " + parameterNames(levels[0])}
	base := baseline(b.doc)
	shown := sweepMetrics(levels)
	for _, m := range shown {
		s.Grids = append(s.Grids, parts.Grids(levelTable(b.doc, levels, m, base))...)
	}
	s.Grids = append(s.Grids, parts.Grids(kneeTable(b.doc, levels[0].Operation))...)
	for _, g := range levels {
		addNotes(s.Grids, b.notes(g, func(f *finding.Finding) bool {
			return f.Role == "" && f.Metric != metric.CPUPerSpan && slices.ContainsFunc(shown, func(m *finding.Finding) bool { return m.Metric == f.Metric })
		}))
	}
	s.Grids = append(s.Grids, parts.Grids(b.ledgersOf(levels[0].Operation))...)
	return s
}

// parameterNames is what is varied, as the head of a column.
func parameterNames(g *Group) string {
	text := ""
	for name := range parameters(g) {
		if text != "" {
			return "level"
		}
		text = name
	}
	return text
}

// levelText is a level in its row: the value alone where one thing is varied.
func levelText(g *Group) string {
	p := parameters(g)
	if len(p) == 1 {
		for _, value := range p {
			return value
		}
	}
	return g.Parameter
}

// sweepMetrics are the metrics that are shown over the levels, over all roles: the
// headline, and those that the table of metrics has for the way in which the operations were made. A
// closed loop has no latency; in an open one the throughput is the rate that was asked for.
func sweepMetrics(levels []*Group) []*finding.Finding {
	how := metric.Closed
	switch {
	case slices.ContainsFunc(levels, (*Group).isDriven):
		how = metric.Driven
	case slices.ContainsFunc(levels, (*Group).hasLatency):
		how = metric.Open
	}
	var out []*finding.Finding
	for _, g := range levels {
		for _, f := range g.Findings {
			known := slices.ContainsFunc(out, func(have *finding.Finding) bool { return have.Metric == f.Metric })
			row, _ := metric.Of(f.Metric)
			if !known && f.Role == "" && (f.Headline || row.Levels.Has(how)) {
				out = append(out, f)
			}
		}
	}
	slices.SortStableFunc(out, byMetric)
	return out
}

// hasLatency reports whether any finding is of a latency.
func (g *Group) hasLatency() bool {
	return slices.ContainsFunc(g.Findings, func(f *finding.Finding) bool {
		row, _ := metric.Of(f.Metric)
		return row.Nature == metric.Latency
	})
}

// levelTable has a row for each level of one metric: the ratio where there is one
// variant to compare, values side by side where there are several.
func levelTable(doc *finding.Document, levels []*Group, m *finding.Finding, base string) model.Grid {
	var contenders []string
	for _, g := range levels {
		for _, name := range g.contenders(doc, base) {
			if !slices.Contains(contenders, name) {
				contenders = append(contenders, name)
			}
		}
	}
	table := model.Grid{Caption: parts.Label(m), Columns: []model.Column{{Head: parameterNames(levels[0]), Right: true}, {Head: base, Right: true}}}
	if len(contenders) == 1 {
		table.Columns = append(table.Columns, model.Column{Head: markedAnywhere(doc, levels, contenders[0]), Right: true},
			model.Column{Head: changeHead([]*finding.Finding{m}, base), Right: true}, model.Column{Close: true, Drop: 1}, model.Column{Head: "verdict", Badge: true, Drop: 2})
	} else {
		for i, name := range contenders { // where there is little room the last goes first
			table.Columns = append(table.Columns, model.Column{Head: markedAnywhere(doc, levels, name), Right: true, Drop: i + 1}, model.Column{Close: true, Drop: i + 1})
		}
	}
	for _, g := range levels {
		if row := levelRow(g, m, base, contenders); row != nil {
			table.Add(row...)
		}
	}
	return table.DropEmpty()
}

func levelRow(g *Group, m *finding.Finding, base string, contenders []string) []model.Cell {
	row := []model.Cell{{Text: levelText(g), Tone: model.Strong}, {}}
	found := false
	for _, name := range contenders {
		f := g.find(m.Metric, m.Charged(), name, base)
		if f != nil && row[1].Text == "" {
			row[1].Text = parts.Value(f, f.Baseline)
		}
		found = found || f != nil
		if len(contenders) > 1 {
			row = append(row, parts.ValueCells(f)...)
			continue
		}
		if f == nil {
			row = append(row, parts.Missing, model.Cell{}, model.Cell{}, model.Cell{})
			continue
		}
		estimate, ends := parts.Shown(f)
		row = append(row, model.Cell{Text: parts.Value(f, f.Value)}, estimate, ends, parts.BadgeCell(f))
	}
	if !found {
		return nil
	}
	return row
}

// kneeTable says where the curves of an operation bend.
func kneeTable(doc *finding.Document, operation string) model.Grid {
	g := model.Grid{Bare: true, Columns: []model.Column{{}, {Give: true}, {Wrap: true}}}
	for _, s := range doc.Sweeps {
		if s.Operation == operation && s.Knee != nil {
			g.Add(model.Texts("knee", s.Variant, s.Knee.Text)...)
		}
	}
	return g
}
