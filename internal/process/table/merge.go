package table

import "slices"

// Merge returns the numbers of a and b, in order and each once.
func Merge(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
