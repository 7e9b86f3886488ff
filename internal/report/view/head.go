// Package view owns what is shown of a document: it makes the model of a report, one builder a part. What it says holds
// for every form; it must not know how one is drawn, and computes no figure that the document does not hold.
package view

// What stands above the figures: what was measured, and how that came about.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/wording"
)

// headOf is a page with all that stands above the figures of a result.
func headOf(doc *finding.Document) *model.Page {
	p := &model.Page{
		Title: cmp.Or(doc.Experiment.Workload, doc.Experiment.Name), Name: doc.Experiment.Name,
		Alarm: alarmOf(doc), Summary: doc.Summary, Kept: parts.Kept(budgetKinds(doc)), About: [][]string{about(doc)}, Details: came(doc), Results: doc.Results,
	}
	if doc.Quick {
		p.Notices = []string{quickText}
	}
	return p
}

// quickText returns the lacks of a quick run.
const quickText = "A quick run: its windows and its warm-up are short, and what is not compiled yet may cost many times what it costs later. Run it without --quick for numbers to act on."

// about returns in a few words what was measured.
func about(doc *finding.Document) []string {
	pieces := []string{cmp.Or(doc.Experiment.Workload, doc.Experiment.Name), doc.Experiment.Load, runsText(doc.Runs)}
	if nodes := parts.Nodes(doc); len(nodes) > 0 {
		pieces = append(pieces, "in pods of "+strings.Join(nodes, ", "))
	}
	return slices.DeleteFunc(pieces, func(text string) bool { return text == "" })
}

// came says how the rate and the number of blocks came about, and what was made to
// go wrong.
func came(doc *finding.Document) []string {
	var out []string
	for _, text := range doc.Experiment.Pilot {
		out = append(out, "rate: "+text)
	}
	if doc.Experiment.Warmup != "" {
		out = append(out, "warm-up: "+doc.Experiment.Warmup)
	}
	if doc.Runs.Stopped != "" {
		out = append(out, "blocks: "+doc.Runs.Stopped)
	}
	for _, l := range doc.Experiment.LeftOut {
		out = append(out, "left out: "+l.Variant+", "+finding.PlainText(l.Reason))
	}
	out = append(out, instrumented(doc)...)
	for _, text := range doc.Experiment.Faults {
		out = append(out, "on purpose: "+text)
	}
	return out
}

// instrumented has a line for each list of libraries that the tracers found in the program:
// "otel-python: instrumented flask, sqlite3", with the variants where those of one tracer differ.
func instrumented(doc *finding.Document) []string {
	type list struct {
		tracer, libraries string
		variants          []string
	}
	var lists []list
	for _, v := range doc.Experiment.Variants {
		libraries := strings.Join(v.Instrumented, ", ")
		if len(v.Missed) > 0 {
			libraries = cmp.Or(libraries, "nothing") + "; not " + strings.Join(v.Missed, ", ")
		}
		if libraries == "" {
			continue
		}
		i := slices.IndexFunc(lists, func(l list) bool { return l.tracer == v.Tracer && l.libraries == libraries })
		if i < 0 {
			i, lists = len(lists), append(lists, list{tracer: v.Tracer, libraries: libraries})
		}
		lists[i].variants = append(lists[i].variants, v.Name)
	}
	var out []string
	for _, l := range lists {
		who := l.tracer
		if slices.ContainsFunc(lists, func(o list) bool { return o.tracer == l.tracer && o.libraries != l.libraries }) {
			who += " (" + strings.Join(l.variants, ", ") + ")"
		}
		out = append(out, who+": instrumented "+l.libraries)
	}
	return out
}

// runsText counts blocks and runs: "8 blocks, 24 runs and 1 that failed". Blocks that not
// every variant has a run in are counted too, where no other is.
func runsText(r finding.Runs) string {
	text := wording.Counted(r.Blocks, "block")
	most := 0
	for _, v := range r.Variants {
		most = max(most, v.Blocks)
	}
	if r.Blocks == 0 && most > 0 {
		text = wording.Counted(most, "block") + ", none of them whole"
	}
	if r.Sittings > 1 {
		text += fmt.Sprintf(" in %d sittings", r.Sittings)
	}
	if r.Nodes > 1 {
		text += fmt.Sprintf(" on %d nodes", r.Nodes)
	}
	if n := len(r.Dropped); n > 0 {
		text += fmt.Sprintf(" (%d more left out)", n)
	}
	text += ", " + wording.Counted(r.Good, "run")
	if r.Failed > 0 {
		text += fmt.Sprintf(" and %d that failed", r.Failed)
	}
	if r.Generators > 0 {
		text += fmt.Sprintf(", each with %d load generators", r.Generators)
	}
	return text
}

// budgetKinds are the verdicts against a budget.
func budgetKinds(doc *finding.Document) []finding.Kind {
	var kinds []finding.Kind
	for _, f := range doc.Findings {
		if f.Verdict.Budget != nil {
			kinds = append(kinds, f.Verdict.Kind)
		}
	}
	return kinds
}

// On what machine it was measured, and what was compared.

// how returns the method of a result.
func how(doc *finding.Document) model.How {
	h := model.How{Title: "How it was measured", File: doc.Experiment.File, Repeat: doc.Repeat, Grids: parts.Grids(variantsTable(doc), machineTable(doc))}
	return parts.WithMade(h, doc.Tool, fmt.Sprintf("seed %d", doc.Experiment.Seed))
}

// variantsTable has a row for each variant, with its settings.
func variantsTable(doc *finding.Document) model.Grid {
	g := model.Grid{Caption: "Variants", Stack: true, Columns: []model.Column{{Head: "variant"}, {Head: "tracer"}, {Head: "settings", Wrap: true}, {Head: "via", Wrap: true}, {Head: "to"}, {Head: "against"}, {Head: "description", Wrap: true}}}
	for i, v := range doc.Experiment.Variants {
		against := v.Against
		if i == 0 {
			against = cmp.Or(against, "the baseline")
		}
		var settings model.Cell
		var texts []string
		for _, name := range slices.Sorted(maps.Keys(v.Settings)) {
			settings.Parts = append(settings.Parts, model.Part{Name: name, Value: v.Settings[name]})
			texts = append(texts, name+" "+v.Settings[name])
		}
		settings.Text = strings.Join(texts, ", ")
		g.Add(model.Cell{Text: v.Name}, model.Cell{Text: v.Tracer}, settings, model.Cell{Text: strings.Join(v.Via, " → ")}, model.Cell{Text: backendOf(doc, v)}, model.Cell{Text: against}, model.Cell{Text: v.Description})
	}
	return g.DropEmpty()
}

// backendOf returns the end of a variant's spans, if those of any variant end elsewhere than in the sink.
func backendOf(doc *finding.Document, v finding.Variant) string {
	elsewhere := slices.ContainsFunc(doc.Experiment.Variants, func(v finding.Variant) bool { return v.To != "" })
	if !elsewhere || v.Tracer == "none" {
		return v.To
	}
	return cmp.Or(v.To, "sink")
}

// machineTable flattens the environment into lines with names like "cgroup version".
func machineTable(doc *finding.Document) model.Grid {
	g := model.Grid{Caption: "The machine", Fold: model.Closed, Bare: true, Columns: []model.Column{{}, {Wrap: true}}}
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(strings.TrimSpace(name+" "+k), v[k])
			}
		case string:
			g.Add(model.Texts(name, finding.PlainText(v))...)
		case nil:
			g.Add(model.Texts(name, finding.Missing)...)
		default:
			text, err := json.Marshal(v)
			if err != nil {
				text = fmt.Append(nil, v)
			}
			g.Add(model.Texts(name, string(text))...)
		}
	}
	walk("", doc.Environment)
	return g
}

// brief is a result whose operations are shown one after the other.
type brief struct {
	doc   *finding.Document
	all   bool            // every metric, role and ledger
	noted map[string]bool // remarks that have been made
}

// Brief is a result, an operation after the other: what people decide by, or every metric, role and ledger.
func Brief(doc *finding.Document, all bool) *model.Page {
	b := &brief{doc: doc, all: all, noted: map[string]bool{}}
	p := headOf(doc)
	p.Sections = slices.Concat(b.operations(), beside(doc, all), b.otherLedgers())
	if notes := consequences(doc); len(notes) > 0 {
		p.Sections = append(p.Sections, model.Section{Notes: notes})
	}
	p.Marks = slices.DeleteFunc(marksIn(p), func(n model.Note) bool { return tellsMark(p, n) })
	p.Warnings = warnings(doc)
	p.How = model.How{Reading: reading(doc), Repeat: doc.Repeat}
	return p
}

// beside are the parts beside the findings, if any.
func beside(doc *finding.Document, levels bool) []model.Section {
	return append(besideCauses(doc, levels, parts.LostTable(doc.Lossy)), parts.Sections(causesSection(doc, levels))...)
}

// besideCauses are those but the causes, with a table of the variants that lost spans.
func besideCauses(doc *finding.Document, levels bool, lost model.Grid) []model.Section {
	return parts.Sections(saturationSection(doc, levels), heapSection(doc, levels), parts.LostSection(lost), stepsSection(doc, levels))
}

// operations are the sections of all operations, the whole run last.
func (b *brief) operations() []model.Section {
	var out []model.Section
	all := Groups(b.doc)
	swept := map[string]bool{}
	whole := slices.IndexFunc(all, func(g *Group) bool { return g.Operation == "" })
	if whole < 0 {
		whole = len(all)
	}
	for i, g := range all {
		if i == whole {
			out = append(out, b.otherSearches(all)...)
		}
		one := levels(all, g.Operation)
		switch {
		case b.all || g.Parameter == "" || one == nil:
			out = append(out, b.operation(g)...)
		case !swept[g.Operation]:
			swept[g.Operation] = true
			out = append(out, b.levelsSection(one))
		}
	}
	if whole == len(all) {
		out = append(out, b.otherSearches(all)...)
	}
	return out
}

// operation is the section of one operation, if there is anything to compare.
func (b *brief) operation(g *Group) []model.Section {
	tables := b.tables(g, baseline(b.doc))
	if len(tables) == 0 {
		return nil
	}
	addNotes(tables, b.notes(g, func(f *finding.Finding) bool { return b.all || parts.IsMain(f) }))
	tables = append(tables, parts.Grids(b.serviceTable(g))...)
	s := model.Section{Title: g.title(), Grids: append(tables, parts.Grids(searchTable(searchesOf(b.doc, g.Operation, g.Parameter)))...)}
	if g.Parameter != "" || b.all || levels(Groups(b.doc), g.Operation) == nil { // otherwise the levels have told it
		s.Grids = append(s.Grids, parts.Grids(b.ledgersOf(g.Operation))...)
	}
	return []model.Section{s}
}
