// What has been run, and which variants are given up.

package design

import (
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

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

// lastBlock is the last block of which there is a run, 0 if there is none.
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
// its calibration, which says what is lost and whether its answers are right, or in a pilot.
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
