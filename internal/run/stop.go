package run

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
	"github.com/tracetax/tracetax/internal/spec"
)

// stop ends the app's processes as their users would, so that tracers can flush,
// and reads what came of that.
func (s *stage) stop(ctx context.Context) error {
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
		killed, err := p.Stop(ctx, grace)
		if err != nil {
			return of(p.Name(), fmt.Errorf("stopping process %s: %w", p.Name(), err))
		}
		s.record.Stop.Killed = s.record.Stop.Killed || killed
	}
	s.record.Stop.Seconds = time.Since(begin).Seconds()
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
	if err := s.admissions(); err != nil {
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

// admissions reads what the tracer said of its spans in the logs.
func (s *stage) admissions() error {
	for _, a := range s.request.Plan.Admits {
		pattern, err := regexp.Compile(a.Log)
		if err != nil {
			return fmt.Errorf("the tracer's pattern for %s spans: %w", a.What, err)
		}
		var total uint64
		for _, p := range s.apps {
			n, err := admitted(p.Log(), pattern, a)
			if err != nil {
				return fmt.Errorf("reading what process %s says of %s spans: %w", p.Name(), a.What, err)
			}
			total += n
		}
		to := &s.record.Tracer
		to.Source = "log"
		switch a.What {
		case "dropped":
			to.Dropped = add(to.Dropped, total)
		case "failed":
			to.Failed = add(to.Failed, total)
		}
	}
	return nil
}

// admitted takes the numbers out of one process's log.
func admitted(log *process.Log, pattern *regexp.Regexp, a spec.Admission) (uint64, error) {
	group := pattern.SubexpIndex("n")
	var total uint64
	err := log.Lines(func(line string) error {
		found := pattern.FindStringSubmatch(line)
		if found == nil {
			return nil
		}
		n := uint64(1)
		if group > 0 {
			var err error
			if n, err = strconv.ParseUint(found[group], 10, 64); err != nil {
				return fmt.Errorf("line %q: %w", line, err)
			}
		}
		if a.Take == "last" {
			total = n
		} else {
			total += n
		}
		return nil
	})
	return total, err
}

func add(to *uint64, n uint64) *uint64 {
	if to != nil {
		n += *to
	}
	return &n
}
