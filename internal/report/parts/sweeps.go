// The curves over the levels: a metric by what was varied, of every variant.

package parts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
)

// curves are one metric of one operation over its levels, a curve for each variant.
type curves struct {
	operation, metric string
	list              []*finding.Sweep
}

func curvesOf(all []finding.Sweep) []curves {
	var out []curves
	for i := range all {
		s := &all[i]
		at := slices.IndexFunc(out, func(c curves) bool { return c.operation == s.Operation && c.metric == s.Metric })
		if at < 0 {
			at = len(out)
			out = append(out, curves{operation: s.Operation, metric: s.Metric})
		}
		out[at].list = append(out[at].list, s)
	}
	return out
}

// SweepsSection has a table for each metric of each operation.
func SweepsSection(sweeps []finding.Sweep, lead string) model.Section {
	s := model.Section{ID: "sweeps", Title: "From level to level", Depth: model.Folded, Chart: &model.Chart{}}
	knees := ""
	for _, c := range curvesOf(sweeps) {
		table := c.table()
		if len(table.Notes) > 0 {
			knees = " A diamond is a knee: from there on, doubling brings under 10 % more."
		}
		s.Grids = append(s.Grids, table)
	}
	s.Lead = model.Texts(lead + knees)
	return s
}

// table has a row for each level that any of the curves has.
func (c curves) table() model.Grid {
	by := c.list[0].Parameter
	table := model.Grid{Caption: Operation(c.operation), Remark: finding.MetricName(c.metric) + " by " + by, Fold: model.Closed, Columns: []model.Column{{Head: by, Right: true}}}
	for _, s := range c.list {
		table.Columns = append(table.Columns, model.Column{Head: s.Variant, Right: true})
		if s.Knee != nil {
			table.Notes = append(table.Notes, model.Note{Lead: s.Variant + ": ", Text: s.Knee.Text, Tone: model.Faint})
		}
	}
	for _, x := range c.levels() {
		row := model.Texts(strconv.FormatFloat(x, 'g', -1, 64))
		for _, s := range c.list {
			text := finding.Missing
			if i := slices.IndexFunc(s.Points, func(p finding.SweepPoint) bool { return p.X == x }); i >= 0 {
				text = pointText(s.Points[i], s.Unit)
			}
			row = append(row, model.Cell{Text: text})
		}
		table.Add(row...)
	}
	return table
}

// pointText is the value at a point of a curve, with its interval.
func pointText(p finding.SweepPoint, unit string) string {
	size, ends := finding.FormatMeasured(finding.Interval{Estimate: p.Y, Low: p.Low, High: p.High}, unit)
	return strings.TrimSpace(size + " " + ends)
}

// PointTexts are the values at all points of curves.
func PointTexts(sweeps []finding.Sweep) [][]string {
	out := [][]string{}
	for _, s := range sweeps {
		texts := []string{}
		for _, p := range s.Points {
			texts = append(texts, pointText(p, s.Unit))
		}
		out = append(out, texts)
	}
	return out
}

func (c curves) levels() []float64 {
	var xs []float64
	for _, s := range c.list {
		for _, p := range s.Points {
			if !slices.Contains(xs, p.X) {
				xs = append(xs, p.X)
			}
		}
	}
	slices.Sort(xs)
	return xs
}
