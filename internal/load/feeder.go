// Which operation falls due next: the one difference between an open and a
// closed loop.

package load

import (
	"math/rand/v2"
	"time"
)

// never is a time that does not come.
const never = time.Duration(1<<63 - 1)

// feeder hands out the operations of one thread as they fall due.
type feeder interface {
	// take returns an operation that is due now, if one is; busy is the number
	// of operations under way.
	take(now time.Duration, busy int) (arrival, bool)
	// wake is the time at which take may have an operation if nothing else happens.
	wake(busy int) time.Duration
	// over reports whether no operation falls due any more.
	over(now time.Duration) bool
	// refused is told that no connection could be opened.
	refused(now time.Duration)
	// answered is told that an operation ended well.
	answered()
}

func newFeeder(t Task, thread int) feeder {
	if t.Late > 0 {
		late := t.Late
		t.Late = 0
		return &lateFeeder{feeder: newFeeder(t, thread), by: late}
	}
	if t.Rate > 0 {
		f := &openLoop{part: newPart(t, thread, t.Threads)}
		f.advance()
		return f
	}
	return &closedLoop{
		rng:         rand.New(rand.NewPCG(t.Seed, uint64(thread)+1)),
		mix:         newMix(t.Operations),
		connections: t.calls(int(share(uint64(t.Connections), thread, t.Threads))),
		left:        share(t.Count, thread, t.Threads),
		counted:     t.Count > 0,
		duration:    t.Duration,
		turns:       newTurns(t, thread, t.Threads),
	}
}

// openLoop follows the schedule, whatever the server does.
type openLoop struct {
	*part
	first arrival
	more  bool
}

func (f *openLoop) advance() { f.first, f.more = f.part.next() }

func (f *openLoop) take(now time.Duration, _ int) (arrival, bool) {
	if !f.more || f.first.at > now {
		return arrival{}, false
	}
	a := f.first
	f.advance()
	return a, true
}

func (f *openLoop) wake(int) time.Duration {
	if !f.more {
		return never
	}
	return f.first.at
}

func (f *openLoop) over(time.Duration) bool { return !f.more }
func (f *openLoop) refused(time.Duration)   {}
func (f *openLoop) answered()               {}

// closedLoop starts an operation as soon as one ends. Where the server refuses
// connections it holds back for a growing while, so as not to spin.
type closedLoop struct {
	rng         *rand.Rand
	mix         mix
	connections int // operations under way
	left        uint64
	counted     bool
	duration    time.Duration
	notBefore   time.Duration
	turns       turns
	pause       time.Duration
}

// Pauses after refused connections.
const (
	firstPause = time.Millisecond
	mostPause  = 250 * time.Millisecond
)

func (f *closedLoop) take(now time.Duration, busy int) (arrival, bool) {
	if busy >= f.connections || now < f.notBefore || f.over(now) {
		return arrival{}, false
	}
	if f.counted {
		f.left--
	}
	op := f.mix.pick(f.rng)
	return arrival{at: now, op: op, nth: f.turns.next(op)}, true
}

func (f *closedLoop) wake(busy int) time.Duration {
	if busy >= f.connections || f.counted && f.left == 0 {
		return never
	}
	return f.notBefore
}

func (f *closedLoop) over(now time.Duration) bool {
	return f.counted && f.left == 0 || f.duration > 0 && now >= f.duration
}

func (f *closedLoop) refused(now time.Duration) {
	f.pause = min(max(2*f.pause, firstPause), mostPause)
	f.notBefore = now + f.pause
}

func (f *closedLoop) answered() { f.pause = 0 }
