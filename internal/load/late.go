// A fault on purpose: a generator that is late.

package load

import "time"

// lateFeeder hands out the operations of another feeder so much later than they
// fall due. Their intended starts stay what they are.
type lateFeeder struct {
	feeder
	by   time.Duration
	held []arrival // fallen due, in this order
	head int
}

func (f *lateFeeder) holds() int { return len(f.held) - f.head }

func (f *lateFeeder) take(now time.Duration, busy int) (arrival, bool) {
	for a, ok := f.feeder.take(now, busy+f.holds()); ok; a, ok = f.feeder.take(now, busy+f.holds()) {
		f.held = append(f.held, a)
	}
	if f.holds() == 0 || f.held[f.head].at+f.by > now {
		return arrival{}, false
	}
	a := f.held[f.head]
	if f.head++; f.holds() == 0 {
		f.held, f.head = f.held[:0], 0
	}
	return a, true
}

func (f *lateFeeder) wake(busy int) time.Duration {
	next := f.feeder.wake(busy + f.holds())
	if f.holds() > 0 {
		return min(next, f.held[f.head].at+f.by)
	}
	return next
}

func (f *lateFeeder) over(now time.Duration) bool { return f.holds() == 0 && f.feeder.over(now) }
