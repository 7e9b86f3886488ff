// This file tells where nobody knows how many spans were lost: unknown is not none.

package delivery

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/words"
)

// OnlyUnexpected reports whether an operation at its level is the only one of a variant of which
// nobody knows how many spans it makes: what the run lost beside the others is its own.
func (b *Book) OnlyUnexpected(variant string, at cell.At) bool {
	return !slices.ContainsFunc(b.Cells(), func(other cell.At) bool {
		l := b.LedgerOf(variant, other)
		return other != at && l != nil && !ledger.Expects(*l)
	})
}

// UnknownLosses lists the variants that may have lost more of their spans than matters beyond
// what they lost for sure, by cell.
func (b *Book) UnknownLosses() []finding.LossUnknown {
	var out []finding.LossUnknown
	for _, at := range b.Cells() {
		for _, v := range b.Variants {
			if one := b.UnknownLoss(v.Name, at); one != nil {
				out = append(out, *one)
			}
		}
	}
	return out
}

// UnknownLoss is what nobody knows of what a variant lost on a cell; nil where that is no more
// than matters.
func (b *Book) UnknownLoss(variant string, at cell.At) *finding.LossUnknown {
	t, l := b.Tracing[variant], b.LedgerOf(variant, at)
	if l == nil || b.LosesOnPurpose(at) || t.Silent || t.Sampling <= 0 {
		return nil
	}
	least, most, why := b.lossRange(variant, at, l)
	if more := ledger.Surplus(*l); finding.Matters(float64(more) / float64(max(1, ledger.Spans(*l, ledger.Delivered)))) {
		most, why = 1, finding.LossSurplus
	}
	if !finding.Matters(most - least) {
		return nil
	}
	out := &finding.LossUnknown{Operation: at.Operation, Parameter: at.Level.Map(), Variant: variant, LostShare: least, LostMost: most, Why: why}
	out.Text = words.UnknownLoss(*out)
	return out
}

// lossRange is the least and the most of a variant's spans that may have been lost in what is
// measured on a cell, as shares, and why nobody knows it better. Traces that were lost whole and
// that chance may hide are not in it: any share that is sampled leaves some room for them.
func (b *Book) lossRange(variant string, at cell.At, l *finding.Ledger) (least, most float64, why finding.Code) {
	if !ledger.Expects(*l) {
		if of := b.BesideOperations(variant); of != nil && b.RegimeOf(at) != metric.Search {
			least = of.LostShare
		}
		return least, 1, finding.LossNumber
	}
	lost := b.LostInMeasured(variant, at)
	t := b.tracingByCell(variant)
	per := t.Spans[at.String()]
	switch {
	case lost.Known && per.High-per.Low > (1-finding.Lossless)*per.High:
		return lost.Share(), lost.MostShare(), finding.LossVaries
	case lost.Known && b.failsOn(variant, at):
		return lost.Share(), lost.MostShare(), finding.LossFailed
	case lost.Known:
		return lost.Share(), lost.MostShare(), finding.LossUnmade
	case b.RegimeOf(at) == metric.Search && b.foundNone(variant, at):
		return 0, 0, "" // at a limit there is no rate to lose spans at
	case b.RegimeOf(at) == metric.Search && per.Low > 0:
		return 0, 1, finding.LossNoProbe
	case b.RegimeOf(at) == metric.Search:
		return 0, 1, finding.LossVaries
	case t.ByChance() && per.Low > 0:
		return 0, 0, "" // so few are sampled that all may be missing: that is chance
	}
	least, most, _ = ledger.LossEnds(*l)
	return least, most, finding.LossVaries
}

// LostInMeasured is what was lost in the part of a phase that the figures are of.
func (b *Book) LostInMeasured(variant string, at cell.At) Lost {
	switch b.RegimeOf(at) {
	case metric.Search:
		return b.LostAtRate(variant, at)
	case metric.Unthrottled:
		return b.lostInPhase(variant, at)
	}
	return b.LostInWindow(variant, at)
}

// failsOn reports whether operations failed or were sent again: these may have made their spans, or
// not, or twice.
func (b *Book) failsOn(variant string, at cell.At) bool {
	return slices.ContainsFunc(b.PhasesOf(variant, at), func(p *dataset.Phase) bool {
		return p.Warmup.Started+p.Whole.Load.Started > p.Warmup.Completed+p.Whole.Load.Completed || p.Warmup.Resent+p.Whole.Load.Resent > 0
	})
}

// foundNone reports whether no search of a variant found a rate.
func (b *Book) foundNone(variant string, at cell.At) bool {
	return !slices.ContainsFunc(b.PhasesOf(variant, at), func(p *dataset.Phase) bool { return p.Capacity != nil && p.Capacity.Outcome == record.Found })
}
