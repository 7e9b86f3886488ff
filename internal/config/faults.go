// Faults: what is made to go wrong on purpose, in the harness.

package config

import (
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
)

// Bounds of faults. A sink that answers later than its senders wait, or loses
// everything, is no injected overhead any more, but an outage; it may be wanted.
const (
	maxSinkLate      = time.Minute
	maxGeneratorLate = 10 * time.Second
)

// goneWays are how a sink may be gone: connections are refused, accepted and never read, or reset.
var goneWays = []string{"away", "silent", "resetting"}

// faults reads faults; what is not named stays as it is in otherwise.
func (s *source) faults(n *node, otherwise Faults) Faults {
	f := otherwise
	s.mapping(n, "faults", fields{
		"sink-loses":     func(v *node) { f.SinkLoses = s.shareBetween(v, 0, 1) },
		"sink-late":      func(v *node) { f.SinkLate = s.duration(v, 0, maxSinkLate) },
		"sink-gone":      func(v *node) { f.SinkGone = s.oneOf(v, "sink-gone", goneWays...) },
		"generator-late": func(v *node) { f.GeneratorLate = s.duration(v, 0, maxGeneratorLate) },
	})
	return f
}

func faultsOf(f Faults) pairs {
	var p pairs
	p.add("sink-loses", formatShare(f.SinkLoses))
	p.duration("sink-late", f.SinkLate)
	p.text("sink-gone", f.SinkGone)
	p.duration("generator-late", f.GeneratorLate)
	return p
}

// FaultsOf are the faults that a variant is run with.
func (e *Experiment) FaultsOf(v Variant) Faults {
	if v.Faults != nil {
		return *v.Faults
	}
	return e.Faults
}

// unheard finds sinks that are to be gone to senders who do not connect, since datagrams tell nobody that they are not received,
// and sinks that are to be late to those who wait for no answer.
func (e *Experiment) unheard() []misfit {
	var out []misfit
	for _, v := range e.Variants {
		faults := e.FaultsOf(v)
		if faults.SinkGone == "" && faults.SinkLate == 0 {
			continue
		}
		p, err := e.Plan(v)
		if err != nil {
			continue // told elsewhere
		}
		for _, row := range protocol.Named(wordsOf(p.Texts())) {
			text := ""
			switch {
			case faults.SinkGone != "" && row.Name == protocol.Scouter:
				text = fmt.Sprintf("be gone (%s) to Scouter, whose datagrams need no connection; leave out sink-gone", faults.SinkGone)
			case faults.SinkLate > 0 && row.Unanswered:
				text = fmt.Sprintf("be late to %s, which waits for no answer; leave out sink-late", row.Title)
			default:
				continue
			}
			out = append(out, misfit{at: []string{"variants", v.Name, "faults"}, text: fmt.Sprintf(
				"variant %q: the sink cannot %s, or take another tracer", printable(v.Name), text)})
		}
	}
	return out
}
