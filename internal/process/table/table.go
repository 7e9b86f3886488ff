// Package table owns the kernel's table of processes: which run, which descend from which, and which threads there
// are. It must not know why a process was started, nor what becomes of it.
package table

import (
	"slices"
)

// Merge returns the numbers of a and b, in order and each once.
func Merge(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
