// Between the start of the processes and the first operation: the tracer gets the
// time that it needs to be there.

package run

import (
	"context"
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// settle waits until the sink has heard of the tracer, where it says that operations
// made before that are lost, and then as long as it asks for besides.
func (s *stage) settle(ctx context.Context) error {
	s.lookAtRuntimes()
	if err := s.askOf(); err != nil {
		return err
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	wait := s.request.Plan.Settle
	if wait <= 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(wait):
		return nil
	}
}

// lookAtRuntimes notes what the processes run on.
func (s *stage) lookAtRuntimes() {
	for _, app := range s.apps {
		seen, ok := app.(visible)
		if !ok {
			continue
		}
		if text := seen.Runtime(); text != "" {
			if s.record.Start.Runtimes == nil {
				s.record.Start.Runtimes = map[string]string{}
			}
			s.record.Start.Runtimes[app.Name()] = text
		}
	}
}

// connect waits until the sink has heard of the tracer; the wait is recorded.
func (s *stage) connect(ctx context.Context) error {
	most := s.request.Plan.Connects
	if most <= 0 || !s.exporting || len(s.request.Plan.Route()) > 0 || s.request.Faults.SinkGone != "" {
		return nil // it connects to the first of its hops, or to nobody, of which the sink hears nothing
	}
	begun := time.Now()
	connected, err := s.until(ctx, most, func(c record.Counts) bool { return c.Requests > 0 || len(c.Protocols) > 0 })
	s.record.Start.ConnectedSeconds = time.Since(begun).Seconds()
	if err != nil {
		return err
	}
	if !connected {
		return fmt.Errorf("the tracer has not connected: the sink has heard nothing of it for %v after the start, so that what it traces now would be lost; see the log of the process, or give the tracer more time (connects:)", most)
	}
	return nil
}

// cold is how long the first export of a process may take longer than the tracer's
// delay: code that has never run is loaded and compiled for it.
const cold = 3 * time.Second

// drainStart waits for the spans of the start and of the first operation. Nothing may
// have come of a cold tracer yet when others would be done: what comes later would be
// taken for spans of the operations after it.
func (s *stage) drainStart(ctx context.Context) (drained, error) {
	if s.mayBeCold() {
		awaited := max(1, s.awaited(record.Work(s.request.First.Name, s.request.FirstParameter), 1))
		came := func(c record.Counts) bool { return float64(c.Told()) >= awaited }
		if _, err := s.until(ctx, s.request.Plan.Patience()+time.Duration(1+len(s.request.Plan.Route()))*cold, came); err != nil {
			return drained{}, err
		}
	}
	return s.drain(ctx, record.Counts{}, -1)
}

// mayBeCold reports whether spans are to come of the first operation, as far as is
// known. A tracer that keeps them until a buffer is full is waited for in the calibration only.
func (s *stage) mayBeCold() bool {
	switch {
	case !s.exporting || s.request.twice > 0:
		return false
	case s.request.Kind == record.Calibration:
		return true
	}
	return s.request.Plan.Buffers == 0 && s.awaited(record.Work(s.request.First.Name, s.request.FirstParameter), 1) > 0
}

// until waits, at most so long, until what the sink has counted is as wanted; false
// where it has not come to that.
func (s *stage) until(ctx context.Context, most time.Duration, wanted func(record.Counts) bool) (bool, error) {
	return await(ctx, s.receiver.every(), most, func() (bool, error) {
		seen, err := s.receiver.snapshot(ctx)
		if err != nil {
			return false, err
		}
		return wanted(seen.Counts), nil
	})
}
