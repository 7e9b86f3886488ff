// CPU per operation by service, where the program under test has several: a few in the short tables, all on the page.

package view

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/wording"
)

// serviceRow is one service, or all that are not named together, with what each contender costs it; nil where that is unknown.
type serviceRow struct {
	name  string
	costs []*finding.ServiceCost
}

// serviceRows are the services of a group, the dearest first: all of them, or a few and the others together.
func serviceRows(doc *finding.Document, g *Group, base string, contenders []string, all bool) []serviceRow {
	var rows []serviceRow
	others := 0
	for i := range doc.Services {
		c := &doc.Services[i]
		at := slices.Index(contenders, c.Variant)
		if at < 0 || c.Against != base || c.Operation != g.Operation || parts.Parameter(c.Parameter) != g.Parameter || c.Service == "" && all {
			continue
		}
		others = max(others, c.Others)
		row := slices.IndexFunc(rows, func(r serviceRow) bool { return r.name == c.Service })
		if row < 0 {
			row, rows = len(rows), append(rows, serviceRow{c.Service, make([]*finding.ServiceCost, len(contenders))})
		}
		rows[row].costs[at] = c
	}
	if others > 0 {
		rows = slices.Delete(rows, len(rows)-1-others, len(rows)-1)
	}
	return rows
}

// of is one of the costs of a row.
func (r serviceRow) of() *finding.ServiceCost {
	return r.costs[slices.IndexFunc(r.costs, func(c *finding.ServiceCost) bool { return c != nil })]
}

// label is the name of the row.
func (r serviceRow) label() string {
	if r.name == "" {
		return wording.Counted(r.of().Others, "other")
	}
	return r.name
}

// serviceTable is short, for a terminal: what each contender adds to a service, beside what the baseline uses.
func (b *brief) serviceTable(g *Group) model.Grid {
	base := baseline(b.doc)
	contenders := g.contenders(b.doc, base)
	rows := serviceRows(b.doc, g, base, contenders, b.all)
	if len(rows) == 0 {
		return model.Grid{}
	}
	table := model.Grid{Caption: finding.MetricName(metric.CPUPerOperation) + " by service", Remark: "what each variant adds", Columns: []model.Column{{Give: true}, {Head: base, Right: true}}}
	for i, name := range contenders { // where there is little room intervals go first, then the last variant
		table.Columns = append(table.Columns, model.Column{Head: markedVariant(b.doc, g, name), Right: true, Drop: i + 1}, model.Column{Close: true, Drop: len(contenders) + i + 1})
	}
	for _, r := range rows {
		cells := []model.Cell{{Text: r.label()}, {Text: parts.Seconds(r.of().Baseline)}}
		for _, c := range r.costs {
			if c == nil || c.Absolute == nil {
				cells = append(cells, parts.Missing, model.Cell{})
				continue
			}
			estimate, ends := parts.Interval(*c.Absolute, "s", false, model.Plain)
			cells = append(cells, estimate, ends)
		}
		table.Add(cells...)
	}
	return table.DropEmpty()
}

// mostOpen bounds the rows of a table that is not folded at first.
const mostOpen = 30

// servicesSection has all services of all operations and levels, and a place for the graph where the workload is one.
func servicesSection(doc *finding.Document) model.Section {
	s := model.Section{ID: "services", Title: "By service", Depth: model.Folded, Lead: model.Texts(
		finding.MetricName(metric.CPUPerOperation) + " of each service, with all that stands beside it. The one that a variant adds most to comes first." +
			bounded(doc, " Each difference has a 95 % interval of its own, and no verdict.", ""))}
	if len(doc.Calls) > 0 {
		s.Chart = &model.Chart{Wide: true}
	}
	base := baseline(doc)
	for _, g := range Groups(doc) {
		contenders := g.contenders(doc, base)
		rows := serviceRows(doc, g, base, contenders, true)
		if len(rows) == 0 {
			continue
		}
		table := model.Grid{Caption: g.title(), Remark: wording.Counted(len(rows), "service"), Fold: model.Closed, Stack: true, Columns: []model.Column{{Head: "service"}, {Head: "role"}, {Head: base, Right: true}}}
		if len(s.Grids) == 0 && len(rows) <= mostOpen {
			table.Fold = model.Unfolded
		}
		for _, name := range contenders {
			name = markedVariant(doc, g, name)
			table.Columns = append(table.Columns, model.Column{Head: name, Right: true}, model.Column{Head: name + " adds", Right: true, Wrap: true})
		}
		for _, r := range rows {
			cells := model.Texts(r.name, strings.Join(r.of().Roles, ", "), parts.Seconds(r.of().Baseline))
			for _, c := range r.costs {
				if c == nil {
					cells = append(cells, parts.Missing, parts.Missing)
					continue
				}
				cells = append(cells, model.Texts(parts.Seconds(c.Value), parts.IntervalText(c.Absolute, "s", false))...)
			}
			table.Add(cells...)
		}
		s.Grids = append(s.Grids, table)
	}
	return s
}

// chartServices are the costs of services in words, for the graph.
func chartServices(doc *finding.Document) []parts.ChartService {
	if len(doc.Calls) == 0 {
		return nil
	}
	out := make([]parts.ChartService, len(doc.Services))
	for i, c := range doc.Services {
		out[i] = parts.ChartService{
			Group: parts.At(c.Operation, c.Parameter), Program: slices.Contains(c.Roles, string(role.App)), Baseline: parts.Seconds(c.Baseline), Value: parts.Seconds(c.Value),
			Adds: parts.IntervalText(c.Absolute, "s", false),
		}
		if c.Absolute != nil {
			out[i].Short = finding.FormatEstimate(*c.Absolute, "s", false)
		}
	}
	return out
}
