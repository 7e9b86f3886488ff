package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
)

// placementDuet is the placement of a run of a duet.
const placementDuet = "duet"

// Duet makes two runs at the same time, so that what disturbs the machine
// disturbs both alike. The machine has two sides: the program of a and the
// harness of b are on the one, the program of b and the harness of a on the
// other. The sides are swapped half-way through each window, while everything
// runs, so that neither run has the better one. Windows begin together.
//
// What goes wrong in one run is a failure of both; an error means that they were
// interrupted and left no record.
func (c *Conductor) Duet(ctx context.Context, a, b Request) (record.Record, record.Record, error) {
	all := slices.Concat(c.placement.App, c.placement.Harness)
	first, second, err := process.Sides(all)
	if err != nil {
		return record.Record{}, record.Record{}, fmt.Errorf("making a duet: %w", err)
	}
	if err := process.Pin(all); err != nil { // on neither side more than on the other
		return record.Record{}, record.Record{}, err
	}
	d := &duet{gate: make(chan struct{}), started: make(chan struct{})}
	stages := [2]*stage{
		newStage(a, process.Placement{App: first, Harness: second}),
		newStage(b, process.Placement{App: second, Harness: first}),
	}
	d.play(ctx, c, stages)
	errs := []error{process.Pin(c.placement.Harness), stages[0].redact(), stages[1].redact()}
	if ctx.Err() != nil {
		return record.Record{}, record.Record{}, errors.Join(append(errs, context.Cause(ctx))...)
	}
	return *stages[0].record, *stages[1].record, errors.Join(errs...)
}

// duet is what two runs at the same time have in common.
type duet struct {
	mu      sync.Mutex
	waiting bool
	gate    chan struct{} // closed when both have come; then another one
	started chan struct{} // closed when the first one's processes have started
}

// play conducts both runs to their end. The failure of one ends the other.
func (d *duet) play(ctx context.Context, c *Conductor, stages [2]*stage) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var both sync.WaitGroup
	for i, s := range stages {
		partner := stages[1-i].request
		s.duet, s.second = d, i == 1
		s.record.Harness.Partner = partner.Plan.Variant
		both.Go(func() {
			err := d.fits(s.request, partner)
			if err == nil {
				err = s.conduct(ctx, c)
			}
			s.finish(err)
			if err != nil {
				cancel(&partnerError{s.request.Plan.Variant, err})
			}
		})
	}
	both.Wait()
}

// fits reports what keeps two runs from being made together.
func (d *duet) fits(a, b Request) error {
	if len(a.Phases) != len(b.Phases) {
		return fmt.Errorf("the runs of a duet have %d and %d phases: they must have the same", len(a.Phases), len(b.Phases))
	}
	for i := range a.Phases {
		if a.Phases[i].Search != nil {
			return errors.New("a duet cannot search for a capacity: the two searches would disturb each other; leave out the duet or the search")
		}
		if one, other := a.Phases[i].Operation.Name, b.Phases[i].Operation.Name; one != other {
			return fmt.Errorf("the runs of a duet differ in phase %d: operation %s beside %s", i+1, one, other)
		}
		if one, other := a.Phases[i].Load, b.Phases[i].Load; one.Duration != other.Duration {
			return fmt.Errorf("the runs of a duet differ in phase %d: %v beside %v", i+1, one.Duration, other.Duration)
		}
	}
	return nil
}

// partnerError is why a run of a duet ends that did nothing wrong.
type partnerError struct {
	variant string
	err     error
}

func (e *partnerError) Error() string {
	return fmt.Sprintf("the other run of the duet, of variant %s, failed: %v", e.variant, e.err)
}

func (e *partnerError) Unwrap() error { return e.err }

// meet waits until both runs of a duet have come so far. A run by itself does
// not wait.
func (s *stage) meet(ctx context.Context) error {
	d := s.duet
	if d == nil {
		return nil
	}
	d.mu.Lock()
	gate := d.gate
	if d.waiting {
		close(gate)
		d.gate = make(chan struct{})
	}
	d.waiting = !d.waiting
	d.mu.Unlock()
	return open(ctx, gate)
}

// open waits until a gate is.
func open(ctx context.Context, gate <-chan struct{}) error {
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// inTurn lets the processes of the first run of a duet start before those of the
// second, so that they do not choose the same ports.
func (s *stage) inTurn(ctx context.Context, start func(context.Context) error) error {
	if s.duet == nil {
		return start(ctx)
	}
	if s.second {
		if err := open(ctx, s.duet.started); err != nil {
			return err
		}
		return start(ctx)
	}
	err := start(ctx)
	if err == nil {
		close(s.duet.started)
	}
	return err
}

// swapping makes the load of a window and swaps the sides of a duet half-way.
func (s *stage) swapping(ctx context.Context, length time.Duration, load func() (record.Load, error)) (record.Load, error) {
	if s.duet == nil {
		return load()
	}
	over := make(chan struct{})
	swapped := make(chan error, 1)
	go func() {
		half := time.NewTimer(length / 2)
		defer half.Stop()
		select {
		case <-half.C:
			swapped <- s.swap()
		case <-over:
			swapped <- nil // the window ended early, which is an error of its own
		}
	}()
	did, err := load()
	close(over)
	if swapErr := <-swapped; err == nil && swapErr != nil {
		err = fmt.Errorf("swapping the sides of a duet: %w", swapErr)
	}
	return did, err
}

// swap moves every process of the run to the other side.
func (s *stage) swap() error {
	s.placement.App, s.placement.Harness = s.placement.Harness, s.placement.App
	roles := append(s.agents.processes(), s.apps...)
	var errs []error
	for _, p := range roles {
		cpus := s.placement.Harness
		if p.Role().OnApp() {
			cpus = s.placement.App
		}
		m, moves := p.(mover)
		if !moves {
			errs = append(errs, fmt.Errorf("process %s cannot be given other CPUs where it runs: leave out the duet", p.Name()))
			continue
		}
		errs = append(errs, m.Move(cpus))
	}
	return errors.Join(errs...)
}
