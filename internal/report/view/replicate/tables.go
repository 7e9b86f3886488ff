// The tables of a replication, made once for every form in which it is shown.

package replicate

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// replicationSections are the parts that have something to show.
func replicationSections(doc *finding.Replication) []model.Section {
	return parts.Sections(replicationTables(doc), replicationSearches(doc), replicationRankings(doc), replicationLossy(doc), replicationSuppressed(doc), replicationMeans(doc), replicationRatios(doc), replicationSteps(doc), replicationLeft(doc))
}

// replicationTables are the measured figures beside the published ones.
func replicationTables(doc *finding.Replication) model.Section {
	s := model.Section{Title: "What was measured, beside what was published"}
	if len(doc.Series) == 0 {
		s.Title = "What was measured"
	}
	type place struct {
		workload string
		side     *side
	}
	shown := map[place]bool{}
	for _, t := range doc.Tables {
		with := sideOfMetric(t.Metric)
		if with == nil {
			s.Grids = append(s.Grids, replicationTable(doc, t))
		} else if at := (place{t.Workload, with}); !shown[at] {
			shown[at] = true
			s.Grids = append(s.Grids, sideTable(doc, t.Workload, with))
		}
	}
	if anyRow(doc, func(r finding.ReplicationCell) bool { return r.Lossy }) {
		s.Notes = append(s.Notes, parts.Faint(parts.LossyMark+" lost over 1 % of its spans: excluded from the ranking")...)
	}
	if anyRow(doc, func(r finding.ReplicationCell) bool { return !r.Lossy && r.Suppressed > 0 }) {
		s.Notes = append(s.Notes, parts.Faint(parts.SuppressedText)...)
	}
	return s
}

// anyRow reports whether a row of the tables is so.
func anyRow(doc *finding.Replication, is func(finding.ReplicationCell) bool) bool {
	return slices.ContainsFunc(doc.Tables, func(t finding.ReplicationTable) bool { return slices.ContainsFunc(t.Rows, is) })
}

func replicationTable(doc *finding.Replication, t finding.ReplicationTable) model.Grid {
	g := model.Grid{Caption: t.Workload + ": " + finding.MetricName(t.Metric), Columns: []model.Column{
		{Head: "operation", Give: true}, {Head: "variant", Give: true}, {Head: "value", Right: true},
		{Head: "cost", Right: true}, {Head: "(95 %)", Close: true, Drop: 2},
	}}
	for i := range doc.Series {
		if !slices.ContainsFunc(t.Rows, func(r finding.ReplicationCell) bool { return publishedOf(r, i) != nil }) {
			continue
		}
		g.Columns = append(g.Columns, model.Column{Head: seriesHead(doc, i), Right: true}, model.Column{Head: "its cost", Right: true, Drop: 1}, model.Column{Head: "within", Drop: 1})
	}
	g.Columns = append(g.Columns, model.Column{Head: "remark", Drop: 3})
	last := ""
	for _, r := range t.Rows {
		at := parts.At(r.Operation, r.Parameter)
		row := []model.Cell{{Text: at, Tone: model.Strong}, {Text: variantMark(r)}, {Text: shownEstimate(r.Value, t.Unit)}}
		if at == last {
			row[0].Text = ""
		}
		last = at
		row = append(row, costCells(r, t)...)
		for i := range doc.Series {
			if slices.ContainsFunc(t.Rows, func(r finding.ReplicationCell) bool { return publishedOf(r, i) != nil }) {
				row = append(row, publishedCells(publishedOf(r, i), t.Unit)...)
			}
		}
		g.Add(append(row, model.Cell{Text: r.Reason.Words(), Tone: model.Faint})...)
	}
	return g.DropEmpty()
}

// costCells are the cost over the baseline: as a ratio where there is one.
func costCells(r finding.ReplicationCell, t finding.ReplicationTable) []model.Cell {
	switch {
	case r.Variant == t.Baseline:
		return make([]model.Cell, 2)
	case r.Cost != nil && !t.Amount:
		estimate, ends := parts.Interval(*r.Cost, t.Unit, true, model.Plain)
		return []model.Cell{estimate, ends}
	case r.Added != nil:
		estimate, ends := parts.Interval(*r.Added, t.Unit, false, model.Plain)
		return []model.Cell{estimate, ends}
	}
	return make([]model.Cell, 2)
}

func publishedCells(p *finding.PublishedCell, unit string) []model.Cell {
	if p == nil {
		return make([]model.Cell, 3)
	}
	cells := []model.Cell{{Text: finding.FormatValue(p.Value, unit)}, {}, {}}
	if p.Spread > 0 {
		cells[0].Text += " ± " + finding.FormatValue(p.Spread, unit)
	}
	switch {
	case p.Cost != nil:
		cells[1].Text = finding.FormatInterval(finding.Interval{Estimate: *p.Cost}, "1", true)
	case p.Added != nil:
		cells[1].Text = finding.FormatInterval(finding.Interval{Estimate: *p.Added}, unit, false)
	}
	cells[2] = withinCell(*p)
	return cells
}
