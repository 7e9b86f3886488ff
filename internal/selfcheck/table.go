// This file lays a selfcheck out as a page of a report.

package selfcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
)

// Page returns the report for a person.
func (r *Report) Page() *model.Page {
	p := &model.Page{Summary: r.sentence(), About: [][]string{{
		string(r.Form) + " form", "order " + strings.Join(r.Form.orders(), " and "),
		fmt.Sprintf("%d checks, %d of them with intervals that hold together at %.0f %%", len(r.Checks), r.Claims, 100*r.Confidence),
	}}}
	if r.Verdict == Failed {
		p.Alarm.Title, p.Summary = p.Summary, ""
	}
	var folders []model.Note
	for i, folder := range r.Results {
		lead := "         "
		if i == 0 {
			lead = "results  "
		}
		folders = append(folders, model.Note{Lead: lead, Text: folder})
	}
	p.Sections = append([]model.Section{{Grids: []model.Grid{table(r.Checks)}, Notes: reasons(r.Checks)}}, NoiseSections(r.Noise, nil)...)
	p.Sections = append(p.Sections, model.Section{Notes: folders})
	return p
}

// table has a row for each check. The verdict's word gives way where it is narrow, then the tolerance: the mark stays.
func table(checks []Check) model.Grid {
	g := model.Grid{Columns: []model.Column{
		{Head: "verdict", Drop: 2}, {Head: "order"}, {Head: "injected overhead", Give: true}, {Head: "is", Right: true}, {Head: "measured"},
		{Head: "tolerance", Right: true, Drop: 1},
	}}
	for _, c := range checks {
		g.Add(model.Cell{Mark: mark(c.Verdict), Text: string(c.Verdict), Tone: tone(c.Verdict)}, model.Cell{Text: string(c.Order), Tone: model.Faint},
			model.Cell{Text: c.Name}, model.Cell{Text: c.knownText()}, model.Cell{Text: c.measuredText()},
			model.Cell{Text: c.toleranceText(), Tone: model.Faint})
	}
	return g
}

func (c Check) knownText() string {
	switch {
	case c.Blocks == 0:
		return finding.Missing
	case c.Unit == warningUnit:
		return "given"
	case c.Unit == "count":
		return finding.FormatCount(int64(c.Known))
	case c.Exact && c.Unit == "s":
		return "≥ " + finding.FormatValue(c.Known, c.Unit)
	case c.Known == 0:
		return "0"
	}
	return finding.FormatValue(c.Known, c.Unit)
}

func (c Check) measuredText() string {
	switch {
	case c.Blocks == 0:
		return finding.Missing
	case c.Unit == warningUnit && c.Measured == 0:
		return "missing"
	case c.Unit == warningUnit:
		return "given"
	case c.Unit == "count":
		return finding.FormatCount(int64(c.Measured))
	case c.Exact:
		return finding.FormatValue(c.Measured, c.Unit)
	}
	return c.measured()
}

func (c Check) toleranceText() string {
	if c.Exact {
		return "exact"
	}
	return "±" + finding.FormatValue(c.Tolerance, c.Unit)
}

// reasons says of every check that did not pass why, and how to see it alone.
func reasons(checks []Check) []model.Note {
	var notes []model.Note
	var alone []string
	for _, c := range checks {
		if c.Verdict == Passed {
			continue
		}
		notes = append(notes, model.Note{Lead: mark(c.Verdict) + " ", Text: c.Name + ": " + c.Text, Tone: tone(c.Verdict)})
		if command := fmt.Sprintf("tracetax run %s --set design.order=%s", c.Experiment, c.Order); !slices.Contains(alone, command) {
			alone = append(alone, command)
		}
	}
	if len(alone) > 0 {
		notes = append(notes, model.Note{Text: "by hand: " + strings.Join(alone, "; "), Tone: model.Faint})
	}
	return notes
}

// sentence is the summary.
func (r *Report) sentence() string {
	count := map[Verdict]int{}
	for _, c := range r.Checks {
		count[c.Verdict]++
	}
	switch r.Verdict {
	case Passed:
		return "passed: tracetax finds all injected overheads on this machine"
	case Failed:
		return fmt.Sprintf("failed: %d of %d injected overheads are not found as they are. Do not trust results from this machine before the cause is known", count[Failed], len(r.Checks))
	}
	return fmt.Sprintf("inconclusive: this machine is too noisy for %d of %d checks; the others passed", count[Inconclusive], len(r.Checks))
}

func tone(v Verdict) model.Tone {
	switch v {
	case Passed:
		return model.Good
	case Failed:
		return model.Bad
	}
	return model.Doubtful
}

func mark(v Verdict) string {
	switch v {
	case Passed:
		return "✓"
	case Failed:
		return "✗"
	}
	return "?"
}
