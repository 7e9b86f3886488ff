// Blocks whose runs are made together: all variants live at the same time.

package design

import (
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// whole marks the tries of a block as a whole: good once all of its runs were, and failed so often as it was begun in vain.
const whole record.Kind = "whole"

// together goes through what is due of a block whose runs are made together: all of them, or nothing. A variant that
// failed in every attempt is left out of the block, which is then made without it.
func (p Plan) together(past past, block int, order []string) func(yield func(Run) bool) {
	return func(yield func(Run) bool) {
		tried := past[key{kind: whole, block: block}]
		if tried.good {
			return
		}
		var runs []Run
		for i, variant := range order {
			if p.givenUp(past, variant, block) || past[measured(block, variant)].spent() {
				continue
			}
			runs = append(runs, p.run(block, i, tried.failed+1, variant))
		}
		baseline := slices.ContainsFunc(runs, func(r Run) bool { return r.Variant == p.Variants[0] })
		if !baseline || len(runs) < min(2, len(p.Variants)) {
			return
		}
		runs[0].With = runs[1:]
		yield(runs[0])
	}
}

// All is the run, and those that are made together with it, in their order.
func (r Run) All() []Run {
	with := r.With
	r.With = nil
	return append([]Run{r}, with...)
}

// indexTogether adds the blocks of a history. A block counts as good once all of its runs are. Where one failed the others
// have no use, but nothing stands against their variants. Of a block that was cut off in the middle, only the attempt counts.
func (p Plan) indexTogether(history []record.Record, to past) {
	type try struct{ block, attempt int }
	runs := map[try][]*record.Record{}
	var order []try
	for i := range history {
		if r := &history[i]; r.Kind == record.Measured {
			t := try{r.Block, r.Attempt}
			if runs[t] == nil {
				order = append(order, t)
			}
			runs[t] = append(runs[t], r)
		}
	}
	for _, t := range order {
		made := runs[t]
		cut := len(made) < 1+len(made[0].Harness.With)
		failed := slices.ContainsFunc(made, func(r *record.Record) bool { return r.Failed() })
		to.add(key{kind: whole, block: t.block}, !cut && !failed)
		for _, r := range made {
			if own := r.Failed() && r.Failure.Stage != record.StageBlock; own && !cut || !cut && !failed {
				to.add(measured(t.block, r.Variant), !own)
			}
		}
	}
}

// Turns are when each of so many runs has its windows, of which each has so many: by run, the places of its windows in the
// common order, from 0. Each two rounds are an order by chance and its reverse (AB BA), so that a drift of the machine
// falls on all runs alike.
func (p Plan) Turns(block, phase, runs, windows int) [][]int {
	source := p.source(block+phase*maxBlocks, "windows")
	all := make([]int, runs)
	for i := range all {
		all[i] = i
	}
	out := make([][]int, runs)
	var order []int
	for round := range windows {
		if round%2 == 0 {
			order = shuffled(source, all)
		} else {
			slices.Reverse(order)
		}
		for place, run := range order {
			out[run] = append(out[run], round*runs+place)
		}
	}
	return out
}

// maxBlocks is above the number of any block.
const maxBlocks = 1 << 20
