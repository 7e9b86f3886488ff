// Blocks whose runs are made together: all variants live at the same time.

package design

import (
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// whole marks what was tried of a block together, and in vain: the next try has the next number.
const whole record.Kind = "whole"

// together goes through what is due of a block whose runs are made together: all of them, or nothing. Where not all
// can live at the same time they are made in groups, each with the baseline. A variant that failed in every attempt is left
// out of the block, which is then made without it.
func (p Plan) together(past past, block int, order []string, fit int) func(yield func(Run) bool) {
	return func(yield func(Run) bool) {
		baseline, attempt := p.Variants[0], past[key{kind: whole, block: block}].failed+1
		if p.givenUp(past, baseline, block) || past[measured(block, baseline)].failed >= attempts {
			return
		}
		var due []string
		for _, variant := range order {
			if tried := past[measured(block, variant)]; !p.givenUp(past, variant, block) && !tried.good && !tried.spent() {
				due = append(due, variant)
			}
		}
		if len(p.Variants) > 1 {
			due = slices.DeleteFunc(due, func(v string) bool { return v == baseline })
			if fit == 0 {
				fit = len(p.Variants)
			}
			fit--
		}
		for group := range slices.Chunk(due, max(1, fit)) {
			var runs []Run
			for i, variant := range order {
				if variant == baseline || slices.Contains(group, variant) {
					runs = append(runs, p.run(block, i, attempt, variant))
				}
			}
			runs[0].With = runs[1:]
			if !yield(runs[0]) {
				return
			}
		}
	}
}

// All is the run, and those that are made together with it, in their order.
func (r Run) All() []Run {
	with := r.With
	r.With = nil
	return append([]Run{r}, with...)
}

// indexTogether adds the blocks of a history. What was made together counts as good once all of it is. Where one run failed
// the others have no use, but nothing stands against their variants. Of what was cut off in the middle, only the attempt counts.
func (p Plan) indexTogether(history []record.Record, to past) {
	type try struct {
		block, attempt int
		variants       string
	}
	runs := map[try][]*record.Record{}
	var order []try
	for i := range history {
		if r := &history[i]; r.Kind == record.Measured {
			t := try{r.Block, r.Attempt, fmt.Sprint(slices.Sorted(slices.Values(append([]string{r.Variant}, r.Harness.With...))))}
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
		if cut || failed {
			to.add(key{kind: whole, block: t.block}, false)
		}
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
