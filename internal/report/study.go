// A study of several results: for a terminal, and as JSON.

package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// StudyJSON writes the study, indented.
func StudyJSON(w io.Writer, doc *finding.Study) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("writing the study as JSON: %w", err)
	}
	return nil
}

// Study writes the study for a terminal.
func Study(w io.Writer, doc *finding.Study, opts TerminalOptions) error {
	t := &terminal{doc: &finding.Document{Warnings: doc.Warnings}, opts: opts, brush: painter{opts.Color}, noted: map[string]bool{}}
	t.paragraph("", doc.Answer, bold)
	for _, r := range doc.Results {
		t.paragraph("", studyResultText(r), dim)
	}
	for _, text := range sourceTexts(doc) {
		t.paragraph("", text, dim)
	}
	t.studyClaims(doc)
	t.sections(studySections(doc))
	t.line("")
	for _, text := range doc.Methods {
		t.paragraph(indent, text, dim)
	}
	t.warnings()
	if _, err := io.WriteString(w, t.text.String()); err != nil {
		return fmt.Errorf("writing the study: %w", err)
	}
	return nil
}

// studyClaims writes each claim with what became of it.
func (t *terminal) studyClaims(doc *finding.Study) {
	if len(doc.Claims) == 0 {
		return
	}
	t.line("")
	t.title("What was claimed")
	for _, c := range doc.Claims {
		t.paragraph(indent+claimMark(c.Kind)+" "+visible(c.Name)+"  ", string(c.Kind)+": "+c.Said, claimStyle(c.Kind))
		if c.Text != "" {
			t.paragraph(indent+"  ", c.Text, dim)
		}
	}
}

func claimMark(kind finding.ClaimKind) string {
	switch kind {
	case finding.Confirmed:
		return "✓"
	case finding.Refuted:
		return "✗"
	}
	return "?"
}

func claimStyle(kind finding.ClaimKind) style {
	switch kind {
	case finding.Confirmed:
		return green
	case finding.Refuted:
		return red
	}
	return yellow
}

// studyResultText says what one of the results is.
func studyResultText(r finding.StudyResult) string {
	var parts []string
	quick := ""
	if r.Quick {
		quick = "a quick run: figures only"
	}
	for _, text := range []string{r.Workload, r.Load, counted(r.Blocks, "block"), quick, r.Results} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(append(parts, r.Runtimes...), " · ")
}

// sourceTexts say where the published figures are from.
func sourceTexts(doc *finding.Study) []string {
	var out []string
	for i, s := range doc.Series {
		text := s.Name + ": " + s.Source
		if mark := seriesMark(doc, i); mark != "" {
			text = mark + " " + text
		}
		out = append(out, text)
	}
	return out
}

// seriesMark tells a series from the others where there is little room: "[2]"; "" where there
// is but one.
func seriesMark(doc *finding.Study, series int) string {
	if len(doc.Series) < 2 {
		return ""
	}
	return fmt.Sprintf("[%d]", series+1)
}

// seriesHead is the head of a column of a series: its name without the remark, and its mark.
func seriesHead(doc *finding.Study, series int) string {
	name, _, _ := strings.Cut(doc.Series[series].Name, ", ")
	return strings.TrimSpace(visible(name) + " " + seriesMark(doc, series))
}
