// This file says which virtual machines the variants ran on.
package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// runtime is what the processes of a variant ran on in all of its runs; "" where nobody can tell.
func (s *study) runtime(variant string) string {
	told := map[string]bool{}
	for _, r := range s.all[variant] {
		for _, text := range r.Start.Runtimes {
			told[text] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(told)), ", ")
}

// findRuntimes says it of those that ran on another one than the baseline: what they cost is
// then also the difference between the two.
func (s *study) findRuntimes() []hit {
	base := s.runtime(s.baseline)
	var hits []hit
	for _, v := range s.variants {
		if own := s.runtime(v.Name); base != "" && own != "" && own != base {
			hits = append(hits, hit{fmt.Sprintf("it ran on %s, and %s on %s", own, s.baseline, base), v.Name})
		}
	}
	return hits
}
