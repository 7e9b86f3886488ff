// The headline of each operation, as cards and as a table.

package view

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// cards has one for each operation; of many levels the lowest and the highest.
func cards(doc *finding.Document) []model.Card {
	var all []model.Card
	groups := Groups(doc)
	for _, g := range groups {
		if swept := levels(groups, g.Operation); swept != nil && g.Parameter != "" {
			if c := sweptCard(doc, swept); g == swept[0] && len(c.Rows) > 0 {
				all = append(all, c)
			}
			continue
		}
		c := model.Card{Title: g.title()}
		addHeadlines(&c, doc, g, "")
		lossyLast(&c)
		if len(c.Rows) > 0 {
			all = append(all, c)
		}
	}
	return all
}

func addHeadlines(c *model.Card, doc *finding.Document, g *Group, level string) {
	for _, f := range g.Findings {
		if f.Headline {
			c.Label = parts.Label(f)
			row := cardRow(doc, g, f)
			row.Level = level
			c.Rows = append(c.Rows, row)
		}
	}
}

// lossyLast puts the variants that do less below the others.
func lossyLast(c *model.Card) {
	slices.SortStableFunc(c.Rows, func(a, b model.CardRow) int {
		switch {
		case a.Last == b.Last:
			return 0
		case a.Last:
			return 1
		}
		return -1
	})
}

func sweptCard(doc *finding.Document, levels []*Group) model.Card {
	c := model.Card{Title: parts.Operation(levels[0].Operation) + ", by " + parameterNames(levels[0])}
	for _, g := range []*Group{levels[0], levels[len(levels)-1]} {
		addHeadlines(&c, doc, g, levelText(g))
	}
	if n := len(levels) - 2; n > 0 {
		c.More = parts.Counted(n, "level") + " between them: see below"
	}
	return c
}

func cardRow(doc *finding.Document, g *Group, f *finding.Finding) model.CardRow {
	row := model.CardRow{Key: keyOf(doc, f), Variant: markedVariant(doc, g, f.Variant), Last: lossyOf(doc, g, f.Variant) != nil}
	row.Marked = row.Variant != f.Variant
	if doc.NotTracing(f) {
		row.Missing, row.Last = true, true
		row.Big, row.Ends = "no spans", "not the overhead of tracing"
		if doc.OneElsewhere(f) != "" {
			row.Big = "spans elsewhere"
		}
		return row
	}
	row.Verdict = model.Cell{Mark: parts.VerdictMark(f.Verdict.ShownKind(f.ByRatio())), Text: parts.LongBadge(f), Long: f.Verdict.Text, Tone: parts.ToneOf(f.Verdict.ShownKind(f.ByRatio()))}
	row.Values = finding.FormatValue(f.Baseline, f.Unit) + " → " + finding.FormatValue(f.Value, f.Unit)
	i := f.Shown()
	if i == nil {
		row.Big = finding.Missing
		return row
	}
	estimate, ends := parts.Interval(*i, f.Unit, f.ByRatio(), model.Plain)
	row.Big, row.Ends = estimate.Text, ends.Text
	if isLeast(doc, g, f) {
		row.Before = atLeast
	}
	return row
}

// atLeast stands before a figure that is a lower bound.
const atLeast = "at least"

// headlines has a row for each operation and variant: the headline, and every
// metric with a budget; those that lost too many spans below the others.
func headlines(doc *finding.Document) model.Grid {
	base := baseline(doc)
	table := model.Grid{Columns: []model.Column{
		{}, {Head: "metric"}, {Head: base, Right: true}, {Head: "with tracing", Right: true}, {Head: "difference", Right: true}, {Head: "verdict", Badge: true},
	}}
	for _, g := range Groups(doc) {
		var lossy []model.Row
		for _, f := range g.Findings {
			if f.Against != base || !f.Headline && f.Verdict.Budget == nil {
				continue
			}
			row := headlineRow(doc, g, f)
			if lossyOf(doc, g, f.Variant) != nil {
				lossy = append(lossy, row)
				continue
			}
			table.Rows = append(table.Rows, row)
		}
		table.Rows = append(table.Rows, lossy...)
	}
	return table
}

func headlineRow(doc *finding.Document, g *Group, f *finding.Finding) model.Row {
	difference := parts.IntervalText(f.Shown(), f.Unit, f.ByRatio())
	switch {
	case doc.NotTracing(f): // which stands in the table of all figures
		difference = finding.Missing
	case isLeast(doc, g, f):
		difference = atLeast + " " + difference
	}
	verdict := parts.VerdictCell(f)
	verdict.More = nil // the figures beside it say the rest
	return model.Row{Key: keyOf(doc, f), Cells: append(model.Texts(g.title()+", "+markedVariant(doc, g, f.Variant), parts.Label(f), parts.Value(f, f.Baseline), parts.Value(f, f.Value), difference), verdict)}
}
