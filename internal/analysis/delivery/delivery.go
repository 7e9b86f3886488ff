// This file accounts for spans: the ledgers of the runs, and the share of its spans that a
// variant delivered.
package delivery

import (
	"maps"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/words"
)

// account makes the ledgers, of all good runs: a spoiled clock spoils no count.
func (b *Book) account() {
	cells := b.Cells()
	for _, v := range b.Variants {
		var names []string
		for _, at := range cells {
			names = append(names, at.String())
		}
		var runs, runsByCell []ledger.Run
		for _, block := range dataset.BlocksIn(b.All[v.Name]) {
			runs = append(runs, ledger.FromRecord(b.All[v.Name][block].Record))
		}
		t := ledger.Confirm(b.Tracing[v.Name], runs)
		b.Tracing[v.Name] = t
		byCell := b.tracingByCell(v.Name)
		for _, block := range dataset.BlocksIn(b.All[v.Name]) {
			r := b.All[v.Name][block]
			runsByCell = append(runsByCell, ofCells(r.Record))
			b.deliveries[r] = ledger.Deliveries(byCell, runsByCell[len(runsByCell)-1])
		}
		b.Ledgers = append(b.Ledgers, ledger.Account(v.Name, ledger.AppToSink, b.Operations(), t, runs)...)
		b.byCell = append(b.byCell, ledger.Account(v.Name, ledger.AppToSink, names, byCell, runsByCell)...)
	}
	for _, ledgers := range [][]finding.Ledger{b.Ledgers, b.byCell} {
		for i := range ledgers {
			_, ledgers[i].LostMost, _ = ledger.LossEnds(ledgers[i])
		}
		words.FillLedgers(ledgers)
	}
}

// tracingByCell is a variant's tracing with the spans of an operation under the names of its
// cells too, for what is asked of one level alone.
func (b *Book) tracingByCell(variant string) ledger.Tracing {
	t := b.Tracing[variant]
	t.Spans = maps.Clone(t.Spans)
	for _, at := range b.Cells() {
		if per, known := t.Spans[at.Operation]; known && !isKnown(t.Spans, at.String()) {
			t.Spans[at.String()] = per
		}
	}
	return t
}

// ofCells is a run with its phases under the names of their cells.
func ofCells(r *record.Record) ledger.Run {
	one := ledger.FromRecord(r)
	for i := range one.Phases {
		one.Phases[i].Operation = cell.AtOf(r.Phases[i].Operation, r.Phases[i].Parameter).String()
	}
	return one
}

func isKnown(spans map[string]ledger.PerOperation, name string) bool {
	_, known := spans[name]
	return known
}

// Share is the delivered share of a variant's spans in what is measured on a cell, but for what
// was lost for sure: of the window, or of the whole phase where LostInWindow tells less, or of
// the whole run where nobody knows how many were to come; 1 where it is not known at all.
func (b *Book) Share(variant string, at cell.At) float64 {
	l := b.LedgerOf(variant, at)
	if l == nil {
		return 1
	}
	if !ledger.Expects(*l) {
		if of := b.BesideOperations(variant); of != nil {
			return 1 - of.LostShare
		}
		return 1
	}
	if window := b.LostInWindow(variant, at); !window.below(l) {
		return 1 - window.Share()
	}
	return 1 - l.LostShare
}

// LedgerOf returns the ledger of a variant on a cell, nil if there is none.
func (b *Book) LedgerOf(variant string, at cell.At) *finding.Ledger {
	for i := range b.byCell {
		if l := &b.byCell[i]; l.Variant == variant && l.Operation == at.String() {
			return l
		}
	}
	return nil
}
