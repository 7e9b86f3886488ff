// Duets: the two variants of a block at the same time.
package design

import "github.com/tracetax/tracetax/internal/record"

// pair goes through what is due of a block in a duet: the pair, or nothing. The
// variant that comes first by the block's order is on the first side.
func (p Plan) pair(past past, block int, order []string) func(yield func(Run) bool) {
	return func(yield func(Run) bool) {
		if len(order) != 2 || p.givenUp(past, order[0], block) || p.givenUp(past, order[1], block) {
			return
		}
		t := past[measured(block, p.Variants[0])]
		if t.good || t.failed >= attempts {
			return
		}
		attempt := past[key{kind: lone, block: block, variant: p.Variants[0]}].failed + t.failed + 1
		first, second := p.run(block, 0, attempt, order[0]), p.run(block, 1, attempt, order[1])
		first.Partner = &second
		yield(first)
	}
}

// lone marks half a pair: its partner's record was lost in an interruption.
const lone record.Kind = "lone"

// indexPairs adds the pairs of a history. A pair is good if both of it are; half a
// pair is neither good nor failed, but its attempt is not used again.
func (p Plan) indexPairs(history []record.Record, to past) {
	type try struct{ block, attempt int }
	halves := map[try][]*record.Record{}
	var order []try
	for i := range history {
		if r := &history[i]; r.Kind == record.Measured {
			t := try{r.Block, r.Attempt}
			if halves[t] == nil {
				order = append(order, t)
			}
			halves[t] = append(halves[t], r)
		}
	}
	for _, t := range order {
		both := halves[t]
		if len(both) < 2 {
			to.add(key{kind: lone, block: t.block, variant: p.Variants[0]}, false)
			continue
		}
		for _, variant := range p.Variants {
			to.add(measured(t.block, variant), !both[0].Failed() && !both[1].Failed())
		}
	}
}
