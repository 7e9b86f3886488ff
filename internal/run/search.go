package run

import (
	"context"
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// mostProbes ends a search that a Searcher would never end.
const mostProbes = 1000

// mostSearches limits the searches for one capacity of an operation in a run: a second one follows if the probes contradicted
// each other, as leaving the result out would leave its whole block out of the comparison.
const mostSearches = 2

// search makes one operation at the rates that the request's Searcher chooses: warm-up, drain, then probe after probe, each
// with its own drain, so the next one does not count its spans.
//
// The phase's window is the probe that the search chose. The account of spans covers the processes' life, so the operations and
// spans of the other probes are added to the phase's warm-up.
func (s *stage) search(ctx context.Context, request PhaseRequest, counted record.Counts) (record.Phase, record.Counts, error) {
	phase, j, err := s.open(request)
	if err != nil {
		return phase, counted, err
	}
	first, more := request.Search.Next(nil)
	if !more {
		return phase, counted, fmt.Errorf("operation %s: the search for its capacity has no rate to begin with", phase.Operation)
	}
	j.Rate = first.Rate
	warm, clean, err := s.warmUpWholly(ctx, request, j, &phase, counted)
	if err != nil {
		return phase, counted, err
	}
	if err := s.turn.awaitAll(ctx); err != nil { // the rest of others' warm-up is in no probe
		return phase, counted, err
	}

	s.name = "window"
	begun, own := time.Now(), s.own()
	all, result, counted, err := s.searches(ctx, request, &j, warm.counts, clean)
	if err != nil {
		return phase, counted, err
	}
	s.turn.leave()
	if err := s.turn.awaitAll(ctx); err != nil { // all have ended theirs
		return phase, counted, err
	}
	s.record.Harness.OwnCPU += (s.own() - own).Seconds()
	s.record.Harness.OwnSeconds += time.Since(begun).Seconds()
	result.Seconds = time.Since(begun).Seconds()
	phase.Capacity = &result
	last := len(all) - len(result.Probes) // the begin of the last search, which counts
	at := last + chosenProbe(result.Probes, &result)
	if all[at].probe.Load.Completed == 0 {
		return phase, counted, s.answeredBadly(j.Operation, all[at].probe.Load)
	}
	phase.Calm = bothCalm(warm, all[at].end)
	return phase, counted, chooseWindow(&phase, all, at)
}

// searches makes the search, and repeats it if it ended unsteady. It returns the probes of all searches, and the result of the
// last.
func (s *stage) searches(ctx context.Context, request PhaseRequest, j *job, counted record.Counts, clean bool) ([]tried, record.Search, record.Counts, error) {
	var all []tried
	var before []record.Probe
	for made := 1; ; made++ {
		one, end, err := s.probes(ctx, request, j, counted, clean)
		if err != nil {
			return all, record.Search{}, end, err
		}
		all, counted = append(all, one...), end
		if len(one) > 0 {
			clean = one[len(one)-1].clean
		}
		probes := make([]record.Probe, len(one))
		for i := range one {
			probes[i] = one[i].probe
		}
		result := request.Search.Result(probes)
		result.Before = before
		if result.Outcome != record.Unsteady || made == mostSearches {
			return all, result, counted, nil
		}
		before = append(before, probes...)
	}
}

// probes makes one probe after the other, until the search ends. clean: all spans of the warm-up have come.
func (s *stage) probes(ctx context.Context, request PhaseRequest, j *job, counted record.Counts, clean bool) ([]tried, record.Counts, error) {
	var all []tried
	var made []record.Probe
	for {
		next, more := request.Search.Next(made)
		if !more {
			return all, counted, nil
		}
		if len(made) == mostProbes {
			return all, counted, fmt.Errorf("operation %s: the search for its capacity does not end: %d probes were made", j.Operation.Name, mostProbes)
		}
		j.Seed++
		var t tried
		var end record.Counts
		err := s.turn.inTurn(ctx, func() (err error) { t, end, err = s.try(ctx, request, *j, next, counted, clean); return err })
		if err != nil {
			return all, end, err
		}
		counted, clean = end, t.clean
		all, made = append(all, t), append(made, t.probe)
	}
}

// chosenProbe returns the index of the probe that represents the phase: the last at the highest rate held where the service was
// saturated; otherwise the last that was held and passed, else the last that was held, else the last.
func chosenProbe(probes []record.Probe, result *record.Search) int {
	at, held := len(probes)-1, false
	for i := len(probes) - 1; i >= 0; i-- {
		p := &probes[i]
		if saturated := result.Outcome == record.Saturated; saturated && p.Held && p.Rate == result.Passing || !saturated && p.Held && p.Passed {
			return i
		}
		if p.Held && !held {
			at, held = i, true
		}
	}
	return at
}

// chooseWindow makes one of the probes the phase's window, and adds the others to its warm-up.
func chooseWindow(phase *record.Phase, all []tried, at int) error {
	chosen := all[at]
	phase.OfferedRate = chosen.probe.Rate
	phase.Load, phase.Sink, phase.Usage = chosen.probe.Load, chosen.probe.Sink, chosen.usage
	phase.DrainSeconds = chosen.probe.DrainSeconds
	var err error
	for i := range all {
		phase.Quiet = phase.Quiet && all[i].probe.Quiet
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
