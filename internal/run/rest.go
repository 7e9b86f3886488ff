// Calmness of processes: before their idle use is read, after load, and after a probe that was too much for them.

package run

import (
	"context"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// Finding out whether processes are calm.
const (
	look        = 25 * time.Millisecond  // between two readings of their use
	calmFor     = 150 * time.Millisecond // longer than the period of a quota, which may hold the app back for most of it
	idleLook    = 50 * time.Millisecond  // between two readings while they are idle, at least
	longestLook = 250 * time.Millisecond // and at most
	calmShare   = 0.1                    // of a CPU, or of the app's share of it: more counts as idle use only if it lasts
	likeness    = 0.25                   // two paces that differ by less than this share of the lower one may be the same
	starvedAt   = 50                     // involuntary switches a second: a program that does little has hardly any
	noise       = 2e-3                   // s of CPU: possible excess of a short stretch, by a timer or a tick of the kernel's clock

	probeCalmFor  = 600 * time.Millisecond // after a probe that was too much for the app, which its quota may hold back for several periods
	probePatience = 20 * time.Second       // for the rest of its work
	drains        = 3                      // of a probe, at most: late spans would be counted in the next one
)

// Limits of waits for programs; variables for tests.
var (
	startPatience = 10 * time.Second // for those that still start
	forLong       = 5 * time.Second  // for those that seem to work for good
	drainPatience = 5 * time.Second  // for those that are busier than when they were idle
	besideStart   = 3 * time.Second  // for those that still start, before the next run of their block does
)

// pace is the CPU time of the processes under test over a stretch of time.
type pace struct{ cpu, seconds float64 }

func paceOf(used []record.Usage) pace {
	p := pace{seconds: secondsOf(used)}
	for _, u := range used {
		if !u.Role.Harness() {
			p.cpu += u.CPUSeconds
		}
	}
	return p
}

func (p pace) rate() float64 {
	if p.seconds <= 0 {
		return 0
	}
	return p.cpu / p.seconds
}

// above reports whether a pace is higher than another, beyond chance.
func (p pace) above(other pace) bool {
	return p.cpu-other.rate()*p.seconds > max(likeness*other.rate()*p.seconds, noise)
}

// getCalm ends a start that others of the block follow: they begin when this one is calm, as its remaining work would make
// their starts longer. If that takes too long, they record it.
func (s *stage) getCalm(ctx context.Context) error {
	if s.turn.turns == nil || s.turn.run == s.turn.runs-1 {
		return nil
	}
	calm, err := s.calm(ctx, calmFor, 0, besideStart)
	if err == nil && !calm {
		s.turn.change(func() { s.turn.restless = append(s.turn.restless, s.request.Plan.Variant) })
	}
	return err
}

// idle reads the use of the processes without load.
func (s *stage) idle(ctx context.Context) error {
	if s.request.Kind == record.Calibration || s.request.Kind == record.Pilot {
		return nil
	}
	if err := s.turn.awaitAll(ctx); err != nil {
		return err
	}
	length := s.request.Load.Idle
	if length <= 0 {
		return nil // no rate without a time
	}
	used, steady, err := s.idling(ctx, length)
	if err != nil {
		return err
	}
	start := &s.record.Start
	start.IdleSeconds, start.Idle, start.IdleSteady = length.Seconds(), used, &steady
	if steady {
		at := paceOf(used)
		s.idlePace = &at
	}
	return s.turn.awaitAll(ctx) // others' load would disturb this reading
}

// idling reads the use of the processes once they are calm: the first and the second half of the reading agree, over the given
// length or, for a program that works in bursts, over longer. A program keeps starting and compiling after it is ready: counted
// as idle use, that would be subtracted from the cost of operations. steady is false if it was never calm.
func (s *stage) idling(ctx context.Context, length time.Duration) (used []record.Usage, steady bool, err error) {
	every := max(idleLook, min(length/4, longestLook))
	half := int((length/2 + every - 1) / every) // in looks
	var marks []readings.Mark
	steady, err = await(ctx, every, length+startPatience, func() (bool, error) {
		mark, err := s.meter.Mark()
		if err != nil {
			return false, err
		}
		marks = append(marks, mark)
		last := len(marks) - 1
		for n := half; 2*n <= last; n++ {
			if s.agree(marks[last-2*n], marks[last-n], mark) {
				used = s.between(marks[last-2*n], mark)
				return s.rests(paceOf(used))
			}
		}
		return false, nil
	})
	if err == nil && !steady {
		used = s.between(marks[max(0, len(marks)-1-2*half)], marks[len(marks)-1])
	}
	return used, steady, err
}

// little is the rate, CPU seconds per second, up to which processes count as calm while their idle use is unknown.
func (s *stage) little() float64 { return calmShare * min(1, s.appLimit()) }

// agree reports whether the usage from a to b is the idle use of the processes.
func (s *stage) agree(a, middle, b readings.Mark) bool {
	used := s.between(middle, b)
	first, second := paceOf(s.between(a, middle)), paceOf(used)
	whole := pace{first.cpu + second.cpu, first.seconds + second.seconds}
	switch {
	case first.above(second) || second.above(first):
		return false
	case whole.seconds >= forLong.Seconds():
		return true
	}
	return whole.rate() < s.little() && !starved(used)
}

// starved reports whether processes wanted more CPU than they got: others had it.
func starved(used []record.Usage) bool {
	return slices.ContainsFunc(used, func(u record.Usage) bool {
		return !u.Role.Harness() && float64(u.Involuntary) > starvedAt*u.Seconds
	})
}

// rests reports whether processes that use at most little want no more at the moment: others may have their CPU. For those that
// use more it is true, as they often run.
func (s *stage) rests(at pace) (bool, error) {
	if at.rate() > s.little() {
		return true, nil
	}
	runs, err := s.meter.Want(func(r role.Role) bool { return !r.Harness() })
	return !runs, err
}

// idleAgain reads the idle use again after all operations. If the rate differs, none can be subtracted.
func (s *stage) idleAgain(ctx context.Context) error {
	if s.record.Start.Idle == nil {
		return nil
	}
	before, err := s.meter.Mark()
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(s.request.Load.Idle):
	}
	after, err := s.meter.Mark()
	s.record.Stop.Idle = s.between(before, after)
	return err
}

// calm waits until the processes have used no more than when idle for calmFor, and at least for least in all; false if they
// still used more after patience beyond that. If their idle use is unknown, little counts as calm.
func (s *stage) calm(ctx context.Context, calmFor, least, patience time.Duration) (bool, error) {
	at := pace{cpu: s.little(), seconds: 1}
	if s.idlePace != nil {
		at = *s.idlePace
	}
	least = max(least, 0)
	begun := time.Now()
	looks := int(calmFor / look)
	var marks []readings.Mark
	return await(ctx, look, least+patience, func() (bool, error) {
		mark, err := s.meter.Glance(func(r role.Role) bool { return !r.Harness() })
		if err != nil {
			return false, err
		}
		marks = append(marks, mark)
		since := len(marks) - 1 - looks
		if time.Since(begun) < least || since < 0 {
			return false, nil
		}
		used := paceOf(s.between(marks[since], mark))
		if used.above(at) {
			return false, nil
		}
		return s.rests(at)
	})
}

// cool extends a drain of a measured run, until it has taken the least time, such as that of any variant of the experiment, and
// the processes are calm: their work after the answers, or after their last span, is charged to all variants alike. Spans that
// come meanwhile count.
func (s *stage) cool(ctx context.Context, d drained, least time.Duration) (drained, error) {
	if s.request.Kind != record.Measured {
		return d, nil
	}
	begun := time.Now()
	calm, err := s.calm(ctx, calmFor, least-d.took, drainPatience)
	if err != nil {
		return d, err
	}
	_, err = s.until(ctx, margin, func(c record.Counts) bool { d.counts = c; return true })
	d.calm, d.took = &calm, d.took+time.Since(begun)
	return d, err
}

// drainAlike drains, and then cools (see cool).
func (s *stage) drainAlike(ctx context.Context, before record.Counts, awaited float64) (drained, error) {
	d, err := s.drain(ctx, before, awaited)
	if err != nil {
		return d, err
	}
	return s.cool(ctx, d, s.request.Drain)
}

// bothCalm is false if one of two drains did not end calm; nil if one is unknown.
func bothCalm(a, b drained) *bool {
	if a.calm == nil || b.calm == nil {
		return nil
	}
	both := *a.calm && *b.calm
	return &both
}

// drainWholly drains, again if patience ends before the sink is quiet: the next probe must not count late spans as its own.
// all.quiet is of the first drain; clean: whether the last one was quiet.
func (s *stage) drainWholly(ctx context.Context, before record.Counts, awaited float64) (all drained, clean bool, err error) {
	return untilQuiet(func() (drained, error) { return s.drain(ctx, before, awaited) })
}

func untilQuiet(drain func() (drained, error)) (all drained, clean bool, err error) {
	all, err = drain()
	clean = all.quiet
	for n := 1; err == nil && !clean && n < drains; n++ {
		var more drained
		more, err = drain()
		all.counts, all.took, clean = more.counts, all.took+more.took, more.quiet
	}
	return all, clean, err
}
