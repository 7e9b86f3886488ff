// This file pairs variants and makes a finding of each metric of each pair.
package analysis

import (
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/spec"
)

// pair is a variant and what it is compared with.
type pair struct {
	variant, against string
	extra            bool // not against the baseline
}

// pairs returns each variant against the baseline, and those against another
// variant that the experiment asks for.
func (s *study) pairs() []pair {
	var out []pair
	for _, v := range s.variants[1:] {
		out = append(out, pair{variant: v.Name, against: s.baseline})
		if v.Against != "" && v.Against != s.baseline && v.Against != v.Name {
			out = append(out, pair{variant: v.Name, against: v.Against, extra: true})
		}
	}
	return out
}

// claim is a finding on its way to a verdict.
type claim struct {
	finding.Finding
	metric      measure
	pair        pair
	at          cell.At
	differences []float64
	logs        []float64        // nil where there is no ratio
	apart       *estimate.Extent // of the differences, where they are not exact
	logsApart   *estimate.Extent // of logs
	budget      *spec.Limit
	doubts      doubts
	bent        string // why nothing can be read off the end of its line; "" where it can
}

// findings makes all findings, with their verdicts.
func (s *study) findings() []finding.Finding {
	var claims []*claim
	for _, at := range append(s.cells(), cell.At{}) {
		for _, p := range s.pairs() {
			claims = append(claims, s.claims(p, at)...)
		}
	}
	for _, operation := range s.operations() {
		for _, p := range s.pairs() {
			claims = append(claims, s.slopes(p, operation)...)
		}
	}
	s.judge(claims)
	claims = append(claims, s.unanswered(claims)...)
	s.withhold(claims)
	out := make([]finding.Finding, 0, len(claims))
	for _, c := range claims {
		if c.Headline {
			s.headlines = append(s.headlines, c)
		}
		out = append(out, c.Finding)
	}
	return out
}

// claims makes the findings of one pair on one cell.
func (s *study) claims(p pair, at cell.At) []*claim {
	var out []*claim
	add := func(c *claim) {
		if c != nil {
			out = append(out, c)
		}
	}
	for _, m := range measures(s.roles(), s.loopOf(at)) {
		if m.WholeRun == (at == cell.At{}) {
			add(s.claim(m, p, at))
		}
	}
	add(s.perSpan(p, at))
	add(s.delivered(p, at))
	return out
}

// claim makes the finding of one metric; nil where there is nothing to show.
func (s *study) claim(m measure, p pair, at cell.At) *claim {
	samples := s.samples(m, p, at)
	if estimate.AllZero(samples) {
		return nil
	}
	c := s.outline(m, p, at, samples)
	c.Note = m.note
	if text := resolutionNote(samples); text != "" {
		c.remark(text)
	}
	c.estimate(s.confidence(estimate.Confidence), s.quick())
	if m.uncompared {
		c.Uncompared = true
		c.Absolute, c.Relative, c.logs, c.logsApart = nil, nil, nil, nil
	}
	if s.overNothing(c) {
		c.Amount, c.logs, c.logsApart = true, nil, nil
	}
	return c
}

// outline is the claim of one metric without its figures: whether it is a headline, and gets a verdict.
func (s *study) outline(m measure, p pair, at cell.At, samples []finding.Sample) *claim {
	c := s.newClaim(m, p, at, samples)
	c.Headline = m.headline && m.role == "" && !p.extra
	if !at.Level.IsZero() && s.sloped(at.Operation) && s.budgetFor(c) == nil {
		c.Headline, c.metric.noVerdict = false, true
	}
	return c
}

// overNothing reports whether a claim is about time over that of operations which do
// nothing, untraced: as a ratio it would say what the call of an empty method costs. A
// budget is a ratio, whatever it is held against; so are all figures where some operations do
// something, that they can be told together.
func (s *study) overNothing(c *claim) bool {
	e, tracer := s.in.Experiment, s.variants[0].Tracer
	traced := tracer != nil && tracer.Name != spec.NoTracer
	if c.pair.extra || c.Unit != "s" || c.metric.WholeRun || e.Load.Busy > 0 || traced || s.budgetFor(c) != nil {
		return false
	}
	return len(e.Operations) > 0 && !slices.ContainsFunc(e.Operations, func(o spec.Operation) bool { return !o.Empty })
}

// newClaim is a claim without its figures.
func (s *study) newClaim(m measure, p pair, at cell.At, samples []finding.Sample) *claim {
	return &claim{metric: m, pair: p, at: at, Finding: finding.Finding{
		Operation: at.Operation, Parameter: at.Level.Map(), Variant: p.variant, Against: p.against,
		Metric: m.Name, Role: string(m.role), Unit: m.Unit, Better: m.Better, Blocks: len(samples), Samples: samples,
	}}
}

// samples returns the values of both sides, block by block; nil where a run
// cannot give the metric. A block in which a search came to nothing does not count,
// like one in which a run failed; but too many of those are nil as well.
func (s *study) samples(m measure, p pair, at cell.At) []finding.Sample {
	var out []finding.Sample
	unsteady := 0
	blocks := s.blocksOf(p.variant, p.against)
	for _, block := range blocks {
		base, value := s.runs[p.against][block], s.runs[p.variant][block]
		basePhase, valuePhase := base.phases[at], value.phases[at]
		if !m.WholeRun && (basePhase == nil || valuePhase == nil) {
			continue
		}
		if !m.WholeRun && (basePhase.unsteady() || valuePhase.unsteady()) {
			if unsteady++; unsteady > len(blocks)/droppable {
				return nil
			}
			continue
		}
		b, okBase := m.value(base, basePhase)
		v, okValue := m.value(value, valuePhase)
		if !okBase || !okValue || !estimate.Sane(b) || !estimate.Sane(v) {
			return nil
		}
		one := finding.Sample{Block: block, Baseline: b, Value: v}
		if m.Name == metric.Capacity {
			one.BaselineWithin, one.ValueWithin = basePhase.bracket(), valuePhase.bracket()
		}
		out = append(out, one)
	}
	return out
}

// quick reports whether figures are all that is asked for.
func (s *study) quick() bool { return s.in.Experiment.Design.Quick }
