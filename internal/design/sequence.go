// The order of the variants: by chance, and so that each follows each equally often.

package design

import (
	"math/rand/v2"
	"slices"
)

// drawn is how many orders of a block are drawn, of which the best is taken.
const drawn = 64

// Orders goes through the blocks from 1 to Most with the order of the variants in each.
//
// What a run leaves behind (a warm cache, a hot CPU, a database that grew) bends the run after
// it. In random blocks a variant follows the baseline more often than itself, so that the
// baseline bears more of that than the variant: with two variants by half the effect. So
// every block begins with the variant that the block before ended with, which makes a variant
// follow itself once in as many runs as there are variants; and of all orders that begin so, one
// is drawn by which each has followed each about equally often. With two variants that is AB
// BA AB …, or BA AB BA …, by chance. The orders of the first blocks do not depend on how
// many there are.
func (p Plan) Orders() func(yield func(block int, order []string) bool) {
	return func(yield func(int, []string) bool) {
		for block, order := range p.orders() {
			if block > p.Most || !yield(block, order) {
				return
			}
		}
	}
}

// orders are those of ever more blocks.
func (p Plan) orders() func(yield func(block int, order []string) bool) {
	return func(yield func(int, []string) bool) {
		s := newSequence(len(p.Variants))
		for block := 1; ; block++ {
			order := make([]string, len(p.Variants))
			for i, v := range s.next(p.source(block, "variants")) {
				order[i] = p.Variants[v]
			}
			if !yield(block, order) {
				return
			}
		}
	}
}

// sequence is a series of blocks on its way: followed[a][b] is how often b came right after a.
type sequence struct {
	followed [][]int
	last     int // of the block before, -1 where there is none
}

func newSequence(variants int) *sequence {
	s := &sequence{followed: make([][]int, variants), last: -1}
	for i := range s.followed {
		s.followed[i] = make([]int, variants)
	}
	return s
}

// next draws the order of the next block.
func (s *sequence) next(r *rand.Rand) []int {
	all := make([]int, len(s.followed))
	for i := range all {
		all[i] = i
	}
	var best []int
	least := 0
	for range drawn {
		order := shuffled(r, all)
		if i := slices.Index(order, s.last); i >= 0 {
			order[0], order[i] = order[i], order[0]
		}
		if cost := s.cost(order); best == nil || cost < least {
			best, least = order, cost
		}
	}
	for i, v := range best {
		if before := s.before(best, i); before >= 0 {
			s.followed[before][v]++
		}
	}
	s.last = best[len(best)-1]
	return best
}

// before is what runs before the i-th of a block; -1 for nothing.
func (s *sequence) before(order []int, i int) int {
	if i == 0 {
		return s.last
	}
	return order[i-1]
}

// cost is how often the pairs of an order, and the one that the next block will begin with,
// have been there before. The first of its block is there anyway.
func (s *sequence) cost(order []int) int {
	last := order[len(order)-1]
	cost := s.followed[last][last]
	for i := 1; i < len(order); i++ {
		cost += s.followed[order[i-1]][order[i]]
	}
	return cost
}
