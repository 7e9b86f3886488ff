// What would make tracing cheaper: the settings that explain found, each with what it saves where a variant has tried it.

package view

import (
	"cmp"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/wording"
)

// advised is an advice on a pair and operation.
type advised struct {
	*finding.Advice
	of     *finding.Causes
	amount float64 // CPU of the cause, seconds per operation; below all others where it is unknown
}

// saves is what an advice saves, in seconds per operation; below all others where nobody has tried it.
func (a advised) saves() float64 {
	if a.Saves == nil {
		return math.Inf(-1)
	}
	return -a.Saves.Estimate
}

// adviceSection is a list of settings, the one first that saves most; those that nobody tried last, by the size of their cause.
func adviceSection(doc *finding.Document) model.Section {
	s := model.Section{ID: "advice", Title: "What would make it cheaper", Lead: model.Texts("Settings of the tracer that make a large cause " +
		"smaller, by the CPU per operation that each saves. A saving is measured: by a variant that has the setting.")}
	var all []advised
	for i := range doc.Causes {
		c := &doc.Causes[i]
		for n := range c.Advice {
			a := &c.Advice[n]
			all = append(all, advised{Advice: a, of: c, amount: sizeOf(doc, c, causeMetric(a))})
		}
	}
	slices.SortStableFunc(all, func(a, b advised) int {
		return cmp.Or(cmp.Compare(b.saves(), a.saves()), cmp.Compare(b.amount, a.amount))
	})
	table := model.Grid{Stack: true, Columns: []model.Column{
		{Head: "setting"}, {Head: "estimated saving", Wrap: true}, {Head: "makes smaller"},
		{Head: "loses", Wrap: true}, {Head: "of"}, {Head: "tried as"},
	}}
	for _, a := range all {
		saved := model.Cell{Text: wording.Saved(a.Advice), Tone: model.Faint}
		switch i := a.Saves; {
		case i == nil:
		case i.Low != nil && *i.Low > 0:
			saved.Tone = model.Dear
		case i.High != nil && *i.High < 0:
			saved.Tone = model.Cheap
		default:
			saved.Tone = model.Doubtful
		}
		of := parts.At(a.of.Operation, a.of.Parameter) + ": " + a.of.Variant
		if a.of.Against != baseline(doc) {
			of += " over " + a.of.Against
		}
		table.Add(model.Cell{Text: settingText(a.Setting), Tone: model.Strong}, saved, model.Cell{Text: cmp.Or(a.Task, a.Stage)},
			model.Cell{Text: a.Loses}, model.Cell{Text: of, Tone: model.Faint}, model.Cell{Text: a.Variant})
	}
	s.Grids = parts.Grids(table.DropEmpty())
	if slices.ContainsFunc(all, func(a advised) bool { return a.Saves == nil }) {
		s.Notes = parts.Faint("To try settings: tracetax explain with --try, which makes each a variant.")
	}
	return s
}

// causeMetric is the metric of the cause that an advice makes smaller.
func causeMetric(a *finding.Advice) string {
	axis, name := metric.Task, a.Task
	if name == "" {
		axis, name = metric.Stage, a.Stage
	}
	for _, m := range metric.Causes(axis) {
		if metric.Must(m).Cause.Name == name {
			return m
		}
	}
	return ""
}
