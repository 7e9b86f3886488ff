// The tables of a replication, for every form.

package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/lab/study"
)

// replicationSections returns the sections that are not empty.
func replicationSections(doc *study.Replication) []model.Section {
	return parts.Sections(replicationTables(doc), replicationSearches(doc), replicationRankings(doc), replicationLossy(doc), replicationSuppressed(doc), replicationMeans(doc), replicationRatios(doc), replicationSteps(doc), replicationLeft(doc))
}

// replicationTables sets the measured figures beside the published ones.
func replicationTables(doc *study.Replication) model.Section {
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
	if anyRow(doc, func(r study.Row) bool { return r.Lossy }) {
		s.Notes = append(s.Notes, parts.Faint(parts.LossyMark+" lost over 1 % of its spans: excluded from the ranking")...)
	}
	if anyRow(doc, func(r study.Row) bool { return !r.Lossy && r.Suppressed > 0 }) {
		s.Notes = append(s.Notes, parts.Faint(parts.SuppressedText)...)
	}
	return s
}

// anyRow reports whether a row of the tables passes.
func anyRow(doc *study.Replication, is func(study.Row) bool) bool {
	return slices.ContainsFunc(doc.Tables, func(t study.Table) bool { return slices.ContainsFunc(t.Rows, is) })
}

func replicationTable(doc *study.Replication, t study.Table) model.Grid {
	g := model.Grid{Caption: t.Workload + ": " + finding.MetricName(t.Metric), Columns: []model.Column{
		{Head: "operation", Give: true}, {Head: "variant", Give: true}, {Head: "value", Right: true},
		{Head: "cost", Right: true}, {Head: "(95 %)", Close: true, Drop: 2},
	}}
	for i := range doc.Series {
		if !slices.ContainsFunc(t.Rows, func(r study.Row) bool { return publishedOf(r, i) != nil }) {
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
			if slices.ContainsFunc(t.Rows, func(r study.Row) bool { return publishedOf(r, i) != nil }) {
				row = append(row, publishedCells(publishedOf(r, i), t.Unit)...)
			}
		}
		g.Add(append(row, model.Cell{Text: r.Reason.Words(), Tone: model.Faint})...)
	}
	return g.DropEmpty()
}

// costCells returns the cost over the baseline: as a ratio if there is one.
func costCells(r study.Row, t study.Table) []model.Cell {
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

func publishedCells(p *study.PublishedFigure, unit string) []model.Cell {
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

// Heads and cells that several tables share.

// seriesMark returns a short mark of a series, "[2]"; "" if there is only one.
func seriesMark(doc *study.Replication, series int) string {
	if len(doc.Series) < 2 {
		return ""
	}
	return fmt.Sprintf("[%d]", series+1)
}

// seriesHead returns the head of a series' column: its name without the remark, and its mark.
func seriesHead(doc *study.Replication, series int) string {
	name, _, _ := strings.Cut(doc.Series[series].Name, ", ")
	return strings.TrimSpace(name + " " + seriesMark(doc, series))
}

func variantMark(r study.Row) string {
	switch {
	case r.Lossy:
		return r.Variant + " " + parts.LossyMark
	case r.Suppressed > 0:
		return r.Variant + " " + parts.SuppressedMark
	}
	return r.Variant
}

func publishedOf(r study.Row, series int) *study.PublishedFigure {
	for i := range r.Published {
		if r.Published[i].Series == series {
			return &r.Published[i]
		}
	}
	return nil
}

func shownEstimate(i *finding.Interval, unit string) string {
	if i == nil {
		return finding.Missing
	}
	return finding.FormatValue(i.Estimate, unit)
}

// withinCell shows whether a published cost lies in our interval; empty if unknown.
func withinCell(p study.PublishedFigure) model.Cell {
	switch {
	case p.Within == nil:
		return model.Cell{}
	case *p.Within:
		return model.Cell{Text: "yes", Tone: model.Good}
	}
	return model.Cell{Text: "no", Tone: model.Faint}
}

func ratioCells(i *finding.Interval) []model.Cell {
	if i == nil {
		return []model.Cell{{Text: finding.Missing, Tone: model.Faint}, {}}
	}
	estimate, ends := parts.Interval(*i, "1", true, model.Plain)
	return []model.Cell{estimate, ends}
}

// replicationRankings sets our rankings of the variants beside the published ones.
func replicationRankings(doc *study.Replication) model.Section {
	s := model.Section{Title: "The order of the variants, the cheapest first"}
	for _, r := range doc.Rankings {
		g := model.Grid{Caption: r.Workload + ", " + parts.At(r.Operation, r.Parameter) + ": " + finding.MetricName(r.Metric), Remark: tauText(doc, r), Columns: []model.Column{
			{Head: "", Right: true}, {Head: "variant", Give: true}, {Head: "cost", Right: true}, {Head: "(95 %)", Close: true, Drop: 2}, {Head: "alike"},
		}}
		for i := range doc.Series {
			g.Columns = append(g.Columns, model.Column{Head: seriesHead(doc, i), Right: true})
		}
		unit, relative := replicationUnit(doc, r)
		for _, p := range r.Places {
			row := []model.Cell{{Text: fmt.Sprint(p.Rank)}, {Text: suppressedMarked(doc, p.Variant, inRanking(r))}}
			if p.Cost == nil {
				row = append(row, model.Cell{Text: finding.Missing}, model.Cell{})
			} else {
				estimate, ends := parts.Interval(*p.Cost, unit, relative, model.Plain)
				row = append(row, estimate, ends)
			}
			row = append(row, model.Cell{Text: p.Groups})
			for i := range doc.Series {
				text := ""
				if i < len(p.Published) && p.Published[i] > 0 {
					text = fmt.Sprint(p.Published[i])
				}
				row = append(row, model.Cell{Text: text})
			}
			g.Add(row...)
		}
		s.Grids = append(s.Grids, g.DropEmpty())
		for _, text := range r.Swapped {
			s.Notes = append(s.Notes, parts.Faint(r.Workload+", "+parts.At(r.Operation, r.Parameter)+": "+text)...)
		}
	}
	return s
}

// replicationUnit returns the unit of a ranking's costs, and whether they are ratios.
func replicationUnit(doc *study.Replication, r study.Ranking) (unit string, relative bool) {
	for _, t := range doc.Tables {
		if t.Metric != r.Metric || t.Workload != r.Workload {
			continue
		}
		for _, row := range t.Rows {
			if row.Variant != t.Baseline && row.Operation == r.Operation {
				return t.Unit, row.Cost != nil && !t.Amount
			}
		}
	}
	return "1", true
}

func tauText(doc *study.Replication, r study.Ranking) string {
	var pieces []string
	for _, t := range r.Taus {
		tau := strings.Replace(fmt.Sprintf("%.2f", t.Tau), "-", "−", 1)
		pieces = append(pieces, fmt.Sprintf("Kendall's τ %s with %s over %d variants", tau, doc.Series[t.Series].Name, t.Variants))
	}
	return strings.Join(pieces, "; ")
}

// This part lists the variants with spans suppressed by the tracer's own limit, and marks their figures.

func replicationSuppressed(doc *study.Replication) model.Section {
	s := model.Section{Title: "Spans suppressed by the tracer's own limit"}
	g := model.Grid{Columns: []model.Column{{Head: "workload", Give: true}, {Head: "operation", Give: true}, {Head: "variant", Give: true}, {Head: "suppressed", Right: true}, {Head: "spans", Right: true, Drop: 1}}}
	for _, u := range doc.Suppressed {
		g.Add([]model.Cell{
			{Text: u.Workload}, {Text: parts.At(u.Operation, u.Parameter)}, {Text: u.Variant},
			{Text: finding.FormatValue(u.Share, "1"), Tone: model.Doubtful}, {Text: finding.FormatCount(u.Spans)},
		}...)
	}
	if len(g.Rows) > 0 {
		s.Grids = []model.Grid{g}
		s.Notes = parts.Faint("Nothing of them is lost; but what a variant costs that does not send them is the cost of less work than sending them all.")
	}
	return s
}

// suppressedMarked returns a variant's name, marked if its tracer suppressed spans on an operation that passes.
func suppressedMarked(doc *study.Replication, variant string, pass func(study.Suppressed) bool) string {
	if slices.ContainsFunc(doc.Suppressed, func(u study.Suppressed) bool { return u.Variant == variant && pass(u) }) {
		return variant + " " + parts.SuppressedMark
	}
	return variant
}

// onWorkload passes the operations of the named workloads; "" names all.
func onWorkload(names ...string) func(study.Suppressed) bool {
	return func(u study.Suppressed) bool {
		return slices.Contains(names, u.Workload) || slices.Contains(names, "")
	}
}

// inMean passes the operations of a mean.
func inMean(m study.Mean) func(study.Suppressed) bool {
	return func(u study.Suppressed) bool {
		return slices.Contains(m.Cells, u.Workload+", "+u.Operation)
	}
}

// inRanking passes the operation of a ranking.
func inRanking(r study.Ranking) func(study.Suppressed) bool {
	return func(u study.Suppressed) bool {
		return u.Workload == r.Workload && parts.At(u.Operation, u.Parameter) == parts.At(r.Operation, r.Parameter)
	}
}
