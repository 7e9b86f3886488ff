// This file holds claims against budgets.
package effect

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/words"
)

// budgetFor returns the limit that the claim is held against, if there is one:
// what the user is willing to pay is meant over the baseline and over all roles.
func (s *Maker) budgetFor(c *claim) *spec.Limit {
	if c.pair.Extra || c.Role != "" || c.metric.NoVerdict {
		return nil
	}
	for i := range s.Experiment.Budget {
		if limit := &s.Experiment.Budget[i]; limit.Metric == c.Metric {
			return limit
		}
	}
	return nil
}

// limit is the claim's budget on the scale of its log-ratios, and on which side of it the budget
// is broken: what a metric may rise by, or, where more is better, what it may fall by.
func (c *claim) limit() (at float64, bad stats.Position) {
	if c.Better == metric.Higher {
		return stats.LogLimit(-c.budget.Value), stats.Below
	}
	return stats.LogLimit(c.budget.Value), stats.Above
}

// against holds the claim against its budget.
func (c *claim) against(e stats.Estimate) {
	limit, bad := c.limit()
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
	if c.doubts.modes {
		v.Text += ", in modes"
	}
}

// stillOpen says how many more blocks would settle it.
func (c *claim) stillOpen(e stats.Estimate, limit float64, size, allowed string) {
	reason := fmt.Sprintf("%s straddles the budget of %s", size, allowed)
	all, bracket := c.logsApart.BlocksToExclude(c.logs, limit, c.asked)
	if bracket {
		c.cannotTell(reason+"; "+words.FinerSearch, 0)
		return
	}
	if all <= e.N {
		c.cannotTell(reason+"; it is too close to be settled by more blocks", 0)
		return
	}
	c.cannotTell(fmt.Sprintf("%s; about %s more would settle it", reason, words.Blocks(all-e.N)), all-e.N)
}

// withhold takes the word "within" from budgets on what did not do all its work, or may not have:
// no span came of it, or it lost more of them than may be, or nobody knows whether it did. What is
// over its budget even so stays over, unless the baseline did still less, which makes all others
// look dear.
func (s *Maker) withhold(claims []*claim) {
	doc := &finding.Document{Untraced: s.UntracedOperations(), Lossy: s.Apart(nil), LossUnknown: s.UnknownLosses()}
	for _, c := range claims {
		v := &c.Verdict
		if v.Budget == nil || v.Kind != finding.Within && v.Kind != finding.Over {
			continue
		}
		variant, allowed := c.Variant, 0.0
		if budget := s.lostBudget(c.pair); budget != nil {
			allowed = budget.Value
		}
		if v.Kind == finding.Over {
			variant, allowed = c.Against, doc.LostShareOf(&c.Finding, c.Variant)
		}
		if reason := idleReason(doc, c, variant, allowed); reason != "" {
			c.cannotTell(reason, 0)
			continue
		}
		if reason := unknownReason(doc, c, allowed); v.Kind == finding.Within && reason != "" {
			c.cannotTell(reason, 0)
		}
	}
}

// unknownReason says why what the variant of a claim costs may be the cost of less work; "" where
// it lost no more of its spans than is allowed, whatever is not known of them.
func unknownReason(doc *finding.Document, c *claim, allowed float64) string {
	unknown := doc.UnknownLoss(c.Operation, c.Parameter, c.Variant)
	if c.Metric == metric.DeliveredShare || unknown == nil || unknown.LostMost <= allowed {
		return ""
	}
	return fmt.Sprintf("with %s, %s, so that this may be the cost of less work; a budget of lost=%.0f%% allows it", c.Variant, unknown.Text, math.Ceil(100*unknown.LostMost))
}

// idleReason says why what a variant costs on the operation of a claim is the cost of less
// work than tracing; "" where it did all of it, or lost no more of its spans than is allowed.
func idleReason(doc *finding.Document, c *claim, variant string, allowed float64) string {
	lost := doc.LostOf(&c.Finding, variant)
	switch {
	case c.Metric == metric.DeliveredShare && c.Verdict.Kind == finding.Over:
		return ""
	case doc.UntracedIn(&c.Finding, variant):
		return "no span came with " + variant + ", so that this is not what tracing costs"
	case c.Metric == metric.DeliveredShare || lost == nil || lost.LostShare <= allowed:
		return ""
	}
	return "with " + variant + ", " + lost.Text + ", so that this is the cost of less work"
}
