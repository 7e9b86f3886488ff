// The fates of a variant's spans on a cell, and the rule of 1 %: a variant that loses more does less work, and its cost is the
// cost of that.

package delivery

import (
	"cmp"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/wording"
)

// Delivery has the fates of a variant's spans on a cell, in the measured part. A loss, a doubt and the suppressed are nil if
// they are too small to matter.
type Delivery struct {
	Ledger     *finding.Ledger      // of the whole phase; nil: there is none, and nothing else is known
	Share      float64              // delivered, but for what was lost for sure; 1 where that is not known at all
	Window     Lost                 // behind the warm-up
	Measured   Lost                 // in the part of a phase that the figures are of
	Loss       *finding.Lossy       // for sure; it excludes the variant from rankings
	Unknown    *finding.LossUnknown // beyond the loss for sure
	Suppressed *finding.Suppressed  // by a limit of the tracer's own; unthrottled it counts as lost
}

// Matters reports whether more than matters was lost for sure.
func (d *Delivery) Matters() bool { return finding.Matters(1 - d.Share) }

// Of returns the fates of the spans of a variant on a cell.
func (b *Accounts) Of(variant string, at cell.At) *Delivery {
	of := cell.Cell{At: at, Variant: variant}
	if b.cells[of] == nil {
		b.cells[of] = b.deliveryOf(variant, at)
	}
	return b.cells[of]
}

func (b *Accounts) deliveryOf(variant string, at cell.At) *Delivery {
	d := &Delivery{Share: 1, Ledger: b.ledgerOf(variant, at)}
	if d.Ledger == nil {
		return d
	}
	how := b.RegimeOf(at)
	if how != metric.Search && how != metric.Unthrottled { // the window of a search are its probes; unthrottled, what the warm-up lost is as much the tracer's way
		d.Window = b.lostIn(variant, at, 0, func(p *dataset.Phase) (*record.Load, record.Counts, bool) { return &p.Whole.Load, p.Whole.Sink, true })
	}
	switch d.Measured = d.Window; how {
	case metric.Search:
		d.Measured = b.lostAtRate(variant, at)
	case metric.Unthrottled:
		d.Measured = b.lostInPhase(variant, at)
	}
	delivered, loss := b.lossOf(variant, at, d)
	if d.Share = delivered; !b.LosesOnPurpose(at) {
		if finding.Matters(loss.LostShare) {
			d.Loss = &loss
		}
		d.Unknown = b.unknownLoss(variant, at, d)
	}
	if share := suppressedShare(d.Ledger); finding.Matters(share) && how != metric.Unthrottled {
		d.Suppressed = &finding.Suppressed{
			Operation: at.Operation, Parameter: at.Level.Map(), Variant: variant, Share: share, Spans: ledger.Spans(*d.Ledger, ledger.Suppressed),
		}
	}
	return d
}

// lossOf is what a variant lost for sure in what is measured on a cell, and the share that was delivered. What was lost at the
// rate that a search found counts, or in the window; unthrottled, where warm-up and window are asked the same, in either. There
// a tracer is the faster also for what it suppresses by a limit of its own; at a rate, that is how its users have it. Where the
// loss of the window is not known, that of the whole phase counts; if the number of expected spans is unknown, the loss that
// the tracer reports for the whole run counts.
func (b *Accounts) lossOf(variant string, at cell.At, d *Delivery) (delivered float64, loss finding.Lossy) {
	l := d.Ledger
	delivered, loss = 1-l.LostShare, b.lossIn(l, variant, at)
	of := b.BesideOperations(variant)
	switch {
	case !ledger.Expects(*l) && of == nil:
		delivered = 1
	case !ledger.Expects(*l):
		whole := b.lossIn(of, variant, at)
		delivered, loss = 1-of.LostShare, Lost{due: float64(whole.Spans) / whole.LostShare, lost: float64(whole.Spans)}.of(whole, "in the whole run")
	case !d.Window.below(l):
		delivered, loss = 1-d.Window.Share(), d.Window.of(loss, "in the window")
	}
	if b.RegimeOf(at) == metric.Search { // what it lost beyond the rate that it found is not measured
		loss = d.Measured.of(b.lossIn(l, variant, at), "at the rate found")
	}
	return delivered, loss
}

// Lossy lists those that lost more than matters, the most lost first within each cell.
func (b *Accounts) Lossy() []finding.Lossy {
	var out []finding.Lossy
	for _, at := range b.Cells() {
		var here []finding.Lossy
		for _, v := range b.Variants {
			if loss := b.Of(v.Name, at).Loss; loss != nil {
				here = append(here, *loss)
			}
		}
		slices.SortStableFunc(here, func(a, b finding.Lossy) int { return cmp.Compare(b.LostShare, a.LostShare) })
		out = append(out, here...)
	}
	return out
}

// UnknownLosses lists those that may have lost more than matters beyond what they lost for sure, by cell.
func (b *Accounts) UnknownLosses() []finding.LossUnknown {
	return listed(b, func(d *Delivery) *finding.LossUnknown { return d.Unknown })
}

// Suppressed lists, by cell, the variants that suppressed enough spans to matter.
func (b *Accounts) Suppressed() []finding.Suppressed {
	return listed(b, func(d *Delivery) *finding.Suppressed { return d.Suppressed })
}

func listed[T any](b *Accounts, of func(*Delivery) *T) []T {
	var out []T
	for _, at := range b.Cells() {
		for _, v := range b.Variants {
			if one := of(b.Of(v.Name, at)); one != nil {
				out = append(out, *one)
			}
		}
	}
	return out
}

// absentShare returns the share of made spans that was lost, or suppressed by the tracer's own
// limit: unthrottled, either makes a tracer faster.
func absentShare(l *finding.Ledger) float64 {
	suppressed, due := float64(ledger.Spans(*l, ledger.Suppressed)), ledger.Due(*l)
	if suppressed == 0 {
		return l.LostShare
	}
	return (l.LostShare*due + suppressed) / (due + suppressed)
}

// lossIn returns the loss in a ledger, and the place.
func (b *Accounts) lossIn(l *finding.Ledger, variant string, at cell.At) finding.Lossy {
	refused := b.refused(variant, at)
	atSink := min(refused, ledger.Spans(*l, ledger.FailedSend))
	out := finding.Lossy{Operation: at.Operation, Parameter: at.Level.Map(), Variant: variant, LostShare: l.LostShare}
	by := map[string]int64{finding.LostAtSink: atSink}
	for f := range ledger.Fates {
		if f != ledger.Suppressed || b.RegimeOf(at) == metric.Unthrottled {
			by[f.Place()] += max(0, ledger.Spans(*l, f))
		}
	}
	by[finding.LostInStream] -= atSink
	if b.RegimeOf(at) == metric.Unthrottled {
		out.LostShare = absentShare(l)
	}
	var places []finding.LostAt
	for _, place := range finding.LostPlaces {
		places = append(places, finding.LostAt{Place: place, Spans: by[place]})
	}
	places = slices.DeleteFunc(places, func(p finding.LostAt) bool { return p.Spans <= 0 })
	slices.SortStableFunc(places, func(a, b finding.LostAt) int { return cmp.Compare(b.Spans, a.Spans) })
	for _, p := range places {
		out.Spans += p.Spans
	}
	for i := range places {
		places[i].Share = out.LostShare * float64(places[i].Spans) / float64(out.Spans)
	}
	out.Where = places
	out.Text = wording.Lost(out)
	return out
}

// refused returns the number of spans that the receiver refused on a cell.
func (b *Accounts) refused(variant string, at cell.At) int64 {
	var n uint64
	for _, r := range b.All[variant] {
		if p := r.ByCell[at]; p != nil {
			n += p.Whole.Came().Rejected
		}
	}
	return int64(n)
}

// of returns the loss of the named part. The places of losses are known for the whole phase
// only: each keeps its share.
func (l Lost) of(whole finding.Lossy, part string) finding.Lossy {
	out := whole
	out.Part = part
	out.LostShare, out.Spans, out.Where = l.Share(), int64(math.Round(l.lost)), slices.Clone(whole.Where)
	for i := range out.Where {
		part := float64(out.Where[i].Spans) / float64(whole.Spans)
		out.Where[i].Share, out.Where[i].Spans = out.LostShare*part, int64(math.Round(l.lost*part))
	}
	out.Text = wording.Lost(out)
	return out
}

// suppressedShare returns the suppressed share of the spans that were made and were to be sent.
func suppressedShare(l *finding.Ledger) float64 {
	suppressed := float64(ledger.Spans(*l, ledger.Suppressed))
	share, _ := dataset.Over(suppressed, suppressed+ledger.Due(*l))
	return share
}

// Unknown losses: unknown is not none.

// OnlyUnexpected reports whether an operation at its level is the only one of a variant for which
// the number of its spans is unknown: the loss of the run beside the others is its own.
func (b *Accounts) OnlyUnexpected(variant string, at cell.At) bool {
	return !slices.ContainsFunc(b.Cells(), func(other cell.At) bool {
		l := b.ledgerOf(variant, other)
		return other != at && l != nil && !ledger.Expects(*l)
	})
}

// unknownLoss returns the unknown loss of a variant on a cell; nil if it is too small to matter.
func (b *Accounts) unknownLoss(variant string, at cell.At, d *Delivery) *finding.LossUnknown {
	t, l := b.Tracing[variant], d.Ledger
	if t.Silent || t.Sampling <= 0 {
		return nil
	}
	least, most, why := b.lossRange(variant, at, d)
	if more := ledger.Surplus(*l); finding.Matters(float64(more) / float64(max(1, ledger.Spans(*l, ledger.Delivered)))) {
		most, why = 1, finding.LossSurplus
	}
	if !finding.Matters(most - least) {
		return nil
	}
	out := &finding.LossUnknown{Operation: at.Operation, Parameter: at.Level.Map(), Variant: variant, LostShare: least, LostMost: most, Why: why}
	out.Text = wording.UnknownLoss(*out)
	return out
}

// lossRange is the least and the most of a variant's spans that may have been lost in what is
// measured on a cell, as shares, and why it is not better known. Traces that were lost whole and
// that chance may hide are not in it: any share that is sampled leaves some room for them.
func (b *Accounts) lossRange(variant string, at cell.At, d *Delivery) (least, most float64, why finding.Code) {
	l, lost := d.Ledger, d.Measured
	if !ledger.Expects(*l) {
		if of := b.BesideOperations(variant); of != nil && b.RegimeOf(at) != metric.Search {
			least = of.LostShare
		}
		return least, 1, finding.LossNumber
	}
	t := b.tracingByCell(variant)
	per := t.Spans[at.String()]
	switch {
	case lost.Known && per.High-per.Low > (1-finding.Lossless)*per.High:
		return lost.Share(), lost.MostShare(), finding.LossVaries
	case lost.Known && b.failsOn(variant, at):
		return lost.Share(), lost.MostShare(), finding.LossFailed
	case lost.Known && slices.ContainsFunc(l.Outcome, func(r finding.Reason) bool { return r.Code == finding.PageMayBeOthers }):
		return lost.Share(), lost.MostShare(), finding.LossCrossed
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
