// Package design owns the choice of what is run next: the order of variants in
// a block, the order of operations in a run, second tries, and when to end. It
// is pure: the same plan and the same history give the same next run, so that
// an interrupted experiment goes on as if nothing had happened. It does not
// know how a run is done.
package design

import (
	"math/rand/v2"

	"github.com/tracetax/tracetax/internal/record"
)

// attempts is how often a run is tried.
const attempts = 2

// patience is how many blocks in a row a variant may fail in, every attempt of
// it, before it is given up.
const patience = 2

// Plan is an experiment as the design sees it.
type Plan struct {
	Seed       uint64
	Blocks     int
	Variants   []string // the first is the baseline
	Calibrated []string // variants that are calibrated before the first block
	Operations []string
}

// Run is what to run next.
type Run struct {
	Kind       record.Kind
	Block      int // from 1; 0 for a calibration
	Position   int
	Attempt    int
	Variant    string
	Operations []string // in the order of their phases
	Seed       uint64   // for what is random within the run; the same for every variant of a block
}

// Next returns what to run after the history, and false when there is nothing
// left to do.
func (p Plan) Next(history []record.Record) (Run, bool) {
	past := index(history)
	for i, variant := range p.Calibrated {
		if attempt, due := past.due(record.Calibration, 0, variant); due {
			return Run{Kind: record.Calibration, Position: i, Attempt: attempt, Variant: variant, Operations: p.Operations, Seed: p.Seed}, true
		}
	}
	for block := 1; block <= p.Blocks; block++ {
		for i, variant := range p.Order(block) {
			if p.givenUp(past, variant, block) {
				continue
			}
			if attempt, due := past.due(record.Measured, block, variant); due {
				return Run{
					Kind: record.Measured, Block: block, Position: i, Attempt: attempt, Variant: variant,
					Operations: p.phases(block, variant), Seed: p.source(block, "load").Uint64(),
				}, true
			}
		}
	}
	return Run{}, false
}

// Order returns the variants of a block in their random order.
func (p Plan) Order(block int) []string {
	return shuffled(p.source(block, "variants"), p.Variants)
}

// phases returns the operations of a run in their random order.
func (p Plan) phases(block int, variant string) []string {
	return shuffled(p.source(block, "phases of "+variant), p.Operations)
}

// Left counts the runs still to be made, calibrations included, if none fails.
func (p Plan) Left(history []record.Record) int {
	past := index(history)
	left := 0
	for _, variant := range p.Calibrated {
		if _, due := past.due(record.Calibration, 0, variant); due {
			left++
		}
	}
	for block := 1; block <= p.Blocks; block++ {
		for _, variant := range p.Variants {
			if _, due := past.due(record.Measured, block, variant); due && !p.givenUp(past, variant, block) {
				left++
			}
		}
	}
	return left
}

// GivenUp returns the variants that failed so often that they are not tried any
// more. Without its baseline no block counts, so a baseline that is given up
// ends the experiment.
func (p Plan) GivenUp(history []record.Record) []string {
	past := index(history)
	var given []string
	for _, variant := range p.Variants {
		if p.failedFor(past, variant, p.Blocks+1) {
			given = append(given, variant)
		}
	}
	return given
}

func (p Plan) givenUp(past past, variant string, block int) bool {
	return p.failedFor(past, p.Variants[0], block) || p.failedFor(past, variant, block)
}

// failedFor reports whether a variant failed for good in patience blocks in a
// row before the given one.
func (p Plan) failedFor(past past, variant string, before int) bool {
	row := 0
	for block := 1; block < before; block++ {
		tries := past[key{record.Measured, block, variant}]
		switch {
		case tries.good:
			row = 0
		case tries.failed >= attempts:
			row++
		}
		if row >= patience {
			return true
		}
	}
	return false
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

func shuffled(r *rand.Rand, names []string) []string {
	order := append([]string(nil), names...)
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

type key struct {
	kind    record.Kind
	block   int
	variant string
}

type tries struct {
	good   bool
	failed int
}

// past is the history by run.
type past map[key]tries

func index(history []record.Record) past {
	p := past{}
	for i := range history {
		r := &history[i]
		k := key{r.Kind, r.Block, r.Variant}
		t := p[k]
		if r.Failed() {
			t.failed++
		} else {
			t.good = true
		}
		p[k] = t
	}
	return p
}

// due returns the number of the attempt that a run is to be made in, if it is
// still to be made.
func (p past) due(kind record.Kind, block int, variant string) (attempt int, due bool) {
	t := p[key{kind, block, variant}]
	return t.failed + 1, !t.good && t.failed < attempts
}
