package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/usage"
)

// badShare is the share of wrongly answered operations above which a phase says
// nothing about the operation.
const badShare = 0.01

// meter reads usage; it is embedded so that the stage can hold it before the
// processes are known.
type meter struct{ *usage.Meter }

// firstOperation makes the first operation of the processes' life, and waits for
// the spans of the start.
func (s *stage) firstOperation(ctx context.Context) error {
	start := &s.record.Start
	start.FirstOperation = s.request.First.Name
	task, err := s.task(s.request.First, s.request.Load)
	if err != nil {
		return err
	}
	task.Count, task.Connections = 1, 1
	did, err := s.load(ctx, s.request.First, task)
	if err != nil {
		return err
	}
	latency, err := did.Latency.Decode()
	if err != nil {
		return err
	}
	start.FirstOperationSeconds = time.Duration(latency.Max()).Seconds()
	end, err := s.drain(ctx, record.Counts{}, -1)
	start.Sink = end.counts
	return err
}

// idle reads what the processes use when nothing is asked of them.
func (s *stage) idle(ctx context.Context) error {
	if s.request.Kind == record.Calibration || s.request.Kind == record.Pilot {
		return nil
	}
	if err := s.meet(ctx); err != nil {
		return err
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
	if err != nil {
		return err
	}
	s.record.Start.IdleSeconds = s.request.Load.Idle.Seconds()
	s.record.Start.Idle = s.between(before, after)
	return nil
}

// phases makes the operations, each in a phase of its own.
func (s *stage) phases(ctx context.Context) error {
	if s.request.Kind == record.Calibration {
		return s.calibrate(ctx)
	}
	counted := s.record.Start.Sink
	for i, request := range s.request.Phases {
		phase, end, err := s.phase(ctx, request, counted)
		if err != nil {
			return err
		}
		phase.Position = i
		s.record.Phases = append(s.record.Phases, phase)
		counted = end
	}
	return nil
}

// phase makes one operation: warm-up, drain, measured window, drain. The drain
// before the window keeps the warm-up's spans out of the window's cost.
func (s *stage) phase(ctx context.Context, request PhaseRequest, counted record.Counts) (record.Phase, record.Counts, error) {
	if request.Search != nil {
		return s.search(ctx, request, counted)
	}
	operation := request.operation()
	phase := record.Phase{Operation: operation.Name, Parameter: request.Parameter}
	task, err := s.task(operation, request.Load)
	if err != nil {
		return phase, counted, err
	}
	phase.OfferedRate = task.Rate
	if task.Rate == 0 {
		phase.Connections = task.Connections
	}
	if err := s.meet(ctx); err != nil {
		return phase, counted, err
	}
	s.name = "warm-up"
	if task.Duration = request.Load.Warmup; task.Duration > 0 {
		if phase.Warmup, err = s.load(ctx, operation, task); err != nil {
			return phase, counted, err
		}
	}
	warm, err := s.drain(ctx, counted, s.awaited(operation.Name, phase.Warmup.Started))
	if err != nil {
		return phase, counted, err
	}
	phase.WarmupSink = warm.counts.Minus(counted)

	if err := s.meet(ctx); err != nil {
		return phase, counted, err
	}
	s.name = "window"
	before, err := s.meter.Mark()
	if err != nil {
		return phase, counted, err
	}
	begun, own := time.Now(), s.own()
	task.Duration = request.Load.Duration
	task.Seed++
	phase.Load, err = s.swapping(ctx, task.Duration, func() (record.Load, error) { return s.load(ctx, operation, task) })
	if err != nil {
		return phase, counted, err
	}
	s.name = "drain"
	end, err := s.drain(ctx, warm.counts, s.awaited(operation.Name, phase.Load.Started))
	if err != nil {
		return phase, counted, err
	}
	after, err := s.meter.Mark()
	if err != nil {
		return phase, counted, err
	}
	s.record.Harness.OwnCPU += (s.own() - own).Seconds()
	s.record.Harness.OwnSeconds += time.Since(begun).Seconds()
	phase.Sink = end.counts.Minus(warm.counts)
	phase.Usage = s.between(before, after)
	phase.DrainSeconds = end.took.Seconds()
	phase.Quiet = warm.quiet && end.quiet
	return phase, end.counts, nil
}

// own is the CPU time that tracetax itself has used until now.
func (s *stage) own() time.Duration { return ownCPU() + s.launcher.KeeperCPU() }

// load has the load generator make an operation. Too many wrong answers are an
// error.
func (s *stage) load(ctx context.Context, operation spec.Operation, task load.Task) (record.Load, error) {
	did, err := s.attempt(ctx, operation, task)
	if err != nil {
		return did, err
	}
	if did.Completed == 0 || float64(did.Failed) > badShare*float64(did.Started) {
		return did, answeredBadly(operation, did)
	}
	return did, nil
}

// attempt has the load generator make an operation, however it is answered.
func (s *stage) attempt(ctx context.Context, operation spec.Operation, task load.Task) (record.Load, error) {
	did, err := s.agents.load.Do(ctx, task)
	if ctx.Err() != nil {
		return did, context.Cause(ctx)
	}
	if err != nil {
		return did, fmt.Errorf("making operation %s: %w%s", operation.Name, err, said(s.agents.loadProcess))
	}
	return did, nil
}

func answeredBadly(operation spec.Operation, did record.Load) error {
	return fmt.Errorf("operation %s: of %d started, %d were answered as expected, %d wrongly, %d not in time (%s): mend the service, the request or the expected status",
		operation.Name, did.Started, did.Completed, did.Failed, did.TimedOut, errorsOf(did))
}

func errorsOf(did record.Load) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(did.Errors)) {
		parts = append(parts, fmt.Sprintf("%s: %d", class, did.Errors[class]))
	}
	if len(parts) == 0 {
		return "no error was seen"
	}
	return strings.Join(parts, ", ")
}
