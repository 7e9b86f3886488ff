// The table of the variants that lost too many spans to be ranked, of a result and of a
// study.

package report

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

func apartColumns() []column {
	return []column{
		{head: "operation", give: true}, {head: "variant", give: true}, {head: "lost", right: true},
		{head: "costs", right: true, drop: 2}, {head: "(95 %)", close: true, drop: 3}, {head: "of", drop: 3}, {head: "where", drop: 1},
	}
}

func apartCells(l finding.Lossy) []textCell {
	row := []textCell{{text: visible(cellLabel(l.Operation, l.Parameter))}, {text: visible(l.Variant)}, {finding.FormatValue(l.LostShare, "1"), yellow}, {}, {}, {}, {text: words.Places(l.Where)}}
	switch {
	case l.Cost != nil:
		row[3], row[4] = intervalCells(*l.Cost, "1", true, plain)
	case l.Added != nil:
		row[3], row[4] = intervalCells(*l.Added, l.Unit, false, plain)
	default:
		return row
	}
	row[5].text = finding.MetricName(l.Metric)
	return row
}

// apartTable has a row for each variant that is listed apart.
func apartTable(lossy []finding.Lossy) grid {
	table := grid{columns: apartColumns()}
	for _, l := range lossy {
		table.rows = append(table.rows, apartCells(l))
	}
	return table
}

// addApart puts in the table of who is listed apart, if anybody is, with what its costs mean.
func (s *studySection) addApart(apart grid) {
	if len(apart.rows) == 0 {
		return
	}
	shown := dropEmpty(apart)
	s.grids = append(s.grids, shown)
	if slices.ContainsFunc(shown.columns, func(c column) bool { return c.head == "costs" }) {
		s.notes = append(s.notes, "The costs are lower bounds: with all of its spans sent, a variant costs at least as much.")
	}
}
