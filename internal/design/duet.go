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
