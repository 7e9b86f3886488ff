// The tables of a comparison: a row for each variant and operation, the figures of
// each new result beside each other.

package view

import (
	"cmp"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
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
	name := parts.Operation(c.Operation)
	if c.Of == finding.OfMean {
		name = "geometric mean"
	}
	if p := parts.Parameter(c.Parameter); p != "" {
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

// changeSection has a row for each variant and operation, and for each of the new
// results what it costs there and by how much that changed.
func changeSection(doc *finding.Comparison, g *changeGroup) model.Section {
	table := model.Grid{Caption: g.title(), Columns: []model.Column{{Give: true}, {Head: doc.Base.Name, Right: true}}}
	for i, side := range doc.News {
		table.Columns = append(table.Columns,
			model.Column{Head: side.Name, Right: true, Set: i + 1},
			model.Column{Head: "change", Right: true, Set: i + 1},
			model.Column{Head: "(corrected)", Close: true, Drop: 1, Set: i + 1},
			model.Column{Head: "verdict", Badge: true, Drop: 2, Set: i + 1})
	}
	for _, r := range g.rows(len(doc.News)) {
		before, after := r.costs()
		row := model.Texts(r.name, before)
		for i, c := range r.change {
			row = append(row, changeCells(c, after[i])...)
		}
		table.Add(row...)
	}
	table = table.DropEmpty()
	table.Notes = parts.Faint(g.notes()...)
	return model.Section{Grids: []model.Grid{table}}
}

func changeCells(c *finding.Change, after string) []model.Cell {
	if c == nil {
		return make([]model.Cell, 4)
	}
	kind := c.Verdict.ShownKind(c.Relative != nil)
	tone := parts.ToneOf(kind)
	estimate, ends := parts.Missing, model.Cell{}
	if i := shownChange(c); i != nil {
		estimate, ends = parts.Interval(*i, c.Unit, c.Relative != nil, tone)
		if i.Low == nil { // as exact as its own interval allows
			estimate, _ = parts.Interval(*cmp.Or(c.Relative, c.Absolute), c.Unit, c.Relative != nil, tone)
		}
	}
	text := changeBadge(c)
	return []model.Cell{{Text: after}, estimate, ends, {Mark: parts.VerdictMark(kind), Text: text, Long: parts.ShortVerdict(c.Verdict, text), Tone: tone}}
}

// shownChange is the one interval that is shown of a change: that which its verdict was read off. Where there is no verdict
// it is that of the change by itself: relative, or absolute where there is no ratio. A verdict without one has no ends.
func shownChange(c *finding.Change) *finding.Interval {
	if v := c.Verdict; v.Estimate != nil && v.Low != nil && v.High != nil {
		return &finding.Interval{Estimate: *v.Estimate, Low: v.Low, High: v.High}
	}
	own := cmp.Or(c.Relative, c.Absolute)
	if c.Verdict.Kind == "" || own == nil {
		return own
	}
	return &finding.Interval{Estimate: own.Estimate} // its own interval is narrower than what the verdict rests on
}

// costs are what tracing costs before and in each of the new results, all in one unit
// and with as many decimals.
func (r changeRow) costs() (before string, after []string) {
	all := []costFigure{costOf(r.first, r.first.Before)}
	for _, c := range r.change {
		if c != nil {
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
		switch {
		case v.Wide(c.Relative != nil):
			return "inconclusive"
		case v.Bound != nil:
			return "under " + finding.FormatBound(*v.Bound, c.Unit, c.Relative != nil)
		}
	case finding.Costs:
		return "worse"
	case finding.Saves:
		return "better"
	case finding.None:
		return ""
	}
	if parts.Unsure(v) {
		return "not significant after correction for " + parts.Counted(v.Claims, "comparison")
	}
	if v.Inconclusive(c.Relative != nil) {
		return "inconclusive"
	}
	return parts.VerdictWord(v)
}
