// Package parts owns what the views of all documents share: figures, intervals and verdicts as cells, names, marks, and
// the tables that results and replications have alike. It must not know a form, nor which parts a report has.
package parts

import (
	"slices"

	"github.com/tracetax/tracetax/internal/report/model"
)

// Faint are notes that can be passed over.
func Faint(texts ...string) []model.Note {
	var out []model.Note
	for _, text := range texts {
		out = append(out, model.Note{Text: text, Tone: model.Faint})
	}
	return out
}

// Sections are those that have something to show.
func Sections(all ...model.Section) []model.Section {
	return slices.DeleteFunc(all, func(s model.Section) bool { return len(s.Grids) == 0 })
}

// Grids are the tables that have rows.
func Grids(tables ...model.Grid) []model.Grid {
	return slices.DeleteFunc(tables, func(g model.Grid) bool { return len(g.Rows) == 0 })
}

// WithMade adds by what a report was made.
func WithMade(h model.How, tool string, more ...string) model.How {
	h.Made = append([]string{"tracetax " + tool}, more...)
	return h
}
