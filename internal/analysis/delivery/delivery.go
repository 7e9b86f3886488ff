// This file accounts for spans: the ledgers of the runs, and what a variant delivered of its
// spans.

package delivery

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
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
		b.Ledgers = append(b.Ledgers, ledger.Account(v.Name, ledger.HopOf(runs), b.Operations(), t, runs)...)
		b.byCell = append(b.byCell, ledger.Account(v.Name, ledger.HopOf(runs), names, byCell, runsByCell)...)
	}
	for _, ledgers := range [][]finding.Ledger{b.Ledgers, b.byCell} {
		for i := range ledgers {
			_, ledgers[i].LostMost, _ = ledger.LossEnds(ledgers[i])
		}
		words.FillLedgers(ledgers)
	}
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

// Delivery is what was delivered of a variant on a cell in a block; false where it is not known how many were to come.
func (b *Book) Delivery(variant string, block int, at cell.At) (ledger.Delivery, bool) {
	one, known := b.deliveries[b.Runs[variant][block]][at.String()]
	return one, known
}

// BesideOperations is what a variant lost of operations of which nobody knows how many spans they make, at their levels; nil
// where that is none.
func (b *Book) BesideOperations(variant string) *finding.Ledger {
	return ledger.BesideOperations(b.byCell, variant)
}
