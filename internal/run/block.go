// The runs of a block, made together: all their processes live at the same time, on the same CPUs, and the runs take turns with
// work that would disturb the others.

package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tracetax/tracetax/internal/derive"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
)

// Block makes the runs of a block together and returns their records in the same order. A failure in one run ends the others,
// whose failure is then the block's. An error means that all were interrupted and left no record.
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
	t.look, t.pretend = func() (readings.Look, error) { return lookAt(stages) }, c.outside
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

// fit returns an error if runs cannot be made together.
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

// besideError ends a run without a fault: another one of its block failed, whose record has the reason. That may hold secrets
// that are unknown here.
type besideError struct{ variant string }

func (e *besideError) Error() string {
	return fmt.Sprintf("the run of variant %s, which is made together with this one, failed: its record says why", e.variant)
}

// turns lets the runs of a block wait for each other.
type turns struct {
	mu       sync.Mutex
	changed  chan struct{} // closed at each change; then another one
	runs     int
	met      int         // number of meetings of all runs
	arrived  int         // number of runs waiting to meet
	round    []bool      // since the last meeting: the runs whose turns are over
	now      int         // the run whose turn it is
	place    int         // the place of the next window, since the last meeting
	used     derive.Used // since the last meeting: by all that have reported
	restless []string    // the variants that were not calm when the next run started
	stages   []*stage
	end      func(failed *stage) // ends all runs

	look    func() (readings.Look, error)           // at the whole block
	seen    []readings.Look                         // before each window since the first of a phase, and after the last
	pretend func([]derive.Outside) []derive.Outside // nil: the readings of others' use are taken as they are
}

func newTurns(runs int) *turns {
	return &turns{changed: make(chan struct{}), runs: runs, round: make([]bool, runs)}
}

// until waits until a condition holds.
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

// change changes the state, and wakes those that wait.
func (t *turns) change(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	do()
	close(t.changed)
	t.changed = make(chan struct{})
}

// turn is the place of a run in its block. The zero turn, of a single run, never waits.
type turn struct {
	*turns
	run int
}

// awaitAll waits until all runs of the block have reached this point.
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

// inTurn calls do when it is the run's turn. The runs that have not ended their turns since the last meeting take them one
// after the other, from the first to the last, and again.
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

// beside lists the variants that still start, or work, when this run does.
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

// leave ends the run's turns until all meet.
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

// atWindow calls do when a place in the common order of windows is reached.
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
		t.seen = []readings.Look{first}
	}
	err := do()
	if err == nil {
		var after readings.Look
		after, err = t.look()
		after.Run = t.run
		t.seen = append(t.seen, after)
	}
	t.change(func() { t.place++ })
	return err
}

// together returns the CPU time of all runs of the block between two meetings; all of them call it between the same two.
func (t turn) together(ctx context.Context, mine derive.Used) (derive.Used, error) {
	if t.turns == nil {
		return mine, nil
	}
	t.change(func() { t.used = t.used.And(mine) })
	if err := t.awaitAll(ctx); err != nil {
		return mine, err
	}
	var all derive.Used
	t.change(func() { all = t.used })
	if err := t.awaitAll(ctx); err != nil {
		return mine, err
	}
	t.change(func() { t.used = derive.Used{} })
	return all, t.awaitAll(ctx)
}

// marks reads the usage of the other runs of the block: they idle while they wait for their turns, and are not outside
// programs.
func (t turn) marks() ([]readings.Mark, error) {
	var out []readings.Mark
	err := t.others(func(s *stage) error {
		mark, err := s.meter.Mark()
		out = append(out, mark)
		return err
	})
	return out, err
}

// usedSince returns the usage of the other runs of the block since then.
func (t turn) usedSince(from []readings.Mark) (derive.Used, error) {
	var sum derive.Used
	err := t.others(func(s *stage) error {
		mark, err := s.meter.Mark()
		if err == nil {
			sum, from = sum.And(derive.UsedOf(s.meter.Log().Between(from[0], mark))), from[1:]
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

// fail ends the other runs of the block. A failed run calls it while its processes can still be read: the others read them, and
// would take an error for their own.
func (t turn) fail() {
	if t.turns != nil {
		t.end(t.stages[t.run])
	}
}
