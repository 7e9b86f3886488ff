package run

import (
	"context"
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// mostProbes ends a search that a Searcher would never end.
const mostProbes = 1000

// operation is the phase's operation. What is varied or searched for is the
// phase's to say: a rate of the operation's own does not count then.
func (p PhaseRequest) operation() spec.Operation {
	o := p.Operation
	if p.Parameter != nil || p.Search != nil || p.Load.Relative != nil {
		o.Rate = 0
	}
	return o
}

// tried is a probe with what the phase needs of it.
type tried struct {
	probe record.Probe
	usage []record.Usage // until the quiet after it
}

// search makes one operation at the rates that the request's Searcher chooses:
// warm-up, drain, then probe after probe, each with a drain of its own, so that
// the spans of one are not counted in the next.
//
// The phase's window is the probe that the search settled on. The account of
// spans covers the processes' life, so that what the other probes did and what
// arrived of it is added to the phase's warm-up.
func (s *stage) search(ctx context.Context, request PhaseRequest, counted record.Counts) (record.Phase, record.Counts, error) {
	operation := request.operation()
	phase := record.Phase{Operation: operation.Name, Parameter: request.Parameter}
	task, err := s.task(operation, request.Load)
	if err != nil {
		return phase, counted, err
	}
	first, more := request.Search.Next(nil)
	if !more {
		return phase, counted, fmt.Errorf("operation %s: the search for its capacity has no rate to begin with", operation.Name)
	}
	s.name = "warm-up"
	task.Rate, task.Duration = first.Rate, request.Load.Warmup
	if phase.Warmup, err = s.attempt(ctx, operation, task); err != nil {
		return phase, counted, err
	}
	if phase.Warmup.Completed == 0 && phase.Warmup.Started > 0 {
		return phase, counted, answeredBadly(operation, phase.Warmup)
	}
	warm, err := s.drain(ctx, counted, s.awaited(operation.Name, phase.Warmup.Started))
	if err != nil {
		return phase, counted, err
	}
	phase.WarmupSink, phase.Quiet = warm.counts.Minus(counted), warm.quiet

	s.name = "window"
	begun, own := time.Now(), s.own()
	all, counted, err := s.probes(ctx, request, operation, task, warm.counts)
	if err != nil {
		return phase, counted, err
	}
	s.record.Harness.OwnCPU += (s.own() - own).Seconds()
	s.record.Harness.OwnSeconds += time.Since(begun).Seconds()
	probes := make([]record.Probe, len(all))
	for i := range all {
		probes[i] = all[i].probe
	}
	result := request.Search.Result(probes)
	result.Seconds = time.Since(begun).Seconds()
	phase.Capacity = &result
	at := settledOn(probes)
	if probes[at].Load.Completed == 0 {
		return phase, counted, answeredBadly(operation, probes[at].Load)
	}
	return phase, counted, settle(&phase, all, at)
}

// probes makes one probe after the other, until the search ends.
func (s *stage) probes(ctx context.Context, request PhaseRequest, operation spec.Operation, task load.Task, counted record.Counts) ([]tried, record.Counts, error) {
	var all []tried
	var made []record.Probe
	for {
		next, more := request.Search.Next(made)
		if !more {
			return all, counted, nil
		}
		if len(made) == mostProbes {
			return all, counted, fmt.Errorf("operation %s: the search for its capacity does not end: %d probes were made", operation.Name, mostProbes)
		}
		task.Seed++
		t, end, err := s.try(ctx, request, operation, task, next, counted)
		if err != nil {
			return all, end, err
		}
		counted = end
		all, made = append(all, t), append(made, t.probe)
	}
}

// try makes one probe.
func (s *stage) try(ctx context.Context, request PhaseRequest, operation spec.Operation, task load.Task, p record.Probe, counted record.Counts) (tried, record.Counts, error) {
	if p.Seconds <= 0 {
		p.Seconds = request.Load.Duration.Seconds()
	}
	task.Rate, task.Duration = p.Rate, time.Duration(p.Seconds*float64(time.Second))
	busy, own := s.busy(), s.own()
	before, err := s.meter.Mark()
	if err != nil {
		return tried{}, counted, err
	}
	threads, err := s.meter.Threads("app")
	if err != nil {
		return tried{}, counted, err
	}
	if p.Load, err = s.attempt(ctx, operation, task); err != nil {
		return tried{}, counted, err
	}
	hot, err := s.meter.Threads("app")
	if err != nil {
		return tried{}, counted, err
	}
	asked, err := s.meter.Mark()
	if err != nil {
		return tried{}, counted, err
	}
	p.Usage = s.between(before, asked)
	p.Others = s.others(busy, s.busy(), p.Usage, s.own()-own)
	p.Utilisation = s.utilisation(p.Usage)
	p.HottestOf, p.Hottest = s.meter.Hottest(threads, hot)
	calm, rested := true, time.Duration(0)
	if !request.Search.Judge(p).Held {
		if calm, rested, err = s.rest(ctx); err != nil {
			return tried{}, counted, err
		}
	}
	end, err := s.drain(ctx, counted, s.awaited(operation.Name, p.Load.Started))
	if err != nil {
		return tried{}, counted, err
	}
	after, err := s.meter.Mark()
	if err != nil {
		return tried{}, counted, err
	}
	p.Sink, p.Quiet, p.DrainSeconds = end.counts.Minus(counted), end.quiet, (rested + end.took).Seconds()
	p.Expected, p.Lost = s.lost(operation.Name, p)
	p = request.Search.Judge(p)
	if !calm {
		p.Why += "; the app was still busy with it when patience ended"
	}
	return tried{probe: p, usage: s.between(before, after)}, end.counts, nil
}

// lost is how many spans the operations that were answered as expected made, and
// how many of them did not come; zeros where the first is not known exactly. The
// other operations may have made theirs or not, so that a probe with such may
// have lost more.
func (s *stage) lost(operation string, p record.Probe) (expected, lost float64) {
	expected = s.awaited(operation, p.Load.Completed)
	if !s.exporting || expected <= 0 {
		return 0, 0
	}
	return expected, max(0, expected-float64(p.Sink.Unique()))
}

// settledOn is the probe that stands for the phase: the last that was held and
// passed, else the last that was held, else the last.
func settledOn(probes []record.Probe) int {
	at, held := len(probes)-1, false
	for i := len(probes) - 1; i >= 0; i-- {
		p := &probes[i]
		if p.Held && p.Passed {
			return i
		}
		if p.Held && !held {
			at, held = i, true
		}
	}
	return at
}

// settle makes one of the probes the phase's window, and adds the others to its
// warm-up.
func settle(phase *record.Phase, all []tried, at int) error {
	chosen := all[at]
	phase.OfferedRate = chosen.probe.Rate
	phase.Load, phase.Sink, phase.Usage = chosen.probe.Load, chosen.probe.Sink, chosen.usage
	phase.DrainSeconds = chosen.probe.DrainSeconds
	phase.Quiet = phase.Quiet && chosen.probe.Quiet
	var err error
	for i := range all {
		if i == at {
			continue
		}
		if phase.Warmup, err = phase.Warmup.Plus(all[i].probe.Load); err != nil {
			return fmt.Errorf("adding up the probes of operation %s: %w", phase.Operation, err)
		}
		phase.WarmupSink = phase.WarmupSink.Plus(all[i].probe.Sink)
	}
	return nil
}
