// This file joins what the records say and what became of spans.
package analysis

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
)

// study is an experiment's records, sorted out.
type study struct {
	*dataset.Set
	in Input

	tracing    map[string]ledger.Tracing // by variant
	ledgers    []finding.Ledger
	byCell     []finding.Ledger                            // the same by cell, where operations have levels
	deliveries map[*dataset.Run]map[string]ledger.Delivery // by run and the name of the cell
	windows    map[cell.Cell]lostSpans
	lags       []doubt // latency verdicts withheld because of the generator
	modes      []doubt // verdicts withheld because of modes
	bends      []hit   // lines over depth that are none
	below      []hit   // CPU per operation below zero
	headlines  []*claim
}

// newStudy sorts the records out, and settles what became of spans.
func newStudy(in Input) (*study, error) {
	set, err := dataset.New(in.Experiment, in.Plans, in.Environment, in.Records)
	if err != nil {
		return nil, err
	}
	s := &study{
		Set: set, in: in, tracing: map[string]ledger.Tracing{}, deliveries: map[*dataset.Run]map[string]ledger.Delivery{}, windows: map[cell.Cell]lostSpans{},
	}
	s.trace()
	s.account()
	s.dimLedgers()
	return s, nil
}
