// Between the start of the processes and the first operation: the tracer gets the
// time that it needs to be there.
package run

import (
	"context"
	"fmt"
	"time"
)

// settle waits as long as the tracer asks for, and until the sink has heard of it
// where it says that operations made before that are lost.
func (s *stage) settle(ctx context.Context) error {
	if wait := s.request.Plan.Settle; wait > 0 {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
	most := s.request.Plan.Connects
	if most <= 0 || !s.exporting {
		return nil
	}
	begun := time.Now()
	connected, err := s.heard(ctx, most)
	s.record.Start.ConnectedSeconds = time.Since(begun).Seconds()
	if err != nil {
		return err
	}
	if !connected {
		return fmt.Errorf("the tracer has not connected: the sink has heard nothing of it for %v after the start, so that what it traces now would be lost; see the log of the process, or give the tracer more time (connects:)", most)
	}
	return nil
}

// heard waits, at most so long, until the sink has had any request.
func (s *stage) heard(ctx context.Context, most time.Duration) (bool, error) {
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		seen, err := s.agents.sink.Snapshot(ctx)
		if err != nil {
			return false, fmt.Errorf("asking the sink whether the tracer is there: %w%s", err, said(s.agents.sinkProcess))
		}
		if seen.Counts.Requests > 0 || len(seen.Counts.Protocols) > 0 {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-deadline.C:
			return false, nil
		case <-ticker.C:
		}
	}
}
