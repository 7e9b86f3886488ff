// This file brings tracing and runs under the names of cells, for what is asked of one level alone.

package delivery

import (
	"maps"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

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
