// How the backlog of an open loop went: operations due and not yet ended, at each
// tenth of the schedule. A rate is held where it does not grow.

package load

import "time"

// tenths is into how many parts a schedule is cut.
const tenths = 10

// pending counts what fell due and what ended in each part of a schedule; the
// last part is everything after it. The zero value counts nothing.
type pending struct {
	part       time.Duration // length of one; 0 where the schedule has none
	due, ended [tenths + 1]uint64
}

// pendingOf is that of a task: of an open loop of a given length.
func pendingOf(t Task) pending {
	if t.Rate <= 0 {
		return pending{}
	}
	return pending{part: t.Duration / tenths}
}

func (b *pending) fall(at time.Duration) {
	if b.part > 0 {
		b.due[b.index(at)]++
	}
}

func (b *pending) end(now time.Duration) {
	if b.part > 0 {
		b.ended[b.index(now)]++
	}
}

// index is the part that a time since the start lies in.
func (b *pending) index(at time.Duration) int { return int(min(max(at/b.part, 0), tenths)) }

func (b *pending) add(o *pending) {
	for i := range b.due {
		b.due[i] += o.due[i]
		b.ended[i] += o.ended[i]
	}
}

// ends are the operations due and not ended at the end of each part of the
// schedule; nil where there was none.
func (b *pending) ends() []uint64 {
	if b.part == 0 {
		return nil
	}
	out := make([]uint64, tenths)
	var open uint64
	for i := range out {
		open += b.due[i]
		open -= min(b.ended[i], open)
		out[i] = open
	}
	return out
}
