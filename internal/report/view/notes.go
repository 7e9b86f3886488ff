// What is said below the tables: how to read them, and what the analysis remarks.

package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
	"github.com/tracetax/tracetax/internal/wording"
)

// centresText explains why figures in a row need not divide.
const centresText = "Values, differences and ratios are each a centre over the blocks (Hodges–Lehmann; ratios within blocks), and need not subtract or divide exactly."

// jointText returns the evidence of a verdict without a corrected interval.
const jointText = "With so few blocks a joint test tells what costs and what saves. Its verdicts are corrected for each other; the intervals are not."

// correctedText returns the correction of verdicts, of experiments or comparisons.
func correctedText(what string) string {
	return fmt.Sprintf("Verdicts are corrected for each other: of 100 %s, at most 5 have a wrong one on the headline, 5 on another metric, 5 on a budget.", what)
}

// howToRead explains the figures of a document.
func howToRead(doc *finding.Document) string {
	text := centresText
	if slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return f.Verdict.Claims > 0 }) {
		text += " Each interval is right by itself with 95 %. " + correctedText("experiments")
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
			used = append(used, parts.VerdictMark(kind)+" "+wording.KindWord(kind))
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
		if isShown(f) && (b.all || lossyOf(b.doc, g, f.Variant) == nil && !isUntraced(b.doc, g, f.Variant)) {
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

// What the harness has to say against itself.

// warnings are those of a result, the gravest first, then the runs that failed.
func warnings(doc *finding.Document) []model.Warning {
	all := parts.Warnings(doc.Warnings)
	failures := doc.Runs.Failure
	if wording.FailureOnTop(doc) { // it can be long
		failures = failures[1:]
	}
	for _, text := range failures {
		all = append(all, model.Warning{Severity: "failed run", Tone: model.Bad, Text: finding.PlainText(text)})
	}
	return all
}

// The answers by status, where several are right.

// answersOf has a line for each variant whose answers to an operation are counted by their status.
func answersOf(doc *finding.Document, operation string) (lines [][]model.Cell) {
	for _, a := range doc.Answers {
		if a.Operation != operation {
			continue
		}
		name := a.Variant
		if level := parts.Parameter(a.Parameter); level != "" {
			name += ", " + level
		}
		lines = append(lines, []model.Cell{{Text: "answers"}, {Text: name}, {Text: wording.Answers(a)}})
	}
	return lines
}

// The marks of variants that did less than the others: they lost spans, held them back, or
// sent none at all.

// marks are what each says, and where more is said of it.
var marks = []struct {
	mark string
	note model.Note
}{
	{parts.UntracedMark, model.Note{Text: parts.UntracedText, Tone: model.Faint}},
	{parts.LossyMark, model.Note{Text: parts.LossyText, Tone: model.Faint, More: "Who lost how many, and where", Link: "apart"}},
	{parts.SuppressedMark, model.Note{Text: parts.SuppressedText, Tone: model.Faint, More: "How many stands in its ledger", Link: "ledger"}},
}

// marksIn are what the marks say that stand on a page.
func marksIn(p *model.Page) []model.Note {
	texts := textsOf(p)
	var out []model.Note
	for _, m := range marks {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, m.mark) }) {
			out = append(out, m.note)
		}
	}
	return out
}

// tellsMark reports whether a note of a section tells what a mark says.
func tellsMark(p *model.Page, mark model.Note) bool {
	sign, _, _ := strings.Cut(mark.Text, " ")
	return slices.ContainsFunc(p.Sections, func(s model.Section) bool {
		return slices.ContainsFunc(s.Notes, func(n model.Note) bool { return strings.HasPrefix(n.Text, sign+" ") })
	})
}

// textsOf are the names and figures on a page, in its cards and its tables.
func textsOf(p *model.Page) []string {
	var out []string
	grid := func(g model.Grid) {
		for _, c := range g.Columns {
			out = append(out, c.Head)
		}
		for _, row := range g.Rows {
			for _, c := range row.Cells {
				out = append(out, c.Text)
			}
		}
	}
	for _, c := range p.Cards {
		for _, row := range c.Rows {
			out = append(out, row.Variant)
		}
	}
	grid(p.Headline)
	for _, s := range p.Sections {
		for _, g := range s.Grids {
			grid(g)
		}
	}
	return out
}

// lossyOf is what a variant lost on the operation of a group at its level; of a group of
// lines over all levels, at the worst. It is nil where that is under 1 %.
func lossyOf(doc *finding.Document, g *Group, variant string) *finding.Lossy {
	return doc.Lost(g.Operation, parameters(g), variant)
}

// isLeast reports whether a finding says what a variant costs at least: it is excluded from the ranking, and
// would cost as much or more had it sent all of its spans.
func isLeast(doc *finding.Document, g *Group, f *finding.Finding) bool {
	l := lossyOf(doc, g, f.Variant)
	return l != nil && f.Against == baseline(doc) && f.Role == "" && f.Metric == l.Metric && (l.Cost != nil || l.Added != nil)
}

func isSuppressed(doc *finding.Document, g *Group, variant string) bool {
	return slices.ContainsFunc(doc.Suppressed, func(u finding.Suppressed) bool {
		return u.Variant == variant && u.Operation == g.Operation && (g.Parameter == "" || parts.Parameter(u.Parameter) == g.Parameter)
	})
}

// markedVariant is a variant's name, with a mark where none of its spans came, where it lost too
// many of them, or held too many back.
func markedVariant(doc *finding.Document, g *Group, variant string) string {
	switch {
	case isUntraced(doc, g, variant):
		return variant + " " + parts.UntracedMark
	case lossyOf(doc, g, variant) != nil:
		return variant + " " + parts.LossyMark
	case isSuppressed(doc, g, variant):
		return variant + " " + parts.SuppressedMark
	}
	return variant
}

// markedAnywhere is likewise, of any of the levels of an operation.
func markedAnywhere(doc *finding.Document, levels []*Group, variant string) string {
	return markedVariant(doc, &Group{Operation: levels[0].Operation}, variant)
}

// markedCell is likewise, and stands out.
func markedCell(doc *finding.Document, g *Group, variant string) model.Cell {
	name := markedVariant(doc, g, variant)
	if name == variant {
		return model.Cell{Text: name}
	}
	return model.Cell{Text: name, Tone: model.Doubtful}
}

// toldOf returns the meaning of the mark of a variant.
func toldOf(doc *finding.Document, g *Group, variant string) []string {
	name := markedVariant(doc, g, variant)
	for _, m := range marks {
		if name == variant+" "+m.mark {
			return []string{m.note.Text}
		}
	}
	return nil
}
