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
// of it, or it lost more of them than may be. What is over its budget even so stays over, unless
// the baseline is such, which makes all others look dear.
func (s *study) withhold(claims []*claim) {
	doc := &finding.Document{Untraced: s.untracedOperations(), Lossy: s.apart(nil)}
	for _, c := range claims {
		v := &c.Verdict
		if v.Budget == nil || c.Metric == deliveredShare && v.Kind == finding.Over {
			continue
		}
		variant := map[finding.Kind]string{finding.Within: c.Variant, finding.Over: c.Against}[v.Kind]
		if variant == "" {
			continue
		}
		if reason := s.idleReason(doc, c, variant); reason != "" {
			c.cannotTell(reason, 0)
		}
	}
}

// idleReason says why what a variant costs on the operation of a claim is the cost of less
// work than tracing; "" where it did all of it, or lost no more than the budget allows.
func (s *study) idleReason(doc *finding.Document, c *claim, variant string) string {
	if doc.IsUntraced(variant, c.Operation) {
		return "no span came with " + variant + ", so that this is not what tracing costs"
	}
	budget := s.lostBudget(c.pair)
	for _, l := range doc.Lossy {
		here := l.Variant == variant && l.Operation == c.at.operation && levelOf(l.Parameter) == c.at.level
		if here && c.Metric != deliveredShare && (budget == nil || l.LostShare > budget.Value) {
			return "with " + variant + ", " + l.Text + ", so that this is the cost of less work"
		}
	}
	return ""
}
