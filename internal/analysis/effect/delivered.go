// This file makes the finding of the delivered share, and holds what was lost against
// its budget.

package effect

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
)

// delivered is the delivered share, and the verdict on the budget for lost spans.
func (s *Maker) delivered(p dataset.Pair, at cell.At) *claim {
	budget := s.lostBudget(p)
	search := s.RegimeOf(at) == metric.Search
	if at.Operation == "" || search && budget == nil {
		return nil
	}
	samples, compared := s.shares(p, at)
	if search {
		samples = nil // the probes ask for different rates on purpose
	}
	t := s.Tracing[p.Variant]
	if len(samples) == 0 && (budget == nil || t.Silent || t.Sampling <= 0) {
		return nil
	}
	c := s.newClaim(measure.Made(metric.DeliveredShare, false), p, at, samples)
	if len(samples) > 0 {
		base, value := estimate.Columns(samples)
		c.Baseline, c.Value = stats.Center(base), stats.Center(value)
		if compared {
			c.Absolute = estimate.Interval(stats.SignedRank(estimate.Minus(value, base), s.Confidence(estimate.Confidence)), false)
		}
	}
	if l := s.LedgerOf(p.Variant, at); l != nil {
		for _, one := range l.Outcome {
			c.remark(one)
		}
	}
	if budget != nil {
		s.judgeLost(c, budget)
	}
	return c
}

// shares returns the delivered shares, block by block, and whether both sides
// have any: a baseline that delivers nothing has none to be compared with.
func (s *Maker) shares(p dataset.Pair, at cell.At) (samples []finding.Sample, compared bool) {
	compared = true
	for _, block := range s.BlocksOf(p.Variant, p.Against) {
		value, known := s.Delivery(p.Variant, block, at)
		if !known || value.Due <= 0 {
			return nil, false
		}
		sample := finding.Sample{Block: block, Value: value.Share()}
		if base, known := s.Delivery(p.Against, block, at); known && base.Due > 0 {
			sample.Baseline = base.Share()
		} else {
			compared = false
		}
		samples = append(samples, sample)
	}
	return samples, compared
}

// judgeLost holds what the ledger says was lost against its budget. Losses are
// counted, not estimated: there is no interval but where the ledger has one.
func (s *Maker) judgeLost(c *claim, budget *config.Limit) {
	c.Verdict.Budget = &budget.Value
	l := s.LedgerOf(c.Variant, c.at)
	if s.LosesOnPurpose(c.at) {
		c.cannotTell(because(finding.WhyLossAim))
		return
	}
	if l == nil {
		c.cannotTell(because(finding.WhyNoLedger))
		return
	}
	least, most, known := ledger.LossEnds(*l)
	told := l.Outcome
	if window := s.LostInWindow(c.Variant, c.at); window.Known && window.Share() > least {
		least, most = window.Share(), max(most, window.MostShare()) // a long warm-up thins out no loss
		told = append([]finding.Reason{{Code: finding.WhyInWindow, Figures: []finding.Figure{{Name: "share", Value: least, Unit: "1"}}}}, told...)
	}
	switch {
	case !known:
		s.judgeUnexpected(c, budget.Value)
	case ledger.Surplus(*l) > 0 && budget.Value < 1 && ledger.AdmittedShare(*l) <= budget.Value:
		c.cannotTell(told...) // the expected number is wrong: what came beyond it may make up for any loss, and what is missing may not be
	case least > budget.Value:
		c.answer(finding.Over, told...)
	case l.Unchecked > 0 && budget.Value < 1:
		c.cannotTell(append(slices.Clone(told), because(finding.WhyNoIDs))...)
	case most <= budget.Value:
		c.answer(finding.Within, told...)
	default:
		c.cannotTell(told...)
	}
}

// judgeUnexpected holds what a tracer admits to have lost in its whole run against the budget,
// where nobody knows how many spans an operation makes.
func (s *Maker) judgeUnexpected(c *claim, budget float64) {
	of := s.BesideOperations(c.Variant)
	if of != nil && of.LostShare > budget && s.OnlyUnexpected(c.Variant, c.at) {
		c.answer(finding.Over, of.Outcome...)
		return
	}
	if budget >= 1 {
		c.answer(finding.Within, because(finding.WhyAnyLoss))
		return
	}
	c.cannotTell(because(finding.PageUnknown))
}
