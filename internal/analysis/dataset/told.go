// This file collects what runs of a variant tell of themselves.

package dataset

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/record"
)

// Runtime is what the processes of a variant ran on in all of its runs; "" where nobody can tell.
func (s *Set) Runtime(variant string) string {
	told := map[string]bool{}
	for _, r := range s.All[variant] {
		for _, text := range r.Start.Runtimes {
			told[text] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(told)), ", ")
}

// Instrumented are the libraries that the tracer of a variant named in any of its runs; nil
// where it names none.
func (s *Set) Instrumented(variant string) []string {
	named := map[string]bool{}
	for _, r := range s.All[variant] {
		for _, names := range r.Tracer.Instrumented {
			for _, name := range names {
				named[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(named))
}

// Calibrations returns a variant's calibration runs. They sample every span. A phase
// that does not say at which level it was made was made at the depth that its
// workload tells.
func (s *Set) Calibrations(variant string) []record.Record {
	var out []record.Record
	for _, r := range s.Records {
		if r.Kind != record.Calibration || r.Variant != variant {
			continue
		}
		r.Phases = slices.Clone(r.Phases)
		for i := range r.Phases {
			if d := r.Phases[i].Load.Driven; d != nil && d.Depth > 0 && len(r.Phases[i].Parameter) == 0 {
				r.Phases[i].Parameter = map[string]string{cell.Depth: strconv.Itoa(d.Depth)}
			}
		}
		out = append(out, r)
	}
	return out
}
