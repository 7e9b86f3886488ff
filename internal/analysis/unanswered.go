// This file answers for budgets on metrics that are not shown: a limit that a
// user set is never met by silence.
package analysis

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// unanswered gives a verdict on every limit that no verdict was held against:
// on the finding, or on one made for it.
func (s *study) unanswered(claims []*claim) []*claim {
	var made []*claim
	list := metrics(nil, false)
	for i := range s.in.Experiment.Budget {
		limit := &s.in.Experiment.Budget[i]
		at := slices.IndexFunc(list, func(m metric) bool { return m.name == limit.Metric })
		if at < 0 {
			continue
		}
		operations := s.operations()
		if list[at].wholeRun {
			operations = []string{""}
		}
		for _, operation := range operations {
			for _, p := range s.pairs() {
				if p.extra {
					continue
				}
				c := find(claims, limit.Metric, operation, p)
				if c == nil {
					c = emptyClaim(list[at], p, operation)
					made = append(made, c)
				}
				if c.Verdict.Budget == nil {
					c.Verdict.Budget = &limit.Value
					s.whyNot(c)
				}
			}
		}
	}
	return made
}

// find returns the claim of a metric over all roles, nil where there is none.
func find(claims []*claim, name, operation string, p pair) *claim {
	for _, c := range claims {
		if c.Metric == name && c.Role == "" && c.Operation == operation && c.pair == p {
			return c
		}
	}
	return nil
}

func emptyClaim(m metric, p pair, operation string) *claim {
	return &claim{metric: m, pair: p, Finding: finding.Finding{
		Operation: operation, Variant: p.variant, Against: p.against,
		Metric: m.name, Unit: m.unit, Better: m.better, Samples: []finding.Sample{},
	}}
}

// whyNot says why there is no figure. Where both sides have none of a thing, no
// limit on its growth is broken.
func (s *study) whyNot(c *claim) {
	samples := s.samples(c.metric, c.pair, c.Operation)
	switch {
	case len(samples) > 0 && allZero(samples):
		c.Blocks = len(samples)
		c.Verdict.Kind, c.Verdict.Text = finding.Within, "within the budget: none on either side"
	case c.metric.pointOnly:
		c.cannotTell("a maximum has no interval", 0)
	case c.metric.latency && s.closed():
		c.cannotTell("a closed loop gives no latency to compare", 0)
	case c.metric.latency && s.overloadOf(c.pair, c.Operation) != "":
		c.Verdict.Kind, c.Verdict.Text = finding.Overloaded, s.overloadOf(c.pair, c.Operation)
	case c.metric.latency:
		c.cannotTell("too few values support it in each run, or it reaches into time-outs", 0)
	default:
		c.cannotTell("it was not measured", 0)
	}
}
