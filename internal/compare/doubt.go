// This file finds what stands against comparing two findings.

package compare

import (
	"cmp"

	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
)

// silent reports whether a finding is shown without ever having a verdict.
func silent(f *finding.Finding) bool {
	return f.Verdict.Kind == finding.None && len(f.Verdict.Reasons) == 0
}

// reasons returns what either result says against its own figure.
func (c *comparison) reasons(index int, f, g *finding.Finding) (overloaded, doubt *finding.Reason) {
	for i, one := range []*finding.Finding{f, g} {
		name := c.names[0]
		if i == 1 {
			name = c.names[index+1]
		}
		switch {
		case one.Verdict.Kind == finding.Overloaded:
			overloaded = told(one, name)
		case untoldAtAll(one) && doubt == nil:
			doubt = told(one, name)
		}
		doc := c.in.Base
		if i == 1 {
			doc = c.in.News[index]
		}
		for _, variant := range []string{one.Variant, one.Against} {
			if doubt == nil && doc.UntracedIn(one, variant) {
				doubt = &finding.Reason{Code: finding.WhyUntraced, Variant: variant, Result: name}
			}
		}
		if who := doc.OneElsewhere(one); who != "" && doubt == nil {
			doubt = &finding.Reason{Code: finding.WhyElsewhere, Variant: who, Result: name}
		}
	}
	return overloaded, doubt
}

// told is what a result says against its own figure.
func told(f *finding.Finding, name string) *finding.Reason {
	reason := f.Verdict.Reason()
	reason.Result = name
	return &reason
}

// flattered says why the newer side of a change looks cheaper than it is, and why dearer: one
// side lost over 1 % more of its spans than the other, or may have, or its baseline did, and so did less
// work. nil where neither is so.
func (c *comparison) flattered(index int, f, g *finding.Finding) (cheaper, dearer *finding.Reason) {
	if f.Operation == "" && !finding.IsOfLoad(f.Metric) || f.Metric == metric.DeliveredShare || f.Metric == metric.DeliveredRate {
		return nil, nil // of the whole run; or that is what it is about
	}
	const matters = 1 - finding.Lossless
	allowed := matters
	for _, limit := range c.in.Budget {
		if limit.Metric == metric.LostShare {
			allowed = max(allowed, limit.Value)
		}
	}
	older, newer := c.in.Base, c.in.News[index]
	cheaper = cmp.Or(lostMore(newer, g, g.Variant, older, f, f.Variant, allowed), mayHaveLostMore(newer, g, g.Variant, older, f, f.Variant, allowed))
	dearer = cmp.Or(lostMore(older, f, f.Variant, newer, g, g.Variant, matters), mayHaveLostMore(older, f, f.Variant, newer, g, g.Variant, matters))
	if c.mode == byVariants {
		return cheaper, dearer // they have one baseline
	}
	cheaper = cmp.Or(cheaper, lostMore(older, f, f.Against, newer, g, g.Against, matters), mayHaveLostMore(older, f, f.Against, newer, g, g.Against, matters))
	dearer = cmp.Or(dearer, lostMore(newer, g, g.Against, older, f, f.Against, matters), mayHaveLostMore(newer, g, g.Against, older, f, f.Against, matters))
	return cheaper, dearer
}

// lostMore says that a variant of one result lost more of its spans than one of another,
// beyond what is allowed; nil where it did not.
func lostMore(doc *finding.Document, f *finding.Finding, variant string, other *finding.Document, g *finding.Finding, against string, allowed float64) *finding.Reason {
	return more(finding.WhyLostMore, doc, variant, doc.LostShareOf(f, variant), other, against, other.LostShareOf(g, against), allowed)
}

// mayHaveLostMore says that a variant of one result may have lost more of its spans than one of
// another result may have, beyond what is allowed; nil where it may not: of a number that
// varies in both as much, as many came.
func mayHaveLostMore(doc *finding.Document, f *finding.Finding, variant string, other *finding.Document, g *finding.Finding, against string, allowed float64) *finding.Reason {
	return more(finding.WhyMayLostMore, doc, variant, doc.LostMostOf(f, variant), other, against, other.LostMostOf(g, against), allowed)
}

// more is the reason of a share that is more than another by over what is allowed; nil where it is not.
func more(code finding.Code, doc *finding.Document, variant string, share float64, other *finding.Document, against string, than, allowed float64) *finding.Reason {
	if share-than <= allowed {
		return nil
	}
	return &finding.Reason{
		Code: code, Variant: variant, Result: lastParts(doc.Results, 1), Against: against, AgainstResult: lastParts(other.Results, 1),
		Figures: []finding.Figure{{Name: "share", Value: share, Unit: "1"}, {Name: "other", Value: than, Unit: "1"}},
	}
}

// unseenLoss says that more spans may have been lost than the shares delivered show, in traces
// that chance hides, so that a limit on what is lost more is not kept for sure; nil where it is,
// or is surely not kept.
func unseenLoss(older *finding.Document, f *finding.Finding, newer *finding.Document, g *finding.Finding, allowed float64) *finding.Reason {
	before, after := sampledLedger(older, f), sampledLedger(newer, g)
	if before == nil && after == nil {
		return nil
	}
	if before == nil {
		before = &finding.Ledger{LostShare: 1 - f.Value, LostMost: 1 - f.Value}
	}
	if after == nil {
		after = &finding.Ledger{LostShare: 1 - g.Value, LostMost: 1 - g.Value}
	}
	most := after.LostMost - before.LostShare
	if most <= allowed || after.LostShare-before.LostMost > allowed {
		return nil
	}
	return &finding.Reason{Code: finding.WhyHiddenLoss, Figures: []finding.Figure{{Name: "share", Value: most, Unit: "1"}}}
}

// sampledLedger is the ledger of a finding's operation and variant, nil where chance has no part
// in it.
func sampledLedger(doc *finding.Document, f *finding.Finding) *finding.Ledger {
	for i := range doc.Ledgers {
		if l := &doc.Ledgers[i]; l.Operation == f.Operation && l.Variant == f.Variant && l.ByChance {
			return l
		}
	}
	return nil
}

// untoldAtAll reports whether there is a reason against the figure itself, and not
// only against a verdict on it.
func untoldAtAll(f *finding.Finding) bool {
	v := f.Verdict
	return v.Kind == finding.CannotTell && v.Low == nil && v.MoreBlocks == 0 && v.Reason().Code != finding.WhyNoRatio
}

// modesBetween says whether the ratios of one result fall into modes that those of
// the other do not have: then a single shift does not tell what changed.
// Modes count that are further apart than the share that a single ratio may be off.
func modesBetween(before, after string, logsBefore, logsAfter []float64, off float64) *finding.Reason {
	report := stats.Modes(exponentials(logsBefore), exponentials(logsAfter))
	if !report.Differ || !estimate.Apart(report.Baseline, max(estimate.ModeShare, off), 0) && !estimate.Apart(report.Value, max(estimate.ModeShare, off), 0) {
		return nil
	}
	reason, modes := &finding.Reason{Code: finding.WhyCostModes, Result: after}, report.Value
	if len(report.Baseline) > len(report.Value) {
		reason.Result, modes = before, report.Baseline
	}
	for _, m := range modes {
		reason.Figures = append(reason.Figures, finding.Figure{Name: "share", Value: m.Share, Unit: "1"}, finding.Figure{Name: "cost", Value: m.Center - 1, Unit: "1"})
	}
	return reason
}
