package page

import (
	"html/template"
	"strings"

	"github.com/tracetax/tracetax/internal/report/model"
)

// functions are what the template asks of tables.
var functions = template.FuncMap{
	"oneLine": model.OneLine,
	"column":  columnClass,
	"cells":   cellsOf,
	"grid":    gridClass,
	"folded":  func(g model.Grid) bool { return g.Fold != model.Open },
	"opened":  func(g model.Grid) bool { return g.Fold == model.Unfolded },
	"strong":  func(c model.Cell) bool { return c.Tone == model.Strong },
	"held":    func(s string) string { return strings.ReplaceAll(s, " %", "\u00a0%") }, // no line ends between a number and its sign
	"isNote":  func(w model.Warning) bool { return w.Tone == model.Plain },
}

// columnClass is the class of the head of a column.
func columnClass(c model.Column) string {
	if c.Right {
		return "n"
	}
	return ""
}

// placed is a cell in its column.
type placed struct {
	model.Cell
	Column model.Column
	First  bool   // it names the row
	Class  string // of the element
}

func cellsOf(g model.Grid, row model.Row) []placed {
	out := make([]placed, len(row.Cells))
	for i, c := range row.Cells {
		out[i] = placed{Cell: c, Column: g.Columns[i], First: i == 0, Class: cellClass(g.Columns[i], c)}
	}
	return out
}

// cellClass is the class of a cell: how it is aligned, whether it may be broken, and its tone. A verdict's tone is on its badge.
func cellClass(c model.Column, it model.Cell) string {
	var classes []string
	for _, one := range []struct {
		is    bool
		class string
	}{{c.Right, "n"}, {c.Close, "whole"}, {c.Wrap && c.Right, "wrap"}, {c.Badge, "badge"}, {len(it.Parts) > 0, "entries"}} {
		if one.is {
			classes = append(classes, one.class)
		}
	}
	if tone := it.Tone.String(); tone != "" && !c.Badge {
		classes = append(classes, tone)
	}
	return strings.Join(classes, " ")
}

// manyColumns make a table that is to be scrolled rather than squeezed.
const manyColumns = 9

func gridClass(g model.Grid) string {
	switch {
	case g.Stack:
		return "stack"
	case len(g.Columns) >= manyColumns:
		return "many"
	}
	return ""
}
