// What stands above the figures: what was measured, and how that came about.

package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// headOf is a page with all that stands above the figures of a result.
func headOf(doc *finding.Document) *model.Page {
	p := &model.Page{
		Title: cmp.Or(doc.Experiment.Workload, doc.Experiment.Name), Name: doc.Experiment.Name,
		Alarm: alarmOf(doc), Summary: doc.FullSummary, Kept: parts.Kept(budgetKinds(doc)), About: [][]string{about(doc)}, Details: came(doc), Results: doc.Results,
	}
	if doc.Summary != "" && doc.Summary != doc.FullSummary {
		p.Summary, p.More = doc.Summary, doc.FullSummary
	}
	if doc.Quick {
		p.Notices = []string{quickText}
	}
	return p
}

// quickText says what a quick run lacks.
const quickText = "A quick run: its windows and its warm-up are short, and what is not compiled yet may cost many times what it costs later. Run it without --quick for numbers to act on."

// about says in a few words what was measured.
func about(doc *finding.Document) []string {
	pieces := []string{cmp.Or(doc.Experiment.Workload, doc.Experiment.Name), doc.Experiment.Load, runsText(doc.Runs)}
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
	text := parts.Counted(r.Blocks, "block")
	most := 0
	for _, v := range r.Variants {
		most = max(most, v.Blocks)
	}
	if r.Blocks == 0 && most > 0 {
		text = parts.Counted(most, "block") + ", none of them whole"
	}
	text += ", " + parts.Counted(r.Good, "run")
	if r.Failed > 0 {
		text += fmt.Sprintf(" and %d that failed", r.Failed)
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
