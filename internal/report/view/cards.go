// The headline of each operation, as cards and as a table.

package view

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/wording"
)

// deck makes the cards of a result.
type deck struct {
	doc    *finding.Document
	told   map[*finding.Finding]bool // elsewhere
	paints map[string]parts.Paint
}

// cards has one for each operation; of many levels the lowest and the highest.
func (d *deck) cards() []model.Card {
	var all []model.Card
	doc := d.doc
	groups := Groups(doc)
	for _, g := range groups {
		if swept := levels(groups, g.Operation); swept != nil && g.Parameter != "" {
			if c := d.sweptCard(swept); g == swept[0] && len(c.Rows) > 0 {
				all = append(all, c)
			}
			continue
		}
		c := model.Card{Title: g.title()}
		d.addHeadlines(&c, g, "")
		lossyLast(&c)
		if len(c.Rows) > 0 {
			all = append(all, c)
		}
	}
	return all
}

func (d *deck) addHeadlines(c *model.Card, g *Group, level string) {
	for _, f := range g.Findings {
		if f.Headline && !d.told[f] {
			c.Label = parts.Label(f)
			row := cardRow(d.doc, g, f)
			row.Level, row.Hue = level, d.paints[f.Variant].Colour
			c.Rows = append(c.Rows, row)
		}
	}
}

// lossyLast puts the variants that do less below the others.
func lossyLast(c *model.Card) {
	slices.SortStableFunc(c.Rows, func(a, b model.CardRow) int {
		switch {
		case a.Last == b.Last:
			return 0
		case a.Last:
			return 1
		}
		return -1
	})
}

func (d *deck) sweptCard(levels []*Group) model.Card {
	c := model.Card{Title: parts.Operation(levels[0].Operation) + ", by " + parameterNames(levels[0])}
	for _, g := range []*Group{levels[0], levels[len(levels)-1]} {
		d.addHeadlines(&c, g, levelText(g))
	}
	if n := len(levels) - 2; n > 0 {
		c.More = wording.Counted(n, "level") + " between them: see below"
	}
	return c
}

func cardRow(doc *finding.Document, g *Group, f *finding.Finding) model.CardRow {
	row := model.CardRow{Key: keyOf(doc, f), Variant: markedVariant(doc, g, f.Variant), Last: lossyOf(doc, g, f.Variant) != nil}
	row.Marked = row.Variant != f.Variant
	if doc.NotTracing(f) {
		row.Missing, row.Last = true, true
		row.Big, row.Ends = "no spans", "not the overhead of tracing"
		if doc.OneElsewhere(f) != "" {
			row.Big = "spans elsewhere"
		}
		return row
	}
	row.Verdict = model.Cell{Mark: parts.VerdictMark(f.Verdict.ShownKind(f.ByRatio())), Text: wording.LongBadge(f), Long: f.Verdict.Text, Tone: parts.ToneOf(f.Verdict.ShownKind(f.ByRatio()))}
	row.Values = parts.Value(f, f.Baseline) + " → " + parts.Value(f, f.Value)
	i := f.Shown()
	switch {
	case i == nil:
		row.Big = finding.Missing
		return row
	case wording.Withheld(f): // as the sentence on top has it
		row.Big = "unknown"
		return row
	}
	estimate, ends := parts.Interval(*i, f.Unit, f.ByRatio(), model.Plain)
	row.Big, row.Ends = estimate.Text, ends.Text
	if f.ByRatio() && f.Unit == "s" && f.Absolute != nil && f.Verdict.BudgetUnit == "" { // the amount carries over to other rates
		row.Amount = parts.IntervalText(f.Absolute, f.Unit, false)
	}
	if isLeast(doc, g, f) {
		row.Before = atLeast
	}
	return row
}

// atLeast stands before a figure that is a lower bound.
const atLeast = "at least"

// headlines has a row for each operation and variant: the headline, and every
// metric with a budget; those that lost too many spans below the others.
func headlines(doc *finding.Document) model.Grid {
	base := baseline(doc)
	table := model.Grid{Columns: []model.Column{
		{}, {Head: "metric"}, {Head: base, Right: true}, {Head: "with tracing", Right: true}, {Head: "difference", Right: true}, {Head: "verdict", Badge: true},
	}}
	for _, g := range Groups(doc) {
		var lossy []model.Row
		for _, f := range g.Findings {
			if f.Against != base || !f.Headline && f.Verdict.Budget == nil {
				continue
			}
			row := headlineRow(doc, g, f)
			if lossyOf(doc, g, f.Variant) != nil {
				lossy = append(lossy, row)
				continue
			}
			table.Rows = append(table.Rows, row)
		}
		table.Rows = append(table.Rows, lossy...)
	}
	return table
}

func headlineRow(doc *finding.Document, g *Group, f *finding.Finding) model.Row {
	difference := parts.IntervalText(f.Shown(), f.Unit, f.ByRatio())
	switch {
	case doc.NotTracing(f): // which stands in the table of all figures
		difference = finding.Missing
	case isLeast(doc, g, f):
		difference = atLeast + " " + difference
	}
	verdict := parts.VerdictCell(f)
	verdict.More = nil // the figures beside it say the rest
	return model.Row{Key: keyOf(doc, f), Cells: append(model.Texts(g.title()+", "+markedVariant(doc, g, f.Variant), parts.Label(f), parts.Value(f, f.Baseline), parts.Value(f, f.Value), difference), verdict)}
}

// Tables with a row for each variant: the headline with each variant's step
// over another, and the values of the other metrics side by side.

// variantTable has a row for each variant, the baseline first, on one metric.
func variantTable(doc *finding.Document, g *Group, metric, role, base string, contenders []string) model.Grid {
	first := g.find(metric, role, contenders[0], base)
	if first == nil {
		return model.Grid{}
	}
	chain := isChain(g, metric, role, base, contenders)
	table := model.Grid{Caption: parts.Label(first), Columns: []model.Column{
		{Head: "", Give: true},
		{Head: "value", Right: true},
		{Head: "over " + base, Right: true},
		{Head: "", Close: true, Drop: 3},
		{Head: "verdict", Badge: true, Close: true, Drop: 4},
		{Head: "step", Right: true, Drop: 1},
		{Head: "", Close: true, Drop: 2},
		{Head: "", Close: true, Drop: 5}, // the mark of the step's verdict
		{Head: "over", Drop: 1},
	}}
	if chain {
		table.Remark = "each step is over the row above"
	}
	table.Add(model.Pad(len(table.Columns), model.Cell{Text: base}, model.Cell{Text: parts.Value(first, first.Baseline)})...)
	for _, name := range contenders {
		f := g.find(metric, role, name, base)
		if f == nil {
			continue
		}
		row := []model.Cell{markedCell(doc, g, name), {Text: parts.Value(f, f.Value)}}
		estimate, ends := parts.Shown(f)
		row = append(row, estimate, ends, parts.BadgeCell(f))
		step := g.step(metric, role, name, base)
		if step == nil && chain && name == contenders[0] {
			step = f
		}
		table.Add(append(row, stepCells(doc, g, step, !chain)...)...)
		if step != nil && step != f && !doc.NotTracing(step) && slices.Contains([]finding.Kind{finding.CannotTell, finding.NoDifference}, step.Verdict.Kind) {
			cell := parts.BadgeCell(step)
			table.Notes = append(table.Notes, parts.Faint(name+" over "+step.Against+": "+cell.Mark+" "+wording.LongBadge(step))...)
		}
	}
	return table.DropEmpty()
}

// ownRole is the program's own.
const ownRole = string(role.App)

// ownTable has the headline of the program alone, where a variant is held against another and not the program alone takes a part in the
// headline: what a Collector uses elsewhere is no cost of the program.
func ownTable(doc *finding.Document, g *Group, base string, contenders []string) model.Grid {
	metric, _ := g.headline()
	parted := slices.ContainsFunc(g.Findings, func(f *finding.Finding) bool {
		return f.Against != base && isRoleOfHeadline(g, f) && f.Role != ownRole && slices.Contains(contenders, f.Variant) && g.step(metric, ownRole, f.Variant, base) != nil
	})
	measured := slices.DeleteFunc(slices.Clone(contenders), func(name string) bool { return g.find(metric, ownRole, name, base) == nil })
	if !parted || len(measured) == 0 {
		return model.Grid{}
	}
	table := variantTable(doc, g, metric, ownRole, base, measured)
	table.Caption = ownRole + ": " + finding.MetricName(metric)
	return table
}

// ownSection has these tables of a page, where every figure stands else among all others.
func ownSection(doc *finding.Document) model.Section {
	s := model.Section{ID: "own", Title: "The program alone"}
	for _, g := range Groups(doc) {
		base := baseline(doc)
		if table := ownTable(doc, g, base, g.contenders(doc, base)); len(table.Rows) > 0 {
			table.Caption = g.title() + ": " + table.Caption
			s.Grids = append(s.Grids, table)
		}
	}
	return s
}

// stepCells are the absolute increment over another variant, its interval, the mark of its verdict, and
// that variant's name if it must be named, marked where it lost too many spans.
func stepCells(doc *finding.Document, g *Group, f *finding.Finding, named bool) []model.Cell {
	if f == nil || f.Absolute == nil {
		return make([]model.Cell, 4)
	}
	tone := parts.ToneOf(f.Verdict.ShownKind(f.ByRatio()))
	estimate, ends := parts.Interval(*f.Absolute, f.Unit, false, tone)
	over := model.Cell{Text: markedVariant(doc, g, f.Against), Tone: model.Faint}
	if !named {
		over = model.Cell{}
	}
	return []model.Cell{estimate, ends, {Text: parts.VerdictMark(f.Verdict.ShownKind(f.ByRatio())), Tone: tone}, over}
}

// isChain reports whether every step is over the variant in the row above, so
// that it need not be named. The first one's is over the baseline.
func isChain(g *Group, metric, role, base string, contenders []string) bool {
	steps := 0
	for i, name := range contenders {
		f := g.step(metric, role, name, base)
		if f == nil {
			continue
		}
		if i == 0 || f.Against != contenders[i-1] {
			return false
		}
		steps++
	}
	return steps > 0
}

// otherMetrics has a row for each variant and a column for each main metric but
// the headline, with its parts by role if there are several; the
// mark of its verdict stands beside a value.
// the program's own stands apart where own says so.
func otherMetrics(g *Group, metric, role, base string, contenders []string, own bool) model.Grid {
	var shown []*finding.Finding // one of each metric
	roles := severalRoles(g)
	for _, f := range g.Findings {
		known := slices.ContainsFunc(shown, func(s *finding.Finding) bool { return s.Metric == f.Metric && s.Charged() == f.Charged() })
		part := roles && isRoleOfHeadline(g, f) && !(own && f.Role == ownRole)
		if f.Against == base && (parts.IsMain(f) || part) && !known && !(f.Metric == metric && f.Charged() == role) {
			shown = append(shown, f)
		}
	}
	if len(shown) == 0 {
		return model.Grid{}
	}
	table := model.Grid{Columns: []model.Column{{Head: "", Give: true}}}
	baseRow := []model.Cell{{Text: base}}
	for i, m := range shown {
		drop := i + 1
		if parts.IsSpare(m.Metric) || isRoleOfHeadline(g, m) {
			drop += len(shown)
		}
		table.Columns = append(table.Columns, model.Column{Head: columnHead(g, m), Right: true, Drop: drop}, model.Column{Close: true, Drop: drop})
		baseRow = append(baseRow, model.Cell{Text: parts.Value(m, m.Baseline)}, model.Cell{})
	}
	table.Add(baseRow...)
	for _, name := range contenders {
		row := []model.Cell{{Text: name}}
		for _, m := range shown {
			row = append(row, parts.ValueCells(g.part(m, name, base))...)
		}
		table.Add(row...)
	}
	return table
}

// part is the finding of a variant in the column of m. Where nothing but the application takes a part in the headline, that
// is the headline itself, which then has no parts.
func (g *Group) part(m *finding.Finding, name, base string) *finding.Finding {
	parted := slices.ContainsFunc(g.Findings, func(f *finding.Finding) bool {
		return f.Variant == name && f.Against == base && isRoleOfHeadline(g, f)
	})
	if isRoleOfHeadline(g, m) && m.Role == ownRole && !parted {
		return g.find(m.Metric, "", name, base)
	}
	return g.find(m.Metric, m.Charged(), name, base)
}

// columnHead is a metric's name, and of a part of the headline its role.
func columnHead(g *Group, m *finding.Finding) string {
	if m.Metric == metric.CPUPerOperation && isRoleOfHeadline(g, m) {
		return m.Charged() + " CPU"
	}
	return parts.Label(m)
}

// everyVariantTable is a variant table for every metric and role of the group.
func (b *brief) everyVariantTable(g *Group, base string, contenders []string) []model.Grid {
	var tables []model.Grid
	var metric, role string
	for _, f := range g.Findings {
		if len(tables) > 0 && f.Metric == metric && f.Charged() == role {
			continue
		}
		metric, role = f.Metric, f.Charged()
		measured := slices.DeleteFunc(slices.Clone(contenders), func(name string) bool {
			return g.find(metric, role, name, base) == nil
		})
		if len(measured) > 0 {
			tables = append(tables, variantTable(b.doc, g, metric, role, base, measured))
		}
	}
	return tables
}

// The order of the variants where machines differ.

// rankSection shows the order of the variants where machines differ.
func rankSection(doc *finding.Comparison) []model.Section {
	if len(doc.Ranks) == 0 {
		return nil
	}
	return []model.Section{{Title: "Ranks", Depth: model.Folded, Grids: []model.Grid{rankTable(doc)}}}
}

func rankTable(doc *finding.Comparison) model.Grid {
	table := model.Grid{Caption: "by " + finding.MetricName(doc.Ranks[0].Metric), Remark: "1 is the best", Columns: []model.Column{{Give: true}}}
	for _, side := range append([]finding.Side{doc.Base}, doc.News...) {
		table.Columns = append(table.Columns, model.Column{Head: side.Name, Right: true})
	}
	for _, r := range doc.Ranks {
		name := parts.Operation(r.Operation)
		if p := parts.Parameter(r.Parameter); p != "" {
			name += ", " + p
		}
		row := []model.Cell{{Text: name + ", " + r.Variant}}
		for _, place := range r.Places {
			text := finding.Missing
			if place > 0 {
				text = finding.FormatCount(int64(place))
			}
			row = append(row, model.Cell{Text: text})
		}
		table.Add(row...)
	}
	return table
}
