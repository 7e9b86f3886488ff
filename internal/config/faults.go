// Faults: what is made to go wrong on purpose, in the harness.

package config

import (
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/protocol"
)

// Faults are what goes wrong by a known amount, to show what a tracer does then, or to check the results.
type Faults struct {
	_             struct{}      `called:"faults"`
	SinkLoses     float64       `yaml:"sink-loses" as:"shareIn" range:"0%..100%" always:"true"` // share of spans that the sink accepts and throws away
	SinkLate      time.Duration `yaml:"sink-late" range:"0s..1m" always:"true"`                 // wait before each answer of the sink, at most 1m
	SinkGone      string        `yaml:"sink-gone" one:"away silent resetting"`                  // away refuses connections, silent accepts and never reads, resetting resets them
	GeneratorLate time.Duration `yaml:"generator-late" range:"0s..10s" always:"true"`           // how late every operation is made, at most 10s
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
		for _, row := range protocol.Named(program.WordsOf(p.Texts())) {
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
				"variant %q: the sink cannot %s, or take another tracer", program.Printable(v.Name), text)})
		}
	}
	return out
}
