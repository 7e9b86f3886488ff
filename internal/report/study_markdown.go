// A study as Markdown, for a page of docs/studies.

package report

import (
	"io"

	"github.com/tracetax/tracetax/internal/finding"
)

// StudyMarkdown writes the study as a part of a page.
func StudyMarkdown(w io.Writer, doc *finding.Study) error {
	m := &markdown{}
	m.line("**" + cellText(doc.Answer) + "**")
	m.line("")
	for _, r := range doc.Results {
		m.line("- " + cellText(studyResultText(r)))
	}
	for _, text := range sourceTexts(doc) {
		m.line("- " + cellText(text))
	}
	m.studyClaims(doc)
	for _, s := range studySections(doc) {
		m.line("")
		m.line("### " + cellText(s.title))
		for _, g := range s.grids {
			m.captioned(g)
		}
		for _, note := range s.notes {
			m.line("- " + cellText(note))
		}
	}
	m.line("")
	m.line("### How the figures were made")
	m.line("")
	for _, text := range doc.Methods {
		m.line("- " + cellText(text))
	}
	m.line("")
	m.warnings(doc.Warnings, nil)
	return m.to(w)
}

// captioned writes a table below its caption.
func (m *markdown) captioned(g grid) {
	if g.caption != "" {
		text := "**" + cellText(g.caption) + "**"
		if g.remark != "" {
			text += " – " + cellText(g.remark)
		}
		m.line("")
		m.line(text)
	}
	m.grid(g)
}

// studyClaims writes a row for each claim, and the figures that it rests on folded away.
func (m *markdown) studyClaims(doc *finding.Study) {
	if len(doc.Claims) == 0 {
		return
	}
	m.line("")
	m.line("### What was claimed")
	t := markTable{heads: []markHead{{"claim", false}, {"in words", false}, {"", false}, {"because", false}}}
	for _, c := range doc.Claims {
		t.rows = append(t.rows, []string{c.Name, c.Text, claimMark(c.Kind) + " " + string(c.Kind), c.Said})
	}
	m.table(t)
	for _, c := range doc.Claims {
		m.details("The figures of "+cellText(c.Name), func() { m.grid(claimGrid(c)) })
	}
}

// claimGrid has a row for each figure that a claim rests on.
func claimGrid(c finding.ClaimResult) grid {
	g := grid{columns: []column{
		{head: "workload"}, {head: "operation"}, {head: "variant"}, {head: "cost", right: true}, {head: "(95 %)", right: true}, {head: "by itself"}, {head: "blocks", right: true}, {head: "remark"},
	}}
	for _, f := range c.Figures {
		operation := ""
		if f.Operation != "" {
			operation = cellLabel(f.Operation, f.Parameter)
		}
		row := []textCell{{text: f.Workload}, {text: operation}, {text: f.Variant}}
		row = append(row, ratioCells(f.Interval)...)
		g.rows = append(g.rows, append(row, textCell{text: holdsText(f.Holds)}, textCell{text: finding.FormatCount(int64(f.Blocks))}, textCell{text: reasonText(f.Reason)}))
	}
	return dropEmpty(g)
}

func holdsText(kind finding.ClaimKind) string {
	switch kind {
	case finding.Confirmed:
		return "in the range"
	case finding.Refuted:
		return "beyond it"
	}
	return "open"
}
