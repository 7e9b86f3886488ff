// The tables of workloads that make themselves work: what must stand side by side in
// saturation, what each step of tracing adds, who is listed apart, and who was left out.

package report

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// inSaturation are the columns that are read together: an agent that throws spans away
// is fast in the first two.
var inSaturation = []string{metric.TimePerCall, metric.CPUPerOperation, metric.BlockedTime, metric.DeliveredShare, metric.DeliveredRate}

// isDriven reports whether a group is of a workload that makes itself work.
func (g *group) isDriven() bool {
	return slices.ContainsFunc(g.findings, func(f *finding.Finding) bool { return f.Metric == "time_per_call" })
}

// isSaturated reports whether it did so as fast as it goes: then there is what only has a
// meaning there.
func (g *group) isSaturated() bool {
	return slices.ContainsFunc(g.findings, func(f *finding.Finding) bool {
		return f.Metric == "time_per_call" && f.Headline || f.Metric == "blocked_time" || f.Metric == "time_per_call_p50"
	})
}

// saturation has a row for each variant, the fastest first, those that lost spans below
// all others.
func saturation(doc *finding.Document, g *group) grid {
	table := grid{caption: "in saturation, side by side", columns: []column{{head: "", give: true}}}
	for _, name := range inSaturation {
		table.columns = append(table.columns, column{head: metric.Must(name).Short, right: true})
	}
	base := baseline(doc)
	names := append([]string{base}, g.contenders(doc, base)...)
	slices.SortStableFunc(names[1:], func(a, b string) int {
		lostA, lostB := lossyOf(doc, g, a) != nil, lossyOf(doc, g, b) != nil
		if lostA != lostB {
			return map[bool]int{true: 1, false: -1}[lostA]
		}
		return cmp.Compare(sideOf(g, "time_per_call", a, base), sideOf(g, "time_per_call", b, base))
	})
	for _, name := range names {
		row := []textCell{markedCell(doc, g, name)}
		for _, metric := range inSaturation {
			row = append(row, textCell{text: sideText(g, metric, name, base)})
		}
		table.rows = append(table.rows, row)
	}
	return dropEmpty(table)
}

// tells reports whether there is a finding of a metric for any variant.
func tells(g *group, metric, base string) bool {
	return slices.ContainsFunc(g.findings, func(f *finding.Finding) bool { return f.Metric == metric && f.Against == base })
}

// sideOf is a variant's value of a metric; the baseline's is on the other side of any.
func sideOf(g *group, metric, variant, base string) float64 {
	for _, f := range g.findings {
		if f.Metric == metric && f.Role == "" && f.Against == base && f.Variant == variant {
			return f.Value
		}
	}
	return 0
}

func sideText(g *group, metric, variant, base string) string {
	for _, f := range g.findings {
		switch {
		case f.Metric != metric || f.Role != "" || f.Against != base || f.Blocks == 0:
			continue
		case f.Variant == variant:
			return finding.FormatValue(f.Value, f.Unit)
		case variant == base && !(metric == "delivered_share" && f.Baseline == 0): // a baseline that makes none has no share
			return finding.FormatValue(f.Baseline, f.Unit)
		}
	}
	return finding.Missing
}

// drivenSections are the parts beside the findings, as far as there are such.
func drivenSections(doc *finding.Document, levels bool) []studySection {
	side := studySection{title: "In saturation", notes: []string{"Wall and CPU of a call, what its threads waited, and what of its spans arrived: none of them says what an agent costs by itself."}}
	heap := studySection{title: "Heap"}
	for _, g := range groups(doc) {
		if !g.isDriven() || !levels && g.parameter != "" {
			continue
		}
		if g.isSaturated() {
			side.add(g, saturation(doc, g))
		}
		heap.add(g, heapTable(doc, g))
	}
	if len(doc.Lossy) > 0 {
		note := lossyMark + " lost over 1 % of its spans"
		if !slices.ContainsFunc(doc.Lossy, func(l finding.Lossy) bool { return l.Part != "" }) {
			note += ", the warm-up included"
		}
		side.notes = append(side.notes, note)
	}
	apart := studySection{id: "apart", title: "Listed apart: variants that lost spans"}
	apart.addApart(apartTable(doc.Lossy))
	steps := studySection{title: "What each step of tracing adds"}
	added := slices.Clone(doc.Increments)
	for i := range added {
		added[i].Operation = cellLabel(added[i].Operation, added[i].Parameter)
	}
	if !levels {
		added = slices.DeleteFunc(added, func(i finding.Increment) bool { return len(i.Parameter) > 0 })
	}
	steps.grids = incrementGrids(added)
	return slices.DeleteFunc([]studySection{side, heap, apart, steps}, func(s studySection) bool { return len(s.grids) == 0 })
}

// add puts in the table of a group, unless it is empty.
func (s *studySection) add(g *group, table grid) {
	if len(table.columns) > 1 {
		table.caption = visible(g.title())
		s.grids = append(s.grids, table)
	}
}

// heapTable has a row for each variant, with what its language tells of the heap.
func heapTable(doc *finding.Document, g *group) grid {
	table := grid{columns: []column{{head: "", give: true}}}
	for _, c := range heapColumns() {
		table.columns = append(table.columns, column{head: c.Short, right: true})
	}
	base := baseline(doc)
	for _, name := range append([]string{base}, g.contenders(doc, base)...) {
		row := []textCell{markedCell(doc, g, name)}
		for _, c := range heapColumns() {
			text := sideText(g, c.Name, name, base)
			if text == finding.Missing && !tells(g, c.Name, base) {
				text = "" // nobody does: no column
			}
			row = append(row, textCell{text: text})
		}
		table.rows = append(table.rows, row)
	}
	return dropEmpty(table)
}

// sections writes parts of the report.
func (t *terminal) sections(all []studySection) {
	for _, s := range all {
		t.line("")
		t.title(s.title)
		for i, g := range s.grids {
			if i > 0 {
				t.line("")
			}
			for _, l := range g.lines(t.brush, t.opts.Width) {
				t.line(l)
			}
		}
		for _, note := range s.notes {
			t.paragraph(indent, note, dim)
		}
	}
}

// leftOut says who could not run: "left out: inspectit, its artefacts cannot be had".
func leftOut(doc *finding.Document) []string {
	var out []string
	for _, l := range doc.Experiment.LeftOut {
		out = append(out, "left out: "+l.Variant+", "+finding.PlainText(l.Reason))
	}
	return out
}
