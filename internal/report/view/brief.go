// Package view owns what is shown of a document: it makes the model of a report, one builder a part. What it says holds
// for every form; it must not know how one is drawn, and computes no figure that the document does not hold.
package view

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// brief is a result of which an operation after the other is shown.
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
	p.Marks = slices.DeleteFunc(marksIn(p), func(n model.Note) bool { return tellsMark(p, n) })
	p.Warnings = warnings(doc)
	p.How = model.How{Reading: reading(doc), Repeat: doc.Repeat}
	return p
}

// beside are the parts beside the findings, as far as there are such.
func beside(doc *finding.Document, levels bool) []model.Section {
	return parts.Sections(saturationSection(doc, levels), heapSection(doc, levels), parts.LostSection(parts.LostTable(doc.Lossy)), stepsSection(doc, levels))
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
	s := model.Section{Title: g.title(), Grids: append(tables, parts.Grids(searchTable(searchesOf(b.doc, g.Operation, g.Parameter)))...)}
	if g.Parameter != "" || b.all || levels(Groups(b.doc), g.Operation) == nil { // otherwise the levels have told it
		s.Grids = append(s.Grids, parts.Grids(b.ledgersOf(g.Operation))...)
	}
	return []model.Section{s}
}
