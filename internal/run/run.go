// Package run owns the conduct of one run: it starts a variant's processes, has
// the load made and the spans received, and reads what was used, phase by
// phase. It is the only package that knows process, load, usage and sink
// together. It knows nothing of blocks and of reports.
//
// Files, from the top: stop, warmup, timed, search, probe, phase, window, rest, await_tracer, disturbed, calibrate, profiled,
// keeptraces, says, capture, beside, drain, strays, answers, hops, run, agents, stage, apps, contained, block, target, request.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/derive"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/drive"
	"github.com/tracetax/tracetax/internal/run/profiler"
)

// Conductor makes runs.
type Conductor struct {
	Self       []string // command that runs this tracetax, for its agents
	Logs       string   // folder for the logs of processes
	Accounting string   // "auto", "cgroup" or "clock"
	Results    string   // the results folder, for what a run leaves besides its record and its logs
	Keep       []string // variables of the user's shell that programs get though they belong to a tracer
	Profilers  profiler.Packages

	Target func(*process.Launcher, Request) Target // makes the host of a run's processes beside the launcher of the harness's own; nil: this machine

	Generators func(context.Context) (load.Spread, error) // connects a run with load generators on other machines; nil: a process of this one

	placement process.Placement
	outside   func([]derive.Outside) []derive.Outside // replaces the readings of others' use in each window; nil: none
}

// Place chooses the CPUs of the processes under test, for all runs of an experiment, and moves tracetax itself to the others,
// until release is called.
func (c *Conductor) Place(processes []program.Process) (release func() error, err error) {
	most := 1.0
	for _, p := range processes {
		most = max(most, p.CPUs)
	}
	c.placement = process.Places(most)
	all := slices.Concat(c.placement.App, c.placement.Harness)
	return func() error { return process.Pin(all) }, process.Pin(c.placement.Harness)
}

// Unplaced leaves the choice of CPUs for all runs of an experiment to the system, as where the processes under test are none of
// this machine's launcher.
func (c *Conductor) Unplaced() { c.placement = process.Placement{Shared: true} }

// Run makes one run. A failure of the run is in the record; an error means that the run was interrupted and left no record.
func (c *Conductor) Run(ctx context.Context, q Request) (record.Record, error) {
	s := newStage(q, c.placement)
	s.finish(s.conduct(ctx, c))
	if ctx.Err() != nil {
		return record.Record{}, errors.Join(context.Cause(ctx), s.uncleaned(), s.redact())
	}
	if heldBack(q, s.record) {
		if err := c.learnAtEnds(ctx, q, s.record); err != nil {
			return record.Record{}, errors.Join(err, s.redact())
		}
	}
	return *s.record, s.redact()
}

// Calibrating a tracer that holds spans back until a buffer is full, however long that takes: none of them is seen before the
// processes end.

// heldBack reports whether a calibration cannot assign spans to its phases: the tracer is known to hold some back, or some of a
// self-driving workload came only when its processes ended, or all of any. A full buffer may have been sent in the middle of
// any phase.
func heldBack(q Request, r *record.Record) bool {
	if q.Kind != record.Calibration || q.twice > 0 || r.Failed() || len(r.Phases) == 0 || r.Stop.Sink.Spans == 0 {
		return false
	}
	if q.Plan.Buffers > 0 || q.Plan.Driver.Row().Leaves {
		return true
	}
	for i := range r.Phases {
		if r.Phases[i].Sink.Spans > 0 {
			return false
		}
	}
	return true
}

// learnAtEnds repeats a calibration for each of its phases, which is then twice as long: the additional spans, over the life of
// the processes, are the phase's. A failure of any of them is the failure of the calibration.
func (c *Conductor) learnAtEnds(ctx context.Context, q Request, r *record.Record) error {
	plan := *q.Plan
	plan.Verify = nil // done already
	q.Plan = &plan
	name := q.Name
	for i := range r.Phases {
		q.Name, q.twice = fmt.Sprintf("%s-longer-%d", name, i+1), i+1
		longer, err := c.Run(ctx, q)
		if err != nil {
			return err
		}
		if longer.Failed() {
			r.Failure = longer.Failure
			return nil
		}
		more := longer.Phases[i].Load.Started - r.Phases[i].Load.Started
		if longer.Stop.Unquiet || r.Stop.Unquiet || longer.Life.Spans < r.Life.Spans || more != r.Phases[i].Load.Started {
			r.Phases[i].Quiet = false // no result for this phase
			continue
		}
		r.Phases[i].Sink = longer.Life.Minus(r.Life)
	}
	return nil
}

// The cause of a failed run: the first failure, with its stage and its process. The order of log lines does not tell which was
// first.

// portTaken matches a program's complaint about a port that another took between its choice and its use.
var portTaken = regexp.MustCompile(`(?i)address already in use|EADDRINUSE`)

// deathDelay is how much later than its effects the end of a process may be noticed.
const deathDelay = 500 * time.Millisecond

// of returns the failure of one known process.
func of(process string, err error) error { return &drive.ProcessError{Process: process, Err: err} }

// ownerOf returns the process that an operation asks; "" if a mix asks several.
func ownerOf(o program.Operation, processes []program.Process) string {
	if len(o.Mix) == 0 {
		return o.Owner(processes).Name
	}
	name := ownerOf(o.Mix[0].Operation, processes)
	if slices.ContainsFunc(o.Mix, func(s program.Share) bool { return ownerOf(s.Operation, processes) != name }) {
		return ""
	}
	return name
}

// cause returns the real reason for the end of the run: a dead process tells more than the request that it did not answer,
// though its end may be noticed a little later.
func (s *stage) cause(ctx context.Context, err error) error {
	var beside *besideError
	if errors.As(context.Cause(ctx), &beside) {
		return beside
	}
	var died *process.DiedError
	if errors.As(context.Cause(ctx), &died) {
		return s.diedFirst(died)
	}
	if ctx.Err() != nil || s.ending.Load() {
		return err
	}
	select {
	case <-ctx.Done():
		if errors.As(context.Cause(ctx), &died) {
			return s.diedFirst(died)
		}
	case <-time.After(deathDelay):
	}
	return err
}

// diedFirst returns the error of the process that ended first. Another one may end because of that, and be noticed earlier, as
// it had less to write.
func (s *stage) diedFirst(heard *process.DiedError) *process.DiedError {
	first := heard
	patience, cancel := context.WithTimeout(context.Background(), deathDelay)
	defer cancel()
	for _, p := range slices.Concat(s.agents.processes(), s.apps) {
		select {
		case <-p.Done():
		case <-patience.Done():
		}
		select {
		case <-p.Done():
		default:
			continue // still running
		}
		if died := p.Died(); died.Exit.At.Before(first.Exit.At) {
			first = died
		}
	}
	return first
}

// failure returns the record of err.
func (s *stage) failure(err error) *record.Failure {
	f := &record.Failure{Stage: s.name, Message: err.Error()}
	var beside *besideError
	if errors.As(err, &beside) {
		f.Stage = record.StageBlock // the record of the failed run has more
		return f
	}
	var died *process.DiedError
	if errors.As(err, &died) {
		f.Code, f.Process, f.Log = record.Ended, died.Process, died.Log
		if died.Exit.Why != "" {
			f.Code = record.Removed
		} else if slices.ContainsFunc(died.Log, portTaken.MatchString) {
			f.Code = record.PortTaken
		}
		return f
	}
	var one *drive.ProcessError
	if errors.As(err, &one) {
		const lines = 10
		f.Process = one.Process
		var not *process.NotReadyError
		if errors.As(err, &not) {
			f.Code = string(not.Place)
		}
		f.Code = cmp.Or(f.Code, strangerIn(err))
		if wrong := (*drive.WrongError)(nil); errors.As(err, &wrong) {
			f.Code = record.WrongAnswers
		}
		if app := s.app(one.Process); app != nil {
			f.Log = app.Log().Tail(lines)
		}
	}
	return f
}
