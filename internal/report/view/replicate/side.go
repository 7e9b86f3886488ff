// Metrics of a replication that are read together: one table with a column for each, instead of
// a table for each.

package replicate

import (
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// side is some metrics that say little without each other.
type side struct {
	title   string
	columns []metric.Row
	apart   bool // with intervals, and what was published beside each
}

// sideNamed is a side with its metrics in the order in which a reader wants them.
func sideNamed(name metric.Side) *side {
	return &side{title: string(name), columns: metric.OfSide(name), apart: name == metric.Line}
}

var sides = map[metric.Side]*side{
	metric.Line: sideNamed(metric.Line), metric.Waiting: sideNamed(metric.Waiting), metric.Heap: sideNamed(metric.Heap),
}

// sideOfMetric is the table that a metric stands in with others; nil where it has one of
// its own.
func sideOfMetric(name string) *side {
	row, _ := metric.Of(name)
	return sides[row.Side]
}

// sideTable has a row for each variant on each operation, and a column for each metric of
// the side that the workload has.
func sideTable(doc *finding.Replication, workload string, s *side) model.Grid {
	g := model.Grid{Caption: workload + ": " + s.title, Columns: []model.Column{{Head: "operation", Give: true}, {Head: "variant", Give: true}}}
	var tables []*finding.ReplicationTable
	for _, c := range s.columns {
		i := slices.IndexFunc(doc.Tables, func(t finding.ReplicationTable) bool { return t.Workload == workload && t.Metric == c.Name })
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

// sideRows are the rows that any of the tables has, in the order in which they come.
func sideRows(tables []*finding.ReplicationTable) []finding.ReplicationCell {
	var rows []finding.ReplicationCell
	for _, t := range tables {
		for _, r := range t.Rows {
			if !slices.ContainsFunc(rows, func(o finding.ReplicationCell) bool { return sameRow(o, r) }) {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

func sameRow(a, b finding.ReplicationCell) bool {
	return a.Variant == b.Variant && a.Operation == b.Operation && parts.Parameter(a.Parameter) == parts.Parameter(b.Parameter)
}

// cellOf is a table's figure in a row; nil where it has none.
func cellOf(t *finding.ReplicationTable, row finding.ReplicationCell) *finding.ReplicationCell {
	for i := range t.Rows {
		if sameRow(t.Rows[i], row) {
			return &t.Rows[i]
		}
	}
	return nil
}

// sideCells are a figure; where the side says so with its interval, and with what was
// published.
func sideCells(doc *finding.Replication, s *side, t *finding.ReplicationTable, r *finding.ReplicationCell) []model.Cell {
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
	if t.Metric == "r2" { // nobody gives it as a percentage
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
