// This file orders runs by variant and block.

package dataset

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
)

// BlocksOf returns the blocks in which both variants have a run, in order. Every
// pair needs the baseline too: a block without it does not count.
func (s *Set) BlocksOf(a, b string) []int {
	var blocks []int
	for block := range s.Runs[a] {
		if s.Runs[b][block] != nil && s.Runs[s.Baseline][block] != nil {
			blocks = append(blocks, block)
		}
	}
	slices.Sort(blocks)
	return blocks
}

// RunsOf returns a variant's runs in the order of their blocks.
func (s *Set) RunsOf(variant string) []*Run {
	var out []*Run
	for _, block := range slices.Sorted(maps.Keys(s.Runs[variant])) {
		out = append(out, s.Runs[variant][block])
	}
	return out
}

// PhasesOf returns a variant's phases of one cell in the order of blocks.
func (s *Set) PhasesOf(variant string, at cell.At) []*Phase {
	var out []*Phase
	for _, r := range s.RunsOf(variant) {
		if p := r.ByCell[at]; p != nil {
			out = append(out, p)
		}
	}
	return out
}

// WholeBlocks is the number of blocks with a good run of every variant.
func (s *Set) WholeBlocks() int {
	n := 0
	for block := range s.Runs[s.Baseline] {
		whole := true
		for _, v := range s.Variants {
			whole = whole && s.Runs[v.Name][block] != nil
		}
		if whole {
			n++
		}
	}
	return n
}

// BlocksIn are the blocks of a map, in order.
func BlocksIn[V any](m map[int]V) []int {
	keys := make([]int, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Any reports whether something is true of any good run.
func (s *Set) Any(is func(*Run) bool) bool {
	for _, byBlock := range s.All {
		for _, r := range byBlock {
			if is(r) {
				return true
			}
		}
	}
	return false
}
