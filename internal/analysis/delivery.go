// This file accounts for spans: the ledgers of the runs, and the share of its spans that a
// variant delivered.
package analysis

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/words"
)

// account makes the ledgers, of all good runs: a spoiled clock spoils no count.
func (s *study) account() {
	s.ledgers = []finding.Ledger{}
	cells := s.cells()
	for _, v := range s.variants {
		var names []string
		for _, at := range cells {
			names = append(names, at.String())
		}
		var runs, runsByCell []ledger.Run
		for _, block := range sortedBlocks(s.all[v.Name]) {
			runs = append(runs, ledger.FromRecord(s.all[v.Name][block].Record))
		}
		t := ledger.Confirm(s.tracing[v.Name], runs)
		s.tracing[v.Name] = t
		byCell := s.tracingByCell(v.Name)
		for _, block := range sortedBlocks(s.all[v.Name]) {
			r := s.all[v.Name][block]
			runsByCell = append(runsByCell, ofCells(r.Record))
			r.delivery = ledger.Deliveries(byCell, runsByCell[len(runsByCell)-1])
		}
		s.ledgers = append(s.ledgers, ledger.Account(v.Name, ledger.AppToSink, s.operations(), t, runs)...)
		s.byCell = append(s.byCell, ledger.Account(v.Name, ledger.AppToSink, names, byCell, runsByCell)...)
	}
	for _, ledgers := range [][]finding.Ledger{s.ledgers, s.byCell} {
		for i := range ledgers {
			_, ledgers[i].LostMost, _ = lossEnds(ledgers[i])
		}
		words.FillLedgers(ledgers)
	}
}

// tracingByCell is a variant's tracing with the spans of an operation under the names of its
// cells too, for what is asked of one level alone.
func (s *study) tracingByCell(variant string) ledger.Tracing {
	t := s.tracing[variant]
	t.Spans = maps.Clone(t.Spans)
	for _, at := range s.cells() {
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

// share is the delivered share of a variant's spans in what is measured on a cell, but for what
// was lost for sure: of the window, or of the whole phase where lostInWindow tells less, or of
// the whole run where nobody knows how many were to come; 1 where it is not known at all.
func (s *study) share(variant string, at cell.At) float64 {
	l := s.ledgerOf(variant, at)
	if l == nil {
		return 1
	}
	if !expects(*l) {
		if of := ofRun(s.byCell, variant); of != nil {
			return 1 - of.LostShare
		}
		return 1
	}
	if window := s.lostInWindow(variant, at); !window.below(l) {
		return 1 - window.share()
	}
	return 1 - l.LostShare
}

// ledgerOf returns the ledger of a variant on a cell, nil if there is none.
func (s *study) ledgerOf(variant string, at cell.At) *finding.Ledger {
	for i := range s.byCell {
		if l := &s.byCell[i]; l.Variant == variant && l.Operation == at.String() {
			return l
		}
	}
	return nil
}

func sortedBlocks(byBlock map[int]*run) []int {
	keys := make([]int, 0, len(byBlock))
	for block := range byBlock {
		keys = append(keys, block)
	}
	slices.Sort(keys)
	return keys
}
