// Blocks on several nodes of a cluster.

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
