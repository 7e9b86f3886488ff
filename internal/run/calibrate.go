package run

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run/drive"
	"github.com/tracetax/tracetax/internal/sink"
	"github.com/tracetax/tracetax/internal/userenv"
)

// calibrationOperations is how often an operation is made, one at a time, to learn how many spans it makes.
const calibrationOperations = 20

// calibrate makes each operation a few times, one at a time, and waits each time
// until its spans have come. The readiness request is one of them.
func (s *stage) calibrate(ctx context.Context) error {
	requests := apart(s.request.Phases)
	if probe, ok := s.probe(); ok && len(requests) > 0 {
		requests = slices.Concat([]PhaseRequest{{Operation: probe, Load: s.request.Load}}, requests)
	}
	if err := s.makeOnce(ctx); err != nil {
		return err
	}
	if err := s.reachWorkers(ctx); err != nil {
		return err
	}
	counted := s.record.Start.Sink
	for i, request := range requests {
		j, err := s.job(request.Operation, request.Load, request.Parameter)
		if err != nil {
			return err
		}
		j.Purpose, j.Rate, j.Count, j.Duration = drive.Learn, s.by().CalibrationRate, calibrationOperations, 0
		if i == s.request.twice-1 {
			j.Count *= 2
		}
		did, err := s.load(ctx, j)
		if err != nil {
			return err
		}
		end, err := s.drain(ctx, counted, -1)
		if err != nil {
			return err
		}
		s.record.Phases = append(s.record.Phases, record.Phase{
			Operation: request.Operation.Name, Parameter: request.Parameter, Position: i, Connections: 1, Load: did,
			Sink: end.counts.Minus(counted), DrainSeconds: end.took.Seconds(), Quiet: end.quiet,
		})
		counted = end.counts
	}
	return s.makeUnasked(ctx, counted)
}

// apart returns the phases with each operation of a mix by itself: its spans are learnt, and the mix's parts are counted.
func apart(phases []PhaseRequest) []PhaseRequest {
	var out []PhaseRequest
	for _, phase := range phases {
		for _, operation := range phase.Operation.Parts() {
			one := phase
			one.Operation = operation
			out = append(out, one)
		}
	}
	return out
}

// unaskedOperations are made without ids: enough to tell a share of two thirds from all.
const unaskedOperations = 30

// makeUnasked makes an operation of a program that traces by itself some times more, without the generator's ids. Ids ask it to
// trace, which hides the share that its own sampler would take if that follows its caller.
func (s *stage) makeUnasked(ctx context.Context, counted record.Counts) error {
	at := slices.IndexFunc(s.request.Phases, func(p PhaseRequest) bool {
		return slices.ContainsFunc(s.record.Phases, func(did record.Phase) bool {
			return did.Operation == p.Operation.Name && did.Load.Identified > 0 && did.Sink.Traces > 0
		})
	})
	if at < 0 || !s.request.Plan.Undeclared {
		return nil
	}
	request := s.request.Phases[at]
	j, err := s.job(request.Operation, request.Load, request.Parameter)
	if err != nil {
		return err
	}
	j.Purpose, j.Rate, j.Count, j.Duration = drive.Unasked, s.by().CalibrationRate, unaskedOperations, 0
	did, err := s.load(ctx, j)
	if err != nil {
		return err
	}
	end, err := s.drain(ctx, counted, -1)
	if err != nil {
		return err
	}
	s.record.Unasked = &record.Unasked{
		Operation: request.Operation.Name, Completed: did.Completed, Sink: end.counts.Minus(counted), Quiet: end.quiet,
	}
	return nil
}

// makeOnce makes each operation except the run's first one once, and waits for their spans: a program may make some spans only
// the first time.
func (s *stage) makeOnce(ctx context.Context) error {
	start := &s.record.Start
	for _, request := range apart(s.request.Phases) {
		work := record.Work(request.Operation.Name, request.Parameter)
		if work == record.Work(start.FirstOperation, start.FirstParameter) || slices.Contains(start.Once, work) {
			continue
		}
		j, err := s.job(request.Operation, request.Load, request.Parameter)
		if err != nil {
			return err
		}
		j.Purpose, j.Rate, j.Count, j.Duration = drive.Learn, s.by().CalibrationRate, 1, 0
		if _, err := s.load(ctx, j); err != nil {
			return err
		}
		start.Once = append(start.Once, work)
	}
	if len(start.Once) == 0 {
		return nil
	}
	end, err := s.drain(ctx, start.Sink, -1)
	if err != nil {
		return err
	}
	came := end.counts.Minus(start.Sink)
	start.OnceSink, start.Sink = &came, end.counts
	return nil
}

// Operations that reach all workers before any is learnt, most probably: over several connections at a time, several times. Which
// worker takes a connection is chance, and a busy machine has a few take most.
const (
	connectionsOfWorker = 4 // in the first round; in each further one twice as many
	operationsOfWorker  = 20
	mostRounds          = 3
)

// reachWorkers makes each operation over many connections if the app has several workers: each of them then has made what
// only the first request of its life makes, for the run's first operation if it can. The spans are of the start, whose traces tell by how
// much first ones are larger. It ends with a round in which no trace of an operation was larger than the others.
func (s *stage) reachWorkers(ctx context.Context) error {
	start, workers := &s.record.Start, 0
	for _, n := range start.Workers {
		workers += n
	}
	if workers == 0 || !s.by().Generator || s.request.Plan.Buffers > 0 || !s.exporting {
		return nil
	}
	for round := range mostRounds {
		if err := s.reach(ctx, workers<<round); err != nil {
			return err
		}
		s.spread = false // those that are new export for the first time
		end, err := s.drain(ctx, start.Sink, -1)
		if err != nil {
			return err
		}
		came := end.counts.Minus(start.Sink)
		start.Sink = end.counts
		if round > 0 && came.Shapes.Alike() {
			return nil
		}
	}
	return nil
}

// reach makes operations for so many workers, as the first of the run and then each other one.
func (s *stage) reach(ctx context.Context, workers int) error {
	first := PhaseRequest{Operation: s.request.First, Load: s.request.Load, Parameter: s.request.FirstParameter}
	for _, request := range slices.Concat([]PhaseRequest{first}, apart(s.request.Phases)) {
		j, err := s.job(request.Operation, request.Load, request.Parameter)
		if err != nil {
			return err
		}
		j.Purpose, j.Rate, j.Duration = drive.Warm, 0, 0
		j.Load.Connections, j.Count = connectionsOfWorker*workers, uint64(operationsOfWorker*workers)
		if _, err := s.load(ctx, j); err != nil {
			return err
		}
	}
	return nil
}

// probe returns the first HTTP readiness request of a traced process, as an operation.
func (s *stage) probe() (program.Operation, bool) {
	if !s.by().Generator {
		return program.Operation{}, false // nothing makes requests
	}
	for _, p := range s.request.Plan.Processes {
		if p.Traced && strings.HasPrefix(p.Ready, "http://") {
			url, err := program.Expand(p.Ready, s.valuesFor(p))
			if err != nil {
				return program.Operation{}, false // would have failed when the process was waited for
			}
			return program.Operation{Name: record.ProbeOperation, Method: "GET", URL: process.Reached(url, s.app(p.Name).Address()), Process: p.Name}, true
		}
	}
	return program.Operation{}, false
}

// The workload's own check of its answers.

// Bounds of a check.
const (
	verifyPatience = 5 * time.Minute
	verifyLines    = 200 // kept lines of its output
)

// verify runs the workload's check in a calibration run, where it disturbs no figure. A failed check fails the run.
func (s *stage) verify(ctx context.Context) error {
	if s.request.Kind != record.Calibration || len(s.request.Plan.Verify) == 0 {
		return nil
	}
	args, err := expandCommand(s.launcher.Self(), s.request.Plan.Verify, s.values)
	if err != nil {
		return fmt.Errorf("the workload's check: %w", err)
	}
	check, err := s.launcher.Start(ctx, process.Command{
		Name: "tracetax-verify", Role: role.Load, Args: args, Env: userenv.PastProxies(s.shell), Dir: s.request.Folders.Source, CPUs: s.placement.Harness,
	})
	if err != nil {
		return fmt.Errorf("the workload's check: %w", err)
	}
	patience := time.NewTimer(verifyPatience)
	defer patience.Stop()
	select {
	case <-check.Done():
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-patience.C:
		return fmt.Errorf("the workload's check (%s) has not ended after %v%s", strings.Join(args, " "), verifyPatience, said(check))
	}
	exit := check.Exit()
	if _, err := check.Stop(ctx, grace); err != nil { // its log is then complete
		return fmt.Errorf("ending the workload's check: %w", err)
	}
	lines := check.Log().Tail(verifyLines)
	if exit.Code != 0 {
		return fmt.Errorf("the workload's answers are not what they must be (%s, %s): %s", strings.Join(args, " "), exit, quote.Lines(lines, "\n"))
	}
	s.record.Start.Verified = lines
	return nil
}

// expandCommand returns a command with its placeholders filled in; {tracetax} as a word of its own may become several words.
func expandCommand(self, words []string, values map[string]string) ([]string, error) {
	var args []string
	for _, word := range words {
		if word == "{tracetax}" {
			args = append(args, self...)
			continue
		}
		text, err := program.Expand(word, values)
		if err != nil {
			return nil, err
		}
		args = append(args, text)
	}
	return slices.Clip(args), nil
}

// Tracers that write their spans to files: these are counted after the processes have ended, as if the spans had come to the
// sink then.

// makeSpanFolders makes the folders for files with spans.
func (s *stage) makeSpanFolders() error {
	for _, format := range slices.Sorted(maps.Keys(s.request.Plan.Files)) {
		dir, err := s.spanFolder(format)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("making the folder for files with spans: %w", err)
		}
	}
	return nil
}

// countSpanFiles counts the spans in the files of the processes, which have ended.
func (s *stage) countSpanFiles(ctx context.Context) (record.Counts, error) {
	var total record.Counts
	for _, format := range slices.Sorted(maps.Keys(s.request.Plan.Files)) {
		dir, err := s.spanFolder(format)
		if err != nil {
			return total, err
		}
		counts, err := sink.CountFiles(ctx, format, dir)
		if err != nil {
			return total, err
		}
		total = total.Plus(counts)
	}
	return total, nil
}

func (s *stage) spanFolder(format string) (string, error) {
	dir, err := program.Expand(s.request.Plan.Files[format], s.values)
	if err != nil {
		return "", fmt.Errorf("the folder for files with spans (files: {%s: …}): %w", format, err)
	}
	return dir, nil
}
