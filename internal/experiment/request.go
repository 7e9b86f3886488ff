// From the design's next run to what the conductor is asked.

package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// able complains of what the experiment asks for and the loop has not got.
func (l *Loop) able() error {
	if l.Precise == nil && l.Experiment.Design.Most > 0 {
		return errors.New("the design asks for a precision, which nothing here judges; name a number of blocks")
	}
	if _, can := l.Runner.(Blocker); l.Experiment.Design.Order.Together() && !can {
		return fmt.Errorf("the order is %s, but runs cannot live side by side here; write order: apart", l.Experiment.Design.Order)
	}
	return nil
}

// requests returns the requests for a run, or for those of a block together.
func (l *Loop) requests(steps []design.Run) ([]run.Request, error) {
	requests := make([]run.Request, len(steps))
	for i, step := range steps {
		var err error
		if requests[i], err = l.request(step); err != nil {
			return nil, err
		}
	}
	if len(steps) > 1 {
		l.together(steps, requests)
	}
	return requests, nil
}

// make makes one run, or those of a block together. It is safe for concurrent use where the Runner is.
func (l *Loop) make(ctx context.Context, steps []design.Run, requests []run.Request) (made []record.Record, err error) {
	if len(steps) == 1 {
		one, err := l.Runner.Run(ctx, requests[0])
		if err != nil {
			return nil, err
		}
		made = []record.Record{one}
	} else {
		if made, err = l.Runner.(Blocker).Block(ctx, requests); err != nil {
			return nil, err
		}
		beside(made, steps)
	}
	for i := range made {
		finish(&made[i], steps[i])
	}
	return made, nil
}

// together sets when each of the runs of a block has the load.
func (l *Loop) together(steps []design.Run, requests []run.Request) {
	order := l.Experiment.Design.Order
	delay := time.Duration(0)
	for _, q := range requests {
		delay = max(delay, run.Held(q.Plan, l.calibrations(q.Plan.Variant)))
	}
	for i := range requests {
		requests[i].Order = order
	}
	if order != config.Windows && order != config.Paired {
		return
	}
	for p := range requests[0].Phases {
		first := requests[0].Phases[p]
		windows, length := l.Experiment.Windows(first.Load, first.Asked(), delay)
		if first.Search != nil || requests[0].Samples != "" {
			windows, length = 1, first.Load.Duration
		}
		turns := l.Design().Turns(steps[0].Block, p, len(requests), windows)
		for i := range requests {
			requests[i].Phases[p].Turns, requests[i].Phases[p].Window = turns[i], length
			if order == config.Paired {
				requests[i].Phases[p].AtOnce = l.atOnce(steps, first)
				requests[i].Phases[p].Together = config.AtOnce(len(requests), first.Load.Duration)
			}
		}
	}
}

// atOnce says whether the variants of a block, or of a group of it, get their load at once in a phase: as those did before that
// lived together, so blocks are alike, and not where others had no room. Which room these need nobody knows of others.
func (l *Loop) atOnce(steps []design.Run, phase run.PhaseRequest) run.AtOnce {
	var company []string
	for _, one := range steps {
		company = append(company, one.Variant)
	}
	slices.Sort(company)
	known := run.IfRoom
	for i := range l.history {
		r := &l.history[i]
		if r.Kind != record.Measured || r.Failed() {
			continue
		}
		for j := range r.Phases {
			switch p := &r.Phases[j]; {
			case p.Operation != phase.Operation.Name || !maps.Equal(p.Parameter, phase.Parameter):
			case len(p.Windows) > 0:
				return run.InTurn
			case p.Timed != nil && slices.Equal(slices.Sorted(slices.Values(append([]string{r.Variant}, r.Harness.With...))), company):
				known = run.Always
			}
		}
	}
	return known
}

// beside completes the records of runs that were made together. If one of them failed the others have no use: they
// were cut off.
func beside(made []record.Record, steps []design.Run) {
	failed := slices.IndexFunc(made, func(r record.Record) bool { return r.Failed() && r.Failure.Stage != record.StageBlock })
	for i := range made {
		for j := range steps {
			if j != i {
				made[i].Harness.With = append(made[i].Harness.With, steps[j].Variant)
			}
		}
		if failed >= 0 && !made[i].Failed() {
			made[i].Failure = &record.Failure{
				Stage: record.StageBlock, Message: fmt.Sprintf("variant %s of the same block failed (%s): the block is made again", steps[failed].Variant, made[failed].Failure.Stage),
			}
		}
	}
}

// finish writes into a record what only the design knows of the run.
func finish(made *record.Record, next design.Run) {
	made.Block, made.Position, made.Attempt, made.Purpose = next.Block, next.Position, next.Attempt, next.Purpose
	if made.Kind == record.Pilot && made.Purpose == record.ForRate && !made.Failed() {
		made.Failure = unfound(made)
	}
}

// request returns the request to the conductor for a run.
func (l *Loop) request(next design.Run) (run.Request, error) {
	prepared := l.prepared(next.Variant)
	e := l.Experiment
	request := run.Request{
		Kind: next.Kind, Plan: prepared.Plan, Folders: prepared.Folders, First: prepared.Plan.Operations[0].Parts()[0],
		Checking: e.Sink != config.Counting, Spans: l.spans[next.Variant], Begun: l.begun[next.Variant], Seed: next.Seed, Faults: e.FaultsOf(prepared.Variant), Deaf: l.deaf(next.Variant),
	}
	first := e.Load.Steps()[0]
	request.Load, request.FirstParameter = first.Load, ofDepth(first.Parameter)
	attempt := next.Variant + "-" + strconv.Itoa(next.Attempt)
	switch next.Kind {
	case record.Calibration:
		// What an operation makes is learnt with a sink that loses nothing.
		request.Plan, request.Checking, request.Faults = prepared.Calibration, true, config.Faults{}
		request.Name = "calibration-" + attempt
	case record.Pilot:
		request.Name = "pilot-" + attempt
		if next.Purpose == record.ForWarmup {
			request.Name = "warmup-" + attempt
		}
	default:
		request.Name = fmt.Sprintf("%03d-%s", next.Block, attempt)
		request.Profile, request.Causes = e.Profile, prepared.Causes
		if e.Profile.Start && next.Block%2 == 0 {
			request.Cold = cmp.Or(e.Language(), "an unknown language")
		}
		for _, one := range l.Variants {
			request.Drain = max(request.Drain, run.Drain(one.Plan, l.calibrations(one.Variant.Name)))
		}
		if e.Captures {
			request.Captures = next.Block
		}
		if e.KeepTraces {
			request.KeepTraces = next.Block
		}
		if e.Samples {
			request.Samples = fmt.Sprintf("%s-%d", next.Variant, next.Block)
		}
	}
	rates, err := l.rates(next)
	if err != nil {
		return request, err
	}
	warmup, err := l.warmup(next.Kind)
	if err != nil {
		return request, err
	}
	if next.Kind == record.Calibration && !prepare.Exports(request.Plan) {
		return request, nil // there is nothing to learn, but something to verify
	}
	for _, phase := range next.Phases {
		if next.Purpose == record.ForWarmup {
			request.Phases = append(request.Phases, l.watched(phase, prepared.Plan.Operations, rates))
			continue
		}
		one := l.phase(next, phase, prepared.Plan.Operations, rates)
		if next.Kind == record.Measured {
			one.Load.Warmup = warmup
		}
		request.Phases = append(request.Phases, one)
	}
	return request, nil
}

// phase resolves the load of one phase. Operations are those of the variant's plan,
// in which ${env:NAME} is filled in; rates are by operation, where they are relative.
func (l *Loop) phase(next design.Run, phase design.Phase, operations []program.Operation, rates map[string]float64) run.PhaseRequest {
	e := l.Experiment
	at := slices.IndexFunc(operations, func(o program.Operation) bool { return o.Name == phase.Operation })
	request := run.PhaseRequest{Operation: operations[at], Load: e.Load}
	switch {
	case next.Kind == record.Calibration:
		level := e.Load.Steps()[phase.Level]
		request.Load, request.Parameter = level.Load, ofDepth(level.Parameter)
		return request
	case next.Kind == record.Pilot:
		request.Load = pilotLoad(e.Load)
	default:
		level := e.Load.Steps()[phase.Level]
		request.Load, request.Parameter = level.Load.For(request.Operation), level.Parameter
		if relative := level.Load.Relative; relative != nil {
			request.Load.Rate = relative.Share * rates[phase.Operation]
		}
	}
	if c := request.Load.Capacity; c != nil {
		request.Search = l.search(*c, next.Variant, request.Operation, request.Parameter)
	}
	return request
}

// ofDepth is a parameter where it says how deep operations are, on which depends how
// many spans they make; otherwise nil.
func ofDepth(parameter map[string]string) map[string]string {
	if _, deep := parameter[record.ParameterDepth]; deep {
		return parameter
	}
	return nil
}

func (l *Loop) prepared(variant string) Prepared {
	return l.Variants[slices.IndexFunc(l.Variants, func(c Prepared) bool { return c.Variant.Name == variant })]
}
