// Package experiment owns the loop over blocks: it asks the design what is next
// and the conductor to run it, keeps every record before the next run begins,
// and tells an observer how it goes. It is the only package that knows design
// and run together. It does not know how a run is done, nor how a result is
// shown.
package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/design/capacity"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/steady"
)

// Runner makes one run; run.Conductor does.
type Runner interface {
	Run(context.Context, run.Request) (record.Record, error)
}

// Blocker makes the runs of a block together. A Runner may be one.
type Blocker interface {
	// Block makes all of the runs and returns their records in their order. As with Run, what
	// goes wrong in a run is a failure in its record; an error means that all were
	// interrupted and left no record.
	Block(context.Context, []run.Request) ([]record.Record, error)
}

// Several is a Blocker that makes blocks at the same time, each whole in a place of its own. A Runner may be one.
type Several interface {
	Blocker
	// Places returns how many runs or blocks may be asked for at the same time; it may fall.
	Places() int
}

// Keeper keeps a record for good; record.Folder does.
type Keeper interface {
	Append(record.Record) error
}

// Prepared is a variant that has been made ready to run.
type Prepared struct {
	Variant     config.Variant
	Plan        *config.Plan
	Calibration *config.Plan // the same with every span sampled
	Folders     prepare.Folders
	Causes      *profile.Rules // by which samples are sorted; nil where nothing is profiled
}

// Loop is an experiment that is ready to run, or to go on.
type Loop struct {
	Experiment *config.Experiment
	Variants   []Prepared // in the order of the variants
	Runner     Runner     // a Blocker too, where the runs of a block are made together
	Keeper     Keeper
	Observe    func(Event) // may be nil
	GoOn       bool        // also where the first runs show a mistake
	CPUs       float64     // that the processes under test may use together; 0: not known
	Memory     uint64      // bytes that all of a block may use; 0: not known

	// Search makes the search for the capacity of an operation; nil is that of the
	// package capacity.
	Search func(config.RateSearch, program.Operation) run.Searcher
	// Precise says whether a history is enough for the precision that the design asks
	// for. It must be pure; it is needed where the design asks for a precision.
	Precise func(history []record.Record) (bool, error)
	// Spoiled counts the planned blocks of a history that are to be made again, as design.Plan has it; nil: none.
	Spoiled func(history []record.Record) (int, error)

	history []record.Record
	spans   map[string]map[string]program.Number // by variant and operation
	begun   map[string]record.Begun              // by variant: how the traces of its operations are told from others
	lasted  map[record.Kind]time.Duration        // of the runs so far
	made    map[record.Kind]int
	judged  judgement
}

// Event is a moment of an experiment.
type Event struct {
	Begun   bool // a run begins; otherwise one has ended
	Next    design.Run
	Waits   time.Time      // the sitting of the run begins then; zero: now
	Record  *record.Record // of the run that has ended
	History []record.Record
	Ends    *MistakeError // the mistake that the run showed, which ends the experiment; nil: none
	Done    int           // runs made, failed ones not counted
	Total   int           // runs in all, as far as it is known; where Open, at most
	Open    bool          // it may end before all blocks are made, at the precision asked for
	Left    time.Duration // about, where Open at most; 0 where not known yet
	Besides int           // so many other blocks begin at the same time, each in another place
	Fit     int           // of the variants of a block, so many have room in memory at the same time; 0: all, as far as is known
}

// Run makes the runs that history does not hold yet, until there is nothing left
// to do, ctx ends, or a record cannot be kept. It returns the whole history,
// also with an error.
func (l *Loop) Run(ctx context.Context, history []record.Record) ([]record.Record, error) {
	l.history = slices.Clone(history)
	l.lasted, l.made = map[record.Kind]time.Duration{}, map[record.Kind]int{}
	l.spans, l.begun, l.judged = map[string]map[string]program.Number{}, map[string]record.Begun{}, judgement{}
	for i := range l.history {
		l.learn(&l.history[i])
	}
	if err := l.able(); err != nil {
		return l.history, err
	}
	if m := l.knownMistake(); m != nil {
		return l.history, m
	}
	plan := l.Design()
	for {
		round := l.round(plan)
		if l.judged.err != nil {
			return l.history, l.judged.err
		}
		if len(round) == 0 {
			return l.history, l.verdict(plan)
		}
		if err := ctx.Err(); err != nil {
			return l.history, context.Cause(ctx)
		}
		if err := l.step(ctx, plan, round); err != nil {
			return l.history, err
		}
	}
}

// ask ends the experiment where the first run of a variant of the user's own shows that it traces, and not for the sink:
// that is asked before the hours that the rest takes. Whoever goes on with the experiment has answered.
func (l *Loop) ask(made []record.Record) error {
	if l.Experiment.Design.Quick {
		return nil
	}
	for i := range made {
		r := &made[i]
		prepared := l.prepared(r.Variant)
		first := !slices.ContainsFunc(l.history[:len(l.history)-len(made)], func(h record.Record) bool { return h.Variant == r.Variant && !h.Failed() })
		if len(r.Elsewhere) == 0 || !first || prepared.Variant.TracerName() != program.NoTracer || prepared.Variant.Untraced() || prepared.Plan.NamesSink() {
			continue
		}
		where := "they could not be sent"
		if to := r.Elsewhere[0].To; len(to) > 0 {
			where = "they went to " + strings.Join(to, ", ")
		}
		if who := r.Elsewhere[0].Process; who != "" {
			where += " (process " + who + ")"
		}
		return &ElsewhereError{fmt.Errorf("variant %s makes spans that do not come to the sink: %s. Give it the address of the sink (env: {OTEL_EXPORTER_OTLP_ENDPOINT: \"http://{sink.otlp.grpc}\"}, or {sink.otlp.http}), "+
			"or switch its tracing off. What the variant costs as it is can be measured too: go on with --resume, or use --quick", r.Variant, where)}
	}
	return nil
}

// ElsewhereError is the error of a variant that sends its spans elsewhere than to the sink.
type ElsewhereError struct{ err error }

// Error names what to change.
func (e *ElsewhereError) Error() string { return e.err.Error() }

// Design returns the experiment as the design sees it.
func (l *Loop) Design() design.Plan {
	plans := make([]*config.Plan, len(l.Variants))
	for i, prepared := range l.Variants {
		plans[i] = prepared.Plan
	}
	p := planOf(l.Experiment, plans)
	if l.Experiment.Design.Most > 0 {
		p.Precise = l.precise
	}
	if l.Spoiled != nil {
		p.Spoiled = l.spoiled
	}
	if within := l.Experiment.Design.Within; within > 0 {
		p.Few = design.Few(l.Experiment.Design.Blocks, l.Experiment.Comparisons())
		p.Late = func(history []record.Record) bool { return design.Late(history, within, l.Experiment.Target.Places()) }
	}
	p.Fit = l.fit
	return p
}

// judgement is the last answer on the precision, or on the blocks that are spoiled: both are asked for more often
// than the history changes.
type judgement struct {
	records int
	enough  bool
	spoiled int
	err     error
}

// precise asks for the precision. An error ends the experiment.
func (l *Loop) precise(history []record.Record) bool {
	if l.judged.err == nil && l.judged.records != len(history) {
		l.judged.records = len(history)
		l.judged.enough, l.judged.err = l.Precise(history)
	}
	return l.judged.enough && l.judged.err == nil
}

// spoiled asks how many blocks are to be made again. An error ends the experiment.
func (l *Loop) spoiled(history []record.Record) int {
	if l.judged.err == nil && l.judged.records != len(history) {
		l.judged.records = len(history)
		l.judged.spoiled, l.judged.err = l.Spoiled(history)
	}
	return l.judged.spoiled
}

func (l *Loop) tell(plan design.Plan, e Event) {
	if l.Observe == nil {
		return
	}
	e.History, e.Fit = l.history, l.fit(l.history)
	for i := range l.history {
		if !l.history[i].Failed() {
			e.Done++
		}
	}
	left := plan.Left(l.history)
	e.Total, e.Open = e.Done+left, plan.Open() && left > 0
	if n := l.made[record.Measured]; n > 0 {
		e.Left = l.lasted[record.Measured] / time.Duration(n*l.places()) * time.Duration(left)
	}
	l.Observe(e)
}

// Searches for a capacity: of the experiment, and of the pilots that it rests on.

// search makes the search for the capacity of an operation. It sets out from the rate that the search names, or from where
// earlier blocks ended, or from the rate at which the operation or its workload is asked elsewhere.
func (l *Loop) search(c config.RateSearch, variant string, o program.Operation, parameter map[string]string) run.Searcher {
	if c.Goal == config.GoalCPU && c.From == 0 {
		c.From = l.near(variant, o.Name, parameter)
	}
	if l.Search != nil {
		return l.Search(c, o)
	}
	return capacity.New(c, capacity.Options{Duration: l.Experiment.Load.Duration, First: cmp.Or(o.Rate, l.Experiment.Workload.Rate)})
}

// near is a rate, in operations/s, near what the variant's searches in earlier blocks found; 0 where none did. From there the search
// needs few probes: a line through it and a lower one meets the target closely. It is too far from the target to end the search by
// itself, so earlier blocks do not decide the result.
func (l *Loop) near(variant, operation string, parameter map[string]string) float64 {
	var found []float64
	for i := range l.history {
		made := &l.history[i]
		if made.Variant != variant || made.Kind != record.Measured || made.Failed() {
			continue
		}
		for _, p := range made.Phases {
			this := p.Operation == operation && maps.Equal(p.Parameter, parameter)
			if !this || p.Capacity == nil {
				continue
			}
			if rate, known := p.Capacity.Carries(); known {
				found = append(found, rate)
			}
		}
	}
	if len(found) == 0 {
		return 0
	}
	return 0.75 * stats.Median(found)
}

// pilotLoad is the load of a pilot: the search that a relative rate rests on.
func pilotLoad(l config.Load) config.Load {
	search := l.Relative.Search
	l.Relative, l.Capacity = nil, &search
	if l.WarmupMost > 0 {
		l.Warmup = min(l.WarmupMost, searchWarmup) // how long it has to be is not known yet
	}
	return l
}

// The warm-up, where pilots are to find it.

// searchWarmup is the warm-up of a pilot that searches for a rate, which comes before those
// that find the warm-up: they are made at that rate.
const searchWarmup = 10 * time.Second

// warmup is how long load is made before each window of a measured run: the same for every
// variant and operation, and the same whenever it is derived.
func (l *Loop) warmup(kind record.Kind) (time.Duration, error) {
	load := l.Experiment.Load
	if load.WarmupMost == 0 || kind != record.Measured {
		return load.Warmup, nil
	}
	longest, ok := steady.LongestWarmup(steady.Warmups(l.history, load.WarmupMost))
	if !ok {
		return 0, &FinalError{errors.New("finding the length of the warm-up: no pilot looked for it; start again")}
	}
	return longest.Length, nil
}

// watched is the phase of a pilot that finds the warm-up: the load of the measured phases,
// and of a sweep that level at which code gets warm last. A search is warmed up at the rate
// that it sets out from.
func (l *Loop) watched(phase design.Phase, operations []program.Operation, rates map[string]float64) run.PhaseRequest {
	e := l.Experiment
	at := slices.IndexFunc(operations, func(o program.Operation) bool { return o.Name == phase.Operation })
	level := e.Load.Lowest()
	request := run.PhaseRequest{
		Operation: operations[at], Load: level.Load, Parameter: level.Parameter, Watched: steady.Watched(e.Load.WarmupMost),
	}
	if relative := level.Load.Relative; relative != nil {
		request.Load.Rate = relative.Share * rates[phase.Operation]
	}
	if c := e.Load.Capacity; c != nil {
		if first, more := l.search(*c, "", request.Operation, request.Parameter).Next(nil); more {
			request.Load.Rate = first.Rate
		}
		request.Load.Capacity, request.Operation.Rate = nil, 0
	}
	return request
}
