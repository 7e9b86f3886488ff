// Tracers that are part of a program, and programs of which no build has them.

package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// compiled finds built-in workloads of which no build has the tracer that a variant names. What your program is built
// with, nobody here knows.
func (e *Experiment) compiled() []misfit {
	if !e.builtIn() {
		return nil
	}
	var out []misfit
	for _, v := range e.Variants {
		if v.Tracer == nil || !v.Tracer.Compiled {
			continue
		}
		if _, has := e.Workload.Build[v.Tracer.Name]; has {
			continue
		}
		out = append(out, misfit{at: []string{"variants", v.Name, "tracer"}, text: fmt.Sprintf(
			"variant %q: the tracer %s is compiled into a program, and no build of %s has it; %s",
			printable(v.Name), v.Tracer.Name, e.Workload.Name, e.Workload.compiledWith())})
	}
	return out
}

// compiledWith says which tracers there are builds with.
func (w *Workload) compiledWith() string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(w.Build)), func(name string) bool { return name == "" })
	if len(names) == 0 {
		return "take another tracer, or another workload"
	}
	return "it has builds with " + strings.Join(names, ", ")
}
