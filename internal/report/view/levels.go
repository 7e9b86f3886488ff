// The tables of what was varied between phases: a row for each level, so that
// many levels need few columns.

package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tracetax/tracetax/internal/config"
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
	last := levels[len(levels)-1]
	if table := b.serviceTable(last); len(table.Rows) > 0 {
		table.Caption += ", " + last.Parameter
		s.Grids = append(s.Grids, table)
	}
	s.Grids = append(s.Grids, parts.Grids(b.ledgersOf(levels[0].Operation))...)
	return s
}

// parameterNames returns the varied parameters, as the head of a column.
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

// kneeTable shows where the curves of an operation bend.
func kneeTable(doc *finding.Document, operation string) model.Grid {
	g := model.Grid{Bare: true, Columns: []model.Column{{}, {Give: true}, {Wrap: true}}}
	for _, s := range doc.Sweeps {
		if s.Operation == operation && s.Knee != nil {
			g.Add(model.Texts("knee", s.Variant, s.Knee.Text)...)
		}
	}
	return g
}

// What the searches for a capacity came to: a row for each variant.

// searchesOf are the searches of one operation at one level.
func searchesOf(doc *finding.Document, operation, parameter string) []*finding.Search {
	var out []*finding.Search
	for i := range doc.Searches {
		if s := &doc.Searches[i]; s.Operation == operation && parts.Parameter(s.Parameter) == parameter {
			out = append(out, s)
		}
	}
	return out
}

// searchTable has the rate that each variant's searches found, with its own interval, and what
// keeps it from more.
func searchTable(list []*finding.Search) model.Grid {
	if len(list) == 0 {
		return model.Grid{}
	}
	table := model.Grid{Caption: list[0].Goal, Columns: []model.Column{
		{Give: true},
		{Head: "rate", Right: true},
		{Close: true, Drop: 1},
		{Head: "lost there", Right: true, Drop: 4},
		{Head: "bound by"},
		{Head: "searches", Right: true, Drop: 3},
		{Head: "each", Right: true, Drop: 2},
	}}
	for _, s := range list {
		rate, ends := rateCells(s)
		table.Add(model.Cell{Text: s.Variant}, rate, ends, lostCell(s),
			model.Cell{Text: cmp.Or(s.Binding, finding.Missing)},
			model.Cell{Text: finding.FormatCount(int64(len(s.Outcomes)))},
			model.Cell{Text: finding.FormatValue(math.Round(s.Seconds), "s")})
		if s.Rate == nil {
			table.Notes = append(table.Notes, model.Note{Lead: s.Variant + ": ", Text: s.Text, Tone: model.Doubtful})
		}
	}
	return table.DropEmpty()
}

// rateCells are the rate that a variant's searches found and its interval.
func rateCells(s *finding.Search) (rate, ends model.Cell) {
	if s.Rate == nil {
		return parts.Missing, model.Cell{}
	}
	rate, ends = parts.Interval(*s.Rate, "1/s", false, model.Plain)
	rate.Text = finding.FormatValue(s.Rate.Estimate, "1/s")
	return rate, ends
}

// searchesSection has the searches of all operations and levels, with every probe.
func searchesSection(doc *finding.Document) model.Section {
	s := model.Section{ID: "searches", Title: "How much it can do", Depth: model.Folded, Chart: &model.Chart{}, Lead: model.Texts(
		"Every dot is one stretch of load of one search: filled where the goal was met, hollow where it was not. The bar is the rate that was found" + bounded(doc, ", with its 95 % interval", "") + "; a straight line is the fit.")}
	done := map[string]bool{}
	for i := range doc.Searches {
		one := &doc.Searches[i]
		title := parts.At(one.Operation, one.Parameter)
		if done[title] {
			continue
		}
		done[title] = true
		list := searchesOf(doc, one.Operation, parts.Parameter(one.Parameter))
		table := searchTable(list)
		table.Caption, table.Remark = title, table.Caption+bracketed(table.Remark)
		table.Notes = append(table.Notes, fits(list)...)
		s.Grids = append(s.Grids, table, probeTable(title, list))
	}
	return s
}

func bracketed(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}

// fits say how the CPU grew with the rate, where it did so in a straight line.
func fits(list []*finding.Search) []model.Note {
	var out []model.Note
	for _, s := range list {
		if s.Rate != nil && s.Base != nil && s.Demand != nil {
			out = append(out, model.Note{Lead: s.Variant + ": ", Tone: model.Faint, Text: fmt.Sprintf("fit: %s of the CPU at no load, and %s of it for each operation (in %d of %d searches)",
				finding.FormatValue(*s.Base, "1"), finding.FormatValue(*s.Demand, "s"), s.Linear, len(s.Outcomes))})
		}
	}
	return out
}

// probeTable has every probe of the searches on one operation.
func probeTable(title string, list []*finding.Search) model.Grid {
	table := model.Grid{Caption: title, Fold: model.Closed, Columns: []model.Column{
		{Head: "variant"}, {Head: "block", Right: true}, {Head: "purpose"}, {Head: "rate", Right: true}, {Head: "CPU used", Right: true},
		{Head: "latency", Right: true}, {Head: "spans lost", Right: true}, {Head: "goal"},
	}}
	for _, s := range list {
		for _, p := range s.Points {
			cells := model.Texts(s.Variant, strconv.Itoa(p.Block), p.Purpose, finding.FormatValue(p.Rate, "1/s"), finding.FormatValue(p.Utilisation, "1"),
				"", finding.FormatCount(int64(math.Round(p.Lost))), "not met")
			if s.Kind == string(config.GoalLatency) {
				cells[5].Text = finding.FormatValue(p.Seconds, "s")
			}
			if p.Passed {
				cells[7].Text = "met"
			}
			if p.Why != "" {
				cells[7].More = []string{p.Why}
			}
			table.Add(cells...)
		}
	}
	table.Remark = "every stretch of load, " + finding.FormatCount(int64(len(table.Rows)))
	return table.DropEmpty()
}

// otherSearches are those of operations and levels without any finding.
func (b *brief) otherSearches(all []*Group) []model.Section {
	shown := map[[2]string]bool{}
	for _, g := range all {
		shown[[2]string{g.Operation, g.Parameter}] = true
	}
	var out []model.Section
	for i := range b.doc.Searches {
		s := &b.doc.Searches[i]
		key := [2]string{s.Operation, parts.Parameter(s.Parameter)}
		if !shown[key] {
			shown[key] = true
			out = append(out, model.Section{Title: parts.At(s.Operation, s.Parameter), Grids: []model.Grid{searchTable(searchesOf(b.doc, key[0], key[1]))}})
		}
	}
	return out
}

// lostCell is the share of spans that were lost at the rate found: nothing where none was,
// a dash where that is not known.
func lostCell(s *finding.Search) model.Cell {
	text := lostThere(s)
	if text == finding.Missing {
		return model.Cell{Text: text, Tone: model.Faint}
	}
	return model.Cell{Text: text, Tone: model.Doubtful}
}

func lostThere(s *finding.Search) string {
	switch {
	case s.Kind == string(config.GoalLossless) || s.Rate == nil:
		return "" // lost on purpose, or there is no such rate
	case s.LostShare == nil:
		return finding.Missing
	case *s.LostShare == 0:
		return ""
	}
	return finding.FormatValue(*s.LostShare, "1")
}
