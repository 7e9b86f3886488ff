// Package delivery owns what became of the spans of a set: what each variant is meant to make, the ledgers, what was lost
// of what is measured on each cell, suppressed, or may have been lost, and where no span came at all. It must not know what
// tracing costs.
package delivery

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
)

// Book is what became of the spans of a set. Its ledgers are of all good runs, its shares of those that count.
type Book struct {
	*dataset.Set
	Tracing map[string]ledger.Tracing // by variant
	Ledgers []finding.Ledger

	byCell     []finding.Ledger                            // the same by cell, where operations have levels
	deliveries map[*dataset.Run]map[string]ledger.Delivery // by run and the name of the cell
	windows    map[cell.Cell]Lost                          // that are known already
}

// New settles what became of the spans of a set.
func New(set *dataset.Set) *Book {
	s := Blank(set)
	s.trace()
	s.account()
	s.dimLedgers()
	return s
}

// Blank is the book of a set without what became of its spans: for figures in which these play no part.
func Blank(set *dataset.Set) *Book {
	return &Book{
		Set: set, Tracing: map[string]ledger.Tracing{}, Ledgers: []finding.Ledger{},
		deliveries: map[*dataset.Run]map[string]ledger.Delivery{}, windows: map[cell.Cell]Lost{},
	}
}
