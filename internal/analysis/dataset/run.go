// This file reads one run.

package dataset

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/record"
)

// Run is one good run.
type Run struct {
	*record.Record
	ByCell map[cell.At]*Phase
}

// Phase is one operation's part of a run with what its histograms say.
type Phase struct {
	*record.Phase
	Idle         map[string]record.Usage // by process; nil where it cannot be taken off
	Latency, Lag distribution
}

func newRun(r *record.Record) *Run {
	idle := idleBy(r)
	out := &Run{Record: r, ByCell: map[cell.At]*Phase{}}
	for i := range r.Phases {
		p := &r.Phases[i]
		out.ByCell[cell.AtOf(p.Operation, p.Parameter)] = &Phase{Phase: p, Idle: idle}
	}
	return out
}

func (r *Run) readHistograms() error {
	for at, p := range r.ByCell {
		var err error
		p.Latency, err = distributionOf(p.Load.Latency, p.Load.TimedOut)
		if err == nil && p.Load.Driven == nil { // otherwise the lateness is the program's own, and nothing of the harness
			p.Lag, err = distributionOf(p.Load.Lag, 0)
		}
		if err != nil {
			return fmt.Errorf("block %d, variant %s, operation %s: %w", r.Block, r.Variant, at, err)
		}
	}
	return nil
}
