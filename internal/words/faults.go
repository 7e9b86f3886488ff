// This file says in words what was made to go wrong on purpose.

package words

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/config"
)

// Faults says what was made to go wrong on purpose: with every variant that has
// no faults of its own, and with those that have.
func Faults(e *config.Experiment) []string {
	var out []string
	all := true
	for _, v := range e.Variants {
		all = all && v.Faults == nil
	}
	if all {
		return faultsOf(e.Faults)
	}
	for _, v := range e.Variants {
		for _, text := range faultsOf(e.FaultsOf(v)) {
			out = append(out, "with "+v.Name+" "+text)
		}
	}
	return out
}

// goneTexts say how the sink receives nothing.
var goneTexts = map[string]string{
	"away":      "the sink refuses all connections",
	"silent":    "the sink accepts connections and never reads them",
	"resetting": "the sink resets all connections",
}

func faultsOf(f config.Faults) []string {
	var out []string
	if f.SinkLoses > 0 {
		out = append(out, fmt.Sprintf("the sink throws away %s of the spans that it answers for", shareText(f.SinkLoses)))
	}
	if f.SinkLate > 0 {
		out = append(out, fmt.Sprintf("the sink waits %s before it answers", f.SinkLate))
	}
	if f.SinkGone != "" {
		out = append(out, goneTexts[f.SinkGone])
	}
	if f.GeneratorLate > 0 {
		out = append(out, fmt.Sprintf("the load generator makes every operation %s later than intended", f.GeneratorLate))
	}
	return out
}
