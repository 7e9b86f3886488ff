// Tables for a terminal: aligned columns that give way where it is narrow.

package terminal

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/report/model"
)

// Columns of names are shortened to easyName before a column is dropped, and to
// leastName when none is left to drop. A head widens figures to mostHead only.
const (
	easyName  = 24
	leastName = 10
	mostHead  = 22
)

// lines lays the grid out, indented, in at most width columns; 0 is no limit.
func (g grid) lines(p painter, width int) []string {
	shown, widths := g.fit(width)
	var out []string
	if g.caption != "" {
		out = append(out, g.captionLine(p))
	}
	if !g.bare {
		out = append(out, g.line(p, shown, widths, func(c int) textCell { return textCell{g.columns[c].Head, dim} }))
	}
	for _, row := range g.rows {
		for _, one := range g.wrapped(row, shown, widths) {
			out = append(out, g.line(p, shown, widths, func(c int) textCell { return one[c] }))
		}
	}
	return out
}

func (g grid) captionLine(p painter) string {
	if g.remark == "" {
		return indent + p.paint(g.caption, bold)
	}
	return indent + p.paint(g.caption, bold) + p.paint("; "+g.remark, dim)
}

// fit decides which columns are shown and how wide each is.
func (g grid) fit(width int) (shown []int, widths []int) {
	widths = make([]int, len(g.columns))
	for c := range g.columns {
		shown = append(shown, c)
		widths[c] = g.natural(c)
	}
	if width == 0 {
		return shown, widths
	}
	g.give(shown, widths, width, easyName)
	g.narrow(shown, widths, width)
	for g.total(shown, widths) > width {
		last := slices.MaxFunc(shown, func(a, b int) int { return g.columns[a].Drop - g.columns[b].Drop })
		if g.columns[last].Drop == 0 {
			break
		}
		shown = slices.DeleteFunc(shown, func(c int) bool { return g.columns[c].Drop == g.columns[last].Drop })
	}
	g.give(shown, widths, width, leastName)
	return shown, widths
}

// leastText is the least width of a column of sentences.
const leastText = 20

// narrow gives the columns of sentences what the others leave.
func (g grid) narrow(shown, widths []int, width int) {
	for _, c := range shown {
		if over := g.total(shown, widths) - width; over > 0 && g.columns[c].Wrap {
			widths[c] = max(min(leastText, widths[c]), widths[c]-over)
		}
	}
}

// wrapped is a row in as many lines as its sentences need.
func (g grid) wrapped(row []textCell, shown, widths []int) [][]textCell {
	lines := [][]textCell{row}
	for _, c := range shown {
		if !g.columns[c].Wrap {
			continue
		}
		for i, text := range wrap(row[c].text, widths[c]) {
			if i == len(lines) {
				lines = append(lines, make([]textCell, len(row)))
			}
			if i == 0 {
				lines[0] = slices.Clone(row)
			}
			lines[i][c] = textCell{text, row[c].style}
		}
	}
	return lines
}

// give shortens the columns of names, to no less than least, until all fits.
func (g grid) give(shown, widths []int, width, least int) {
	for _, c := range shown {
		if over := g.total(shown, widths) - width; over > 0 && g.columns[c].Give {
			widths[c] = max(min(least, widths[c]), widths[c]-over)
		}
	}
}

// natural is the width that a column would like to have.
func (g grid) natural(c int) int {
	w := widthOf(g.columns[c].Head)
	if g.columns[c].Right {
		w = min(w, mostHead)
	}
	for _, row := range g.rows {
		w = max(w, widthOf(row[c].text))
	}
	return w
}

func (g grid) total(shown, widths []int) int {
	t := len(indent) - len(gap)
	for _, c := range shown {
		t += len(g.gap(c)) + widths[c]
	}
	return t
}

const (
	indent = "  "
	gap    = "  "
)

func (g grid) gap(c int) string {
	if g.columns[c].Close {
		return " "
	}
	return gap
}

func (g grid) line(p painter, shown, widths []int, cell func(int) textCell) string {
	var b strings.Builder
	b.WriteString(indent)
	pending := "" // blanks are written only before something, so no line ends in them
	for i, c := range shown {
		if i > 0 {
			pending += g.gap(c)
		}
		it := cell(c)
		it.text = shorten(it.text, widths[c])
		pad := strings.Repeat(" ", widths[c]-widthOf(it.text))
		if g.columns[c].Right {
			pending += pad
		}
		if it.text != "" {
			b.WriteString(pending + p.paint(it.text, it.style))
			pending = ""
		}
		if !g.columns[c].Right {
			pending += pad
		}
	}
	return b.String()
}

// A table of the model as it is drawn: its texts made harmless, its verdicts in two columns.

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
			mark := model.Column{Close: c.Close}
			if c.Mute {
				mark.Drop = c.Drop
			}
			out.columns = append(out.columns, mark)
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

// wide returns the natural width of the table.
func (g grid) wide() int {
	shown, widths := g.fit(0)
	return g.total(shown, widths)
}
