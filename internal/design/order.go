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
