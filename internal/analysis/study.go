// This file joins what the records say and what became of spans.
package analysis

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/delivery"
)

// study is an experiment's records, sorted out.
type study struct {
	*delivery.Book
	in Input

	lags      []doubt // latency verdicts withheld because of the generator
	modes     []doubt // verdicts withheld because of modes
	bends     []hit   // lines over depth that are none
	below     []hit   // CPU per operation below zero
	headlines []*claim
}

// newStudy sorts the records out, and settles what became of spans.
func newStudy(in Input) (*study, error) {
	set, err := dataset.New(in.Experiment, in.Plans, in.Environment, in.Records)
	if err != nil {
		return nil, err
	}
	return &study{Book: delivery.New(set), in: in}, nil
}
