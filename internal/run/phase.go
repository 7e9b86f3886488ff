package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

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
	start.FirstOperation, start.FirstParameter = s.request.First.Name, s.request.FirstParameter
	j, err := s.job(s.request.First, s.request.Load, s.request.FirstParameter)
	if err != nil {
		return err
	}
	j.task.Count, j.task.Connections = 1, 1
	if j.order != nil {
		j.order.Threads, j.task.Duration, j.task.Rate = 1, 0, 0
	}
	stretch, err := s.arm(ctx, j, "")
	if err != nil {
		return err
	}
	did, err := stretch.do(ctx)
	if err == nil {
		err = s.wellDone(j, did)
	}
	if err == nil {
		err = stretch.collect(ctx, &did)
	}
	if err != nil {
		return err
	}
	latency, err := did.Latency.Decode()
	if err != nil {
		return err
	}
	start.FirstOperationSeconds = time.Duration(latency.Max()).Seconds()
	end, err := s.drainStart(ctx)
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
	if s.request.Load.Idle <= 0 {
		return nil // what is used in no time at all is no rate
	}
	// An agent goes on starting, and is being compiled, for seconds after the program is
	// ready: taken for idle CPU, that would be subtracted from what operations cost.
	if s.request.Plan.Self {
		if _, _, err := s.rest(ctx); err != nil {
			return err
		}
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
	for i, request := range s.request.Phases {
		phase, end, err := s.phase(ctx, request, s.reached)
		if err != nil {
			return err
		}
		if phase, err = s.withWarmed(phase, i); err != nil {
			return err
		}
		phase.Position = i
		s.record.Phases = append(s.record.Phases, phase)
		s.reached = end
	}
	s.record.Memory = s.memoryOfRun()
	return nil
}

// phase makes one operation: warm-up, drain, measured window, drain. The drain
// before the window keeps the warm-up's spans out of the window's cost.
func (s *stage) phase(ctx context.Context, request PhaseRequest, counted record.Counts) (record.Phase, record.Counts, error) {
	s.loaded = loadTime{}
	if request.Search != nil {
		return s.search(ctx, request, counted)
	}
	if request.Watched > 0 {
		return s.watch(ctx, request, counted)
	}
	operation := request.operation()
	phase := record.Phase{Operation: operation.Name, Parameter: request.Parameter}
	j, err := s.job(operation, request.Load, request.Parameter)
	if err != nil {
		return phase, counted, err
	}
	phase.OfferedRate = j.task.Rate
	if j.task.Rate == 0 {
		phase.Connections = j.task.Connections
	}
	if err := s.meet(ctx); err != nil {
		return phase, counted, err
	}
	s.name = "warm-up"
	if j.task.Duration = request.Load.Warmup; j.task.Duration > 0 {
		if phase.Warmup, err = s.load(ctx, j); err != nil {
			return phase, counted, err
		}
	}
	warm, err := s.drain(ctx, counted, s.awaited(j.work, phase.Warmup.Started))
	if err != nil {
		return phase, counted, err
	}
	phase.WarmupSink = warm.counts.Minus(counted)

	j.task.Duration, j.task.Count = request.Load.Duration, request.Load.Calls
	j.task.Seed++
	stretch, err := s.arm(ctx, j, s.samplesFile(request))
	if err != nil {
		return phase, counted, err
	}
	if err := s.meet(ctx); err != nil {
		return phase, counted, err
	}
	s.name = "window"
	before, err := s.meter.Mark()
	if err != nil {
		return phase, counted, err
	}
	begun, own, busy := time.Now(), s.own(), s.busy()
	phase.Load, err = s.swapping(ctx, j.task.Duration, func() (record.Load, error) { return stretch.do(ctx) })
	if err == nil {
		s.loaded, err = s.end(loadTime{from: begun})
	}
	if err == nil {
		err = s.wellDone(j, phase.Load)
	}
	if err != nil {
		return phase, counted, err
	}
	s.name = "drain"
	end, err := s.drain(ctx, warm.counts, s.awaited(j.work, phase.Load.Started))
	if err != nil {
		return phase, counted, err
	}
	after, err := s.meter.Mark()
	if err != nil {
		return phase, counted, err
	}
	used := s.own() - own
	s.record.Harness.OwnCPU += used.Seconds()
	s.record.Harness.OwnSeconds += time.Since(begun).Seconds()
	phase.Sink = end.counts.Minus(warm.counts)
	phase.Usage = s.memoryIn(s.loaded, s.between(before, after))
	if s.duet == nil { // the partner would count as somebody else
		phase.Others = s.others(busy, s.busy(), phase.Usage, used)
	}
	phase.DrainSeconds = end.took.Seconds()
	phase.Quiet = warm.quiet && end.quiet
	return phase, end.counts, s.afterwards(ctx, stretch, &phase.Load)
}

// afterwards learns of a measured window what nobody is to be charged for.
func (s *stage) afterwards(ctx context.Context, stretch armed, l *record.Load) error {
	s.name = "window"
	if err := stretch.collect(ctx, l); err != nil {
		return err
	}
	if stretch.job.order == nil {
		return nil
	}
	driver, err := s.driver(ctx, stretch.job.process)
	if err == nil {
		err = driver.Live(ctx, l)
	}
	if err != nil {
		return s.drivingFailed(ctx, stretch.job, err)
	}
	return nil
}

// own is the CPU time that tracetax itself has used until now.
func (s *stage) own() time.Duration { return ownCPU() + s.launcher.KeeperCPU() }

// wellDone is an error where too many operations went wrong.
func (s *stage) wellDone(j job, did record.Load) error {
	if did.Completed == 0 || float64(did.Failed) > badShare*float64(did.Started) {
		return s.answeredBadly(j.operation, did)
	}
	return nil
}

// answeredBadly is of the process that was asked, whichever of them is the cause.
func (s *stage) answeredBadly(operation spec.Operation, did record.Load) error {
	owner := ownerOf(operation, s.request.Plan.Processes)
	if did.Driven != nil {
		return &processError{owner, fmt.Errorf("operation %s: of %d that the workload made, %d failed: mend the workload", operation.Name, did.Started, did.Failed)}
	}
	return &processError{owner, fmt.Errorf("operation %s: of %d started, %d were answered as expected, %d wrongly, %d not in time (%s): mend the service, the request or the expected status",
		operation.Name, did.Started, did.Completed, did.Failed, did.TimedOut, errorsOf(did))}
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
