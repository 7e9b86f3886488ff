// A table of the model as it is drawn: its texts made harmless, its verdicts in two columns.

package terminal

import (
	"slices"

	"github.com/tracetax/tracetax/internal/report/model"
)

// textCell is one cell as it is drawn.
type textCell struct {
	text  string
	style style
}

// grid is a table as it is drawn: the marks of verdicts stand in columns of their own, which stay where the words go.
type grid struct {
	caption string
	remark  string
	bare    bool
	columns []model.Column
	rows    [][]textCell
}

// parts is a table as it is drawn, or one for each set of its columns where all of them are wider than the width.
func parts(g model.Grid, width int) []grid {
	whole := gridOf(g)
	last := 0
	for _, c := range g.Columns {
		last = max(last, c.Set)
	}
	if width == 0 || last < 2 || whole.wide() <= width {
		return []grid{whole}
	}
	var out []grid
	for set := 1; set <= last; set++ {
		out = append(out, gridOf(g.Only(func(c int) bool { return g.Columns[c].Set == 0 || g.Columns[c].Set == set })))
	}
	return out
}

func gridOf(g model.Grid) grid {
	out := grid{caption: model.OneLine(g.Caption), remark: model.OneLine(g.Remark), bare: g.Bare, rows: make([][]textCell, len(g.Rows))}
	for i, c := range g.Columns {
		marked := slices.ContainsFunc(g.Rows, func(row model.Row) bool { return row.Cells[i].Mark != "" })
		if marked {
			out.columns = append(out.columns, model.Column{Close: c.Close})
			c.Close = true
		}
		c.Head = model.OneLine(c.Head)
		out.columns = append(out.columns, c)
		for r, row := range g.Rows {
			it := row.Cells[i]
			s := styleOf(it.Tone)
			if marked {
				out.rows[r] = append(out.rows[r], textCell{it.Mark, s})
			}
			out.rows[r] = append(out.rows[r], textCell{model.OneLine(it.Text), s})
		}
	}
	return out
}

// wide is how wide the table would like to be.
func (g grid) wide() int {
	shown, widths := g.fit(0)
	return g.total(shown, widths)
}
