// This file pairs variants and asks for all findings of each pair, and for their verdicts.

package effect

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

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
		if m.Name == metric.KeptShare && !s.keeps(p, at) {
			continue
		}
		if m.WholeRun == (at == cell.At{}) {
			add(s.claim(m, p, at))
		}
	}
	add(s.perSpan(p, at))
	for _, c := range s.perKeptTrace(p, at) {
		add(c)
	}
	add(s.delivered(p, at))
	return out
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
