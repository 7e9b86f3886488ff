// What a workload, a tracer or a service needs of the machine.

package config

import "slices"

// Distinct drops the needs that are in the list before.
func Distinct(needs []Need) []Need {
	var out []Need
	for _, n := range needs {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
