// What a run of a duet does with the other one: both meet, start in turn, and swap their sides.

package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// placementDuet is the placement of a run of a duet.
const placementDuet = "duet"

// duet is what two runs at the same time have in common.
type duet struct {
	mu      sync.Mutex
	waiting bool
	gate    chan struct{} // closed when both have come; then another one
	started chan struct{} // closed when the first one's processes have started
}

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
