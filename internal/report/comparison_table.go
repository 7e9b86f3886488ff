// The tables of a comparison: a row for each variant and operation, the figures of
// each new result beside each other.

package report

import (
	"github.com/tracetax/tracetax/internal/finding"
)

// row is one line of a group: what it is of, and the change in each new result.
type changeRow struct {
	name   string
	first  *finding.Change
	change []*finding.Change // by new result; nil where it has none
}

func (g *changeGroup) rows(news int) []changeRow {
	var out []changeRow
	at := map[string]int{}
	for _, of := range []string{finding.OfCost, finding.OfMean, finding.OfBaseline} {
		for _, c := range g.changes {
			if c.Of != of {
				continue
			}
			name := changeName(c)
			i, known := at[of+" "+name]
			if !known {
				i = len(out)
				at[of+" "+name] = i
				out = append(out, changeRow{name: name, first: c, change: make([]*finding.Change, news)})
			}
			out[i].change[c.New] = c
		}
	}
	return out
}

// changeName is "json, otel", "geometric mean, otel" or "json, none (baseline)".
func changeName(c *finding.Change) string {
	name := operationLabel(c.Operation)
	if c.Of == finding.OfMean {
		name = "geometric mean"
	}
	if p := parameterText(c.Parameter); p != "" {
		name += ", " + p
	}
	if c.Variant != "" {
		name += ", " + c.Variant
	}
	if c.Of == finding.OfBaseline {
		name += " (baseline)"
	}
	return name
}

// changeTable has a row for each variant and operation, and for each of the new
// results what it costs there and by how much that changed.
func changeTable(doc *finding.Comparison, g *changeGroup, news []int) grid {
	table := grid{caption: visible(g.title()), columns: []column{{give: true}, {head: visible(doc.Base.Name), right: true}}}
	for _, i := range news {
		table.columns = append(table.columns,
			column{head: visible(doc.News[i].Name), right: true},
			column{head: "change", right: true},
			column{head: "(95 %)", close: true, drop: 1},
			column{},
			column{head: "verdict", close: true, drop: 2})
	}
	for _, r := range g.rows(len(doc.News)) {
		before, after := r.costs(news)
		row := []textCell{{text: visible(r.name)}, {text: before}}
		for n, i := range news {
			row = append(row, changeCells(r.change[i], after[n])...)
		}
		table.rows = append(table.rows, row)
	}
	return dropEmpty(table)
}

func changeCells(c *finding.Change, after string) []textCell {
	if c == nil {
		return make([]textCell, 5)
	}
	s := verdictStyle(c.Verdict.Kind)
	estimate, ends := textCell{text: finding.Missing, style: dim}, textCell{}
	if i := shownChange(c); i != nil {
		estimate, ends = intervalCells(*i, c.Unit, c.Relative != nil, s)
	}
	return []textCell{{text: after}, estimate, ends, {verdictMark(c.Verdict.Kind), s}, {changeBadge(c), s}}
}

// shownChange is the relative change, or the absolute one where there is no ratio.
func shownChange(c *finding.Change) *finding.Interval {
	if c.Relative != nil {
		return c.Relative
	}
	return c.Absolute
}

// costs are what tracing costs before and in each of the new results, all in one unit
// and with as many decimals.
func (r changeRow) costs(news []int) (before string, after []string) {
	all := []costFigure{costOf(r.first, r.first.Before)}
	for _, i := range news {
		if c := r.change[i]; c != nil {
			all = append(all, costOf(c, c.After))
		} else {
			all = append(all, costFigure{kind: noCost})
		}
	}
	texts := make([]string, len(all))
	for i := range texts {
		texts[i] = finding.Missing
	}
	for _, kind := range []costKind{costRatio, costDifference, costValue} {
		var places []int
		var figures []finding.Interval
		for i, f := range all {
			if f.kind == kind {
				places, figures = append(places, i), append(figures, f.Interval)
			}
		}
		for n, text := range finding.FormatAlike(figures, r.first.Unit, kind == costRatio, kind != costValue) {
			texts[places[n]] = text
		}
	}
	return texts[0], texts[1:]
}

// costFigure is what tracing costs in one result, and what kind of figure that is.
type costFigure struct {
	finding.Interval
	kind costKind
}

type costKind int

const (
	noCost costKind = iota
	costRatio
	costDifference
	costValue
)

// costOf is what tracing costs in one result: over the baseline where there is a
// ratio, else the difference, else the figure itself.
func costOf(c *finding.Change, cost finding.Cost) costFigure {
	switch {
	case cost.Blocks == 0:
		return costFigure{}
	case c.Of == finding.OfBaseline:
	case cost.Relative != nil && (!cost.Amount || cost.Absolute == nil):
		return costFigure{*cost.Relative, costRatio}
	case cost.Absolute != nil:
		return costFigure{*cost.Absolute, costDifference}
	}
	return costFigure{finding.Interval{Estimate: cost.Value}, costValue}
}

// changeBadge is the verdict in a few words.
func changeBadge(c *finding.Change) string {
	v := c.Verdict
	switch v.Kind {
	case finding.NoDifference:
		if v.Bound != nil {
			return "under " + finding.FormatBound(*v.Bound, c.Unit, c.Relative != nil)
		}
	case finding.Costs:
		return "worse"
	case finding.Saves:
		return "better"
	case finding.None:
		return ""
	}
	if unsure(v) {
		return "not sure among " + counted(v.Claims, "claim")
	}
	return verdictWord(v)
}

// ranks shows the order of the variants where machines differ.
func (t *terminal) ranks(doc *finding.Comparison) {
	if len(doc.Ranks) == 0 {
		return
	}
	t.line("")
	for _, l := range rankTable(doc).lines(t.brush, t.opts.Width) {
		t.line(l)
	}
}

func rankTable(doc *finding.Comparison) grid {
	table := grid{caption: "rank by " + finding.MetricName(doc.Ranks[0].Metric), remark: "1 is the best", columns: []column{{give: true}}}
	for _, side := range append([]finding.Side{doc.Base}, doc.News...) {
		table.columns = append(table.columns, column{head: visible(side.Name), right: true})
	}
	for _, r := range doc.Ranks {
		name := operationLabel(r.Operation)
		if p := parameterText(r.Parameter); p != "" {
			name += ", " + p
		}
		row := []textCell{{text: visible(name + ", " + r.Variant)}}
		for _, place := range r.Places {
			text := finding.Missing
			if place > 0 {
				text = finding.FormatCount(int64(place))
			}
			row = append(row, textCell{text: text})
		}
		table.rows = append(table.rows, row)
	}
	return table
}
