// This file lists the variants apart that lost too many spans to be ranked: what they
// cost is the cost of less work.

package delivery

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/words"
)

// Lossy lists them, the most lost first within each cell. What was lost at the rate that a search
// found counts, or in the window; unthrottled, where warm-up and window are asked the same, in
// either. There a tracer is the faster also for what it suppresses by a limit of its own; at a
// rate, that is how its users have it. Where what the window lost is not known, what the whole
// phase lost counts; where nobody knows how many spans were to come, what the tracer admits to
// have lost in the whole run.
func (b *Book) Lossy() []finding.Lossy {
	var out []finding.Lossy
	for _, at := range b.Cells() {
		var here []finding.Lossy
		for _, v := range b.Variants {
			if one := b.lossyOn(v.Name, at); finding.Matters(one.LostShare) && !b.LosesOnPurpose(at) {
				here = append(here, one)
			}
		}
		slices.SortStableFunc(here, func(a, b finding.Lossy) int { return cmp.Compare(b.LostShare, a.LostShare) })
		out = append(out, here...)
	}
	return out
}

// lossyOn is what a variant lost for sure in what is measured on a cell. What a search lost
// beyond the rate that it found is not.
func (b *Book) lossyOn(variant string, at cell.At) finding.Lossy {
	l := b.LedgerOf(variant, at)
	if l == nil {
		return finding.Lossy{}
	}
	how := b.RegimeOf(at)
	if how == metric.Search {
		return b.LostAtRate(variant, at).apart(b.lossyOf(l, variant, at), "at the rate found")
	}
	if of := b.BesideOperations(variant); of != nil && !ledger.Expects(*l) {
		whole := b.lossyOf(of, variant, at)
		return Lost{due: float64(whole.Spans) / whole.LostShare, lost: float64(whole.Spans)}.apart(whole, "in the whole run")
	}
	if window := b.LostInWindow(variant, at); how != metric.Unthrottled && !window.below(l) {
		return window.apart(b.lossyOf(l, variant, at), "in the window")
	}
	return b.lossyOf(l, variant, at)
}

// absentShare is what was lost, or suppressed by a limit of the tracer's own, over all
// that the operations made: unthrottled, either makes a tracer the faster.
func absentShare(l *finding.Ledger) float64 {
	suppressed, due := suppressedAndDue(l)
	if suppressed == 0 {
		return l.LostShare
	}
	return (l.LostShare*due + suppressed) / (due + suppressed)
}

func (b *Book) lossyOf(l *finding.Ledger, variant string, at cell.At) finding.Lossy {
	refused := b.refused(variant, at)
	atSink := min(refused, ledger.Spans(*l, ledger.FailedSend))
	out := finding.Lossy{Operation: at.Operation, Parameter: at.Level.Map(), Variant: variant, LostShare: l.LostShare}
	var places []finding.LostAt
	if b.RegimeOf(at) == metric.Unthrottled {
		out.LostShare = absentShare(l)
		places = append(places, finding.LostAt{Place: finding.LostByLimit, Spans: ledger.Spans(*l, ledger.Suppressed)})
	}
	places = append(places, []finding.LostAt{
		{Place: finding.LostInQueue, Spans: ledger.Spans(*l, ledger.Dropped)},
		{Place: finding.LostInStream, Spans: ledger.Spans(*l, ledger.FailedSend) - atSink},
		{Place: finding.LostAtStop, Spans: ledger.Spans(*l, ledger.LostAtStop)},
		{Place: finding.LostOnWay, Spans: ledger.LostOnWay(*l)},
		{Place: finding.LostAtSink, Spans: atSink},
		{Place: finding.LostNowhere, Spans: max(0, ledger.Spans(*l, ledger.Unaccounted))},
	}...)
	places = slices.DeleteFunc(places, func(p finding.LostAt) bool { return p.Spans <= 0 })
	slices.SortStableFunc(places, func(a, b finding.LostAt) int { return cmp.Compare(b.Spans, a.Spans) })
	for _, p := range places {
		out.Spans += p.Spans
	}
	for i := range places {
		places[i].Share = out.LostShare * float64(places[i].Spans) / float64(out.Spans)
	}
	out.Where = places
	out.Text = words.Lost(out)
	return out
}

// refused is how many spans the receiver refused on a cell.
func (b *Book) refused(variant string, at cell.At) int64 {
	var n uint64
	for _, r := range b.All[variant] {
		if p := r.ByCell[at]; p != nil {
			for _, c := range []record.Counts{p.WarmupSink, p.Whole.Sink} {
				n += c.Rejected
			}
		}
	}
	return int64(n)
}
