// Between the start of the processes and the first operation: time for the tracer to become ready, and the setup.

package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/drive"
	"github.com/tracetax/tracetax/internal/run/logs"
	"github.com/tracetax/tracetax/internal/userenv"
)

// awaitTracer waits until the tracer has connected, if it loses spans made before that, and then for the extra time in its
// file.
func (s *stage) awaitTracer(ctx context.Context) error {
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

// lookAtRuntimes notes the virtual machines of the processes.
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

// connect waits until the tracer has connected to the sink; the wait is recorded.
func (s *stage) connect(ctx context.Context) error {
	most := s.request.Plan.Connects
	if most <= 0 || !s.exporting || len(s.request.Plan.Route()) > 0 || s.request.Faults.SinkGone != "" {
		return nil // it connects to the first hop, or to no receiver: the sink sees neither
	}
	begun := time.Now()
	connected, err := s.until(ctx, most, func(c record.Counts) bool { return c.Requests > 0 || len(c.Protocols) > 0 })
	s.record.Start.ConnectedSeconds = time.Since(begun).Seconds()
	if err != nil {
		return err
	}
	if !connected {
		return fmt.Errorf("the tracer did not connect within %v, so its spans would be lost; see the process log, or raise connects: in tracer.yaml", most)
	}
	return nil
}

// drainStart waits for the spans of the start, the setup and the first operation. A cold tracer may have sent none when the usual wait
// is over: its late spans would be counted for later operations.
func (s *stage) drainStart(ctx context.Context) (drained, error) {
	if s.mayBeCold() {
		awaited := s.awaitedAtStart()
		came := func(c record.Counts) bool { return float64(c.Sum()) >= awaited }
		if _, err := s.until(ctx, s.request.Plan.Patience()+time.Duration(1+len(s.request.Plan.Route()))*cold, came); err != nil {
			return drained{}, err
		}
	}
	held := max(0, s.request.Plan.Patience()-time.Since(s.opened)) + s.othersCold() // no span of the start is held for longer
	return s.drainFor(ctx, record.Counts{}, -1, held)
}

// awaitedAtStart returns the number of spans of the requests before the first phase, as far as it is known: at least 1. Each worker
// exports by itself: that the spans of one have come says nothing of the others'.
func (s *stage) awaitedAtStart() float64 {
	start, sum := s.record.Start, 0.0
	for work, made := range map[string]uint64{
		record.Work(s.request.First.Name, s.request.FirstParameter): 1,
		record.ProbeOperation: start.Probes - min(start.Probes, start.FailedProbes),
		record.SetupOperation: min(1, start.SetupRequests), // it is known as a whole
	} {
		sum += max(0, s.awaited(work, record.Load{Started: made}))
	}
	return max(1, sum)
}

// mayBeCold reports whether the first operation is expected to make spans. A tracer that keeps spans until a buffer is full is
// waited for only in the calibration.
func (s *stage) mayBeCold() bool {
	switch {
	case !s.exporting || s.request.twice > 0:
		return false
	case s.request.Kind == record.Calibration:
		return true
	}
	return s.request.Plan.Buffers == 0 && s.awaited(record.Work(s.request.First.Name, s.request.FirstParameter), record.Load{Started: 1}) > 0
}

// setUp makes the requests of the setup. A calibration waits before and after them until all spans have come, to learn how many they make.
func (s *stage) setUp(ctx context.Context) error {
	requests, ok := s.driver.(*drive.Requests)
	if !ok || len(s.request.Plan.Setup) == 0 {
		return nil
	}
	start, learns := &s.record.Start, s.request.Kind == record.Calibration
	var before drained
	var err error
	if learns {
		if err := s.countWorkers(); err != nil {
			return err
		}
		if before, err = s.drainEarly(ctx, record.Counts{}, start.Probes > start.FailedProbes); err != nil {
			return err
		}
	}
	var kept []string
	start.SetupRequests, kept, err = requests.SetUp(ctx, s.sessions(), s.besideOperations())
	for _, value := range kept {
		if len(value) >= program.MinSecret {
			s.tokens = append(s.tokens, value)
		}
	}
	if err != nil || !learns {
		return err
	}
	after, err := s.drainEarly(ctx, before.counts, true)
	if err == nil && after.quiet {
		came := after.counts.Minus(before.counts)
		start.SetupSink = &came
	}
	return err
}

// sessions returns the most connections that operations have in the run.
func (s *stage) sessions() int {
	most := s.request.Load.Connections
	for _, phase := range s.request.Phases {
		most = max(most, phase.Load.Connections)
	}
	return most
}

// drainEarly waits until the spans of requests before the first operation have come. If these may have made some, none of which
// has come since then, it waits as long as the first export of a cold tracer may take.
func (s *stage) drainEarly(ctx context.Context, since record.Counts, some bool) (drained, error) {
	if some && s.exporting {
		came := func(c record.Counts) bool { return c.Sum() > since.Sum() }
		if _, err := s.until(ctx, s.request.Plan.Patience()+cold, came); err != nil {
			return drained{}, err
		}
	}
	return s.drainFor(ctx, since, -1, s.request.Plan.Patience()+s.othersCold())
}

// until waits, at most this long, until the sink's counts are as wanted; false if they never were.
func (s *stage) until(ctx context.Context, most time.Duration, wanted func(record.Counts) bool) (bool, error) {
	return await(ctx, s.receiver.every(), most, func() (bool, error) {
		seen, err := s.receiver.snapshot(ctx)
		if err != nil {
			return false, err
		}
		return wanted(seen.Counts), nil
	})
}

// The workload's commands around a run: one before its first process starts, one after the last has ended. Their use is not
// measured.

// Bounds of these commands.
const (
	preparePatience = 10 * time.Minute
	cleanupPatience = time.Minute
	hookLines       = 20       // last lines of a command's output in an error
	hookBytes       = 16 << 10 // searched for these lines
)

// variantVariable is the environment variable with the variant of the run, for such a command.
const variantVariable = "TRACETAX_VARIANT"

// cleanUp runs the command after the run, even if that failed or was interrupted: it leaves as much behind. failed is the error
// of the run.
func (s *stage) cleanUp(ctx context.Context, c *Conductor, failed error) error {
	err := s.hook(context.WithoutCancel(ctx), c, "cleanup", s.request.Plan.Cleanup, cleanupPatience)
	if err != nil && failed == nil {
		s.name = "cleanup"
	}
	s.unclean = err
	return err
}

// uncleaned returns the error of the command after the run, or nil: an interrupted run leaves no record to hold it.
func (s *stage) uncleaned() error {
	if s.unclean == nil {
		return nil
	}
	return errors.New(logs.Replacer(s.secrets()).Replace(s.unclean.Error()))
}

// hook runs one of the commands to its end.
func (s *stage) hook(ctx context.Context, c *Conductor, what string, words []string, patience time.Duration) error {
	if len(words) == 0 {
		return nil
	}
	f := s.request.Folders
	args, err := expandCommand(c.Self, words, map[string]string{
		"dir": f.Source, "build": f.Build, "workload": f.Workload, "tracer": f.Tracer,
		"tmp": s.scratch, "memory": s.memory,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	path := filepath.Join(c.Logs, s.request.Name, "tracetax-"+what+".log")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the log of %s: %w", what, err)
	}
	log, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("making the log of %s: %w", what, err)
	}
	s.hookLogs = append(s.hookLogs, path)
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it has not ended after %v", patience))
	defer cancel()
	err = process.Job{
		Name: "tracetax-" + what, Args: args, Env: append(userenv.PastProxies(s.shell), variantVariable+"="+s.request.Plan.Variant),
		Dir: f.Source, Stderr: log, Self: c.Self,
	}.Run(ctx)
	if err = errors.Join(err, log.Close()); err == nil {
		return nil
	}
	said, readErr := lastOf(path)
	text := quote.Lines(said, "\n")
	if text != "" {
		text = ":\n" + text
	}
	return errors.Join(fmt.Errorf("the workload's %s command (%s): %w%s", what, strings.Join(args, " "), err, text), readErr)
}

// lastOf returns the last lines of a file.
func lastOf(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // nothing was written
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	end, err := io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-hookBytes), hookBytes))
	if err != nil {
		return nil, err
	}
	text := strings.TrimRight(string(end), "\n")
	if text == "" {
		return nil, nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-hookLines):], nil
}
