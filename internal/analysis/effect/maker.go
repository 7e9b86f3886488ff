// Package effect owns what tracing changes: figures of pairs of variants with their intervals and verdicts, what further
// steps add, the line over depth, and what stands against each of them. It must not know of warnings, nor how a finding is
// shown.
package effect

import (
	"github.com/tracetax/tracetax/internal/analysis/delivery"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

// Maker makes findings of a set and its book. What it saw on the way is there when the findings are made.
type Maker struct {
	*delivery.Book
	Lags      []Doubt // latency verdicts withheld because of the generator
	Modes     []Doubt // verdicts withheld because of modes
	Bends     []Doubt // lines over depth that are none
	Below     []Doubt // CPU per operation below zero
	headlines []*claim
	otherWork map[workplace]*finding.Reason // what was found already
}

// New makes findings of what a book holds.
func New(book *delivery.Book) *Maker { return &Maker{Book: book} }

// Doubt is what stands against a finding, or is to be known beside it.
type Doubt struct {
	Metric  string
	Charged string // whom it is charged to; "" is all
	Reason  finding.Reason
	At      cell.At
	Variant string
	Against string // "": the baseline
}

// doubt is one against the claim.
func (c *claim) doubt(reason finding.Reason) Doubt {
	d := Doubt{Metric: c.Metric, Charged: c.Charged(), Reason: reason, At: c.at, Variant: c.Variant}
	if c.pair.Extra {
		d.Against = c.Against
	}
	return d
}
