// This file takes verdicts on budgets back, of what did not do all its work.

package effect

import (
	"cmp"
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/judge"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/words"
)

// withhold takes the word "within" from budgets on what did not do all its work, or may not have:
// no span came of it, or it lost more of them than may be, or nobody knows whether it did. What is
// over its budget even so stays over, unless the baseline did still less, which makes all others
// look dear.
func (s *Maker) withhold(claims []*claim) {
	doc := &finding.Document{Untraced: s.UntracedOperations(), Elsewhere: s.Elsewhere(), Lossy: s.Apart(nil), LossUnknown: s.UnknownLosses()}
	for _, c := range claims {
		if c.Verdict.Budget == nil {
			continue
		}
		allowed := 0.0
		if budget := s.lostBudget(c.pair); budget != nil {
			allowed = budget.Value
		}
		cheaper := cmp.Or(idleReason(doc, c, c.Variant, allowed), unknownReason(doc, c, allowed))
		dearer := cmp.Or(idleReason(doc, c, c.Against, doc.LostShareOf(&c.Finding, c.Variant)), baselineReason(doc, c))
		if dearer != nil && dearer.Code == finding.WhyLost {
			dearer.Code = finding.WhyBaseLost
		}
		if who := doc.OneElsewhere(&c.Finding); who != "" { // a baseline that traces makes others look cheap, not dear
			elsewhere := &finding.Reason{Code: finding.WhyElsewhere, Variant: who}
			if cheaper = elsewhere; who != c.Against {
				dearer = elsewhere
			}
		}
		if judge.TakeBack(&c.Verdict, cheaper, dearer) {
			words.FillVerdict(&c.Finding)
		}
	}
}

// unknownReason says why what the variant of a claim costs may be the cost of less work; nil where
// it lost no more of its spans than is allowed, whatever is not known of them.
func unknownReason(doc *finding.Document, c *claim, allowed float64) *finding.Reason {
	unknown := doc.UnknownLossOf(&c.Finding, c.Variant)
	if c.Metric == metric.DeliveredShare || unknown == nil || unknown.LostMost <= allowed {
		return nil
	}
	return &finding.Reason{Code: finding.WhyMayBeLost, Variant: c.Variant,
		Because: unknown.Why, Figures: []finding.Figure{{Name: "share", Value: unknown.LostMost, Unit: "1"}, {Name: "allows", Value: math.Ceil(100*unknown.LostMost) / 100, Unit: "1"}}}
}

// baselineReason says why a claim may look dear: its baseline may have done less work, and nobody knows. It is nil where the
// variant may have lost as much.
func baselineReason(doc *finding.Document, c *claim) *finding.Reason {
	unknown := doc.UnknownLossOf(&c.Finding, c.Against)
	if c.Metric == metric.DeliveredShare || unknown == nil || !finding.Matters(unknown.LostMost-doc.LostMostOf(&c.Finding, c.Variant)) {
		return nil
	}
	return &finding.Reason{Code: finding.WhyBaseMayLose, Variant: c.Against, Because: unknown.Why, Figures: []finding.Figure{{Name: "share", Value: unknown.LostMost, Unit: "1"}}}
}

// idleReason says why what a variant costs on the operation of a claim is the cost of less
// work than tracing; nil where it did all of it, or lost no more of its spans than is allowed.
func idleReason(doc *finding.Document, c *claim, variant string, allowed float64) *finding.Reason {
	lost := doc.LostOf(&c.Finding, variant)
	switch {
	case c.Metric == metric.DeliveredShare && c.Verdict.Kind == finding.Over:
		return nil
	case doc.UntracedIn(&c.Finding, variant):
		return &finding.Reason{Code: finding.WhyUntraced, Variant: variant}
	case c.Metric == metric.DeliveredShare || lost == nil || lost.LostShare <= allowed:
		return nil
	}
	return &finding.Reason{Code: finding.WhyLost, Variant: variant, Figures: []finding.Figure{{Name: "share", Value: lost.LostShare, Unit: "1"}}}
}
