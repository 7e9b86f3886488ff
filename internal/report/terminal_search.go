// What the searches for a capacity came to: a row for each variant.

package report

import (
	"cmp"
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/spec"
)

// searchesOf are the searches of one operation at one level.
func searchesOf(doc *finding.Document, operation, parameter string) []*finding.Search {
	var out []*finding.Search
	for i := range doc.Searches {
		if s := &doc.Searches[i]; s.Operation == operation && parameterText(s.Parameter) == parameter {
			out = append(out, s)
		}
	}
	return out
}

// searches writes the rate that each variant's searches found, with its own
// interval, and what keeps it from more.
func (t *terminal) searches(operation, parameter string) {
	list := searchesOf(t.doc, operation, parameter)
	if len(list) == 0 {
		return
	}
	t.line("")
	for _, l := range searchTable(list).lines(t.brush, t.opts.Width) {
		t.line(l)
	}
	for _, s := range list {
		if s.Rate == nil {
			t.paragraph(indent+visible(s.Variant)+": ", s.Text, yellow)
		}
	}
}

func searchTable(list []*finding.Search) grid {
	table := grid{caption: visible(list[0].Goal), columns: []column{
		{head: "", give: true},
		{head: "rate", right: true},
		{head: "", close: true, drop: 1},
		{head: "lost there", right: true, drop: 4},
		{head: "bound by"},
		{head: "searches", right: true, drop: 3},
		{head: "each", right: true, drop: 2},
	}}
	if list[0].Method == "staircase" {
		table.remark = "by a staircase"
	}
	for _, s := range list {
		rate, ends := textCell{text: finding.Missing, style: dim}, textCell{}
		if s.Rate != nil {
			rate, ends = intervalCells(*s.Rate, "1/s", false, plain)
			rate.text = finding.FormatValue(s.Rate.Estimate, "1/s")
		}
		table.rows = append(table.rows, []textCell{
			{text: visible(s.Variant)}, rate, ends, lostCell(s),
			{text: cmp.Or(visible(s.Binding), finding.Missing)},
			{text: finding.FormatCount(int64(len(s.Outcomes)))},
			{text: finding.FormatValue(math.Round(s.Seconds), "s")},
		})
	}
	return dropEmpty(table)
}

// otherSearches writes those of operations and levels without any finding.
func (t *terminal) otherSearches(all []*group) {
	shown := map[[2]string]bool{}
	for _, g := range all {
		shown[[2]string{g.operation, g.parameter}] = true
	}
	for i := range t.doc.Searches {
		s := &t.doc.Searches[i]
		key := [2]string{s.Operation, parameterText(s.Parameter)}
		if shown[key] {
			continue
		}
		shown[key] = true
		t.line("")
		t.title((&group{operation: key[0], parameter: key[1]}).title())
		t.searches(key[0], key[1])
	}
}

// lostCell is the share of spans that were lost at the rate found: nothing where none was,
// a dash where that is not known.
func lostCell(s *finding.Search) textCell {
	text := lostThere(s)
	if text == finding.Missing {
		return textCell{text: text, style: dim}
	}
	return textCell{text, yellow}
}

func lostThere(s *finding.Search) string {
	switch {
	case s.Kind == string(spec.GoalLossless) || s.Rate == nil:
		return "" // lost on purpose, or there is no such rate
	case s.LostShare == nil:
		return finding.Missing
	case *s.LostShare == 0:
		return ""
	}
	return finding.FormatValue(*s.LostShare, "1")
}
