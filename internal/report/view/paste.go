// A result as a paragraph for a page of documentation: what tracing costs, how that was measured, and where.

package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// Paste is a result in one table, that stands alone: a row for each variant.
func Paste(doc *finding.Document) *model.Page {
	p := headOf(doc)
	p.Kept, p.Details, p.Results, p.More = model.Plain, nil, "", ""
	p.About = nil
	p.Headline = pasteTable(doc)
	p.Marks = marksIn(p)
	p.Warnings = slices.DeleteFunc(parts.Warnings(doc.Warnings), func(w model.Warning) bool { return w.Tone == model.Plain })
	p.How = model.How{Title: "How it was measured", Reading: []model.Note{{Text: method(doc)}, {Text: where(doc)}}}
	return p
}

// pasteMetrics are the columns beside the headline.
var pasteMetrics = []string{metric.LatencyP50, metric.LatencyP99, metric.MemoryPeak}

// pasteTable has a row for each operation and variant, the baseline first: the headline's value, what it costs, and what
// the variant costs by the other metrics.
func pasteTable(doc *finding.Document) model.Grid {
	base := baseline(doc)
	groups := slices.DeleteFunc(Groups(doc), func(g *Group) bool { return g.Operation == "" || len(g.contenders(doc, base)) == 0 })
	run := wholeRun(doc)
	table := model.Grid{Columns: []model.Column{{Head: "operation"}, {Head: "variant"}, {Head: "what it is", Wrap: true}, {Head: "", Right: true}, {Head: "over " + base + bounded(doc, " (95 %)", ""), Right: true}}}
	for _, name := range pasteMetrics {
		table.Columns = append(table.Columns, model.Column{Head: finding.MetricName(name) + " over " + base, Right: true})
	}
	var label string
	for _, g := range groups {
		of, role := g.headline()
		title := g.title()
		if len(groups) == 1 {
			title = ""
		}
		first := true
		for _, name := range g.contenders(doc, base) {
			f := g.find(of, role, name, base)
			if f == nil {
				continue
			}
			if label = parts.Label(f); first {
				table.Add(model.Pad(len(table.Columns), model.Texts(title, base, pasteKind(doc, base), parts.Value(f, f.Baseline))...)...)
				first = false
			}
			row := model.Texts(title, markedVariant(doc, g, name), pasteKind(doc, name), parts.Value(f, f.Value), pasteCost(doc, g, f))
			for _, other := range pasteMetrics {
				found := g.find(other, "", name, base)
				if found == nil {
					found = run.find(other, "", name, base)
				}
				row = append(row, model.Cell{Text: pasteCost(doc, g, found)})
			}
			table.Add(row...)
		}
	}
	table.Columns[3].Head = label
	return withoutMissing(table)
}

// wholeRun is the group of what is of no operation; empty where there is none.
func wholeRun(doc *finding.Document) *Group {
	for _, g := range Groups(doc) {
		if g.Operation == "" {
			return g
		}
	}
	return &Group{}
}

// pasteCost is what a variant costs by a finding, with its interval; that it cannot be told, with the interval, where that
// is so. It is "" where there is no finding.
func pasteCost(doc *finding.Document, g *Group, f *finding.Finding) string {
	if f == nil {
		return ""
	}
	if doc.NotTracing(f) {
		return finding.Missing
	}
	text := parts.IntervalText(f.Shown(), f.Unit, f.ByRatio())
	switch {
	case f.Verdict.ShownKind(f.ByRatio()) == finding.CannotTell, f.Verdict.Kind == finding.Overloaded:
		badge := parts.BadgeCell(f).Text
		if text == finding.Missing {
			return badge
		}
		return badge + ": " + text
	case isLeast(doc, g, f):
		return atLeast + " " + text
	}
	return text
}

// pasteKind is a variant in a few words: its description, or its tracer.
func pasteKind(doc *finding.Document, name string) string {
	i := slices.IndexFunc(doc.Experiment.Variants, func(v finding.Variant) bool { return v.Name == name })
	if i < 0 {
		return ""
	}
	v := doc.Experiment.Variants[i]
	kind := finding.PlainText(v.Description)
	if kind == "" && v.Tracer != name {
		kind = v.Tracer
	}
	return kind
}

// withoutMissing leaves out the columns in which no row has a figure.
func withoutMissing(g model.Grid) model.Grid {
	return g.Only(func(c int) bool {
		return slices.ContainsFunc(g.Rows, func(r model.Row) bool { return r.Cells[c].Text != "" && r.Cells[c].Text != finding.Missing })
	})
}

// method says in three sentences how a result came about.
func method(doc *finding.Document) string {
	load := ""
	if doc.Experiment.Load != "" {
		load = ", under the same load (" + finding.PlainText(doc.Experiment.Load) + ")"
	}
	were, each := "were", "each of which"
	if doc.Runs.Blocks == 1 {
		were, each = "was", "which"
	}
	order := "ran every variant once, in random order and in fresh processes"
	switch doc.Experiment.Order {
	case "windows":
		order = "ran fresh processes of all variants at the same time, and the load went from one to the next"
	case "woven":
		order = "ran fresh processes of all variants at the same time, each with its load"
	}
	return fmt.Sprintf("%s %s made, %s %s%s. ", parts.Counted(doc.Runs.Blocks, "block"), were, each, order, load) +
		"A cost is the centre of the differences within blocks (Hodges–Lehmann)" + bounded(doc, ", with its 95 % interval", "; there are too few blocks for intervals") + ". " +
		"CPU is that of all processes but the load generator and the receiver of spans, from the start of the load until the last span had come."
}

// where says on what machine, by what and when a result was measured, and which versions of tracers it had.
func where(doc *finding.Document) string {
	fact := func(name string) string { return parts.Fact(doc, name) }
	pieces := []string{fact("cpu_model")}
	if cpus := fact("cpus"); cpus != "" {
		pieces = append(pieces, cpus+" CPUs")
	}
	if name := fact("os"); name != "" {
		pieces = append(pieces, strings.TrimSpace(name+" "+fact("kernel")))
	}
	if virtual, _ := doc.Environment["hypervisor"].(bool); virtual {
		pieces = append(pieces, "a virtual machine")
	}
	pieces = append(pieces, parts.Versions(doc.Environment["runtimes"])...)
	packages, _ := doc.Environment["packages"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if all := parts.PackagesOf(doc, name); len(all) > 0 {
			pieces = append(pieces, name+" ("+strings.Join(all, ", ")+")")
		}
	}
	pieces = slices.DeleteFunc(pieces, func(text string) bool { return text == "" })
	made := "Measured by tracetax " + cmp.Or(fact("tool"), finding.PlainText(doc.Tool))
	if at, known := parts.Started(doc); known {
		made += " on " + at.UTC().Format("2006-01-02")
	}
	if len(pieces) > 0 {
		made += ": " + strings.Join(pieces, "; ")
	}
	return made + "."
}
