// When each operation is due and which one it is: a pure function of the task.

package load

import (
	"math/rand/v2"
	"time"
)

// arrival is one operation that the schedule asks for.
type arrival struct {
	at  time.Duration // since the start of the task
	op  int           // index in Task.Operations
	nth uint64        // which of this operation it is, from 0: the row of its data
}

// schedule yields the operations of an open loop in the order of their intended
// starts. Two schedules of the same task are equal.
type schedule struct {
	rng      *rand.Rand
	mix      mix
	period   float64 // ns between two operations, on average
	poisson  bool
	duration time.Duration // 0 is without end
	count    uint64        // 0 is without end
	made     uint64
	sum      float64 // ns, of the gaps so far (Poisson)
	turns    turns
}

func newSchedule(t Task) *schedule {
	return &schedule{
		rng:      rand.New(rand.NewPCG(t.Seed, 0)),
		mix:      newMix(t.Operations),
		period:   1e9 / t.Rate,
		poisson:  t.Arrivals == Poisson,
		duration: t.Duration,
		count:    t.Count,
		turns:    newTurns(t, 0, 1),
	}
}

// next returns the next operation, false when there is none any more.
func (s *schedule) next() (arrival, bool) {
	if s.count > 0 && s.made == s.count {
		return arrival{}, false
	}
	ns := s.offset()
	if s.duration > 0 && ns >= float64(s.duration)-rounding {
		return arrival{}, false
	}
	at := duration(ns)
	if !s.poisson {
		at = inGroups(at, s.period)
	}
	s.made++
	op := s.mix.pick(s.rng)
	return arrival{at: at, op: op, nth: s.turns.next(op)}, true
}

// rounding is by how much less, in ns, a product may come out that is a whole number of them.
const rounding = 1

// offset is the intended start of the next operation, in ns, before it is moved to that of its group. With constant
// arrivals it is computed from the operation's number, so that no error adds up.
func (s *schedule) offset() float64 {
	if !s.poisson {
		return float64(s.made) * s.period
	}
	s.sum += s.rng.ExpFloat64() * s.period
	return s.sum
}

// groupEvery is how far apart operations fall due at the least, in an open loop with
// constant arrivals: more frequent ones do so in groups. To be woken for each alone
// would cost the generator more CPU than making it.
const groupEvery = 250 * time.Microsecond

// inGroups moves an intended start back to that of its group.
func inGroups(at time.Duration, period float64) time.Duration {
	if period >= float64(groupEvery) {
		return at
	}
	return at - at%groupEvery
}

// duration converts nanoseconds, of which there may be more than a Duration holds.
func duration(ns float64) time.Duration { return time.Duration(min(ns, 1<<62)) }

// part is one thread's share of a schedule: every threads-th operation. The
// whole is the same, then, however many threads there are.
type part struct {
	*schedule
	skip    int // operations of other threads before the next own one
	threads int
}

func newPart(t Task, thread, threads int) *part {
	return &part{schedule: newSchedule(t), skip: thread, threads: threads}
}

func (p *part) next() (arrival, bool) {
	for range p.skip {
		if _, ok := p.schedule.next(); !ok {
			return arrival{}, false
		}
	}
	p.skip = p.threads - 1
	return p.schedule.next()
}

// mix chooses among operations by weight.
type mix struct {
	upTo []float64 // running total of the weights
}

func newMix(ops []Request) mix {
	var m mix
	sum := 0.0
	for _, o := range ops {
		sum += o.Weight
		m.upTo = append(m.upTo, sum)
	}
	if sum > 0 {
		return m
	}
	for i := range m.upTo {
		m.upTo[i] = float64(i + 1)
	}
	return m
}

func (m mix) pick(rng *rand.Rand) int {
	if len(m.upTo) == 1 {
		return 0
	}
	x := rng.Float64() * m.upTo[len(m.upTo)-1]
	for i, end := range m.upTo {
		if x < end {
			return i
		}
	}
	return len(m.upTo) - 1
}

// share is the i-th of n nearly equal whole parts of total.
func share(total uint64, i, n int) uint64 {
	part := total / uint64(n)
	if uint64(i) < total%uint64(n) {
		part++
	}
	return part
}

// Which operation falls due next: the one difference between an open and a
// closed loop.

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

// A fault on purpose: a generator that is late.

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

// The operations that are due but have no connection yet.

// wait is an operation that waits for a connection.
type wait struct {
	arrival
	noticed time.Duration // when the generator saw that it was due
}

// queue is first in, first out. The zero value is empty.
type queue struct {
	items []wait
	head  int
}

func (q *queue) empty() bool  { return q.head == len(q.items) }
func (q *queue) size() int    { return len(q.items) - q.head }
func (q *queue) first() *wait { return &q.items[q.head] }
func (q *queue) push(w wait)  { q.items = append(q.items, w) }

func (q *queue) pop() wait {
	w := q.items[q.head]
	q.head++
	switch {
	case q.empty():
		q.items, q.head = q.items[:0], 0
	case q.head >= 1024 && q.head*2 >= len(q.items):
		n := copy(q.items, q.items[q.head:])
		q.items, q.head = q.items[:n], 0
	}
	return w
}
