// This file says which libraries the tracers instrumented.
package analysis

import (
	"maps"
	"slices"
)

// instrumented are the libraries that the tracer of a variant named in any of its runs; nil
// where it names none.
func (s *study) instrumented(variant string) []string {
	named := map[string]bool{}
	for _, r := range s.all[variant] {
		for _, names := range r.Tracer.Instrumented {
			for _, name := range names {
				named[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(named))
}
