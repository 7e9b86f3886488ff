package run

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/derive"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run/drive"
)

// badShare is the share of wrongly answered operations above which a phase is of no use.
const badShare = 0.01

// firstOperation makes the first operation of the processes' life.
func (s *stage) firstOperation(ctx context.Context) error {
	start := &s.record.Start
	start.FirstOperation, start.FirstParameter = s.request.First.Name, s.request.FirstParameter
	j, err := s.job(s.request.First, s.request.Load, s.request.FirstParameter)
	if err != nil {
		return err
	}
	j.Purpose, j.Count = drive.First, 1
	segment, err := s.driver.Prepare(ctx, j.Segment)
	if err != nil {
		return err
	}
	did, err := segment.Run(ctx)
	if err == nil {
		err = s.wellDone(j, did)
	}
	if err == nil {
		err = segment.Collect(ctx, &did)
	}
	if err != nil {
		return err
	}
	latency, err := did.Latency.Decode()
	if err != nil {
		return err
	}
	start.FirstOperationSeconds = time.Duration(latency.Max()).Seconds()
	s.opened = time.Now()
	return s.readStart(ctx)
}

// settle waits for the spans of the start. The other runs of the block may start meanwhile: it only waits.
func (s *stage) settle(ctx context.Context) error {
	start := &s.record.Start
	if err := s.countWorkers(); err != nil {
		return err
	}
	end, err := s.drainStart(ctx)
	start.Sink = end.counts
	if err == nil {
		start.Hops, err = s.hopsSince(ctx, end.counts.Spans)
	}
	if err == nil {
		_, err = s.tracedSince(ctx) // the first phase then has none of these
	}
	return err
}

// phases makes the operations, each in a phase of its own.
func (s *stage) phases(ctx context.Context) (err error) {
	if s.request.Kind == record.Calibration {
		if err = s.calibrate(ctx); err == nil {
			s.record.Memory, err = s.memoryOfRun()
		}
		return err
	}
	for i, request := range s.request.Phases {
		begin := time.Now()
		phase, end, err := s.phase(ctx, request, s.reached)
		if err != nil {
			return err
		}
		s.made = append(s.made, record.CapturePhase{Operation: phase.Operation, Level: levelText(phase.Parameter), Begin: begin, End: time.Now()})
		if err := s.lookElsewhere(); err != nil { // nothing is measured any more
			return err
		}
		if phase.Hops, err = s.hopsSince(ctx, end.Spans); err != nil {
			return err
		}
		if phase.Traced, err = s.tracedSince(ctx); err != nil {
			return err
		}
		if phase, err = s.withWarmed(phase, i); err != nil {
			return err
		}
		phase.Position = i
		s.record.Phases = append(s.record.Phases, phase)
		s.reached = end
	}
	s.record.Memory, err = s.memoryOfRun()
	return err
}

// phase makes one operation: warm-up, timed part, drain, measured window, drain. The drain before the window keeps the remains
// of the warm-up out of the window's cost.
func (s *stage) phase(ctx context.Context, request PhaseRequest, counted record.Counts) (record.Phase, record.Counts, error) {
	s.loaded = nil
	if request.Search != nil {
		return s.search(ctx, request, counted)
	}
	if request.Watched > 0 {
		return s.watch(ctx, request, counted)
	}
	phase, j, err := s.open(request)
	if err != nil {
		return phase, counted, err
	}
	warm, atOnce, err := s.makeReady(ctx, request, j, &phase, counted)
	if err != nil {
		return phase, counted, err
	}
	j.Purpose, j.Duration, j.Count, j.Keep = drive.Window, request.Load.Duration, request.Load.Calls, s.samplesFile(request)
	j.Seed++
	w := s.window(request, j, warm.counts)
	w.fastest = paceIn(phase.Warmup)
	if atOnce {
		w.turns, w.job.Duration, phase.AtOnceSeconds = nil, request.Together, request.Together.Seconds()
	}
	if w.turns == nil && s.by().Generator {
		if w.job.Slices = s.turn.slices(j.Rate, w.job.Duration); w.job.Slices != nil {
			phase.SliceSeconds = w.job.Slices.Length.Seconds()
		}
	}
	end, err := s.measure(ctx, w, &phase)
	phase.Quiet, phase.Calm = warm.quiet && end.quiet, bothCalm(warm, end)
	if w.restless {
		phase.Calm = new(bool)
	}
	return phase, end.counts, err
}

// measure makes the measured window of a phase, drains it, and records both.
func (s *stage) measure(ctx context.Context, w *window, phase *record.Phase) (end drained, err error) {
	if err := w.prepare(ctx); err != nil {
		return end, err
	}
	if err := s.turn.awaitAll(ctx); err != nil {
		return end, err
	}
	s.name = "window"
	if w.read.Begun, err = s.moment(); err != nil {
		return end, err
	}
	own, busy := s.own(), s.busy()
	threads, err := s.meter.Threads(role.Role.OnApp)
	if err != nil {
		return end, err
	}
	if err = w.run(ctx); err == nil {
		s.loaded, phase.Load = w.read.Stretches(), record.Counted(w.read.Loads()...)
		err = s.wellDone(w.job, phase.Load)
	}
	if err != nil {
		return end, err
	}
	s.name = "drain"
	if end, err = s.drainAlike(ctx, w.read.Warm, s.awaited(w.job.work, phase.Load)); err != nil {
		return end, err
	}
	if err := s.turn.awaitAll(ctx); err != nil { // all have been drained
		return end, err
	}
	if w.read.Ended, err = s.moment(); err != nil {
		return end, err
	}
	used, all := s.own()-own, s.busy()
	if phase.Compiling, err = s.compiledSince(threads); err != nil {
		return end, err
	}
	w.endPiece(w.read.Ended)
	w.read.Drained, w.last().Came, w.read.Log = end.counts, end.counts, s.log()
	s.record.Harness.OwnCPU += used.Seconds()
	s.record.Harness.OwnSeconds += w.read.Ended.At.Sub(w.read.Begun.At).Seconds()
	block, err := s.turn.together(ctx, derive.UsedOf(w.read.Whole()))
	if err != nil {
		return end, err
	}
	phase.Others = s.cpus().Besides(busy, all, block, used).Share()
	s.name = "window"
	if err = w.collect(ctx); err == nil {
		phase.Load, err = w.read.Load()
	}
	if err != nil {
		return end, err
	}
	w.read.Into(phase)
	outside, runs := s.turn.outside()
	var leave bool
	if phase.Windows, leave = w.read.Windows(outside, runs); w.read.InTurns {
		phase.Away = s.turn.away()
	}
	if leave {
		phase.Undisturbed, err = w.read.Without(phase)
	}
	return end, err
}

// compiledSince returns the share of the program's CPU that its runtime's compilers have used since a reading; nil: not known.
func (s *stage) compiledSince(before readings.Threads) (*float64, error) {
	now, err := s.meter.Threads(role.Role.OnApp)
	share, known := readings.Compiling(before, now)
	if err != nil || !known {
		return nil, err
	}
	return &share, nil
}

// open begins the record of a phase, and makes its operation ready.
func (s *stage) open(request PhaseRequest) (record.Phase, job, error) {
	operation := request.Asked()
	phase := record.Phase{Operation: operation.Name, Parameter: request.Parameter}
	j, err := s.job(operation, request.Load, request.Parameter)
	if request.Search == nil { // otherwise each probe has its rate
		if phase.OfferedRate = j.Rate; j.Rate == 0 {
			phase.Connections = j.Load.Connections
		}
	}
	return phase, j, err
}

// makeReady makes all parts of a phase before the measured window, and drains them. atOnce: all runs of the block then get
// their load at the same time.
func (s *stage) makeReady(ctx context.Context, request PhaseRequest, j job, phase *record.Phase, counted record.Counts) (warm drained, atOnce bool, err error) {
	if err := s.warmUp(ctx, request, j, phase); err != nil {
		return warm, false, err
	}
	if request.AtOnce != InTurn {
		if atOnce, err = s.timeIt(ctx, request, j, phase, counted); err != nil {
			return warm, false, err
		}
	}
	made := []record.Load{phase.Warmup}
	if phase.Timed != nil {
		made = append(made, phase.Timed.Load)
	}
	if warm, err = s.drain(ctx, counted, s.awaited(j.work, record.Counted(made...))); err == nil {
		warm, err = s.cool(ctx, warm, 0) // none of this is charged: it must be over, and need not last as long as others'
	}
	if err != nil {
		return warm, false, err
	}
	phase.WarmupSink, phase.Quiet = warm.counts.Minus(counted), warm.quiet
	return warm, atOnce, nil
}

// warmUp waits for all runs of the block and for this run's turn, and applies the warm-up load. Without turns if all runs are
// known to have their load at once.
func (s *stage) warmUp(ctx context.Context, request PhaseRequest, j job, phase *record.Phase) error {
	if err := s.turn.awaitAll(ctx); err != nil {
		return err
	}
	s.name = "warm-up"
	if j.Duration = request.Load.Warmup; j.Duration <= 0 {
		return nil
	}
	faster := request.Load.WarmupRate > j.Rate && j.Rate > 0
	make := func() (err error) {
		if faster {
			phase.Warmup, err = s.faster(ctx, request.Load.WarmupRate, j)
		} else {
			phase.Warmup, err = s.rehearsed(ctx, request, j)
		}
		return err
	}
	var err error
	if request.AtOnce == Always && !faster {
		err = make()
	} else {
		err = s.turn.inTurn(ctx, make)
	}
	if err == nil && request.Search == nil {
		err = s.wellDone(j, phase.Warmup)
	}
	if err == nil { // connections of the operations are still open, and nothing is measured yet
		err = s.lookElsewhere()
	}
	return err
}

// rehearsed applies the warm-up load. If the program makes operations as fast as it can, the end of it is like a window: work
// done there for the first time, and its compilation, is then in no window.
func (s *stage) rehearsed(ctx context.Context, request PhaseRequest, j job) (record.Load, error) {
	last := min(request.Window, j.Duration/2)
	if last <= 0 || !s.by().Unthrottled(j.Rate) {
		return s.attempt(ctx, j)
	}
	j.Duration -= last
	did, err := s.attempt(ctx, j)
	if err != nil {
		return did, err
	}
	j.Purpose, j.Duration, j.Count = drive.Probe, last, share(request.Load.Calls, 0, len(request.Turns))
	if j.Count == 0 {
		j.Count = mostIn(last, paceIn(did))
	}
	one, err := s.driver.Prepare(ctx, j.Segment)
	if err != nil {
		return did, err
	}
	again, err := one.Run(ctx)
	if err == nil {
		did, err = record.Counted(did, again), one.Collect(ctx, &again)
	}
	return did, err
}

// warmUpWholly is warmUp before a search, at a rate that may be too high; clean: as in drainWholly.
func (s *stage) warmUpWholly(ctx context.Context, request PhaseRequest, j job, phase *record.Phase, counted record.Counts) (warm drained, clean bool, err error) {
	if err := s.warmUp(ctx, request, j, phase); err != nil {
		return warm, false, err
	}
	if phase.Warmup.Completed == 0 && phase.Warmup.Started > 0 { // some may fail
		return warm, false, s.answeredBadly(j.Operation, phase.Warmup)
	}
	if warm, clean, err = s.drainWholly(ctx, counted, s.awaited(j.work, phase.Warmup)); err == nil {
		warm, err = s.cool(ctx, warm, s.request.Drain)
	}
	if err != nil {
		return warm, false, err
	}
	phase.WarmupSink, phase.Quiet = warm.counts.Minus(counted), warm.quiet
	return warm, clean, nil
}

// An operation that is ready to be made, by any driver.

// job is an operation at one level of the load.
type job struct {
	drive.Segment
	work string // the key of its spans; see record.Work
}

// job makes an operation ready for a level of the load.
func (s *stage) job(operation program.Operation, l config.Load, parameter map[string]string) (job, error) {
	j := job{
		work:    record.Work(operation.Name, parameter),
		Segment: drive.Segment{Operation: operation, Load: l, Rate: l.Rate, Duration: l.Duration, Seed: s.request.Seed, Own: uint64(s.turn.run)},
	}
	if operation.Rate > 0 {
		j.Rate = operation.Rate
	}
	return j, s.driver.Check(j.Segment)
}

// load applies a segment of load for its counts only. Too many wrong answers are an error.
func (s *stage) load(ctx context.Context, j job) (record.Load, error) {
	did, err := s.attempt(ctx, j)
	if err != nil {
		return did, err
	}
	return did, s.wellDone(j, did)
}

// attempt is load, whatever the answers.
func (s *stage) attempt(ctx context.Context, j job) (record.Load, error) {
	segment, err := s.driver.Prepare(ctx, j.Segment)
	if err != nil {
		return record.Load{}, err
	}
	return segment.Run(ctx)
}

// wellDone returns an error if too many operations failed.
func (s *stage) wellDone(j job, did record.Load) error {
	if did.Completed == 0 || float64(did.Failed) > badShare*float64(did.Started) {
		return s.answeredBadly(j.Operation, did)
	}
	return nil
}

// answeredBadly returns an error of the process that was asked, even if another is the cause.
func (s *stage) answeredBadly(operation program.Operation, did record.Load) error {
	return of(ownerOf(operation, s.request.Plan.Processes), s.driver.Wrong(operation, did))
}

// levelText writes a level as connections=4; "" is none.
func levelText(parameter map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(parameter)) {
		out = append(out, name+"="+parameter[name])
	}
	return strings.Join(out, ", ")
}
