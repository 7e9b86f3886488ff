// A run in progress: it goes from the first process to the last, stage by stage.

package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/drive"
	"github.com/tracetax/tracetax/internal/run/logs"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/run/profiler"
	"github.com/tracetax/tracetax/internal/userenv"
)

// stage is a run in progress.
type stage struct {
	request Request
	record  *record.Record
	name    string // the current step, for failures

	launcher    *process.Launcher // of the harness's processes, on this machine
	target      Target            // hosts the workload's processes
	scratch     string
	memory      string // another scratch folder, in memory
	placement   process.Placement
	agents      agents
	generators  func(context.Context) (load.Spread, error) // see Conductor
	levels      [][]program.Process                        // of the workload's processes, in the order of their start
	apps        []Process                                  // the started ones, in the order of the plan
	readyAt     map[string]time.Time                       // by process
	ports       *prepare.Ports
	values      map[string]string // values of placeholders, in texts of no process
	meter       Meter             // nil before the processes are ready
	driver      drive.Driver      // nil before the agents have started
	reached     record.Counts     // at the sink, at the start of the next phase
	warmed      map[int]warmed    // by phase: the shared warm-up of its operation, before the first phase
	route       route
	receiver    receiver                       // at the end of the spans' way: the sink, or a backend
	received    map[string]protocol.Addresses  // by hop: the addresses at which it receives spans; "" is the sink
	traced      *uint64                        // traces that the tracer had chosen at the last reading; nil: not reported
	paged       map[string]*record.Hop         // by the name of a brought process, "" is the tracer: counts of its pages; nil: no pages
	asked       atomic.Uint64                  // number of readiness requests, and of those of the setup
	tokens      []string                       // values that the setup keeps: no file and no screen may show them
	outstanding outstanding                    // spans held by the tracer, from the probes of a search
	opened      time.Time                      // the time of the first operation's answer
	sampled     time.Time                      // the start of the readings of memory
	idlePace    *pace                          // of the processes under test; nil: unknown
	loaded      []readings.Stretch             // of the last window; nil if the last phase had none of its own
	results     string                         // the results folder
	made        []record.CapturePhase          // the phases so far
	hookLogs    []string                       // of the commands around the run
	unclean     error                          // error of the command after the run
	shell       []string                       // the programs' part of the user's environment
	profilers   int                            // number started
	beginnings  map[string]*profiler.Beginning // by process: the profiler of its start
	packages    profiler.Packages              // folders of profilers
	exporting   bool                           // spans are expected at the sink
	spread      bool                           // all workers have had operations, and exported
	connections watch
	ending      atomic.Bool // the processes are being stopped: their end is no failure
	before      harness     // read when the run is prepared
	after       harness     // read when all but the command after the run has ended; zero before

	end  context.CancelCauseFunc // ends the run, with its cause
	turn turn                    // among the runs of its block
}

func newStage(q Request, placement process.Placement) *stage {
	return &stage{
		request: q, name: "start", placement: placement, before: readHarness(),
		record: &record.Record{Schema: record.Schema, Kind: q.Kind, Variant: q.Plan.Variant, Workload: q.Plan.Workload, Started: time.Now()},
	}
}

// conduct makes the run from the first process to the last. In any case no process is left when it returns.
func (s *stage) conduct(ctx context.Context, c *Conductor) (err error) {
	s.results, s.packages, s.generators = c.Results, c.Profilers, c.Generators
	s.shell, _ = userenv.Environment(os.Environ(), c.Keep)
	if s.scratch, err = prepare.Scratch(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.scratch)) }()
	if s.memory, err = prepare.Memory(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.memory)) }()
	defer func() { err = errors.Join(err, s.cleanUp(ctx, c, err)) }() // after all processes of the run have ended
	defer func() { s.after = readHarness() }()
	s.launcher, err = process.NewLauncher(process.Options{
		Name: fmt.Sprintf("%s-%d", fileName(s.request.Name), os.Getpid()), LogDir: filepath.Join(c.Logs, s.request.Name),
		Self: c.Self, Accounting: c.Accounting,
	})
	if err != nil {
		return err
	}
	s.target = here{s.launcher}
	if c.Target != nil {
		s.target = c.Target(s.launcher, s.request)
	}
	defer func() { err = errors.Join(err, s.closeDriver(), s.target.Close()) }() // closing the target closes the launcher
	s.record.Harness.Accounting = s.target.Accounting()

	ctx, s.end = context.WithCancelCause(ctx)
	defer s.end(nil)
	if err := s.follow(ctx, s.script(c)); err != nil {
		err = s.cause(ctx, err)
		s.turn.fail()
		return err
	}
	return nil
}

// step is a part of a run: its name, for failures, and its function.
type step struct {
	name string
	do   func(context.Context) error
}

// script returns the steps of a run, from its first process to its last.
func (s *stage) script(c *Conductor) []step {
	start := []step{ // measured too: the others of its block wait
		{"start", s.startApps},
		{"connect", s.awaitTracer},
		{"setup", s.setUp},
		{"first operation", s.firstOperation},
		{"first operation", s.getCalm},
	}
	return []step{
		{"prepare", func(ctx context.Context) error { return s.prepare(ctx, c) }},
		{"sink", s.startAgents},
		{"start", func(ctx context.Context) error {
			return s.turn.inTurn(ctx, func() error { return s.follow(ctx, start) })
		}},
		{"first operation", s.settle},
		{"idle", s.idle},
		{"warm-up", s.warmAll},
		{"phases", s.phases},
		{"idle", s.idleAgain},
		{"profile", s.profileAll},
		{"verify", s.verify},
		{"stop", s.turn.awaitAll}, // the others of its block are still measured till then
		{"stop", s.lookInside},
		{"stop", s.stop},
	}
}

// follow makes steps, one after the other.
func (s *stage) follow(ctx context.Context, script []step) error {
	for _, step := range script {
		s.name = step.name
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// prepare runs the command before the run. The machine's work meanwhile does not count for the run.
func (s *stage) prepare(ctx context.Context, c *Conductor) error {
	err := s.hook(ctx, c, "prepare", s.request.Plan.Prepare, preparePatience)
	s.before = s.before.anew()
	return err
}

// closeDriver releases the remains of a failed run.
func (s *stage) closeDriver() error {
	if s.driver == nil {
		return nil
	}
	return s.driver.Close()
}

// finish completes the record of a run that has ended with err.
func (s *stage) finish(err error) {
	s.record.Ended = time.Now()
	if s.after.at.IsZero() { // it ended before anything began
		s.after = readHarness()
	}
	s.before.into(&s.record.Harness, s.after)
	if err != nil {
		s.record.Failure = s.failure(err)
		logs.RedactFailure(s.record.Failure, s.secrets())
	}
}

// redact removes secrets from the logs, if there are any.
func (s *stage) redact() error {
	secrets := s.secrets()
	if len(secrets) == 0 {
		return nil
	}
	var paths []string
	for _, p := range s.apps {
		paths = append(paths, p.Log().Path())
	}
	return logs.Redact(append(paths, s.hookLogs...), secrets)
}

// secrets returns the values that no file and no screen may show.
func (s *stage) secrets() []string { return slices.Concat(s.request.Plan.Secrets, s.tokens) }

// harness is a reading of the disturbances of the harness. Only Linux has these readings.
type harness struct {
	at             time.Time
	worked, steal  time.Duration
	load           float64
	stole, loading error // reasons why they are unknown
}

func readHarness() harness {
	h := harness{at: time.Now()}
	h.worked, h.steal, h.stole = machine.CPUTimes()
	h.load, h.loading = machine.LoadAverage()
	return h
}

// anew returns a reading after the command before a run, which is not measured: it keeps the load average from before the command.
func (h harness) anew() harness {
	now := readHarness()
	now.load, now.loading = h.load, h.loading
	return now
}

// into records the readings before and after a run.
func (h harness) into(to *record.Harness, after harness) {
	to.Seconds, to.Unread = after.at.Sub(h.at).Seconds(), nil
	if h.stole == nil && after.stole == nil {
		to.StealSeconds, to.WorkedSeconds = (after.steal - h.steal).Seconds(), (after.worked - h.worked).Seconds()
	} else {
		to.Unread = append(to.Unread, "steal_seconds")
	}
	if h.loading == nil {
		to.LoadAverage = h.load
	} else {
		to.Unread = append(to.Unread, "load_average")
	}
}
