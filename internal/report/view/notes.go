// What is said below the tables: how to read them, and what the analysis remarks.

package view

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// centresText explains why figures in a row need not divide.
const centresText = "Values and differences are centres over the blocks, each of its own (Hodges–Lehmann; ratios are taken within blocks): they need not subtract or divide exactly."

// jointText says what a verdict without a corrected interval rests on.
const jointText = "With so few blocks a verdict of costs or saves rests on a joint test: it is corrected for all comparisons, and the interval beside it is not."

// familiesText says what verdicts are corrected for.
const familiesText = "Verdicts are corrected so that those on the headline, those on all other metrics, and those on budgets are each wrong in at most 5 of 100 experiments."

// howToRead explains the figures of a document.
func howToRead(doc *finding.Document) string {
	text := centresText
	if slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return f.Verdict.Claims > 0 }) {
		text += " " + familiesText
	}
	if jointly(doc) {
		text += " " + jointText
	}
	return text
}

func jointly(doc *finding.Document) bool {
	return slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return f.Verdict.Joint })
}

// reading explains the figures, and the marks of verdicts, which may stand without their words.
func reading(doc *finding.Document) []model.Note {
	var out []model.Note
	if len(doc.Findings) > 0 {
		out = parts.Faint(howToRead(doc))
	}
	var used []string
	for _, kind := range parts.Kinds {
		if slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return f.Verdict.ShownKind(f.ByRatio()) == kind }) {
			used = append(used, parts.VerdictMark(kind)+" "+parts.KindWord(kind))
		}
	}
	if len(used) > 0 {
		out = append(out, parts.Faint(strings.Join(used, " · "))...)
	}
	return out
}

// notes are what the analysis remarks on the findings that are shown, each once a
// metric, where it first applies; with the variants where it remarks something else on others.
func (b *brief) notes(g *Group, isShown func(*finding.Finding) bool) []model.Note {
	var shown []*finding.Finding
	for _, f := range g.Findings {
		if isShown(f) && (b.all || lossyOf(b.doc, g, f.Variant) == nil) {
			shown = append(shown, f)
		}
	}
	var out []model.Note
	for _, f := range shown {
		if f.Note == "" {
			continue
		}
		about, of, differs := parts.Label(f), []string{}, false
		for _, o := range shown {
			switch {
			case o.Metric != f.Metric || o.Charged() != f.Charged():
			case o.Note != f.Note:
				differs = true
			case !slices.Contains(of, o.Variant):
				of = append(of, o.Variant)
			}
		}
		if differs {
			about += " of " + strings.Join(of, ", ")
		}
		text := about + ": " + f.Note
		if !b.noted[text] {
			b.noted[text] = true
			out = append(out, parts.Faint(text)...)
		}
	}
	return out
}

// addNotes puts notes below the last of some tables.
func addNotes(grids []model.Grid, notes []model.Note) {
	if n := len(grids); n > 0 {
		grids[n-1].Notes = append(grids[n-1].Notes, notes...)
	}
}

// bounded is one text where any finding has an interval, and another where none has.
func bounded(doc *finding.Document, yes, no string) string {
	has := func(i *finding.Interval) bool { return i != nil && i.Low != nil && i.High != nil }
	if slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return has(f.Relative) || has(f.Absolute) }) {
		return yes
	}
	return no
}
