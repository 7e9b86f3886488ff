// This file answers for budgets on metrics that are not shown: a limit that a
// user set is never met by silence.

package effect

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// unanswered gives a verdict on every limit that no verdict was held against:
// on the finding, or on one made for it.
func (s *Maker) unanswered(claims []*claim) []*claim {
	var made []*claim
	list := measure.All(nil, metric.Open)
	list = append(list, measure.All(nil, metric.Search)[:1]...)
	list = append(list, measure.All(nil, metric.Unthrottled)...)
	for i := range s.Experiment.Budget {
		limit := &s.Experiment.Budget[i]
		at := slices.IndexFunc(list, func(m measure.Measure) bool { return m.Name == limit.Metric })
		if at < 0 {
			continue
		}
		places := s.Cells()
		if list[at].WholeRun {
			places = []cell.At{{}}
		}
		for _, where := range places {
			for _, p := range s.Pairs() {
				if p.Extra {
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
func find(claims []*claim, name string, at cell.At, p dataset.Pair) *claim {
	for _, c := range claims {
		if c.Metric == name && c.Role == "" && c.at == at && c.pair == p {
			return c
		}
	}
	return nil
}

// whyNot says why there is no figure. Where both sides have none of a thing, no
// limit on its growth is broken.
func (s *Maker) whyNot(c *claim) {
	samples := c.metric.Samples(s.Set, c.pair, c.at)
	how := s.RegimeOf(c.at)
	switch {
	case c.Metric == metric.Capacity && how == metric.Search:
		c.cannotTell(because(finding.WhyNoCapacity))
	case c.Metric == metric.Capacity:
		c.cannotTell(because(finding.WhyNoSearch))
	case how == metric.Search && (!c.metric.WholeRun || finding.IsOfLoad(c.Metric)):
		c.cannotTell(because(finding.WhySearchOnly))
	case len(samples) > 0 && estimate.AllZero(samples):
		c.Blocks = len(samples)
		c.answer(finding.Within, because(finding.WhyNone))
	case c.metric.PointOnly:
		c.cannotTell(because(finding.WhyMaximum))
	case c.metric.Nature == metric.Latency && (how == metric.Closed || metric.Driven.Has(how)):
		c.cannotTell(because(finding.WhyClosedLoop))
	case c.metric.Nature == metric.Latency && s.OverloadOf(c.pair, c.at) != nil:
		c.answer(finding.Overloaded, *s.OverloadOf(c.pair, c.at))
	case c.metric.Nature == metric.Latency:
		c.cannotTell(because(finding.WhyFewValues))
	default:
		c.cannotTell(because(finding.WhyNotMeasured))
	}
}
