// This file writes what is said below the tables: how to read them, the marks, and what the
// analysis remarks.
package report

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// centresText explains why figures in a row need not divide.
const centresText = "Values and differences are centres over the blocks, each of its own (Hodges–Lehmann; ratios are taken within blocks): they need not subtract or divide exactly."

// jointText says what a verdict without a corrected interval rests on.
const jointText = "With so few blocks for so many claims, costs and saves rest on the signs of all the claims' differences together: that there is a difference is sure among all of them, how large it is holds for each one alone."

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

// legend explains the figures and the marks, which may stand without their words.
func (t *terminal) legend() {
	if len(t.doc.Findings) > 0 {
		t.line("")
		t.paragraph(indent, howToRead(t.doc), dim)
	}
	var used []string
	for _, kind := range kinds {
		if slices.ContainsFunc(t.doc.Findings, func(f finding.Finding) bool { return f.Verdict.Kind == kind }) {
			used = append(used, verdictMark(kind)+" "+verdictWord(finding.Verdict{Kind: kind}))
		}
	}
	if len(used) > 0 {
		t.paragraph(indent, strings.Join(used, " · "), dim)
	}
	for _, m := range marks {
		if so := t.text.String(); strings.Contains(so, m.mark) && !strings.Contains(so, m.mark+" lost") { // where its section has not told it
			t.paragraph(indent, m.text, dim)
		}
	}
}

// notes writes what the analysis remarks on the findings that are shown, each once a
// metric, where it first applies; with the variants where it remarks something else on others.
func (t *terminal) notes(g *group, isShown func(*finding.Finding) bool) {
	var shown []*finding.Finding
	for _, f := range g.findings {
		if isShown(f) && (t.opts.All || lossyOf(t.doc, g, f.Variant) == nil) {
			shown = append(shown, f)
		}
	}
	for _, f := range shown {
		if f.Note == "" {
			continue
		}
		about, of, differs := label(f), []string{}, false
		for _, o := range shown {
			switch {
			case o.Metric != f.Metric || o.Charged() != f.Charged():
			case o.Note != f.Note:
				differs = true
			case !slices.Contains(of, visible(o.Variant)):
				of = append(of, visible(o.Variant))
			}
		}
		if differs {
			about += " of " + strings.Join(of, ", ")
		}
		text := about + ": " + f.Note
		if t.noted[text] {
			continue
		}
		t.noted[text] = true
		t.paragraph(indent, text, dim)
	}
}

func (t *terminal) foot() {
	t.line("")
	if t.doc.Results != "" {
		t.line(t.brush.paint("results  ", dim) + visible(t.doc.Results))
		t.line(t.brush.paint("page     ", dim) + visible(filepath.Join(t.doc.Results, "report.html")))
	}
	for i, command := range t.doc.Repeat {
		lead := "         "
		if i == 0 {
			lead = "again    "
		}
		t.line(t.brush.paint(lead, dim) + visible(command))
	}
}
