// Stacks: what an amount consists of.

package main

import "fmt"

// stack is a panel of them, with its own unit and legend.
type stack struct {
	title, unit string
	times       float64 // from the table's unit to the axis'
	parts       []part  // metrics, from the inside; a row need not have all
	rows        []part
}

// drawStacks draws each stack: parts above 0 to the right, those below to the left, and under them the interval of the whole.
func (p picture) drawStacks(d *drawing, folder string) error {
	for _, s := range p.stacks {
		p.times = s.times
		wholes, parts := make([]bar, len(s.rows)), make([][]bar, len(s.rows))
		low, high := 0.0, 0.0
		for i, r := range s.rows {
			var err error
			if wholes[i], parts[i], err = p.stacked(folder, r, s.parts); err != nil {
				return err
			}
			left, right := 0.0, 0.0
			for _, b := range parts[i] {
				left, right = left+min(0, b.figure.value), right+max(0, b.figure.value)
			}
			low, high = min(low, left, wholes[i].figure.low), max(high, right, wholes[i].figure.high)
		}
		d.y += 20
		d.text("panel", margin, d.y, s.title)
		d.y += 3
		var says []string
		for _, part := range s.parts {
			says = append(says, part.name)
		}
		d.legend(says, func(i int, x, y float64) { d.put("%s", box(painted(s.parts[i]), x, x+22, y)) })
		a := newAxis(margin+p.label, width-margin-26, low, high, s.unit, 0)
		d.put(`<g data-times="%g" data-beyond="0">`, s.times)
		a.draw(d, d.y, d.y+stackHigh*float64(len(s.rows)))
		for n, whole := range wholes {
			y, left, right := d.y+stackHigh*(float64(n)+.5), 0.0, 0.0
			d.text("name", margin+10, y+2, s.rows[n].name)
			for _, b := range parts[n] {
				end := &right
				if b.figure.value < 0 {
					end = &left
				}
				d.put("%s", box(painted(b.part)+b.row.cells(p.column), a.at(*end), a.at(*end+b.figure.value), y-4))
				*end += b.figure.value
			}
			d.put("%s", whiskers(` class="whole"`+whole.row.cells(p.column), a.at(whole.figure.low), a.at(whole.figure.high), y+9))
		}
		d.put("</g>")
		d.y += stackHigh*float64(len(s.rows)) + below
	}
	return nil
}

func painted(p part) string { return fmt.Sprintf(` class="part c%d"`, p.colour) }

// stacked reads a row: the whole, and those of the parts that its table has.
func (p picture) stacked(folder string, r part, metrics []part) (whole bar, parts []bar, err error) {
	want := p.want.and(r.want)
	rows, err := rowsOf(folder, r.table, want)
	if err != nil {
		return bar{}, nil, err
	}
	has := map[string]bool{}
	for _, r := range rows {
		has[r["metric"]] = true
	}
	for _, of := range metrics {
		if !has[of.want["metric"]] {
			continue
		}
		b, err := p.bar(folder, r.table, want.and(of.want), of)
		if err != nil {
			return bar{}, nil, err
		}
		if b.figure != nil {
			parts = append(parts, b)
		}
	}
	if whole, err = p.bar(folder, r.table, want.and(row{"metric": "cpu_per_operation"}), r); err != nil {
		return bar{}, nil, err
	}
	if whole.figure == nil || !whole.figure.interval {
		return bar{}, nil, fmt.Errorf("the table %s has no interval for %s: measure more blocks, or take it out of pictures.go",
			r.table, whole.row.key())
	}
	return whole, parts, nil
}
