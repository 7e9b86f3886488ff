// This file says how many spans of an operation should have arrived in a run, and how many did.

package ledger

import (
	"maps"
	"math"
)

// Delivery is how many spans of an operation should have arrived in one run, as
// far as is known, and how many did, by themselves or merged into others; and how many may
// have been lost, at least Due less Delivered: whole traces that chance may hide are not in it.
// LeftOut is how many the tracer and the hops say that they left out on purpose; these are in none of the others.
type Delivery struct{ Due, Delivered, LostAtMost, LeftOut float64 }

// Share is the delivered share, 0 to 1; 1 where nothing was due.
func (d Delivery) Share() float64 {
	if d.Due <= 0 {
		return 1
	}
	return math.Min(1, d.Delivered/d.Due)
}

// Deliveries returns the deliveries of runs by operation, settled as Account settles them.
// Operations of which it is not known in every run how many spans they make are absent, or
// whether any was to arrive.
func Deliveries(t Tracing, runs ...Run) map[string]Delivery {
	if t.random() && len(runs) > 1 && !t.TellsTraced(runs...) {
		runs = []Run{together(runs)}
	}
	out, unknown := map[string]Delivery{}, map[string]bool{}
	for _, run := range runs {
		for _, l := range settle(run, t) {
			came, sum := l.delivered+l.merged, out[l.operation]
			out[l.operation] = Delivery{
				Due: sum.Due + came + l.lost(), Delivered: sum.Delivered + came, LostAtMost: sum.LostAtMost + l.lostAtMost(), LeftOut: sum.LeftOut + l.left + l.decided,
			}
			unknown[l.operation] = unknown[l.operation] || !l.known || l.due.low <= 0 && l.due.high > 0
		}
	}
	maps.DeleteFunc(out, func(operation string, _ Delivery) bool { return unknown[operation] })
	return out
}
