// The table of the variants that lost too many spans to be ranked, of a result and of a
// replication.

package parts

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/words"
)

// LostColumns and LostCells make a row for a variant that is excluded from the ranking.
func LostColumns() []model.Column {
	return []model.Column{
		{Head: "operation", Give: true}, {Head: "variant", Give: true}, {Head: "lost", Right: true},
		{Head: "costs", Right: true, Drop: 2}, {Head: "(95 %)", Close: true, Drop: 3}, {Head: "of", Drop: 3}, {Head: "where", Drop: 1},
	}
}

func LostCells(l finding.Lossy) []model.Cell {
	row := []model.Cell{{Text: At(l.Operation, l.Parameter)}, {Text: l.Variant}, {Text: finding.FormatValue(l.LostShare, "1"), Tone: model.Doubtful}, {}, {}, {}, {Text: words.Places(l.Where)}}
	switch {
	case l.Cost != nil:
		row[3], row[4] = Interval(*l.Cost, "1", true, model.Plain)
	case l.Added != nil:
		row[3], row[4] = Interval(*l.Added, l.Unit, false, model.Plain)
	default:
		return row
	}
	row[5].Text = finding.MetricName(l.Metric)
	return row
}

// LostTable has a row for each variant that is excluded from the ranking.
func LostTable(lossy []finding.Lossy) model.Grid {
	table := model.Grid{Columns: LostColumns()}
	for _, l := range lossy {
		table.Add(LostCells(l)...)
	}
	return table
}

// LostSection has the table of who is excluded from the ranking, if anybody is, with what the costs mean.
func LostSection(apart model.Grid) model.Section {
	s := model.Section{ID: "apart", Title: "Excluded from the ranking: variants that lost spans", Depth: model.Folded}
	if len(apart.Rows) == 0 {
		return s
	}
	shown := apart.DropEmpty()
	s.Grids = []model.Grid{shown}
	if slices.ContainsFunc(shown.Columns, func(c model.Column) bool { return c.Head == "costs" }) {
		s.Notes = Faint("The costs are lower bounds: with all of its spans sent, a variant costs at least as much.")
	}
	return s
}
