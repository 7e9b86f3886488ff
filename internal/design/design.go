// Package design owns the choice of what is run next: the order of variants in
// a block, the order of phases in a run, second tries, and when to end. It
// is pure: the same plan and history give the same next run, and an interrupted
// experiment goes on as if nothing had happened. It does not know how a run is done.
package design

import (
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// attempts bounds the tries of a run.
const attempts = 2

// patience is the number of blocks in a row in which every attempt of a variant
// may fail before it is given up.
const patience = 2

// Plan is an experiment as the design sees it.
type Plan struct {
	Seed       uint64
	Least      int      // blocks before Precise is asked
	Most       int      // blocks in all; Least where their number is fixed
	Variants   []string // the first is the baseline
	Calibrated []string // variants that are calibrated before everything else; one whose calibration failed is not measured
	Piloted    []string // variants whose rate is found in a pilot before the first block
	Warmed     []string // variants whose warm-up is found in a pilot, after that
	Operations []string
	Levels     int  // phases of each operation, one for each level of what is swept; 0 is 1
	Depths     int  // phases of each operation in a calibration, one for each depth; 0 is 1
	Together   bool // the runs of a block are made at the same time

	// Fit returns the number of variants that can live at the same time, the baseline among them: 0 is all, 1 is one after
	// the other. It must be pure; nil: all.
	Fit func(history []record.Record) int

	// Precise reports whether the blocks of a history are enough. It must be pure. It
	// is asked after whole blocks, from Least on; nil: all blocks are made.
	Precise func(history []record.Record) bool

	// Late reports whether one more block would take the experiment over its time. It must be pure. It is asked after whole
	// blocks, from Few on; nil: all blocks are made.
	Late func(history []record.Record) bool
	Few  int

	// Spoiled counts the planned blocks of a history that do not count, to make so many more after the last one. It
	// must be pure. It is asked after whole blocks, where their number is fixed; nil: none.
	Spoiled func(history []record.Record) int
}

// Run is the next run.
type Run struct {
	Kind     record.Kind
	Purpose  record.Purpose // of a pilot
	Block    int            // from 1; 0 before the first block
	Position int
	Attempt  int
	Variant  string
	Phases   []Phase // in their order
	Seed     uint64  // for what is random within the run; the same for every variant of a block
	With     []Run   // the other runs of the block, where they are made at the same time, in their order
}

// Phase is one operation at one level of what is swept.
type Phase struct {
	Operation string
	Level     int // from 0; 0 where nothing is swept
}

// Next returns what to run after the history, and false when there is nothing
// left to do.
func (p Plan) Next(history []record.Record) (Run, bool) {
	for run := range p.due(history) {
		return run, true
	}
	return Run{}, false
}

// Round returns the runs to make next where so many blocks can be made at the same time: the first that is due of each of the next
// blocks, those that were begun before and are not whole among them. Before the first block it is one run. Whether to go on is asked
// after whole rounds alone, so a round is never cut down by what the first of its blocks show.
func (p Plan) Round(history []record.Record, most int) (round []Run) {
	for run := range p.due(history) {
		if !slices.ContainsFunc(round, func(r Run) bool { return r.Block == run.Block }) {
			round = append(round, run)
		}
		if len(round) >= most || run.Block == 0 {
			break
		}
	}
	return round
}

// Left counts the runs still to be made, calibrations and pilots included, if
// none fails and all blocks are made.
func (p Plan) Left(history []record.Record) int {
	left := 0
	for run := range p.due(history) {
		left += 1 + len(run.With)
	}
	return left
}

// Open reports whether the experiment may end before all its blocks are made.
func (p Plan) Open() bool {
	return p.Precise != nil && p.Most > p.Least || p.Late != nil && p.Most > p.Few
}

// due goes through what is still to be run, in its order.
func (p Plan) due(history []record.Record) func(yield func(Run) bool) {
	return func(yield func(Run) bool) {
		past := p.index(history)
		for run := range p.before(past) {
			if !yield(run) {
				return
			}
		}
		last, whole, planned := past.lastBlock(), true, true // planned: of those, all are made
		fit := 0
		if p.Fit != nil {
			fit = p.Fit(history)
		}
		for block, order := range p.orders() {
			if block > p.Most && (!planned || block > p.last(history)) {
				return
			}
			// Whether to go on is decided before a block's first run, not within a block.
			if block == last+1 && whole && p.enough(history, last) {
				return
			}
			for run := range p.block(past, block, order, fit) {
				whole, planned = false, planned && block > p.Most
				if !yield(run) {
					return
				}
			}
		}
	}
}

// last is the last block that is to be made, where all that were planned are.
func (p Plan) last(history []record.Record) int {
	if p.Precise != nil || p.Spoiled == nil {
		return p.Most
	}
	return p.Most + p.Spoiled(history)
}

// enough reports whether the blocks made are as many as are needed, or as there is time for.
func (p Plan) enough(history []record.Record, blocks int) bool {
	return p.Precise != nil && blocks >= p.Least && p.Precise(history) || p.Late != nil && blocks >= p.Few && p.Late(history)
}

// before goes through what is due before the first block.
func (p Plan) before(past past) func(yield func(Run) bool) {
	return func(yield func(Run) bool) {
		for _, first := range []struct {
			kind     record.Kind
			purpose  record.Purpose
			variants []string
			phases   []Phase
		}{
			{record.Calibration, "", p.Calibrated, p.learnt()},
			{record.Pilot, record.ForRate, p.Piloted, p.once()},
			{record.Pilot, record.ForWarmup, p.Warmed, p.once()},
		} {
			for i, variant := range first.variants {
				if p.failedBefore(past, p.Variants[0]) {
					return // without its baseline no block counts
				}
				if first.kind == record.Pilot && p.failedBefore(past, variant) {
					continue // it is not measured
				}
				if attempt, due := past.due(key{first.kind, first.purpose, 0, variant}); due && !yield(Run{
					Kind: first.kind, Purpose: first.purpose, Position: i, Attempt: attempt, Variant: variant, Phases: first.phases, Seed: p.Seed,
				}) {
					return
				}
			}
		}
	}
}

// block goes through what is due of a block.
func (p Plan) block(past past, block int, order []string, fit int) func(yield func(Run) bool) {
	if p.Together && fit != 1 {
		return p.together(past, block, order, fit)
	}
	return func(yield func(Run) bool) {
		for i, variant := range order {
			if p.givenUp(past, variant, block) {
				continue
			}
			if attempt, due := past.due(measured(block, variant)); due && !yield(p.run(block, i, attempt, variant)) {
				return
			}
		}
	}
}

func (p Plan) run(block, position, attempt int, variant string) Run {
	return Run{
		Kind: record.Measured, Block: block, Position: position, Attempt: attempt, Variant: variant,
		Phases: p.phases(block, variant), Seed: p.source(block, "load").Uint64(),
	}
}
