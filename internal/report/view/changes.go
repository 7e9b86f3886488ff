// The tables of a comparison: a row for each variant and operation, the figures of
// each new result beside each other.

package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/wording"
)

// row is one line of a group: what it is of, and the change in each new result.
type changeRow struct {
	name   string
	first  *finding.Change
	change []*finding.Change // by new result; nil where it has none
}

func (g *changeGroup) rows(sets int) []changeRow {
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
				out = append(out, changeRow{name: name, first: c, change: make([]*finding.Change, sets)})
			}
			out[i].change[min(c.New, sets-1)] = c
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
	sets := doc.News
	if doc.Mode == finding.ByVariants && len(sets) > 1 {
		sets = []finding.Side{{Name: "variant"}} // a row is of one of them: a column for each would be empty but for that row
	}
	ends := "(95 %)"
	if slices.ContainsFunc(g.changes, corrected) {
		ends = "(corrected)"
	}
	for i, side := range sets {
		table.Columns = append(table.Columns,
			model.Column{Head: side.Name, Right: true, Set: i + 1},
			model.Column{Head: "change", Right: true, Set: i + 1},
			model.Column{Head: ends, Close: true, Drop: 1, Set: i + 1},
			model.Column{Head: "verdict", Badge: true, Drop: 2, Set: i + 1})
	}
	for _, r := range g.rows(len(sets)) {
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
	text := wording.ChangeBadge(c)
	return []model.Cell{{Text: after}, estimate, ends, {Mark: parts.VerdictMark(kind), Text: text, Long: wording.ShortVerdict(c.Verdict, text), Tone: tone}}
}

// shownChange is the one interval that is shown of a change: that which its verdict was read off. Where there is no verdict
// or too few blocks for so many claims, it is that of the change by itself: relative, or absolute where there is no ratio. A
// verdict that something else withholds has no ends.
func shownChange(c *finding.Change) *finding.Interval {
	if v := c.Verdict; v.Estimate != nil && v.Low != nil && v.High != nil {
		return &finding.Interval{Estimate: *v.Estimate, Low: v.Low, High: v.High}
	}
	own := cmp.Or(c.Relative, c.Absolute)
	if c.Verdict.Kind == "" || own == nil || few(c) {
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

// costFigure is the cost of tracing in one result, and the kind of figure.
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
	case cost.Blocks == 0 || !cost.Value.Known() && cost.Relative == nil && cost.Absolute == nil:
		return costFigure{}
	case c.Of == finding.OfBaseline:
	case cost.Relative != nil && (!cost.Amount || cost.Absolute == nil):
		return costFigure{*cost.Relative, costRatio}
	case cost.Absolute != nil:
		return costFigure{*cost.Absolute, costDifference}
	}
	return costFigure{finding.Interval{Estimate: float64(cost.Value)}, costValue}
}

// The changes of a comparison, split by metric and role: what a table is made of.

// changeGroup has the changes in one metric.
type changeGroup struct {
	metric, role, service string
	changes               []*finding.Change
}

// changeGroups splits the shown changes by metric and role:
// those that people decide by, and any that has a verdict worth seeing.
func changeGroups(doc *finding.Comparison, all bool) []*changeGroup {
	var out []*changeGroup
	byKey := map[[3]string]*changeGroup{}
	for i := range doc.Changes {
		c := &doc.Changes[i]
		k := [3]string{c.Metric, c.Role, c.Service}
		if byKey[k] == nil {
			byKey[k] = &changeGroup{metric: c.Metric, role: c.Role, service: c.Service}
			out = append(out, byKey[k])
		}
		byKey[k].changes = append(byKey[k].changes, c)
	}
	out = slices.DeleteFunc(out, func(g *changeGroup) bool {
		return !all && doc.Filter == "" && !parts.IsMain(&finding.Finding{Metric: g.metric, Role: g.role}) && !g.telling()
	})
	slices.SortStableFunc(out, func(a, b *changeGroup) int {
		return cmp.Or(cmp.Compare(parts.Rank(a.metric), parts.Rank(b.metric)), strings.Compare(a.role, b.role), strings.Compare(a.service, b.service))
	})
	return out
}

// telling reports whether a verdict is on a change, or on a budget.
func (g *changeGroup) telling() bool {
	return slices.ContainsFunc(g.changes, func(c *finding.Change) bool {
		return c.Verdict.Budget != nil || c.Verdict.Kind == finding.Costs || c.Verdict.Kind == finding.Saves
	})
}

func (g *changeGroup) title() string {
	return parts.Label(&finding.Finding{Metric: g.metric, Role: g.role, Service: g.service})
}

// notes are the remarks on its changes, each once; that on baselines stands at the
// end of the report.
func (g *changeGroup) notes() []string {
	var out []string
	if slices.ContainsFunc(g.changes, ownInterval) {
		out = append(out, "without a verdict: an interval of 95 %, not corrected")
	}
	if slices.ContainsFunc(g.changes, few) {
		out = append(out, "too few blocks to correct an interval for all comparisons: it is of 95 % by itself; a verdict beside it is corrected")
	}
	for _, c := range g.changes {
		if c.Note != "" && c.Of != finding.OfBaseline && !slices.Contains(out, c.Note) {
			out = append(out, c.Note)
		}
	}
	return out
}

// ownInterval reports whether a change of the cost has no verdict, and so shows its own interval, under a head that says corrected.
func ownInterval(c *finding.Change) bool {
	i := shownChange(c)
	return c.Of != finding.OfBaseline && c.Verdict.Kind == "" && i != nil && i.Low != nil
}

// few reports whether there are too few blocks for an interval that allows for all claims: the one shown is of this change
// alone.
func few(c *finding.Change) bool {
	return c.Verdict.Joint || c.Verdict.Kind == finding.CannotTell && c.Verdict.Low == nil && c.Verdict.MoreBlocks > 0 && c.Verdict.Claims > 1
}

// corrected reports whether the interval shown allows for all claims.
func corrected(c *finding.Change) bool { return c.Verdict.Low != nil && !few(c) }

// A comparison of results: a table per metric, and what stands against comparing.

// BriefComparison is a comparison for a terminal: what people decide by, or all.
func BriefComparison(doc *finding.Comparison, all bool) *model.Page {
	p := comparisonHead(doc)
	for _, g := range changeGroups(doc, all) {
		p.Sections = append(p.Sections, changeSection(doc, g))
	}
	p.Sections = append(p.Sections, rankSection(doc)...)
	return p
}

// WholeComparison is all of a comparison: what decides first, every change last.
func WholeComparison(doc *finding.Comparison) *model.Page {
	p := comparisonHead(doc)
	for i, g := range changeGroups(doc, false) {
		if i == 0 || g.telling() {
			p.Sections = append(p.Sections, changeSection(doc, g))
		}
	}
	every := model.Section{Title: "Every figure", Depth: model.Behind}
	for _, g := range changeGroups(doc, true) {
		every.Grids = append(every.Grids, changeSection(doc, g).Grids...)
	}
	p.Sections = append(append(p.Sections, parts.Sections(every)...), rankSection(doc)...)
	return p
}

func comparisonHead(doc *finding.Comparison) *model.Page {
	p := &model.Page{Summary: doc.Summary, Warnings: parts.Warnings(doc.Warnings), How: model.How{Reading: parts.Faint(changeText(doc))}}
	for _, text := range sidesText(doc) {
		p.About = append(p.About, []string{text})
	}
	if doc.Filter != "" {
		p.About = append(p.About, []string{filterText(doc)})
	}
	var budgets []finding.Kind
	for _, c := range doc.Changes {
		if c.Verdict.Budget != nil {
			budgets = append(budgets, c.Verdict.Kind)
		}
	}
	p.Kept = parts.Kept(budgets)
	return p
}

// filterText names the filter, and what it hides.
func filterText(doc *finding.Comparison) string {
	var out []string
	for _, h := range doc.Hidden {
		out = append(out, wording.Counted(len(h.Names), h.Key)+" ("+wording.FewNames(h.Names)+")")
	}
	if len(out) == 0 {
		return "filter: " + doc.Filter
	}
	return "filter: " + doc.Filter + "; it hides " + strings.Join(out, ", ")
}

// sidesText returns what is compared, a line a result.
func sidesText(doc *finding.Comparison) []string {
	var out []string
	for i, side := range append([]finding.Side{doc.Base}, doc.News...) {
		lead := "before: "
		if i > 0 {
			lead = "after:  "
		}
		text := lead + side.Name + ", " + wording.Counted(side.Blocks, "block")
		if i == 0 {
			text += " · " + side.Workload + " · " + side.Load
		}
		if len(side.Changed) > 0 {
			text += "; set differently: " + strings.Join(side.Changed, ", ")
		}
		out = append(out, text)
	}
	return out
}

// changeCentres explains why the figures of a row need not give its change.
const changeCentres = " Each figure is a centre over the blocks (Hodges–Lehmann), and those of a row need not subtract or divide exactly."

// changeText returns a change in words.
func changeText(doc *finding.Comparison) string {
	intervals := "Intervals headed (corrected) are those of the verdicts, others are of 95 % each. " + correctedText("comparisons")
	if doc.Mode == finding.ByVariants {
		return "A change is that of the whole figure, from one variant to the other, within blocks. " + intervals + changeCentres
	}
	return "A change is the ratio of two ratios to the baseline, after ÷ before: what slowed the machine down in one of the results cancels out. " + intervals + " The baseline's own change has no verdict: the machine's is in it." + changeCentres
}
