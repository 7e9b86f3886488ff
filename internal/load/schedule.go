// The time and the kind of each operation: a pure function of the task.
//
// Arrivals are random unless constant ones are asked for. A constant period is often a part or a multiple of the kernel's
// tick (1,500/s puts six requests at the same places of every tick of 4 ms): the tick, and a host's idle polling, then hit
// one program's requests and not another's for a whole window. Probes need not be Poisson, but mixing (Baccelli, Machiraju,
// Veitch, Bolot: The role of PASTA in network measurement, 2006).

package load

import (
	"math/rand/v2"
	"time"
)

// Arrival is one operation of the schedule.
type Arrival struct {
	At  time.Duration // since the start of the task
	Op  int           // index in Task.Operations
	Nth uint64        // its number among those of its kind, from Task.Used: the row of its data
}

// schedule yields the operations of an open loop in the order of their intended starts. Two schedules of the same task are
// equal.
type schedule struct {
	choices  *rand.Rand // of operations: the same for tasks that are compared
	moments  *rand.Rand // of arrivals: different for each of them
	mix      mix
	period   float64 // ns between two operations, on average
	arrivals string
	group    group
	slices   *Slices       // nil: the load is spread out
	duration time.Duration // 0 is without end
	count    uint64        // 0 is without end
	made     uint64
	sum      float64 // ns, of the gaps so far (Poisson)
	turns    turns
}

func newSchedule(t Task) *schedule {
	return &schedule{
		choices:  rand.New(rand.NewPCG(t.Seed, 0)),
		moments:  rand.New(rand.NewPCG(t.Seed, 1+t.Own)),
		mix:      newMix(t.Operations),
		period:   1e9 / t.Rate,
		arrivals: t.Arrivals,
		group:    group{number: -1},
		slices:   t.Slices,
		duration: t.Duration,
		count:    t.Count,
		turns:    newTurns(t, 0, 1),
	}
}

// next returns the next operation, false after the last.
func (s *schedule) next() (Arrival, bool) {
	if s.count > 0 && s.made == s.count {
		return Arrival{}, false
	}
	due, at := s.offset()
	if s.duration > 0 && due >= float64(s.duration)-rounding {
		return Arrival{}, false
	}
	apart := s.period
	if s.slices != nil {
		due, at, apart = s.slices.moment(due), duration(s.slices.moment(float64(at))), apart/float64(s.slices.Of)
	}
	if s.arrivals != Poisson && apart < float64(groupEvery) {
		at = s.group.start(duration(due), s.arrivals == Constant, s.moments)
	}
	s.made++
	op := s.mix.pick(s.choices)
	return Arrival{At: at, Op: op, Nth: s.turns.next(op)}, true
}

// rounding is the possible shortfall, in ns, of a product that is a whole number of them.
const rounding = 1

// offset returns when the next operation is due, in ns, and its start within its period. Except for Poisson, due is computed
// from the operation's number, so no error adds up.
func (s *schedule) offset() (due float64, at time.Duration) {
	switch s.arrivals {
	case Poisson:
		s.sum += s.moments.ExpFloat64() * s.period
		return s.sum, duration(s.sum)
	case Constant:
		due = float64(s.made) * s.period
		return due, duration(due)
	}
	due = float64(s.made) * s.period
	within := s.period
	if s.duration > 0 { // the last period may be cut off
		within = min(within, float64(s.duration)-due)
	}
	return due, duration(due + s.moments.Float64()*within)
}

// groupEvery is the least mean time between due operations, unless they are Poisson: more frequent ones come in groups. A
// wake-up for each alone would cost the generator more CPU than making it.
const groupEvery = 250 * time.Microsecond

// group is the operations that start together: all that are due in a stretch of groupEvery, at a random moment of it.
type group struct {
	number time.Duration // of stretches before it; -1: there was none yet
	at     time.Duration
}

// start returns the start of an operation that is due at a time: a random moment of its group's stretch, or for constant
// arrivals its beginning.
func (g *group) start(due time.Duration, constant bool, moments *rand.Rand) time.Duration {
	if number := due / groupEvery; number != g.number {
		g.number, g.at = number, number*groupEvery
		if !constant {
			g.at += time.Duration(moments.Int64N(int64(groupEvery)))
		}
	}
	return g.at
}

// duration converts nanoseconds, perhaps more than a Duration holds.
func duration(ns float64) time.Duration { return time.Duration(min(ns, 1<<62)) }

// part is one thread's share of a schedule: every threads-th operation. The whole is the same for any number of threads.
type part struct {
	*schedule
	skip    int // operations of other threads before the next own one
	threads int
}

func newPart(t Task, thread, threads int) *part {
	return &part{schedule: newSchedule(t), skip: thread, threads: threads}
}

func (p *part) next() (Arrival, bool) {
	for range p.skip {
		if _, ok := p.schedule.next(); !ok {
			return Arrival{}, false
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

// Share returns the i-th of n nearly equal whole parts of total.
func Share(total uint64, i, n int) uint64 {
	part := total / uint64(n)
	if uint64(i) < total%uint64(n) {
		part++
	}
	return part
}

// The next due operation: the only difference between an open and a closed loop.

// Never is a time that does not come.
const Never = time.Duration(1<<63 - 1)

// Feeder hands out the operations of one thread as they fall due.
type Feeder interface {
	// Take returns an operation that is due now, if any; busy is the number of operations under way.
	Take(now time.Duration, busy int) (Arrival, bool)
	// Wake returns the time at which Take may have an operation if nothing else happens.
	Wake(busy int) time.Duration
	// Over reports whether no more operations will fall due.
	Over(now time.Duration) bool
	// Refused is called if no connection could be opened.
	Refused(now time.Duration)
	// Answered is called if an operation ended well.
	Answered()
}

// NewFeeder returns the feeder of one thread of a task with its defaults filled in.
func NewFeeder(t Task, thread int) Feeder {
	if t.Late > 0 {
		late := t.Late
		t.Late = 0
		return &lateFeeder{Feeder: NewFeeder(t, thread), by: late}
	}
	calls := t.calls(t.Open(thread))
	thread, threads := t.among(thread)
	if t.Rate > 0 {
		f := &openLoop{part: newPart(t, thread, threads)}
		f.advance()
		return f
	}
	return &closedLoop{
		rng:         rand.New(rand.NewPCG(t.Seed, uint64(thread)+1)),
		mix:         newMix(t.Operations),
		connections: calls,
		left:        Share(t.Count, thread, threads),
		counted:     t.Count > 0,
		duration:    t.Duration,
		turns:       newTurns(t, thread, threads),
	}
}

// openLoop follows the schedule, whatever the server does.
type openLoop struct {
	*part
	first Arrival
	more  bool
}

func (f *openLoop) advance() { f.first, f.more = f.part.next() }

func (f *openLoop) Take(now time.Duration, _ int) (Arrival, bool) {
	if !f.more || f.first.At > now {
		return Arrival{}, false
	}
	a := f.first
	f.advance()
	return a, true
}

func (f *openLoop) Wake(int) time.Duration {
	if !f.more {
		return Never
	}
	return f.first.At
}

func (f *openLoop) Over(time.Duration) bool { return !f.more }

func (f *openLoop) Refused(time.Duration) {}

func (f *openLoop) Answered() {}

// closedLoop starts an operation as soon as one ends. If the server refuses connections it pauses for a growing time, to avoid
// spinning.
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

func (f *closedLoop) Take(now time.Duration, busy int) (Arrival, bool) {
	if busy >= f.connections || now < f.notBefore || f.Over(now) {
		return Arrival{}, false
	}
	if f.counted {
		f.left--
	}
	op := f.mix.pick(f.rng)
	return Arrival{At: now, Op: op, Nth: f.turns.next(op)}, true
}

func (f *closedLoop) Wake(busy int) time.Duration {
	if busy >= f.connections || f.counted && f.left == 0 {
		return Never
	}
	return f.notBefore
}

func (f *closedLoop) Over(now time.Duration) bool {
	return f.counted && f.left == 0 || f.duration > 0 && now >= f.duration
}

func (f *closedLoop) Refused(now time.Duration) {
	f.pause = min(max(2*f.pause, firstPause), mostPause)
	f.notBefore = now + f.pause
}

func (f *closedLoop) Answered() { f.pause = 0 }

// A deliberate fault: a late generator.

// lateFeeder delays the operations of another feeder. Their intended starts stay unchanged.
type lateFeeder struct {
	Feeder
	by   time.Duration
	held []Arrival // fallen due, in this order
	head int
}

func (f *lateFeeder) holds() int { return len(f.held) - f.head }

func (f *lateFeeder) Take(now time.Duration, busy int) (Arrival, bool) {
	for a, ok := f.Feeder.Take(now, busy+f.holds()); ok; a, ok = f.Feeder.Take(now, busy+f.holds()) {
		f.held = append(f.held, a)
	}
	if f.holds() == 0 || f.held[f.head].At+f.by > now {
		return Arrival{}, false
	}
	a := f.held[f.head]
	if f.head++; f.holds() == 0 {
		f.held, f.head = f.held[:0], 0
	}
	return a, true
}

func (f *lateFeeder) Wake(busy int) time.Duration {
	next := f.Feeder.Wake(busy + f.holds())
	if f.holds() > 0 {
		return min(next, f.held[f.head].At+f.by)
	}
	return next
}

func (f *lateFeeder) Over(now time.Duration) bool { return f.holds() == 0 && f.Feeder.Over(now) }

// turns counts the operations of each kind, if some use data; otherwise nil.
type turns []turn

type turn struct{ at, step uint64 }

// newTurns returns the turns of one thread: of n threads each takes every n-th row.
func newTurns(t Task, thread, threads int) turns {
	uses := false
	for _, r := range t.Operations {
		uses = uses || r.Data != ""
	}
	if !uses {
		return nil
	}
	ts := make(turns, len(t.Operations))
	for i := range ts {
		ts[i] = turn{at: t.Used + uint64(thread), step: uint64(threads)}
	}
	return ts
}

// next returns the number of the next operation of kind op.
func (ts turns) next(op int) uint64 {
	if ts == nil {
		return 0
	}
	t := &ts[op]
	nth := t.at
	t.at += t.step
	return nth
}
