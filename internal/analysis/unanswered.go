// This file answers for budgets on metrics that are not shown: a limit that a
// user set is never met by silence.
package analysis

import (
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/words"
)

// unanswered gives a verdict on every limit that no verdict was held against:
// on the finding, or on one made for it.
func (s *study) unanswered(claims []*claim) []*claim {
	var made []*claim
	list := measures(nil, openLoop)
	list = append(list, measures(nil, searching)[:1]...)
	list = append(list, measures(nil, saturating)...)
	for i := range s.in.Experiment.Budget {
		limit := &s.in.Experiment.Budget[i]
		at := slices.IndexFunc(list, func(m measure) bool { return m.Name == limit.Metric })
		if at < 0 {
			continue
		}
		places := s.cells()
		if list[at].WholeRun {
			places = []cell.At{{}}
		}
		for _, where := range places {
			for _, p := range s.pairs() {
				if p.extra {
					continue
				}
				c := find(claims, limit.Metric, where, p)
				if c == nil {
					c = s.newClaim(list[at], p, where, []finding.Sample{})
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
func find(claims []*claim, name string, at cell.At, p pair) *claim {
	for _, c := range claims {
		if c.Metric == name && c.Role == "" && c.at == at && c.pair == p {
			return c
		}
	}
	return nil
}

// whyNot says why there is no figure. Where both sides have none of a thing, no
// limit on its growth is broken.
func (s *study) whyNot(c *claim) {
	samples := s.samples(c.metric, c.pair, c.at)
	how := s.loopOf(c.at)
	switch {
	case c.Metric == metric.Capacity && how == searching:
		c.cannotTell("the capacity was not found in every run", 0)
	case c.Metric == metric.Capacity:
		c.cannotTell("no capacity was searched for", 0)
	case how == searching && (!c.metric.WholeRun || finding.IsOfLoad(c.Metric)):
		c.cannotTell("a search for the capacity compares nothing else at the same work", 0)
	case len(samples) > 0 && estimate.AllZero(samples):
		c.Blocks = len(samples)
		c.Verdict.Kind, c.Verdict.Text = finding.Within, "within the budget: none on either side"
	case c.metric.PointOnly:
		c.cannotTell("a maximum has no interval", 0)
	case c.metric.Nature == metric.Latency && (how == closedLoop || how.drives()):
		c.cannotTell("a closed loop gives no latency to compare", 0)
	case c.metric.Nature == metric.Latency && s.overloadOf(c.pair, c.at) != "":
		c.Verdict.Kind, c.Verdict.Reasons = finding.Overloaded, []finding.Reason{{Code: finding.WhyOverloaded, Said: s.overloadOf(c.pair, c.at)}}
		words.FillVerdict(&c.Finding)
	case c.metric.Nature == metric.Latency:
		c.cannotTell("too few values support it in each run, or it reaches into time-outs", 0)
	default:
		c.cannotTell("it was not measured", 0)
	}
}
