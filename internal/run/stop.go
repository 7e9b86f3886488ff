package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
)

// stop ends the app's processes as their users would, so that tracers can flush,
// and reads what came of that.
func (s *stage) stop(ctx context.Context) error {
	if err := s.askTracer(ctx); err != nil {
		return err
	}
	s.expectEnd()
	// Without the generator's open connections a server ends at once: Go's, for
	// one, waits seconds for connections that have not been asked anything yet.
	begin := time.Now()
	if err := s.driver.Stop(ctx); err != nil {
		return err
	}
	if !s.manner().EndsItself {
		begin = time.Now()
	}
	for _, p := range slices.Backward(s.apps) {
		if slices.Contains(s.request.Plan.Via, p.Name()) {
			continue
		}
		if err := s.stopOne(ctx, p); err != nil {
			return err
		}
	}
	s.record.Stop.Seconds = time.Since(begin).Seconds()
	if err := s.stopHops(ctx); err != nil {
		return err
	}
	seen, err := s.last(ctx)
	if err != nil {
		return err
	}
	life := seen.Counts
	files, err := s.countSpanFiles()
	if err != nil {
		return err
	}
	if len(s.request.Plan.Files) > 0 {
		life = life.Plus(files)
	}
	s.record.Life = life
	s.record.Stop.Sink = life.Minus(s.counted())
	s.hopsAtEnd()
	if err := s.admissions(ctx); err != nil {
		return err
	}
	if err := s.lookAtInstrumented(); err != nil {
		return err
	}
	if err := s.readSigns(seen.Connections); err != nil {
		return err
	}
	return s.stopSink(ctx)
}

// stopOne ends one process.
func (s *stage) stopOne(ctx context.Context, p Process) error {
	killed, err := p.Stop(ctx, grace)
	if err != nil {
		return of(p.Name(), fmt.Errorf("stopping process %s: %w", p.Name(), err))
	}
	s.record.Stop.Killed = s.record.Stop.Killed || killed
	return nil
}

// lastPatience is how long the sink may take after the end of the processes; a variable for tests.
var lastPatience = grace

// last waits until the sink has taken in what was sent before the end: the
// senders are gone, so all that can still come is in its sockets. Where it is not
// quiet when patience ends, the record says so.
func (s *stage) last(ctx context.Context) (sink.Snapshot, error) {
	const still = 100 * time.Millisecond
	start := time.Now()
	var seen sink.Snapshot
	quiet, err := await(ctx, poll, lastPatience, func() (bool, error) {
		var err error
		if seen, err = s.agents.sink.Snapshot(ctx); err != nil {
			return false, fmt.Errorf("asking the sink what it has counted: %w%s", err, said(s.agents.sinkProcess))
		}
		return !s.exporting || seen.InFlight == 0 && seen.Since > still && time.Since(start) > still, nil
	})
	if err != nil {
		return sink.Snapshot{}, err
	}
	s.record.Stop.Unquiet = !quiet // an endless sender that is none of the run's processes
	return seen, nil
}

// counted is what the sink had counted at the end of the last phase.
func (s *stage) counted() record.Counts {
	total := s.record.Start.Sink
	for _, phase := range s.record.Phases {
		total = total.Plus(phase.WarmupSink).Plus(phase.Sink)
	}
	return total
}
