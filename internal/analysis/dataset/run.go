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

// Phase is one operation's part of a run with what its histograms say. Where disturbed windows are left out, Load, Sink and
// Usage are without them.
type Phase struct {
	*record.Phase
	Whole        *record.Phase           // as it was recorded: what became of spans is told of all of them
	Idle         map[string]record.Usage // by process; nil where it cannot be taken off
	Latency, Lag distribution
}

func newRun(r *record.Record) *Run {
	idle := idleBy(r)
	out := &Run{Record: r, ByCell: map[cell.At]*Phase{}}
	for i := range r.Phases {
		p := &r.Phases[i]
		out.ByCell[cell.AtOf(p.Operation, p.Parameter)] = &Phase{Phase: undisturbed(p), Whole: p, Idle: idle}
	}
	return out
}

// undisturbed is a phase without the windows that are left out.
func undisturbed(p *record.Phase) *record.Phase {
	u := p.Undisturbed
	if u == nil {
		return p
	}
	rest := *p
	rest.Load, rest.Sink, rest.Usage, rest.PausedSeconds, rest.DrainSeconds = u.Load, u.Sink, u.Usage, u.PausedSeconds, u.DrainSeconds
	return &rest
}

// Disturbed is how many windows of a phase were disturbed.
func (p *Phase) Disturbed() int {
	n := 0
	for _, w := range p.Windows {
		if w.Disturbed {
			n++
		}
	}
	return n
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
