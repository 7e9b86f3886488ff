// This file pairs variants and makes a finding of each metric of each pair.
package effect

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/spec"
)

// claim is a finding on its way to a verdict.
type claim struct {
	finding.Finding
	metric      measure.Measure
	pair        dataset.Pair
	at          cell.At
	differences []float64
	logs        []float64        // nil where there is no ratio
	apart       *estimate.Extent // of the differences, where they are not exact
	logsApart   *estimate.Extent // of logs
	budget      *spec.Limit
	asked       float64 // estimate.Confidence asked of the verdict's interval
	doubts      doubts
	bent        string // why nothing can be read off the end of its line; "" where it can
	short       bool   // too few blocks for an interval that is corrected for all claims of the family
}

// Findings makes all findings, with their verdicts.
func (s *Maker) Findings() []finding.Finding {
	var claims []*claim
	for _, at := range append(s.Cells(), cell.At{}) {
		for _, p := range s.Pairs() {
			claims = append(claims, s.claims(p, at)...)
		}
	}
	for _, operation := range s.Operations() {
		for _, p := range s.Pairs() {
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
func (s *Maker) claims(p dataset.Pair, at cell.At) []*claim {
	var out []*claim
	add := func(c *claim) {
		if c != nil {
			out = append(out, c)
		}
	}
	for _, m := range measure.All(s.Charges(), s.RegimeOf(at)) {
		if m.WholeRun == (at == cell.At{}) {
			add(s.claim(m, p, at))
		}
	}
	add(s.perSpan(p, at))
	add(s.delivered(p, at))
	return out
}

// claim makes the finding of one metric; nil where there is nothing to show.
func (s *Maker) claim(m measure.Measure, p dataset.Pair, at cell.At) *claim {
	samples := m.Samples(s.Set, p, at)
	if estimate.AllZero(samples) {
		return nil
	}
	c := s.outline(m, p, at, samples)
	c.Note = m.Remark
	if text := resolutionNote(samples); text != "" {
		c.remark(text)
	}
	c.estimate(s.Confidence(estimate.Confidence), s.Quick())
	if m.NotCompared {
		c.Uncompared = true
		c.Absolute, c.Relative, c.logs, c.logsApart = nil, nil, nil, nil
	}
	if s.overNothing(c) {
		c.Amount, c.logs, c.logsApart = true, nil, nil
	}
	return c
}

// outline is the claim of one metric without its figures: whether it is a headline, and gets a verdict.
func (s *Maker) outline(m measure.Measure, p dataset.Pair, at cell.At, samples []finding.Sample) *claim {
	c := s.newClaim(m, p, at, samples)
	c.Headline = m.Leads && !p.Extra
	if !at.Level.IsZero() && s.Sloped(at.Operation) && s.budgetFor(c) == nil {
		c.Headline, c.metric.NoVerdict = false, true
	}
	return c
}

// overNothing reports whether a claim is about time over that of operations which do
// nothing, untraced: as a ratio it would say what the call of an empty method costs. A
// budget is a ratio, whatever it is held against; so are all figures where some operations do
// something, that they can be told together.
func (s *Maker) overNothing(c *claim) bool {
	e, tracer := s.Experiment, s.Variants[0].Tracer
	traced := tracer != nil && tracer.Name != spec.NoTracer
	if c.pair.Extra || c.Unit != "s" || c.metric.WholeRun || e.Load.Busy > 0 || traced || s.budgetFor(c) != nil {
		return false
	}
	return len(e.Operations) > 0 && !slices.ContainsFunc(e.Operations, func(o spec.Operation) bool { return !o.Empty })
}

// newClaim is a claim without its figures.
func (s *Maker) newClaim(m measure.Measure, p dataset.Pair, at cell.At, samples []finding.Sample) *claim {
	return &claim{metric: m, pair: p, at: at, Finding: finding.Finding{
		Operation: at.Operation, Parameter: at.Level.Map(), Variant: p.Variant, Against: p.Against,
		Metric: m.Name, Role: string(m.Payer.Role), Service: m.Payer.Service, Unit: m.Unit, Better: m.Better, Blocks: len(samples), Samples: samples,
	}}
}

// HeadlineFindings are the headline's findings alone, without verdicts, by variant.
func (s *Maker) HeadlineFindings() []finding.Finding {
	var out []finding.Finding
	for _, p := range s.Pairs() {
		for _, at := range s.Cells() {
			if p.Extra {
				continue
			}
			if c := s.claim(measure.Headline(s.RegimeOf(at)), p, at); c != nil {
				out = append(out, c.Finding)
			}
		}
	}
	return out
}
