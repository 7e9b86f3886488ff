// This file holds claims against budgets.
package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/stats"
)

// budgetFor returns the limit that the claim is held against, if there is one:
// what the user is willing to pay is meant over the baseline and over all roles.
func (s *study) budgetFor(c *claim) *spec.Limit {
	if c.pair.extra || c.Role != "" || c.metric.noVerdict {
		return nil
	}
	for i := range s.in.Experiment.Budget {
		if limit := &s.in.Experiment.Budget[i]; limit.Metric == c.Metric {
			return limit
		}
	}
	return nil
}

// against holds the claim against its budget: what a metric may rise by, or, where
// more is better, what it may fall by.
func (c *claim) against(e stats.Estimate) {
	limit, bad := stats.LogLimit(c.budget.Value), stats.Above
	if c.Better == higher {
		limit, bad = stats.LogLimit(-c.budget.Value), stats.Below
	}
	size := finding.FormatInterval(c.keep(c.onScale(e)), c.Unit, true)
	v := &c.Verdict
	allowed := finding.FormatBound(c.budget.Value, c.Unit, true)
	switch e.Against(limit) {
	case stats.Straddles:
		c.stillOpen(e, limit, size, allowed)
	case bad:
		v.Kind, v.Text = finding.Over, fmt.Sprintf("over the budget of %s: %s", allowed, size)
	default:
		v.Kind, v.Text = finding.Within, fmt.Sprintf("within the budget of %s: %s", allowed, size)
	}
}

// stillOpen says how many more blocks would settle it.
func (c *claim) stillOpen(e stats.Estimate, limit float64, size, allowed string) {
	reason := fmt.Sprintf("%s straddles the budget of %s", size, allowed)
	all, bracket := c.logsApart.blocksToExclude(c.logs, limit, c.asked)
	if bracket {
		c.cannotTell(reason+"; "+finerSearch, 0)
		return
	}
	if all <= e.N {
		c.cannotTell(reason+"; it is too close to be settled by more blocks", 0)
		return
	}
	c.cannotTell(fmt.Sprintf("%s; about %s more would settle it", reason, blocks(all-e.N)), all-e.N)
}

// withhold takes the word "within" from budgets on what did not do all its work: no span came
// of it, or it lost more of them than may be, so that it would cost more if it had sent them.
// What is over its budget even so, stays over.
func (s *study) withhold(claims []*claim) {
	dark, operations, lossy := s.dark(), len(s.operations()), s.apart(nil)
	for _, c := range claims {
		v := &c.Verdict
		if v.Budget == nil || v.Kind != finding.Within {
			continue
		}
		reason := ""
		if isDark(dark, operations, c.Variant, c.Operation) {
			reason = "no span came with " + c.Variant + ", so that this is not what tracing costs"
		} else if lost := s.overLost(c, lossy); lost != nil && c.Metric != deliveredShare {
			reason = finding.FormatValue(lost.LostShare, "1") + " of the spans with " + c.Variant + " were lost: it would cost more if it had sent them"
		}
		if reason != "" {
			v.Low, v.High = nil, nil
			c.cannotTell(reason, 0)
		}
	}
}

// overLost is what the variant of a claim lost beyond what may be: over 1 %, or what the
// budget allows to be lost where that is more; nil where it did not.
func (s *study) overLost(c *claim, lossy []finding.Lossy) *finding.Lossy {
	budget := s.lostBudget(c.pair)
	for i := range lossy {
		l := &lossy[i]
		here := l.Variant == c.Variant && l.Operation == c.at.operation && levelOf(l.Parameter) == c.at.level
		if here && (budget == nil || l.LostShare > budget.Value) {
			return l
		}
	}
	return nil
}
