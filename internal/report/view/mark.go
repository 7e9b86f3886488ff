// The marks of variants that did less than the others: they lost spans, held them back, or
// sent none at all.

package view

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

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

// toldOf is what the mark of a variant says.
func toldOf(doc *finding.Document, g *Group, variant string) []string {
	name := markedVariant(doc, g, variant)
	for _, m := range marks {
		if name == variant+" "+m.mark {
			return []string{m.note.Text}
		}
	}
	return nil
}
