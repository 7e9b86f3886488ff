// This file accounts for spans: what each variant is meant to deliver, the
// ledgers, and the metrics that rest on them.
package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/stats"
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
			t.Silent, t.Sampling = plan.Silent, plan.Sampling
		}
		for _, operation := range append(s.operations(), record.ProbeOperation) {
			if per, known := s.perOperation(i, plan, operation, learnt); known {
				t.Spans[operation] = per
			}
		}
		s.tracing[v.Name] = t
	}
}

// calibrations returns a variant's calibration runs. They sample every span.
func (s *study) calibrations(variant string) []record.Record {
	var out []record.Record
	for _, r := range s.in.Records {
		if r.Kind == record.Calibration && r.Variant == variant {
			out = append(out, r)
		}
	}
	return out
}

// perOperation is how many spans an operation makes: declared; or learnt from the
// variant itself, or from another one with the same tracer; or none, where there
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
	for _, other := range s.variants {
		if per, ok := learnt[other.Name][operation]; ok && tracerName(other) == tracerName(v) {
			return per, true
		}
	}
	return ledger.PerOperation{}, false
}

// knowsSink reports whether any process of a variant is told where the sink is.
// Its ports are chosen for each run: without a placeholder nobody finds it.
func knowsSink(v spec.Variant, plan *spec.Plan) bool {
	const mark = "{sink."
	told := func(env map[string]string, words ...[]string) bool {
		for _, value := range env {
			if strings.Contains(value, mark) {
				return true
			}
		}
		return slices.ContainsFunc(slices.Concat(words...), func(word string) bool { return strings.Contains(word, mark) })
	}
	if told(v.Env, v.Args) {
		return true
	}
	return plan != nil && slices.ContainsFunc(plan.Processes, func(p spec.Process) bool { return told(p.Env, p.Run) })
}

// account makes the ledgers, of all good runs: a spoiled clock spoils no count.
func (s *study) account() {
	s.ledgers = []finding.Ledger{}
	for _, v := range s.variants {
		t := s.tracing[v.Name]
		var runs []ledger.Run
		for _, block := range sortedBlocks(s.all[v.Name]) {
			r := s.all[v.Name][block]
			one := ledger.FromRecord(r.Record)
			r.delivery = ledger.Deliveries(one, t)
			runs = append(runs, one)
		}
		s.ledgers = append(s.ledgers, ledger.Account(v.Name, ledger.AppToSink, s.operations(), t, runs)...)
	}
}

// meant is how many spans per operation a variant is meant to deliver.
func (s *study) meant(variant, operation string) (float64, bool) {
	t := s.tracing[variant]
	per, known := t.Spans[operation]
	if !known || t.Silent {
		return 0, t.Silent
	}
	return (per.Low + per.High) / 2 * t.Sampling, true
}

// perSpan is the added CPU per span that is meant to be delivered; nil where none
// is, or where too many were lost.
func (s *study) perSpan(p pair, operation string) *claim {
	if operation == "" || s.share(p.variant, operation) < lossless {
		return nil
	}
	value, known := s.meant(p.variant, operation)
	base, knownBase := s.meant(p.against, operation)
	added := value - base
	if !known || !knownBase || added <= 0 {
		return nil
	}
	samples := s.samples(cpuMetric(""), p, operation)
	if len(samples) == 0 {
		return nil
	}
	for i, one := range samples {
		samples[i] = finding.Sample{Block: one.Block, Value: (one.Value - one.Baseline) / added}
	}
	c := &claim{pair: p, metric: metric{name: cpuPerSpan}, Finding: finding.Finding{
		Operation: operation, Variant: p.variant, Against: p.against, Metric: cpuPerSpan, Unit: "s", Better: lower,
		Blocks: len(samples), Samples: samples,
		Note: fmt.Sprintf("added CPU over %s per operation meant to be delivered", spansText(added)),
	}}
	c.estimate(s.quick())
	return c
}

func spansText(n float64) string {
	if n == 1 {
		return "1 span"
	}
	return fmt.Sprintf("%.4g spans", n)
}

// share is the delivered share of a variant's spans on an operation, 1 where it
// is not known.
func (s *study) share(variant, operation string) float64 {
	if l := s.ledgerOf(variant, operation); l != nil {
		return 1 - l.LostShare
	}
	return 1
}

// ledgerOf returns the ledger of a variant on an operation, nil if there is none.
func (s *study) ledgerOf(variant, operation string) *finding.Ledger {
	for i := range s.ledgers {
		if l := &s.ledgers[i]; l.Variant == variant && l.Operation == operation {
			return l
		}
	}
	return nil
}

// delivered is the delivered share, and the verdict on the budget for lost spans.
func (s *study) delivered(p pair, operation string) *claim {
	budget := s.lostBudget(p)
	if operation == "" {
		return nil
	}
	samples, compared := s.shares(p, operation)
	t := s.tracing[p.variant]
	if len(samples) == 0 && (budget == nil || t.Silent || t.Sampling <= 0) {
		return nil
	}
	c := &claim{pair: p, metric: metric{name: deliveredShare, noVerdict: true}, Finding: finding.Finding{
		Operation: operation, Variant: p.variant, Against: p.against, Metric: deliveredShare, Unit: "1", Better: higher,
		Blocks: len(samples), Samples: samples,
	}}
	if len(samples) > 0 {
		base, value := columns(samples)
		c.Baseline, c.Value = stats.Center(base), stats.Center(value)
		if compared {
			c.Absolute = interval(stats.SignedRank(minus(value, base), confidence), s.quick())
		}
	}
	if l := s.ledgerOf(p.variant, operation); l != nil {
		c.Note = l.Verdict
	}
	if budget != nil {
		s.judgeLost(c, budget)
	}
	return c
}

// shares returns the delivered shares, block by block, and whether both sides
// have any: a baseline that delivers nothing has none to be compared with.
func (s *study) shares(p pair, operation string) (samples []finding.Sample, compared bool) {
	compared = true
	for _, block := range s.blocksOf(p.variant, p.against) {
		value, known := s.runs[p.variant][block].delivery[operation]
		if !known || value.Due <= 0 {
			return nil, false
		}
		sample := finding.Sample{Block: block, Value: value.Share()}
		if base, known := s.runs[p.against][block].delivery[operation]; known && base.Due > 0 {
			sample.Baseline = base.Share()
		} else {
			compared = false
		}
		samples = append(samples, sample)
	}
	return samples, compared
}

func (s *study) lostBudget(p pair) *spec.Limit {
	for i := range s.in.Experiment.Budget {
		if limit := &s.in.Experiment.Budget[i]; limit.Metric == lostMetric && !p.extra {
			return limit
		}
	}
	return nil
}

// judgeLost holds what the ledger says was lost against its budget. Losses are
// counted, not estimated: there is no interval but where the ledger has one.
func (s *study) judgeLost(c *claim, budget *spec.Limit) {
	c.Verdict.Budget = &budget.Value
	l := s.ledgerOf(c.Variant, c.Operation)
	if l == nil {
		c.cannotTell("no span was accounted for", 0)
		return
	}
	allowed := finding.FormatBound(budget.Value, "1", true)
	least, most, known := lossEnds(*l)
	switch {
	case !known:
		c.cannotTell("it is not known how many spans were to be expected", 0)
	case least > budget.Value:
		c.Verdict.Kind, c.Verdict.Text = finding.Over, "over the budget of "+allowed+" lost: "+l.Verdict
	case most <= budget.Value:
		c.Verdict.Kind, c.Verdict.Text = finding.Within, "within the budget of "+allowed+" lost: "+l.Verdict
	default:
		c.cannotTell(l.Verdict, 0)
	}
}

// lossEnds returns the least and the most that may have been lost, as shares.
func lossEnds(l finding.Ledger) (least, most float64, known bool) {
	var delivered, lost, more float64
	for _, e := range l.Entries {
		switch e.Name {
		case ledger.Expected:
			known = true
		case ledger.Delivered:
			delivered = float64(e.Spans)
		case ledger.Unaccounted:
			more = max(0, float64(e.High-max(0, e.Spans)))
		}
	}
	lost = l.LostShare * delivered / max(1-l.LostShare, 1e-12)
	if l.LostShare >= 1 {
		return 1, 1, known
	}
	if delivered+lost+more <= 0 {
		return 0, 0, known
	}
	return l.LostShare, (lost + more) / (delivered + lost + more), known
}

func sortedBlocks(byBlock map[int]*run) []int {
	keys := make([]int, 0, len(byBlock))
	for block := range byBlock {
		keys = append(keys, block)
	}
	slices.Sort(keys)
	return keys
}
