// This file tells an experiment that was interrupted from one that is done: which runs were tried.

package dataset

import "github.com/tracetax/tracetax/internal/record"

// A variant is given up that fails in so many blocks in a row, or before the first
// block in so many tries of the same.
const givenUp = 2

// Attempted are the blocks in which a variant was run, and whether that went well.
func (s *Set) Attempted(variant string) map[int]bool {
	out := map[int]bool{}
	for _, r := range s.Failed {
		if r.Variant == variant && r.Block > 0 {
			out[r.Block] = false
		}
	}
	for block := range s.All[variant] {
		out[block] = true
	}
	return out
}

// LastBlock is the last block that was begun; 0 where none was.
func (s *Set) LastBlock() int {
	last := 0
	for _, v := range s.Variants {
		for block := range s.Attempted(v.Name) {
			last = max(last, block)
		}
	}
	return last
}

// NothingLeft reports whether every variant but the baseline was given up.
func (s *Set) NothingLeft() bool {
	others := 0
	for _, v := range s.Variants {
		if v.Name == s.Baseline {
			continue
		}
		if others++; !s.Abandoned(v.Name) {
			return false
		}
	}
	return others > 0
}

// Abandoned reports whether a variant failed so often that it was given up.
func (s *Set) Abandoned(variant string) bool {
	type kind struct {
		record.Kind
		record.Purpose
	}
	before := map[kind]int{}
	for _, r := range s.Failed {
		if r.Variant == variant && r.Block == 0 {
			if before[kind{r.Kind, r.Purpose}]++; before[kind{r.Kind, r.Purpose}] >= givenUp {
				return true
			}
		}
	}
	attempted := s.Attempted(variant)
	row := 0
	for block := 1; block <= s.LastBlock(); block++ {
		if good, made := attempted[block]; !made || good {
			row = 0
			continue
		}
		if row++; row >= givenUp {
			return true
		}
	}
	return false
}
