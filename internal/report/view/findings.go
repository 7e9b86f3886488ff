// The tables of one operation: metrics as rows where there is one variant to
// compare, variants as rows where there are several; and every finding as a row.

package view

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/wording"
)

// tables are the tables that the group is shown as.
func (b *brief) tables(g *Group, base string) []model.Grid {
	contenders := g.contenders(b.doc, base)
	if kept := slices.DeleteFunc(slices.Clone(contenders), func(name string) bool { return lossyOf(b.doc, g, name) != nil && !isUntraced(b.doc, g, name) }); len(kept) > 0 && !b.all {
		contenders = kept // the others are excluded from the ranking
	}
	switch {
	case len(contenders) == 0:
		return nil
	case len(contenders) == 1:
		return parts.Grids(b.metricTable(g, base, contenders[0]))
	case b.all:
		return b.everyVariantTable(g, base, contenders)
	}
	metric, role := g.headline()
	table := variantTable(b.doc, g, metric, role, base, contenders)
	table.Bars = bars(b.doc, g, metric, role, base, contenders)
	own := ownTable(b.doc, g, base, contenders)
	return parts.Grids(table, own, otherMetrics(g, metric, role, base, contenders, len(own.Rows) > 0))
}

// metricTable has a row for each metric of one pair.
func (b *brief) metricTable(g *Group, base, variant string) model.Grid {
	table := model.Grid{Columns: []model.Column{
		{Give: true},
		{Head: base, Right: true},
		{Head: markedVariant(b.doc, g, variant), Right: true},
		{Head: "difference", Right: true, Drop: 3},
		{Head: changeHead(g.Findings, base), Right: true},
		{Head: intervalHead(g), Close: true, Drop: 1},
		{Head: "verdict", Badge: true, Drop: 2},
	}}
	roles := severalRoles(g)
	for _, f := range g.Findings {
		if f.Variant != variant || f.Against != base || !(b.all || parts.IsMain(f) || roles && isRoleOfHeadline(g, f)) {
			continue
		}
		name := model.Cell{Text: parts.Label(f)}
		if f.Headline {
			name.Tone = model.Strong
		}
		if isRoleOfHeadline(g, f) && !b.all {
			name = model.Cell{Text: "  " + f.Charged(), Tone: model.Faint}
		}
		estimate, ends := parts.Shown(f)
		value := model.Cell{Text: parts.Value(f, f.Value), Tone: name.Tone}
		table.Add(name, model.Cell{Text: parts.Value(f, f.Baseline)}, value, model.Cell{Text: parts.DifferenceText(f)}, estimate, ends, parts.BadgeCell(f))
	}
	return table.DropEmpty()
}

// changeHead heads what is over the baseline: a share of it, or an amount as well.
func changeHead(findings []*finding.Finding, base string) string {
	if slices.ContainsFunc(findings, func(f *finding.Finding) bool { return f.Amount }) {
		return "over " + base
	}
	return "relative"
}

// intervalHead names the column of intervals, where any is.
func intervalHead(g *Group) string {
	for _, f := range g.Findings {
		if i := f.Shown(); i != nil && i.Low != nil {
			return "(95 %)"
		}
	}
	return ""
}

// isRoleOfHeadline reports whether f is a part of the headline by role. Load
// and sink are not: no user's system pays for them. Services have a table of their own.
func isRoleOfHeadline(g *Group, f *finding.Finding) bool {
	metric, _ := g.headline()
	return f.Metric == metric && f.Role != "" && f.Service == "" && !role.Role(f.Role).Harness()
}

// severalRoles reports whether the headline is made up of more than one role,
// so the parts say something that the sum does not.
func severalRoles(g *Group) bool {
	roles := map[string]bool{}
	for _, f := range g.Findings {
		if isRoleOfHeadline(g, f) {
			roles[f.Role] = true
		}
	}
	return len(roles) > 1
}

// everyFinding has a row for each finding, a table for each operation, folded: what people decide by stands above.
func everyFinding(doc *finding.Document) model.Section {
	s := model.Section{ID: "figures", Title: "Every figure", Depth: model.Behind, Lead: model.Texts(howToRead(doc))}
	for _, g := range Groups(doc) {
		table := model.Grid{Caption: g.title(), Remark: wording.Counted(len(g.Findings), "finding"), Fold: model.Closed, Stack: true, Columns: []model.Column{
			{Head: "metric"}, {Head: "variant"}, {Head: "against"}, {Head: "from", Right: true}, {Head: "to", Right: true},
			{Head: "difference", Right: true, Wrap: true}, {Head: "relative", Right: true, Wrap: true}, {Head: "verdict", Badge: true, Wrap: true}, {Head: "blocks", Right: true},
		}}
		for _, f := range g.Findings {
			table.Rows = append(table.Rows, findingRow(doc, g, f))
		}
		s.Grids = append(s.Grids, table)
	}
	return s
}

func findingRow(doc *finding.Document, g *Group, f *finding.Finding) model.Row {
	cells := model.Texts(parts.Label(f), markedVariant(doc, g, f.Variant), markedVariant(doc, g, f.Against), parts.Value(f, f.Baseline), parts.Value(f, f.Value),
		parts.IntervalText(f.Absolute, f.Unit, false), parts.IntervalText(f.Relative, f.Unit, true), "", strconv.Itoa(f.Blocks))
	cells[7] = parts.VerdictCell(f)
	row := model.Row{Key: keyOf(doc, f), Cells: cells}
	if f.Headline {
		row.Tone = model.Strong
	}
	if doc.NotTracing(f) { // which is no cost of tracing
		cells[5].Tone, cells[6].Tone = model.Faint, model.Faint
	}
	return row
}

// keyOf is the place of a finding in its document, by which its row is found.
func keyOf(doc *finding.Document, f *finding.Finding) string { return strconv.Itoa(indexOf(doc, f)) }

// indexOf is the place of a finding in its document.
func indexOf(doc *finding.Document, f *finding.Finding) int {
	for i := range doc.Findings {
		if &doc.Findings[i] == f {
			return i
		}
	}
	return -1
}

// The findings of a document in the groups in which a reader looks for them:
// by operation (and parameter), and within it by metric and variant.

// Group has the findings on one operation with one parameter.
type Group struct {
	Operation string // "" for the whole run
	Parameter string // "depth=8", "" where there is none
	Findings  []*finding.Finding
}

// title is the group's name for a reader.
func (g *Group) title() string {
	name := parts.Operation(g.Operation)
	if g.Parameter == "" {
		return name
	}
	return name + ", " + g.Parameter
}

// Groups splits the findings by operation and parameter: the operations in the
// experiment's order, the whole run last. Findings within a group are sorted by
// metric, role, and then as the document has them.
func Groups(doc *finding.Document) []*Group {
	var all []*Group
	byKey := map[[2]string]*Group{}
	for i := range doc.Findings {
		f := &doc.Findings[i]
		key := [2]string{f.Operation, parts.Parameter(f.Parameter)}
		g := byKey[key]
		if g == nil {
			g = &Group{Operation: key[0], Parameter: key[1]}
			byKey[key] = g
			all = append(all, g)
		}
		g.Findings = append(g.Findings, f)
	}
	slices.SortStableFunc(all, func(a, b *Group) int {
		return cmp.Compare(place(doc, a.Operation), place(doc, b.Operation))
	})
	for _, g := range all {
		slices.SortStableFunc(g.Findings, byMetric)
	}
	return all
}

func byMetric(a, b *finding.Finding) int {
	return cmp.Or(
		cmp.Compare(parts.Rank(a.Metric), parts.Rank(b.Metric)),
		strings.Compare(a.Metric, b.Metric),
		strings.Compare(a.Role, b.Role),
		strings.Compare(a.Service, b.Service),
	)
}

// place returns the index of an operation in the experiment.
func place(doc *finding.Document, operation string) int {
	if operation == "" {
		return len(doc.Experiment.Operations) + 1
	}
	if i := slices.Index(doc.Experiment.Operations, operation); i >= 0 {
		return i
	}
	return len(doc.Experiment.Operations)
}

// baseline is the name of the variant that all others are held against.
func baseline(doc *finding.Document) string {
	if len(doc.Experiment.Variants) > 0 {
		return doc.Experiment.Variants[0].Name
	}
	if len(doc.Findings) > 0 {
		return doc.Findings[0].Against
	}
	return ""
}

// contenders are the variants that the group compares with base, in the
// experiment's order.
func (g *Group) contenders(doc *finding.Document, base string) []string {
	var names []string
	for _, f := range g.Findings {
		if f.Against == base && !slices.Contains(names, f.Variant) {
			names = append(names, f.Variant)
		}
	}
	order := func(name string) int {
		return slices.IndexFunc(doc.Experiment.Variants, func(v finding.Variant) bool { return v.Name == name })
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(order(a), order(b)) })
	return names
}

// find returns the finding of one metric, charged to one role or service, for a pair, or nil.
func (g *Group) find(metric, role, variant, against string) *finding.Finding {
	for _, f := range g.Findings {
		if f.Metric == metric && f.Charged() == role && f.Variant == variant && f.Against == against {
			return f
		}
	}
	return nil
}

// step returns the finding of a variant against another than the baseline.
func (g *Group) step(metric, role, variant, base string) *finding.Finding {
	for _, f := range g.Findings {
		if f.Metric == metric && f.Charged() == role && f.Variant == variant && f.Against != base {
			return f
		}
	}
	return nil
}

// headline is the metric that the group's short answer is about.
func (g *Group) headline() (metric, role string) {
	for _, f := range g.Findings {
		if f.Headline {
			return f.Metric, f.Role
		}
	}
	for _, f := range g.Findings {
		if parts.IsMain(f) {
			return f.Metric, f.Role
		}
	}
	if len(g.Findings) == 0 {
		return "", ""
	}
	return g.Findings[0].Metric, g.Findings[0].Role
}

func parameters(g *Group) map[string]string {
	for _, f := range g.Findings {
		return f.Parameter
	}
	return nil
}
