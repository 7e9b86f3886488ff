// Bars with intervals, with published figures beside them, and stacks.

package main

import (
	"fmt"
	"slices"
	"strings"
)

const (
	rowHigh   = 24 // of a bar with its name
	stackHigh = 34
	below     = 26 // room for the texts of an axis
)

// bar is a line of a panel: a row of a table, or the name of a group.
type bar struct {
	part
	row       row     // nil where it is the name of a group
	figure    *figure // nil where the row has none
	published []published
}

// published is a figure that a study has, the row that it is in, and its series of the picture's.
type published struct {
	row    row
	figure *figure
	series int
}

// drawBars draws the panels, with one axis for all of them.
func (p picture) drawBars(d *drawing, folder string) error {
	panels := make([][]bar, len(p.panels))
	low, high := 0.0, 0.0
	for i, panel := range p.panels {
		var err error
		if panels[i], err = p.bars(folder, panel); err != nil {
			return err
		}
		for _, b := range panels[i] {
			for _, f := range append(b.published, published{figure: b.figure}) {
				if f.figure != nil {
					low, high = min(low, f.figure.value, f.figure.low), max(high, f.figure.value, f.figure.high)
				}
			}
		}
	}
	says := []string{"measured, 95 % interval"}
	for _, s := range p.published {
		says = append(says, s.says)
	}
	d.legend(says, func(i int, x, y float64) {
		if i > 0 {
			d.mark("", x+14, y, i-1)
			return
		}
		d.put(`<g class="bar c0">%s%s</g>`, box("", x, x+20, y), whiskers("", x+14, x+26, y))
	})
	wide := float64(width-2*margin) / float64(p.columns)
	for i, bars := range panels {
		left, top := margin+float64(i%p.columns)*wide, d.y+8
		if p.panels[i].name != "" {
			d.text("panel", left, top+13, p.panels[i].name)
			top += 24
		}
		p.drawPanel(d, newAxis(left+p.label, left+wide-26, low, high, p.unit, p.beyond), left, top, bars)
		if i%p.columns == p.columns-1 || i == len(panels)-1 {
			d.y = top + rowHigh*float64(len(bars)) + below // panels beside each other have the same rows
		}
	}
	return nil
}

func (p picture) drawPanel(d *drawing, a axis, left, top float64, bars []bar) {
	d.put(`<g data-times="%g" data-beyond="%g">`, p.times, p.beyond)
	a.draw(d, top, top+rowHigh*float64(len(bars)))
	for n, b := range bars {
		y := top + rowHigh*(float64(n)+.5)
		if b.row == nil {
			d.text("group", left, y+5, b.name)
			continue
		}
		name, class := b.name, fmt.Sprintf("bar c%d", b.colour)
		if b.row["lossy"] == "true" {
			name, class = name+" †", class+" lossy"
		}
		d.text("name", left+10, y+5, name)
		if f := b.figure; f != nil {
			whisk := ""
			if f.interval {
				whisk = whiskers("", a.at(f.low), a.at(f.high), y)
			}
			d.put(`<g class="%s"%s>%s%s</g>`, class, b.row.cells(p.column), box("", a.at(0), a.at(f.value), y), whisk)
		}
		for _, f := range b.published {
			d.mark(f.row.cells("published_"+p.column), a.at(f.figure.value), y, f.series)
		}
	}
	d.put("</g>")
}

// bars are those of a panel, below the names of their groups.
func (p picture) bars(folder string, panel part) ([]bar, error) {
	table := p.table
	if panel.table != "" {
		table = panel.table
	}
	groups := p.groups
	if groups == nil {
		groups = []part{{}}
	}
	var out []bar
	for _, group := range groups {
		if group.name != "" {
			out = append(out, bar{part: group})
		}
		want, rows := p.want.and(panel.want).and(group.want), p.rows
		if rows == nil {
			var err error
			if rows, err = variants(folder, table, want); err != nil {
				return nil, err
			}
		}
		for _, of := range rows {
			b, err := p.bar(folder, table, want.and(of.want), of)
			if err != nil {
				return nil, err
			}
			out = append(out, b)
		}
	}
	return out, nil
}

// variants are the bars of all variants that a table has beside the baseline, in its order, in the colours of their tracers.
func variants(folder, table string, want row) ([]part, error) {
	rows, err := rowsOf(folder, table, want)
	if err != nil {
		return nil, err
	}
	var out []part
	for _, r := range rows {
		name := r["variant"]
		if name == "none" || slices.ContainsFunc(out, func(p part) bool { return p.name == name }) {
			continue
		}
		tracer, _, _ := strings.Cut(name, "-")
		colour, known := tracers[tracer]
		if !known {
			return nil, fmt.Errorf("the table %s has the variant %s, which has no colour: add %q to tracers in pictures.go", table, name, tracer)
		}
		out = append(out, part{name: name, want: row{"variant": name}, colour: colour})
	}
	return out, nil
}

// bar reads the bar of a row. The table has that row once, or once for each series of published figures.
func (p picture) bar(folder, table string, want row, of part) (bar, error) {
	rows, err := rowsOf(folder, table, want)
	if err != nil {
		return bar{}, err
	}
	b := bar{part: of, row: rows[0]}
	if b.figure, err = b.row.figure(p.column, p.times); err != nil {
		return bar{}, err
	}
	for _, r := range rows {
		if r.cells(p.column) != b.row.cells(p.column) {
			return bar{}, fmt.Errorf("the table %s has several rows for one bar, %s and %s: want more of it in pictures.go",
				table, b.row.key(), r.key())
		}
		f, err := r.figure("published_"+p.column, p.times)
		if err != nil {
			return bar{}, err
		}
		if f == nil {
			continue
		}
		at := slices.IndexFunc(p.published, func(s series) bool { return strings.HasPrefix(r["series"], s.begins) })
		if at < 0 {
			return bar{}, fmt.Errorf("the table %s has published figures of %q, which have no mark: add it to published in pictures.go",
				table, r["series"])
		}
		b.published = append(b.published, published{r, f, at})
	}
	return b, nil
}
