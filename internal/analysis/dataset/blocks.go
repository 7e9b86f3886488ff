// This file orders runs by variant and block.

package dataset

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/record"
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

// Both are the two runs of a pair in a block that has them. Where a block was made in groups the baseline has a run in each:
// a variant is compared with the one that lived beside it.
func (s *Set) Both(p Pair, block int) (base, value *Run) {
	base, value = s.Runs[p.Against][block], s.Runs[p.Variant][block]
	if one := s.beside[beside{block, p.Against, p.Variant}]; one != nil && s.beside[beside{block, p.Variant, p.Against}] == value {
		base = one
	}
	return base, value
}

// Grouped are the blocks that were made in groups, and how many variants lived at the same time in the largest of them;
// none where memory sufficed for all.
func (s *Set) Grouped() (blocks, most int) {
	for block, r := range s.All[s.Baseline] {
		size, groups := 1+len(r.Harness.With), s.Experiment.Design.Order.Together() && len(s.Variants) > 1 && len(r.Harness.With) == 0
		for _, with := range s.Variants[1:] {
			if one := s.beside[beside{block, s.Baseline, with.Name}]; one != nil {
				size, groups = max(size, 1+len(one.Harness.With)), groups || one != r
			}
		}
		if groups {
			blocks, most = blocks+1, max(most, size)
		}
	}
	return blocks, most
}

// FailedThemselves are the failed runs but those that failed because another one of their block did.
func (s *Set) FailedThemselves() []*record.Record {
	return slices.DeleteFunc(slices.Clone(s.Failed), func(r *record.Record) bool { return r.Failure.Stage == record.StageBlock })
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
