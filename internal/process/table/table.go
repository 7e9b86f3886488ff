// Package table owns what the kernel's table of processes tells: who runs, who descends from whom, which threads there
// are. It must not know who started a process, and what becomes of it.
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
