// The order of the variants where machines differ.

package view

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// rankSection shows the order of the variants where machines differ.
func rankSection(doc *finding.Comparison) []model.Section {
	if len(doc.Ranks) == 0 {
		return nil
	}
	return []model.Section{{Title: "Ranks", Depth: model.Folded, Grids: []model.Grid{rankTable(doc)}}}
}

func rankTable(doc *finding.Comparison) model.Grid {
	table := model.Grid{Caption: "by " + finding.MetricName(doc.Ranks[0].Metric), Remark: "1 is the best", Columns: []model.Column{{Give: true}}}
	for _, side := range append([]finding.Side{doc.Base}, doc.News...) {
		table.Columns = append(table.Columns, model.Column{Head: side.Name, Right: true})
	}
	for _, r := range doc.Ranks {
		name := parts.Operation(r.Operation)
		if p := parts.Parameter(r.Parameter); p != "" {
			name += ", " + p
		}
		row := []model.Cell{{Text: name + ", " + r.Variant}}
		for _, place := range r.Places {
			text := finding.Missing
			if place > 0 {
				text = finding.FormatCount(int64(place))
			}
			row = append(row, model.Cell{Text: text})
		}
		table.Add(row...)
	}
	return table
}
