// Package experiment owns the loop over blocks: it asks the design what is next
// and the conductor to run it, keeps every record before the next run begins,
// and tells an observer how it goes. It is the only package that knows design
// and run together. It does not know how a run is done, nor how a result is
// shown.
package experiment

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/spec"
)

// Runner makes one run; run.Conductor does.
type Runner interface {
	Run(context.Context, run.Request) (record.Record, error)
}

// Keeper keeps a record for good; record.Folder does.
type Keeper interface {
	Append(record.Record) error
}

// Cell is a variant that has been made ready to run.
type Cell struct {
	Variant     spec.Variant
	Plan        *spec.Plan
	Calibration *spec.Plan // the same with every span sampled
	Folders     run.Folders
}

// Session is an experiment that is ready to run, or to go on.
type Session struct {
	Experiment *spec.Experiment
	Cells      []Cell // in the order of the variants
	Runner     Runner
	Keeper     Keeper
	Observe    func(Event) // may be nil

	history []record.Record
	spans   map[string]map[string]spec.Number // by variant and operation
	lasted  map[record.Kind]time.Duration     // of the runs so far
	made    map[record.Kind]int
}

// Event is a moment of an experiment.
type Event struct {
	Begun   bool // a run begins; otherwise one has ended
	Next    design.Run
	Record  *record.Record // of the run that has ended
	History []record.Record
	Done    int           // runs made, failed ones not counted
	Total   int           // runs in all, as far as it is known
	Left    time.Duration // about; 0 where not known yet
}

// Run makes the runs that history does not hold yet, until there is nothing left
// to do, ctx ends, or a record cannot be kept. It returns the whole history,
// also with an error.
func (s *Session) Run(ctx context.Context, history []record.Record) ([]record.Record, error) {
	s.history = slices.Clone(history)
	s.lasted, s.made = map[record.Kind]time.Duration{}, map[record.Kind]int{}
	s.spans = map[string]map[string]spec.Number{}
	for i := range s.history {
		s.learn(&s.history[i])
	}
	plan := s.Design()
	for {
		next, more := plan.Next(s.history)
		if !more {
			return s.history, s.verdict(plan)
		}
		if err := ctx.Err(); err != nil {
			return s.history, context.Cause(ctx)
		}
		s.tell(plan, Event{Begun: true, Next: next})
		made, err := s.one(ctx, next)
		if err != nil {
			return s.history, err
		}
		if err := s.Keeper.Append(made); err != nil {
			return s.history, err
		}
		s.history = append(s.history, made)
		s.learn(&made)
		s.tell(plan, Event{Next: next, Record: &made})
	}
}

// Design returns the experiment as the design sees it.
func (s *Session) Design() design.Plan {
	plans := make([]*spec.Plan, len(s.Cells))
	for i, cell := range s.Cells {
		plans[i] = cell.Plan
	}
	return planOf(s.Experiment, plans)
}

// one makes one run.
func (s *Session) one(ctx context.Context, next design.Run) (record.Record, error) {
	cell := s.cell(next.Variant)
	e := s.Experiment
	request := run.Request{
		Kind: next.Kind, Plan: cell.Plan, Folders: cell.Folders, First: e.Operations[0], Load: e.Load,
		Checking: e.Sink != spec.Counting, Spans: s.spans[next.Variant], Seed: next.Seed, Faults: e.Faults,
	}
	request.Name = fmt.Sprintf("%03d-%s-%d", next.Block, next.Variant, next.Attempt)
	if next.Kind == record.Calibration {
		request.Plan, request.Checking = cell.Calibration, true
		request.Name = "calibration-" + next.Variant + "-" + strconv.Itoa(next.Attempt)
	}
	for _, name := range next.Operations {
		at := slices.IndexFunc(e.Operations, func(o spec.Operation) bool { return o.Name == name })
		request.Phases = append(request.Phases, run.PhaseRequest{Operation: e.Operations[at], Load: e.Load})
	}
	made, err := s.Runner.Run(ctx, request)
	made.Block, made.Position, made.Attempt = next.Block, next.Position, next.Attempt
	return made, err
}

func (s *Session) cell(variant string) Cell {
	return s.Cells[slices.IndexFunc(s.Cells, func(c Cell) bool { return c.Variant.Name == variant })]
}

// learn takes from a record what later runs profit from: how many spans an
// operation makes, and how long runs last.
func (s *Session) learn(r *record.Record) {
	if r.Failed() {
		return
	}
	s.lasted[r.Kind] += r.Ended.Sub(r.Started)
	s.made[r.Kind]++
	if r.Kind != record.Calibration {
		return
	}
	spans := maps.Clone(s.cell(r.Variant).Plan.Spans)
	if spans == nil {
		spans = map[string]spec.Number{}
	}
	for _, phase := range r.Phases {
		if phase.Load.Started == 0 || !phase.Quiet {
			continue
		}
		k := float64(phase.Sink.Unique()) / float64(phase.Load.Started)
		if k == float64(int(k)) {
			spans[phase.Operation] = spec.Number{Low: k, High: k}
		} else {
			delete(spans, phase.Operation) // it varies: a drain must not end early on it
		}
	}
	s.spans[r.Variant] = spans
}

func (s *Session) tell(plan design.Plan, e Event) {
	if s.Observe == nil {
		return
	}
	e.History = s.history
	for i := range s.history {
		if !s.history[i].Failed() {
			e.Done++
		}
	}
	left := plan.Left(s.history)
	e.Total = e.Done + left
	if n := s.made[record.Measured]; n > 0 {
		e.Left = s.lasted[record.Measured] / time.Duration(n) * time.Duration(left)
	}
	s.Observe(e)
}

// verdict says at the end whether there is anything to conclude from.
func (s *Session) verdict(plan design.Plan) error {
	if slices.Contains(plan.GivenUp(s.history), plan.Variants[0]) {
		return fmt.Errorf("the baseline %s failed again and again: %s", plan.Variants[0], s.lastFailure(plan.Variants[0]))
	}
	good := map[string]bool{}
	for i := range s.history {
		if r := &s.history[i]; r.Kind == record.Measured && !r.Failed() {
			good[r.Variant] = true
		}
	}
	if !good[plan.Variants[0]] {
		return fmt.Errorf("no run of the baseline %s succeeded: %s", plan.Variants[0], s.lastFailure(plan.Variants[0]))
	}
	if len(plan.Variants) > 1 && len(good) == 1 {
		return fmt.Errorf("no run of any variant but the baseline succeeded: %s", s.lastFailure(plan.Variants[1]))
	}
	return nil
}

func (s *Session) lastFailure(variant string) string {
	for i := range slices.Backward(s.history) {
		if r := &s.history[i]; r.Variant == variant && r.Failed() {
			return r.Failure.Stage + ": " + r.Failure.Message
		}
	}
	return "no reason was kept"
}
