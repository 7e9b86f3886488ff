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

// Turns gives, for each of the runs, the places of its windows in the
// common order, from 0. Each two rounds are a random order and its reverse (AB BA): a drift of the machine
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

// What has been run, and which variants are given up.

type key struct {
	kind    record.Kind
	purpose record.Purpose
	block   int
	variant string
}

// measured is the run of a variant in a block.
func measured(block int, variant string) key {
	return key{kind: record.Measured, block: block, variant: variant}
}

type tries struct {
	good   bool
	failed int
}

// past is the history by run.
type past map[key]tries

func (p Plan) index(history []record.Record) past {
	out := past{}
	for i := range history {
		r := &history[i]
		if p.Together && r.Kind == record.Measured {
			continue
		}
		out.add(key{r.Kind, r.Purpose, r.Block, r.Variant}, !r.Failed())
	}
	if p.Together {
		p.indexTogether(history, out)
	}
	return out
}

func (p past) add(k key, good bool) {
	t := p[k]
	if good {
		t.good = true
	} else {
		t.failed++
	}
	p[k] = t
}

// due returns the number of the attempt that a run is to be made in, if it is
// still to be made.
func (p past) due(k key) (attempt int, due bool) {
	t := p[k]
	return t.failed + 1, !t.good && t.failed < attempts
}

// lastBlock is the last block with a run, 0 if there is none.
func (p past) lastBlock() int {
	last := 0
	for k := range p {
		last = max(last, k.block)
	}
	return last
}

// GivenUp returns the variants that failed so often that they are not tried any
// more. Without its baseline no block counts, so a baseline that is given up
// ends the experiment.
func (p Plan) GivenUp(history []record.Record) []string {
	past := p.index(history)
	var given []string
	for _, variant := range p.Variants {
		if p.failedFor(past, variant, past.lastBlock()+1) {
			given = append(given, variant)
		}
	}
	return given
}

func (p Plan) givenUp(past past, variant string, block int) bool {
	return p.failedFor(past, p.Variants[0], block) || p.failedFor(past, variant, block) || p.alone(past, block)
}

// alone reports whether nothing is left before the given block to compare the baseline with.
func (p Plan) alone(past past, block int) bool {
	others := p.Variants[1:]
	return len(others) > 0 && !slices.ContainsFunc(others, func(other string) bool { return !p.failedFor(past, other, block) })
}

// failedBefore reports whether a variant failed for good before the first block: in
// its calibration, which checks losses and answers, or in a pilot.
func (p Plan) failedBefore(past past, variant string) bool {
	return slices.Contains(p.Calibrated, variant) && past[key{record.Calibration, "", 0, variant}].spent() ||
		slices.Contains(p.Piloted, variant) && past[key{record.Pilot, record.ForRate, 0, variant}].spent() ||
		slices.Contains(p.Warmed, variant) && past[key{record.Pilot, record.ForWarmup, 0, variant}].spent()
}

// failedFor reports whether a variant failed for good before the given block:
// before the first one, or in patience blocks in a row.
func (p Plan) failedFor(past past, variant string, before int) bool {
	if p.failedBefore(past, variant) {
		return true
	}
	row := 0
	for block := 1; block < before; block++ {
		tries := past[measured(block, variant)]
		switch {
		case tries.good:
			row = 0
		case tries.spent():
			row++
		}
		if row >= patience {
			return true
		}
	}
	return false
}

// spent reports whether every attempt failed.
func (t tries) spent() bool { return !t.good && t.failed >= attempts }
