// This file accounts for spans: what each variant is meant to deliver, the
// ledgers, and the metrics that rest on them.
package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// lossless is the delivered share below which no cost per span is given: a tracer
// that throws spans away is not cheap.
const lossless = 0.99

// lostMetric is what a budget calls the share of spans that are lost.
const lostMetric = "lost_share"

// trace finds out what each variant's tracing is meant to do.
func (s *study) trace() {
	learnt := map[string]map[string]ledger.PerOperation{}
	for _, v := range s.variants {
		learnt[v.Name] = ledger.Learn(s.calibrations(v.Name), 1, false)
	}
	for i, v := range s.variants {
		t := ledger.Tracing{Sampling: 1, Spans: map[string]ledger.PerOperation{}}
		plan := s.in.Plans[v.Name]
		if plan != nil {
			t.Silent, t.Sampling, t.Holds = plan.Silent, plan.Sampling, plan.Holds
		}
		for _, operation := range append(s.operations(), record.ProbeOperation) {
			if per, known := s.perOperation(i, plan, operation, learnt); known {
				t.Spans[operation] = per
			}
		}
		s.traceDepths(i, t, learnt)
		s.tracing[v.Name] = t
	}
}

// traceDepths says how many spans an operation makes at each depth of a sweep: learnt
// there, because a number of one depth says nothing of another.
func (s *study) traceDepths(i int, t ledger.Tracing, learnt map[string]map[string]ledger.PerOperation) {
	for _, at := range s.cells() {
		if s.parameters[at.level][depthParameter] == "" {
			continue
		}
		own, traces := learnt[s.variants[i].Name][at.String()] // in a way of its own, where it has no tracer
		if traces {
			t.Spans[at.String()] = own
			continue
		}
		if tracerName(s.variants[i]) == "none" {
			continue // its number, if it is known, is nought at any depth
		}
		if per, known := s.learntOf(i, at.String(), learnt); known {
			t.Spans[at.String()] = per
			continue
		}
		delete(t.Spans, at.operation)
	}
}

// calibrations returns a variant's calibration runs. They sample every span. A phase
// that does not say at which level it was made was made at the depth that its
// workload tells.
func (s *study) calibrations(variant string) []record.Record {
	var out []record.Record
	for _, r := range s.in.Records {
		if r.Kind != record.Calibration || r.Variant != variant {
			continue
		}
		r.Phases = slices.Clone(r.Phases)
		for i := range r.Phases {
			if d := r.Phases[i].Load.Driven; d != nil && d.Depth > 0 && len(r.Phases[i].Parameter) == 0 {
				r.Phases[i].Parameter = map[string]string{depthParameter: strconv.Itoa(d.Depth)}
			}
		}
		out = append(out, r)
	}
	return out
}

// perOperation is how many spans an operation makes: declared; or learnt from the
// variant itself, or from another one that makes the same spans; or none, where there
// is no tracer.
func (s *study) perOperation(i int, plan *spec.Plan, operation string, learnt map[string]map[string]ledger.PerOperation) (ledger.PerOperation, bool) {
	v := s.variants[i]
	own, known := learnt[v.Name][operation]
	if plan != nil {
		if n, declared := plan.Spans[operation]; declared {
			return ledger.PerOperation{Low: n.Low, High: n.High, Traces: own.Traces, How: ledger.Declared}, true
		}
	}
	if known {
		return own, true
	}
	if tracerName(v) == "none" {
		plain := i == 0 || !knowsSink(v, plan) // otherwise the user may trace in a way of their own
		return ledger.PerOperation{How: ledger.Declared}, plain
	}
	return s.learntOf(i, operation, learnt)
}

// learntOf is what was learnt of a variant itself, or of another one that makes the same
// spans, under the name of an operation or of an operation at a level.
func (s *study) learntOf(i int, name string, learnt map[string]map[string]ledger.PerOperation) (ledger.PerOperation, bool) {
	if per, known := learnt[s.variants[i].Name][name]; known {
		return per, true
	}
	for _, other := range s.variants {
		if per, ok := learnt[other.Name][name]; ok && sameSpans(other, s.variants[i]) {
			return per, true
		}
	}
	return ledger.PerOperation{}, false
}

// sinkMark begins the placeholders of the sink's addresses.
const sinkMark = "{sink."

// knowsSink reports whether any process of a variant is told where the sink is.
// Its ports are chosen for each run: without a placeholder nobody finds it.
func knowsSink(v spec.Variant, plan *spec.Plan) bool {
	told := func(env map[string]string, words ...[]string) bool {
		for _, value := range env {
			if strings.Contains(value, sinkMark) {
				return true
			}
		}
		return slices.ContainsFunc(slices.Concat(words...), func(word string) bool { return strings.Contains(word, sinkMark) })
	}
	if told(v.Env, v.Args) {
		return true
	}
	return plan != nil && slices.ContainsFunc(plan.Processes, func(p spec.Process) bool { return told(p.Env, p.Run) })
}

// account makes the ledgers, of all good runs: a spoiled clock spoils no count.
func (s *study) account() {
	s.ledgers = []finding.Ledger{}
	cells := s.cells()
	for _, v := range s.variants {
		t, byCell, names := s.tracing[v.Name], s.tracingByCell(v.Name), []string{}
		for _, at := range cells {
			names = append(names, at.String())
		}
		var runs, runsByCell []ledger.Run
		for _, block := range sortedBlocks(s.all[v.Name]) {
			r := s.all[v.Name][block]
			runs = append(runs, ledger.FromRecord(r.Record))
			runsByCell = append(runsByCell, ofCells(r.Record))
			r.delivery = ledger.Deliveries(byCell, runsByCell[len(runsByCell)-1])
		}
		s.ledgers = append(s.ledgers, ledger.Account(v.Name, ledger.AppToSink, s.operations(), t, runs)...)
		s.byCell = append(s.byCell, ledger.Account(v.Name, ledger.AppToSink, names, byCell, runsByCell)...)
	}
	for _, ledgers := range [][]finding.Ledger{s.ledgers, s.byCell} {
		for i := range ledgers {
			_, ledgers[i].LostMost, _ = lossEnds(ledgers[i])
		}
	}
}

// tracingByCell is a variant's tracing with the spans of an operation under the names of its
// cells too, for what is asked of one level alone.
func (s *study) tracingByCell(variant string) ledger.Tracing {
	t := s.tracing[variant]
	t.Spans = maps.Clone(t.Spans)
	for _, at := range s.cells() {
		if per, known := t.Spans[at.operation]; known && !isKnown(t.Spans, at.String()) {
			t.Spans[at.String()] = per
		}
	}
	return t
}

// ofCells is a run with its phases under the names of their cells.
func ofCells(r *record.Record) ledger.Run {
	one := ledger.FromRecord(r)
	for i := range one.Phases {
		one.Phases[i].Operation = cell{r.Phases[i].Operation, levelOf(r.Phases[i].Parameter)}.String()
	}
	return one
}

func isKnown(spans map[string]ledger.PerOperation, name string) bool {
	_, known := spans[name]
	return known
}

// meant is how many spans per operation a variant is meant to deliver.
func (s *study) meant(variant string, at cell) (float64, bool) {
	t := s.tracing[variant]
	per, known := t.Spans[at.String()]
	if !known {
		per, known = t.Spans[at.operation]
	}
	if !known || t.Silent {
		return 0, t.Silent
	}
	if per.Low <= 0 && per.High > 0 {
		return 0, false // a tracer that keeps so many traces a time: between none and all says nothing
	}
	return (per.Low + per.High) / 2 * t.Sampling, true
}

// perSpan is the added CPU per span that is meant to be delivered; nil where none
// is, or where either side lost too many: one that throws spans away is not cheap,
// and what is compared with it looks dear.
func (s *study) perSpan(p pair, at cell) *claim {
	if at.operation == "" || s.loopOf(at) == searching || s.share(p.variant, at) < lossless || s.share(p.against, at) < lossless {
		return nil
	}
	value, known := s.meant(p.variant, at)
	base, knownBase := s.meant(p.against, at)
	added := value - base
	if !known || !knownBase || added <= 0 {
		return nil
	}
	samples := s.samples(cpuMetric(""), p, at)
	if len(samples) == 0 {
		return nil
	}
	for i, one := range samples {
		samples[i] = finding.Sample{Block: one.Block, Value: (one.Value - one.Baseline) / added}
	}
	c := s.newClaim(metric{name: cpuPerSpan, unit: "s", better: lower, added: true, noVerdict: at.level != "" && s.sloped(at.operation)}, p, at, samples)
	c.Note = fmt.Sprintf("added CPU over %s per operation meant to be delivered", spansText(added))
	c.estimate(s.confidence(confidence), s.quick())
	return c
}

func spansText(n float64) string {
	if n == 1 {
		return "1 span"
	}
	return fmt.Sprintf("%.4g spans", n)
}

// share is the delivered share of a variant's spans in what is measured on a cell: of the
// window, or of the whole phase where lostInWindow tells nothing; 1 where it is not known.
func (s *study) share(variant string, at cell) float64 {
	if window := s.lostInWindow(variant, at); window.known {
		return 1 - window.share()
	}
	if l := s.ledgerOf(variant, at); l != nil {
		return 1 - l.LostShare
	}
	return 1
}

// ledgerOf returns the ledger of a variant on a cell, nil if there is none.
func (s *study) ledgerOf(variant string, at cell) *finding.Ledger {
	for i := range s.byCell {
		if l := &s.byCell[i]; l.Variant == variant && l.Operation == at.String() {
			return l
		}
	}
	return nil
}

func sortedBlocks(byBlock map[int]*run) []int {
	keys := make([]int, 0, len(byBlock))
	for block := range byBlock {
		keys = append(keys, block)
	}
	slices.Sort(keys)
	return keys
}
