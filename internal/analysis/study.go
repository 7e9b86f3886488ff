// This file joins what the records say and what became of spans.

package analysis

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/delivery"
	"github.com/tracetax/tracetax/internal/analysis/effect"
)

// study is an experiment's records, sorted out.
type study struct {
	*effect.Maker
	in Input
}

// newStudy sorts the records out, and settles what became of spans.
func newStudy(in Input) (*study, error) {
	set, err := dataset.New(in.Experiment, in.Plans, in.Environment, in.Records)
	if err != nil {
		return nil, err
	}
	return &study{Maker: effect.New(delivery.New(set)), in: in}, nil
}
