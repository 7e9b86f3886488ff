// Blocks on several nodes of a cluster, and load generators of one.

package dataset

import (
	"maps"
	"slices"
)

// Nodes are the nodes on which good runs were made, in the order of their names; none of runs on this machine.
func (s *Set) Nodes() []string {
	names := map[string]bool{}
	for _, runs := range s.All {
		for _, r := range runs {
			names[r.Harness.Node] = true
		}
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}

// Generators returns how many load generators in pods of their own shared the load of a run, at most; 0 where none did.
func (s *Set) Generators() (most int) {
	for _, runs := range s.All {
		for _, r := range runs {
			most = max(most, r.Harness.Generators)
		}
	}
	return most
}
