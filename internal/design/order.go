// The random orders.

package design

import (
	"math/rand/v2"
	"slices"
)

// phases returns the phases of a run in their random order. Runs that are made together
// have the same one: like is measured beside like.
func (p Plan) phases(block int, variant string) []Phase {
	if p.Together {
		variant = "all"
	}
	var all []Phase
	for _, operation := range p.Operations {
		for level := range max(1, p.Levels) {
			all = append(all, Phase{operation, level})
		}
	}
	return shuffled(p.source(block, "phases of "+variant), all)
}

// once is each operation once, in the order of the experiment.
func (p Plan) once() []Phase {
	out := make([]Phase, len(p.Operations))
	for i, operation := range p.Operations {
		out[i] = Phase{Operation: operation}
	}
	return out
}

// learnt is each operation at each depth once, in the order of the experiment.
func (p Plan) learnt() []Phase {
	var out []Phase
	for _, operation := range p.Operations {
		for depth := range max(1, p.Depths) {
			out = append(out, Phase{operation, depth})
		}
	}
	return out
}

// source returns the random numbers for one purpose in one block. Purposes do
// not disturb each other: adding an operation does not change the order of the
// variants.
func (p Plan) source(block int, purpose string) *rand.Rand {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	stream := uint64(offset)
	for _, b := range []byte(purpose) {
		stream = (stream ^ uint64(b)) * prime
	}
	return rand.New(rand.NewPCG(p.Seed, stream^uint64(block)*0x9e3779b97f4a7c15))
}

func shuffled[T any](r *rand.Rand, items []T) []T {
	order := slices.Clone(items)
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// The order of the variants: by chance, and so that each follows each equally often.

// drawn is the number of orders of a block that are drawn; the best is taken.
const drawn = 64

// Orders goes through the blocks from 1 to Most with the order of the variants in each.
//
// What a run leaves behind (a warm cache, a hot CPU, a database that grew) bends the run after
// it. In random blocks a variant follows the baseline more often than itself, so the
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

// orders yields the order of the variants in block 1, 2, and so on without end.
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

// before returns the run before the i-th of a block; -1 if there is none.
func (s *sequence) before(order []int, i int) int {
	if i == 0 {
		return s.last
	}
	return order[i-1]
}

// cost counts earlier occurrences of an order's pairs, and of the pair that the next block will
// begin with. The first of its block is there anyway.
func (s *sequence) cost(order []int) int {
	last := order[len(order)-1]
	cost := s.followed[last][last]
	for i := 1; i < len(order); i++ {
		cost += s.followed[order[i-1]][order[i]]
	}
	return cost
}
