// This file says in words what was made to go wrong on purpose.
package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/spec"
)

// faultTexts says what was made to go wrong on purpose: with every variant that has
// no faults of its own, and with those that have.
func (s *study) faultTexts() []string {
	var out []string
	all := true
	for _, v := range s.variants {
		all = all && v.Faults == nil
	}
	if all {
		return faultsOf(s.in.Experiment.Faults)
	}
	for _, v := range s.variants {
		for _, text := range faultsOf(s.in.Experiment.FaultsOf(v)) {
			out = append(out, "with "+v.Name+" "+text)
		}
	}
	return out
}

func faultsOf(f spec.Faults) []string {
	var out []string
	if f.SinkLoses > 0 {
		out = append(out, fmt.Sprintf("the sink throws away %s of the spans that it answers for", shareText(f.SinkLoses)))
	}
	if f.SinkLate > 0 {
		out = append(out, fmt.Sprintf("the sink waits %s before it answers", f.SinkLate))
	}
	if f.GeneratorLate > 0 {
		out = append(out, fmt.Sprintf("the load generator makes every operation %s later than intended", f.GeneratorLate))
	}
	return out
}
