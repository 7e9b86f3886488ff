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
