// The runs of a block, made together: all of their processes live at the same time, on the same CPUs, and what one of
// them does that would disturb the others it does in its turn.

package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/usage"
)

// Block makes the runs of a block together and returns their records in the same order. What goes wrong in one run ends
// the others: theirs is then a failure of the block. An error means that all were interrupted and left no record.
func (c *Conductor) Block(ctx context.Context, requests []Request) ([]record.Record, error) {
	if err := fit(requests); err != nil {
		return nil, err
	}
	t := newTurns(len(requests))
	stages := make([]*stage, len(requests))
	for i, q := range requests {
		stages[i] = newStage(q, c.placement)
		stages[i].turn = turn{t, i}
		stages[i].record.Harness.Order = string(q.Order)
	}
	t.stages = stages
	t.look, t.pretend = func() (outlook, error) { return lookAt(stages) }, c.outside
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.end = func(failed *stage) { cancel(&besideError{failed.request.Plan.Variant}) }
	var all sync.WaitGroup
	for _, s := range stages {
		all.Go(func() {
			err := s.conduct(within, c)
			if err != nil {
				t.end(s)
			}
			s.finish(err)
		})
	}
	all.Wait()
	records, errs := make([]record.Record, len(stages)), []error(nil)
	for i, s := range stages {
		records[i] = *s.record
		errs = append(errs, s.redact())
		if ctx.Err() != nil {
			errs = append(errs, s.uncleaned())
		}
	}
	if ctx.Err() != nil {
		return nil, errors.Join(append(errs, context.Cause(ctx))...)
	}
	return records, errors.Join(errs...)
}

// fit reports what keeps runs from being made together.
func fit(requests []Request) error {
	for _, q := range requests[1:] {
		first := requests[0]
		if len(q.Phases) != len(first.Phases) {
			return fmt.Errorf("making the runs of a block together: %s has %d phases and %s %d; they must have the same", q.Plan.Variant, len(q.Phases), first.Plan.Variant, len(first.Phases))
		}
		for i, p := range q.Phases {
			if one, other := first.Phases[i], p; one.Operation.Name != other.Operation.Name || len(one.Turns) != len(other.Turns) || (one.Search == nil) != (other.Search == nil) {
				return fmt.Errorf("making the runs of a block together: phase %d of %s and %s differ in operation or windows; they must have the same", i+1, first.Plan.Variant, q.Plan.Variant)
			}
		}
	}
	return nil
}

// besideError is why a run without a fault ends: another one of its block failed, whose record says
// why. It may have secrets that this one knows nothing of.
type besideError struct{ variant string }

func (e *besideError) Error() string {
	return fmt.Sprintf("the run of variant %s, which is made together with this one, failed: its record says why", e.variant)
}

// turns has the runs of a block wait for each other.
type turns struct {
	mu       sync.Mutex
	changed  chan struct{} // closed at each change; then another one
	runs     int
	met      int      // how often all have met
	arrived  int      // of those that wait to meet
	round    []bool   // since they last met: whose turns are over
	now      int      // whose turn it is
	place    int      // the place of the window that is due, since they last met
	used     usedBy   // since they last met: by all that have said it
	restless []string // the variants that were not calm when the next one started
	stages   []*stage
	end      func(failed *stage) // ends all runs

	look    func() (outlook, error)   // at the whole block
	seen    []outlook                 // before each window since the first of a phase, and after the last
	pretend func([]outside) []outside // nil: what others used is as it was seen
}

// usedBy is the CPU that programs on the app's CPUs and on the others used.
type usedBy struct{ app, harness float64 }

func (u usedBy) and(more usedBy) usedBy { return usedBy{u.app + more.app, u.harness + more.harness} }

func newTurns(runs int) *turns {
	return &turns{changed: make(chan struct{}), runs: runs, round: make([]bool, runs)}
}

// until waits until something is so.
func (t *turns) until(ctx context.Context, is func() bool) error {
	for {
		t.mu.Lock()
		so, changed := is(), t.changed
		t.mu.Unlock()
		if so {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// change changes something, and has those that wait look again.
func (t *turns) change(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	do()
	close(t.changed)
	t.changed = make(chan struct{})
}

// turn is the place of a run among those of its block. The zero turn is of a run by itself, which never waits.
type turn struct {
	*turns
	run int
}

// awaitAll waits until all runs of the block have come so far.
func (t turn) awaitAll(ctx context.Context) error {
	if t.turns == nil {
		return nil
	}
	var mine int
	t.change(func() {
		mine = t.met
		if t.arrived++; t.arrived == t.runs {
			t.arrived, t.now, t.place = 0, 0, 0
			t.met++
			clear(t.round)
		}
	})
	return t.until(ctx, func() bool { return t.met > mine })
}

// inTurn does something when it is the run's turn. The runs that have not ended their turns since they last met take
// them one after the other, from the first to the last, and again.
func (t turn) inTurn(ctx context.Context, do func() error) error {
	if t.turns == nil {
		return do()
	}
	if err := t.until(ctx, func() bool { return t.now == t.run }); err != nil {
		return err
	}
	err := do()
	t.change(t.next)
	return err
}

// beside are the variants that still start, or work, when this run does.
func (t turn) beside() (variants []string) {
	if t.turns != nil {
		t.change(func() { variants = slices.Clone(t.restless) })
	}
	return variants
}

// next gives the turn to the next run; the lock is held.
func (t turn) next() {
	for range t.runs {
		if t.now = (t.now + 1) % t.runs; !t.round[t.now] {
			return
		}
	}
}

// leave has the run take no more turns until all meet.
func (t turn) leave() {
	if t.turns == nil {
		return
	}
	t.change(func() {
		t.round[t.run] = true
		if t.now == t.run {
			t.next()
		}
	})
}

// atWindow does something when a place in the common order of windows has come.
func (t turn) atWindow(ctx context.Context, place int, do func() error) error {
	if t.turns == nil {
		return do()
	}
	if err := t.until(ctx, func() bool { return t.place == place }); err != nil {
		return err
	}
	if place == 0 {
		first, err := t.look()
		if err != nil {
			return err
		}
		t.seen = []outlook{first}
	}
	err := do()
	if err == nil {
		var after outlook
		after, err = t.look()
		after.run = t.run
		t.seen = append(t.seen, after)
	}
	t.change(func() { t.place++ })
	return err
}

// together is what all runs of the block used between two meetings; all of them call it between the same two.
func (t turn) together(ctx context.Context, mine usedBy) (usedBy, error) {
	if t.turns == nil {
		return mine, nil
	}
	t.change(func() { t.used = t.used.and(mine) })
	if err := t.awaitAll(ctx); err != nil {
		return mine, err
	}
	var all usedBy
	t.change(func() { all = t.used })
	if err := t.awaitAll(ctx); err != nil {
		return mine, err
	}
	t.change(func() { t.used = usedBy{} })
	return all, t.awaitAll(ctx)
}

// marks are readings of what the other runs of the block have used, which is idle while they wait for their turns, and is
// nobody's from outside.
func (t turn) marks() ([]usage.Mark, error) {
	var out []usage.Mark
	err := t.others(func(s *stage) error {
		mark, err := s.meter.Mark()
		out = append(out, mark)
		return err
	})
	return out, err
}

// usedSince is what the other runs of the block have used since.
func (t turn) usedSince(from []usage.Mark) (usedBy, error) {
	var sum usedBy
	err := t.others(func(s *stage) error {
		mark, err := s.meter.Mark()
		if err == nil {
			sum, from = sum.and(usedOf(s.meter.Between(from[0], mark))), from[1:]
		}
		return err
	})
	return sum, err
}

func (t turn) others(do func(*stage) error) error {
	if t.turns == nil {
		return nil
	}
	for i, s := range t.stages {
		if i == t.run {
			continue
		}
		if err := do(s); err != nil {
			return fmt.Errorf("reading what the run of variant %s uses beside this one: %w", s.request.Plan.Variant, err)
		}
	}
	return nil
}

// fail ends the other runs of the block. A run that failed calls it while its processes can still be read: the others
// do that, and an error of theirs would be taken for their own.
func (t turn) fail() {
	if t.turns != nil {
		t.end(t.stages[t.run])
	}
}
