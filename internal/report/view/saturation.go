// The tables of self-driving workloads: what must stand side by side in
// saturation, what each step of tracing adds, which variants are excluded from the ranking, and which were left out.

package view

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// isDriven reports whether a group is of a self-driving workload.
func (g *Group) isDriven() bool {
	return slices.ContainsFunc(g.Findings, func(f *finding.Finding) bool { return f.Metric == metric.TimePerCall })
}

// isSaturated reports whether it did so as fast as it goes: then there is what only has a
// meaning there.
func (g *Group) isSaturated() bool {
	return slices.ContainsFunc(g.Findings, func(f *finding.Finding) bool {
		return f.Metric == metric.TimePerCall && f.Headline || f.Metric == metric.BlockedTime || f.Metric == metric.TimePerCallP50
	})
}

// saturation has a row for each variant, the fastest first, those that lost spans below
// all others.
func saturation(doc *finding.Document, g *Group) model.Grid {
	table := model.Grid{Caption: "in saturation, side by side", Columns: []model.Column{{Head: "", Give: true}}}
	for _, name := range metric.InSaturation() {
		table.Columns = append(table.Columns, model.Column{Head: metric.Must(name).Short, Right: true})
	}
	base := baseline(doc)
	names := append([]string{base}, g.contenders(doc, base)...)
	slices.SortStableFunc(names[1:], func(a, b string) int {
		lostA, lostB := lossyOf(doc, g, a) != nil, lossyOf(doc, g, b) != nil
		if lostA != lostB {
			return map[bool]int{true: 1, false: -1}[lostA]
		}
		return cmp.Compare(sideOf(g, metric.TimePerCall, a, base), sideOf(g, metric.TimePerCall, b, base))
	})
	for _, name := range names {
		row := []model.Cell{markedCell(doc, g, name)}
		for _, m := range metric.InSaturation() {
			row = append(row, model.Cell{Text: sideText(g, m, name, base)})
		}
		table.Add(row...)
	}
	return table.DropEmpty()
}

// tells reports whether there is a finding of a metric for any variant.
func tells(g *Group, name, base string) bool {
	return slices.ContainsFunc(g.Findings, func(f *finding.Finding) bool { return f.Metric == name && f.Against == base })
}

// sideOf is a variant's value of a metric; the baseline's is on the other side of any.
func sideOf(g *Group, name, variant, base string) float64 {
	for _, f := range g.Findings {
		if f.Metric == name && f.Role == "" && f.Against == base && f.Variant == variant {
			return float64(f.Value)
		}
	}
	return 0
}

func sideText(g *Group, name, variant, base string) string {
	for _, f := range g.Findings {
		switch {
		case f.Metric != name || f.Role != "" || f.Against != base || f.Blocks == 0:
			continue
		case f.Variant == variant:
			return parts.Value(f, f.Value)
		case variant == base && !(name == metric.DeliveredShare && f.Baseline == 0): // a baseline that makes none has no share
			return parts.Value(f, f.Baseline)
		}
	}
	return finding.Missing
}

// saturationSection has what must be read together where a workload is self-driving as fast as it goes.
func saturationSection(doc *finding.Document, levels bool) model.Section {
	s := model.Section{Title: "In saturation", Depth: model.Folded, Notes: parts.Faint("Wall time and CPU of a call, the wait of its threads, and the spans that arrived: none alone is the cost of an agent.")}
	for _, g := range drivenGroups(doc, levels) {
		if g.isSaturated() {
			addTable(&s, g, saturation(doc, g))
		}
	}
	if len(doc.Lossy) > 0 {
		note := parts.LossyMark + " lost over 1 % of its spans"
		if !slices.ContainsFunc(doc.Lossy, func(l finding.Lossy) bool { return l.Part != "" }) {
			note += ", the warm-up included"
		}
		s.Notes = append(s.Notes, parts.Faint(note)...)
	}
	return s
}

// heapSection has what languages tell of their heap.
func heapSection(doc *finding.Document, levels bool) model.Section {
	s := model.Section{Title: "Heap", Depth: model.Folded}
	for _, g := range drivenGroups(doc, levels) {
		addTable(&s, g, heapTable(doc, g))
	}
	return s
}

// drivenGroups are those of self-driving workloads, with the levels or without.
func drivenGroups(doc *finding.Document, levels bool) []*Group {
	return slices.DeleteFunc(Groups(doc), func(g *Group) bool { return !g.isDriven() || !levels && g.Parameter != "" })
}

// addTable puts in the table of a group, unless it is empty.
func addTable(s *model.Section, g *Group, table model.Grid) {
	if len(table.Columns) > 1 {
		table.Caption = g.title()
		s.Grids = append(s.Grids, table)
	}
}

// heapTable has a row for each variant, with what its language tells of the heap.
func heapTable(doc *finding.Document, g *Group) model.Grid {
	table := model.Grid{Columns: []model.Column{{Head: "", Give: true}}}
	for _, c := range metric.OfSide(metric.Heap) {
		table.Columns = append(table.Columns, model.Column{Head: c.Short, Right: true})
	}
	base := baseline(doc)
	for _, name := range append([]string{base}, g.contenders(doc, base)...) {
		row := []model.Cell{markedCell(doc, g, name)}
		for _, c := range metric.OfSide(metric.Heap) {
			text := sideText(g, c.Name, name, base)
			if text == finding.Missing && !tells(g, c.Name, base) {
				text = "" // none does: no column
			}
			row = append(row, model.Cell{Text: text})
		}
		table.Add(row...)
	}
	return table.DropEmpty()
}

// stepsSection has what each step of tracing adds in a result, with the levels or without.
func stepsSection(doc *finding.Document, levels bool) model.Section {
	added := slices.Clone(doc.Increments)
	for i := range added {
		added[i].Operation = parts.At(added[i].Operation, added[i].Parameter)
	}
	if !levels {
		added = slices.DeleteFunc(added, func(i finding.Increment) bool { return len(i.Parameter) > 0 })
	}
	return model.Section{Title: "What each step of tracing adds", Depth: model.Folded, Grids: parts.StepGrids(added)}
}
