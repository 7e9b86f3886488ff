// Package view owns the forms of a replication: results beside published figures. It makes the model of a report,
// and tables for other programs; it must not know how a model is drawn.
package view

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/wording"
	"github.com/tracetax/tracetax/lab/study"
)

// brief returns a replication's model for a terminal.
func brief(doc *study.Replication) *model.Page {
	p := replicationHead(doc)
	p.Sections = append(claimNotes(doc), replicationSections(doc)...)
	p.How = model.How{Reading: parts.Faint(doc.Methods...)}
	return p
}

// whole returns a replication's model with claims as tables, charts and curves.
func whole(doc *study.Replication) *model.Page {
	p := replicationHead(doc)
	curves := parts.Sections(parts.SweepsSection(replicationSweeps(doc), "The centre over the blocks and its 95 % interval."))
	p.Sections = slices.Concat(claimTables(doc), replicationChartSections(doc), curves, replicationSections(doc))
	p.How = parts.WithMade(model.How{Title: "How the figures were made", Reading: parts.Faint(doc.Methods...)}, doc.Tool)
	p.Charts = replicationCharts(doc)
	return p
}

func replicationHead(doc *study.Replication) *model.Page {
	p := &model.Page{Title: doc.Name, Name: doc.Name, Summary: doc.Summary, Details: sourceTexts(doc), Warnings: parts.Warnings(doc.Warnings)}
	for _, r := range doc.Results {
		p.About = append(p.About, replicationResult(r))
	}
	return p
}

// replicationChartSections returns the sections of charts.
func replicationChartSections(doc *study.Replication) []model.Section {
	var out []model.Section
	if len(doc.Tables) > 0 {
		lead := "A bar is the cost over the baseline, the line its 95 % interval"
		if len(doc.Series) > 0 {
			lead += "; a hollow mark is what was published, over the study's own baseline"
		}
		out = append(out, model.Section{ID: "studied", Title: "What it costs, measured and published", Chart: &model.Chart{}, Lead: model.Texts(lead + ".")})
	}
	if len(doc.Means) > 0 {
		out = append(out, model.Section{ID: "means", Title: "Mean values, as studies draw them", Chart: &model.Chart{}, Lead: model.Texts("A bar is the mean of the values of all operations of a workload, or of one operation on all workloads. Operations with large values weigh more. Bars beside each other are of the same operations: those that all variants have. Variants that are excluded from the ranking are in no mean. The table of means has the costs with their intervals.")})
	}
	return out
}

// replicationResult describes one result.
func replicationResult(r study.Result) []string {
	var pieces []string
	quick := ""
	if r.Quick {
		quick = "a quick run"
	}
	for _, text := range []string{r.Workload, r.Load, wording.Counted(r.Blocks, "block"), quick, r.Results} {
		if text != "" {
			pieces = append(pieces, text)
		}
	}
	return append(pieces, r.Runtimes...)
}

// sourceTexts returns the sources of the published figures.
func sourceTexts(doc *study.Replication) []string {
	var out []string
	for i, s := range doc.Series {
		text := s.Name + ": " + s.Source
		if mark := seriesMark(doc, i); mark != "" {
			text = mark + " " + text
		}
		out = append(out, text)
	}
	return out
}

// side is a group of metrics to be read together: one table with a column for each.
type side struct {
	title   string
	columns []metric.Row
	apart   bool // with intervals and published figures
}

// sideNamed returns a side with its metrics in the table's order.
func sideNamed(name metric.Side) *side {
	return &side{title: string(name), columns: metric.OfSide(name), apart: name == metric.Line}
}

var sides = map[metric.Side]*side{
	metric.Line: sideNamed(metric.Line), metric.Waiting: sideNamed(metric.Waiting), metric.Heap: sideNamed(metric.Heap),
}

// sideOfMetric returns a metric's side; nil if it has a table of its own.
func sideOfMetric(name string) *side {
	row, _ := metric.Of(name)
	return sides[row.Side]
}

// sideTable returns a row for each variant on each operation, and a column for each metric of the
// side that the workload has.
func sideTable(doc *study.Replication, workload string, s *side) model.Grid {
	g := model.Grid{Caption: workload + ": " + s.title, Columns: []model.Column{{Head: "operation", Give: true}, {Head: "variant", Give: true}}}
	var tables []*study.Table
	for _, c := range s.columns {
		i := slices.IndexFunc(doc.Tables, func(t study.Table) bool { return t.Workload == workload && t.Metric == c.Name })
		if i < 0 {
			continue
		}
		tables = append(tables, &doc.Tables[i])
		g.Columns = append(g.Columns, model.Column{Head: c.Short, Right: true})
		if s.apart {
			g.Columns = append(g.Columns, model.Column{Head: "(95 %)", Close: true, Drop: 2})
			for n := range doc.Series {
				g.Columns = append(g.Columns, model.Column{Head: seriesHead(doc, n), Right: true, Drop: 1})
			}
		}
	}
	last := ""
	for _, r := range sideRows(tables) {
		at := parts.At(r.Operation, r.Parameter)
		row := []model.Cell{{Text: at, Tone: model.Strong}, {Text: variantMark(r)}}
		if at == last {
			row[0].Text = ""
		}
		last = at
		for _, t := range tables {
			row = append(row, sideCells(doc, s, t, cellOf(t, r))...)
		}
		g.Add(row...)
	}
	return g.DropEmpty()
}

// sideRows returns the rows of all tables, each once, in order.
func sideRows(tables []*study.Table) []study.Row {
	var rows []study.Row
	for _, t := range tables {
		for _, r := range t.Rows {
			if !slices.ContainsFunc(rows, func(o study.Row) bool { return sameRow(o, r) }) {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

func sameRow(a, b study.Row) bool {
	return a.Variant == b.Variant && a.Operation == b.Operation && parts.Parameter(a.Parameter) == parts.Parameter(b.Parameter)
}

// cellOf returns a table's figure for a row, or nil.
func cellOf(t *study.Table, row study.Row) *study.Row {
	for i := range t.Rows {
		if sameRow(t.Rows[i], row) {
			return &t.Rows[i]
		}
	}
	return nil
}

// sideCells returns a figure's cells; if the side is apart, with interval and published figures.
func sideCells(doc *study.Replication, s *side, t *study.Table, r *study.Row) []model.Cell {
	width := 1
	if s.apart {
		width = 2 + len(doc.Series)
	}
	cells := make([]model.Cell, width)
	if r == nil {
		return cells
	}
	if !s.apart {
		cells[0].Text = shownEstimate(r.Value, t.Unit)
		return cells
	}
	figure := func(v float64) string { return finding.FormatValue(v, t.Unit) }
	if t.Metric == "r2" { // not customary as a percentage
		figure = func(v float64) string { return fmt.Sprintf("%.4f", v) }
	}
	if i := r.Value; i != nil {
		size, ends := finding.FormatMeasured(*i, t.Unit) // both in one unit
		cells[0].Text = size
		if ends != "" {
			cells[1] = model.Cell{Text: ends, Tone: model.Faint}
		}
		if t.Metric == "r2" {
			cells[0].Text = figure(i.Estimate)
		}
		if t.Metric == "r2" && i.Low != nil && i.High != nil {
			cells[1].Text = "(" + figure(*i.Low) + " to " + figure(*i.High) + ")"
		}
	}
	for n := range doc.Series {
		if p := publishedOf(*r, n); p != nil {
			cells[2+n].Text = figure(p.Value)
		}
	}
	return cells
}

// replicationSearches lists the rates that the searches found: the least that passed in a block,
// and the least that did not.
func replicationSearches(doc *study.Replication) model.Section {
	s := model.Section{Title: "The rates that were found"}
	g := model.Grid{Columns: []model.Column{
		{Head: "workload", Give: true}, {Head: "operation", Give: true}, {Head: "variant", Give: true}, {Head: "rate", Right: true}, {Head: "(95 %)", Close: true, Drop: 2},
		{Head: "least that passed", Right: true}, {Head: "did not", Right: true}, {Head: "bound by", Drop: 3}, {Head: "searches", Right: true, Drop: 4},
	}}
	for _, l := range doc.Searches {
		rate, ends := parts.Missing, model.Cell{}
		if l.Rate != nil {
			rate, ends = parts.Interval(*l.Rate, "1/s", false, model.Plain)
			rate.Text = finding.FormatValue(l.Rate.Estimate, "1/s")
		}
		g.Add([]model.Cell{
			{Text: l.Workload}, {Text: parts.At(l.Operation, l.Parameter)}, {Text: l.Variant}, rate, ends,
			{Text: rateText(l.Held)}, {Text: rateText(l.Failed)}, {Text: cmp.Or(l.Binding, finding.Missing)}, {Text: finding.FormatCount(int64(len(l.Outcomes)))},
		}...)
		name := l.Workload + ", " + parts.At(l.Operation, l.Parameter) + ", " + l.Variant + ": "
		if l.Rate == nil {
			s.Notes = append(s.Notes, parts.Faint(name+l.Text)...)
		}
		if l.Below > 0 {
			s.Notes = append(s.Notes, parts.Faint(name+"at "+rateText(l.Held)+" or less a probe did not pass in "+
				finding.FormatCount(int64(l.Below))+" of "+finding.FormatCount(int64(len(l.Outcomes)))+" blocks, whose search passed there later or above it")...)
		}
	}
	if len(g.Rows) == 0 {
		return s
	}
	g.Caption = doc.Searches[0].Goal
	s.Grids = []model.Grid{g.DropEmpty()}
	s.Notes = append(s.Notes, parts.Faint("Each block ends with a highest rate that passed, and a lowest that did not: the least of each over the blocks.")...)
	return s
}

// rateText returns a rate, or finding.Missing.
func rateText(rate float64) string {
	if rate <= 0 {
		return finding.Missing
	}
	return finding.FormatValue(rate, "1/s")
}
