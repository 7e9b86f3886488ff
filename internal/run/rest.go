// When processes are calm: before it is read what they use idle, after load, and after a probe that was too much for them.

package run

import (
	"context"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/usage"
)

// How it is found out that processes are calm.
const (
	look        = 25 * time.Millisecond  // between two looks at what they use
	calmFor     = 150 * time.Millisecond // longer than the period of a quota, which may hold the app back for most of it
	idleLook    = 50 * time.Millisecond  // between two looks while they are idle, at least
	longestLook = 250 * time.Millisecond // and at most
	calmShare   = 0.1                    // of a CPU, or of what the app may use of it: more is what a program uses idle only if it goes on for long
	likeness    = 0.25                   // two paces that differ by less, as a share of the lower one, may be the same
	starvedAt   = 50                     // involuntary switches a second: of a program that does little there are hardly any
	noise       = 2e-3                   // s of CPU, by which a short stretch may come out too high: a timer, a tick of the kernel's clock

	probeCalmFor  = 600 * time.Millisecond // after a probe that was too much for the app, which its quota may hold back for several periods
	probePatience = 20 * time.Second       // with what it left
	drains        = 3                      // of a probe, at most: late spans would be counted in the next one
)

// For how long programs are waited for; variables for tests.
var (
	startPatience = 10 * time.Second // that still start
	forLong       = 5 * time.Second  // that seem to work for good
	drainPatience = 5 * time.Second  // that are not as calm as they were idle
	besideStart   = 3 * time.Second  // that still start, before the next run of their block does
)

// pace is the CPU that the processes under test used over a stretch of time.
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

// above reports whether a pace is higher than another by more than chance.
func (p pace) above(other pace) bool {
	return p.cpu-other.rate()*p.seconds > max(likeness*other.rate()*p.seconds, noise)
}

// getCalm ends a start that others of the block follow: they begin when this one is calm, for what it still does would make
// their starts longer. Where that takes too long, theirs say so.
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

// idle reads what the processes use when nothing is asked of them.
func (s *stage) idle(ctx context.Context) error {
	if s.request.Kind == record.Calibration || s.request.Kind == record.Pilot {
		return nil
	}
	if err := s.turn.awaitAll(ctx); err != nil {
		return err
	}
	length := s.request.Load.Idle
	if length <= 0 {
		return nil // what is used in no time at all is no rate
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
	return s.turn.awaitAll(ctx) // others' load would be beside what is read of this one
}

// idling reads what the processes use once they are calm: the first and the second half of what is read agree, over the
// length that is asked for or, of a program that works in bursts, over longer. A program goes on starting when it is ready,
// and is being compiled: taken for what it uses idle, that would be taken off what operations cost. steady is false where
// it was never calm.
func (s *stage) idling(ctx context.Context, length time.Duration) (used []record.Usage, steady bool, err error) {
	every := max(idleLook, min(length/4, longestLook))
	half := int((length/2 + every - 1) / every) // in looks
	var marks []usage.Mark
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

// little is the CPU seconds per second up to which processes are taken for calm where it is not known what they use idle.
func (s *stage) little() float64 { return calmShare * min(1, s.appLimit()) }

// agree reports whether what is used from a to b is what the processes use idle.
func (s *stage) agree(a, middle, b usage.Mark) bool {
	used := s.meter.Between(middle, b)
	first, second := paceOf(s.meter.Between(a, middle)), paceOf(used)
	whole := pace{first.cpu + second.cpu, first.seconds + second.seconds}
	switch {
	case first.above(second) || second.above(first):
		return false
	case whole.seconds >= forLong.Seconds():
		return true
	}
	return whole.rate() < s.little() && !starved(used)
}

// starved reports whether processes would have used more than they got: others had their CPU.
func starved(used []record.Usage) bool {
	return slices.ContainsFunc(used, func(u record.Usage) bool {
		return !u.Role.Harness() && float64(u.Involuntary) > starvedAt*u.Seconds
	})
}

// rests reports whether processes that use no more than little want no more at the moment: others may have their CPU. Of those
// that use more it says nothing, for these often run.
func (s *stage) rests(at pace) (bool, error) {
	if at.rate() > s.little() {
		return true, nil
	}
	runs, err := s.meter.Want(func(r role.Role) bool { return !r.Harness() })
	return !runs, err
}

// idleAgain reads it once more when all operations have been made. Where it is another rate, none can be taken off.
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

// calm waits until the processes have used no more than when they were idle for some time, and at least so long in all;
// false where they still used more when patience beyond that was over. Where it is not known what they use idle, little is calm.
func (s *stage) calm(ctx context.Context, calmFor, least, patience time.Duration) (bool, error) {
	at := pace{cpu: s.little(), seconds: 1}
	if s.idlePace != nil {
		at = *s.idlePace
	}
	least = max(least, 0)
	begun := time.Now()
	looks := int(calmFor / look)
	var marks []usage.Mark
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
		used := paceOf(s.meter.Between(marks[since], mark))
		if used.above(at) {
			return false, nil
		}
		return s.rests(at)
	})
}

// cool goes on after a drain of a measured run, until it has taken the least time, such as that of any variant of the experiment,
// and until the processes are calm: what they do after the answers, or after their last span, is charged to all variants alike. What
// comes to the sink meanwhile counts.
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

// drainAlike drains, and goes on as cool does.
func (s *stage) drainAlike(ctx context.Context, before record.Counts, awaited float64) (drained, error) {
	d, err := s.drain(ctx, before, awaited)
	if err != nil {
		return d, err
	}
	return s.cool(ctx, d, s.request.Drain)
}

// bothCalm is false where one of two drains did not end calm; nil where nobody looked.
func bothCalm(a, b drained) *bool {
	if a.calm == nil || b.calm == nil {
		return nil
	}
	both := *a.calm && *b.calm
	return &both
}

// drainWholly drains, and where patience ends before the sink is quiet drains
// again, so the next probe does not count late spans as its own. quiet of
// what it returns is of the first drain; clean is whether the last one was quiet.
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
