// Intervals as bars on one axis.

package terminal

import (
	"math"
	"strings"

	"github.com/tracetax/tracetax/internal/report/model"
)

// An axis has mostBar columns, or what the terminal leaves beside the names; below leastBar there is no chart.
const (
	mostBar  = 60
	leastBar = 24
)

// bars writes a chart below a table.
func (t *writer) bars(b *model.Bars) {
	if b == nil {
		return
	}
	width := mostBar
	if t.opts.Width > 0 {
		width = min(width, t.opts.Width-len(indent)-namesWidth(b)-len(gap))
	}
	if width < leastBar {
		return
	}
	t.line("")
	for _, l := range chart(b, width, t.brush) {
		t.line(l)
	}
}

// namesWidth returns the width of the names.
func namesWidth(b *model.Bars) int {
	most := 0
	for _, row := range b.Rows {
		most = max(most, min(widthOf(model.OneLine(row.Name)), easyName))
	}
	return most
}

// chart is the axis, and below it a line for each interval.
func chart(b *model.Bars, width int, p painter) []string {
	names := namesWidth(b)
	lines := []string{indent + strings.Repeat(" ", names) + gap + p.paint(axis(b, width), dim)}
	for _, row := range b.Rows {
		name := shorten(model.OneLine(row.Name), easyName)
		before, bar, after := barOf(b, row, width)
		after = strings.TrimRight(after, " ")
		lines = append(lines, indent+name+strings.Repeat(" ", names-widthOf(name))+gap+p.paint(before, dim)+p.paint(bar, styleOf(row.Tone))+p.paint(after, dim))
	}
	return lines
}

// axis is the line of an axis: its ends and zero.
func axis(b *model.Bars, width int) string {
	line := []rune(strings.Repeat(" ", width))
	first, last := []rune(model.OneLine(b.First)), []rune(model.OneLine(b.Last))
	if len(first)+len(last)+2 > width {
		return ""
	}
	copy(line, first)
	copy(line[width-len(last):], last)
	if zero := place(b, 0, width); zero > len(first)+1 && zero < width-len(last)-2 {
		line[zero] = '0'
	}
	return strings.TrimRight(string(line), " ")
}

// barOf is one interval on the axis: what stands before it, itself, and what stands after it.
func barOf(b *model.Bars, row model.Bar, width int) (before, bar, after string) {
	line := []rune(strings.Repeat(" ", width))
	line[place(b, 0, width)] = '│'
	low, middle, high := place(b, row.Low, width), place(b, row.Estimate, width), place(b, row.High, width)
	for at := low; at <= high; at++ {
		line[at] = '─'
	}
	line[low], line[high] = '├', '┤'
	if row.Least {
		line[high] = '►'
	}
	if middle = min(max(middle, low), high); !row.Least || middle < high {
		line[middle] = '●'
	}
	return string(line[:low]), string(line[low : high+1]), string(line[high+1:])
}

// place is the column of a value.
func place(b *model.Bars, x float64, width int) int {
	return min(max(int(math.Round((x-b.From)/(b.To-b.From)*float64(width-1))), 0), width-1)
}
