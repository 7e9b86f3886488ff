// This file lists the variants apart that lost too many spans to be ranked: what they
// cost is the cost of less work.

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

// This file tells what was lost in that part of a phase which a figure is of: its window, or
// the probes at the rate that a search found. The ledger has the warm-up too, and all probes.

// Lost is what was lost of the spans that were to come.
type Lost struct {
	due, lost float64
	most      float64 // may have been lost, at least lost: their number varies, or operations failed; not what chance may hide
	Known     bool    // there is such a part, and it is known of how many spans at least
}

// Share is what was lost for sure.
func (l Lost) Share() float64 {
	share, _ := dataset.Over(l.lost, l.due) // 0 where none were to come
	return share
}

// MostShare is the share that may have been lost at most, at least share.
func (l Lost) MostShare() float64 {
	share, _ := dataset.Over(l.most, l.due-l.lost+l.most) // 0 where none were to come
	return share
}

// Unsure reports whether more than what matters may be missing unseen.
func (l Lost) Unsure() bool { return !l.Known || finding.Matters(l.MostShare()-l.Share()) }

// LostAtRate is what was lost at the rates that the searches of a variant found, in the
// probes that these rest on.
func (b *Book) LostAtRate(variant string, at cell.At) Lost {
	return b.lostIn(variant, at, float64(b.Tracing[variant].Buffers), func(p *dataset.Phase) (load *record.Load, sink record.Counts, is bool) {
		if p.Capacity == nil || p.Capacity.Outcome != record.Found {
			return nil, sink, false
		}
		if probe := restsOn(p.Capacity, p.OfferedRate); probe != nil {
			return &probe.Load, probe.Sink, true
		}
		return nil, sink, true
	})
}

// LostInWindow is what was lost behind the warm-up. Of a search, whose window are its probes,
// and of unthrottled operations, of whose warm-up what is lost is as much the tracer's way, it
// is not known.
func (b *Book) LostInWindow(variant string, at cell.At) Lost {
	if how := b.RegimeOf(at); how == metric.Search || how == metric.Unthrottled {
		return Lost{}
	}
	of := cell.Cell{At: at, Variant: variant}
	if known, has := b.windows[of]; has {
		return known
	}
	b.windows[of] = b.lostIn(variant, at, 0, func(p *dataset.Phase) (*record.Load, record.Counts, bool) { return &p.Whole.Load, p.Whole.Sink, true })
	return b.windows[of]
}

// lostIn settles a part of each phase like a phase of its own: block by block, or all together
// where chance decides what is sampled. What is missing of the part but not of its whole phase
// came late, and is not lost; nor are as many spans of each as may come in a later part of it.
// What was left out on purpose is told of the whole phase alone: then the part has its share of what that lost, by its
// operations. So is how many traces a tracer sampled: then the part lost at least what the rest of the phase cannot have
// lost, or as much as it shows itself, and at most what it can have made. The part is nil where there should be one and is not.
func (b *Book) lostIn(variant string, at cell.At, later float64, part func(*dataset.Phase) (load *record.Load, sink record.Counts, is bool)) Lost {
	tracing := b.tracingByCell(variant)
	var parts, wholes []ledger.Run
	var shares []portion
	for _, block := range b.BlocksOf(variant, b.Baseline) {
		r := b.Runs[variant][block]
		p := r.ByCell[at]
		if p == nil {
			continue
		}
		load, sink, is := part(p)
		if !is {
			continue
		}
		if load == nil {
			return Lost{}
		}
		parts = append(parts, ledger.Run{Phases: []ledger.Stretch{{
			Operation: at.String(), Started: load.Started, Completed: load.Completed, Resent: load.Resent, Sink: sink,
			Flagged: ledger.Flagged(*load), Chosen: load.Started > 0 && load.Identified == load.Started,
		}}})
		wholes = append(wholes, ofCells(r.Record))
		shares = append(shares, portion{load.Started + load.Resent, p.Warmup.Started + p.Whole.Load.Started + p.Warmup.Resent + p.Whole.Load.Resent})
	}
	size := 1 // how many blocks are settled together
	if tracing.ByChance() {
		size = max(1, len(parts))
	}
	counted := tracing.ByChance() && tracing.TellsTraced(wholes...) // the tracer counts the traces that it samples, by phase
	if counted && tracing.TellsTraced(parts...) {                   // the generator does, of each part
		counted, size = false, 1
	}
	var all Lost
	for i := 0; i < len(parts); i += size {
		one, known := ledger.Deliveries(tracing, parts[i:i+size]...)[at.String()]
		if counted && sum(shares[i:i+size]).rest() == 0 { // the part is the phase, of which the tracer tells
			one, known = ledger.Deliveries(tracing, wholes[i:i+size]...)[at.String()]
		}
		whole, knownWhole := ledger.Deliveries(tracing, wholes[i:i+size]...)[at.String()]
		if !known || !knownWhole {
			return Lost{}
		}
		share := 1.0
		if whole.LeftOut > 0 {
			share = sum(shares[i : i+size]).share()
		}
		lost := min(max(0, one.Due-one.Delivered-later), (whole.Due-whole.Delivered)*share)
		most := max(lost, min(one.LostAtMost-later, whole.LostAtMost*share))
		if counted {
			ways := sum(shares[i : i+size])
			elsewhere := max(0, ledger.MostDue(tracing, at.String(), ways.rest())-(whole.Delivered-one.Delivered))
			lost = max(lost, whole.Due-whole.Delivered-elsewhere-later)
			most = max(lost, min(whole.LostAtMost, ledger.MostDue(tracing, at.String(), ways.part)-one.Delivered+later))
		}
		if whole.LeftOut > 0 || counted {
			one.Due = one.Delivered + lost
		}
		all = Lost{due: all.due + one.Due, lost: all.lost + lost, most: all.most + most, Known: true}
	}
	return all
}

// portion is the operations of a part of a phase, and of the whole phase.
type portion struct{ part, whole uint64 }

// share is the part's, of the whole.
func (p portion) share() float64 {
	share, _ := dataset.Over(float64(p.part), float64(p.whole)) // 0 where there were none
	return share
}

// rest is what is not of the part.
func (p portion) rest() uint64 { return p.whole - min(p.whole, p.part) }

func sum(all []portion) portion {
	var out portion
	for _, one := range all {
		out.part, out.whole = out.part+one.part, out.whole+one.whole
	}
	return out
}

// below reports whether the whole phase tells of a loss that may be the part's and is unknown of
// it. It never is where the part is known.
func (l Lost) below(whole *finding.Ledger) bool {
	return !l.Known || l.Unsure() && l.Share() < whole.LostShare && whole.LostShare <= l.MostShare()
}

// lostInPhase is what was lost of all that was made on a cell, the warm-up and all probes too.
func (b *Book) lostInPhase(variant string, at cell.At) Lost {
	return b.lostIn(variant, at, 0, func(p *dataset.Phase) (*record.Load, record.Counts, bool) {
		made := p.Whole.Load
		load := record.Load{
			Started: p.Warmup.Started + made.Started, Completed: p.Warmup.Completed + made.Completed, Resent: p.Warmup.Resent + made.Resent,
			Identified: p.Warmup.Identified + made.Identified, Sampled: p.Warmup.Sampled + made.Sampled,
		}
		return &load, p.WarmupSink.Plus(p.Whole.Sink), true
	})
}

// restsOn is the probe that a phase's window is: the last that was held at its rate.
func restsOn(c *record.Capacity, rate float64) *record.Probe {
	for i := len(c.Probes) - 1; i >= 0; i-- {
		if p := &c.Probes[i]; p.Held && p.Rate == rate {
			return p
		}
	}
	return nil
}

// apart tells of the spans that were lost in the part, by its name. Where they were lost
// is known of the whole phase only: each place has as large a part of them as of all.
func (l Lost) apart(whole finding.Lossy, part string) finding.Lossy {
	out := whole
	out.Part = part
	out.LostShare, out.Spans, out.Where = l.Share(), int64(math.Round(l.lost)), slices.Clone(whole.Where)
	for i := range out.Where {
		part := float64(out.Where[i].Spans) / float64(whole.Spans)
		out.Where[i].Share, out.Where[i].Spans = out.LostShare*part, int64(math.Round(l.lost*part))
	}
	out.Text = words.Lost(out)
	return out
}

// This file lists the variants that suppress spans by a limit of their own: they lose
// nothing by it, and do less than a variant that sends them all.

// Suppressed lists them, by cell. Of unthrottled operations such spans count as lost, and are
// told there.
func (b *Book) Suppressed() []finding.Suppressed {
	var out []finding.Suppressed
	for _, at := range b.Cells() {
		if b.RegimeOf(at) == metric.Unthrottled {
			continue
		}
		for _, v := range b.Variants {
			l := b.LedgerOf(v.Name, at)
			if l == nil {
				continue
			}
			if share := suppressedShare(l); finding.Matters(share) {
				out = append(out, finding.Suppressed{
					Operation: at.Operation, Parameter: at.Level.Map(), Variant: v.Name, Share: share, Spans: ledger.Spans(*l, ledger.Suppressed),
				})
			}
		}
	}
	return out
}

// suppressedShare is what was suppressed, over all that was made and was to be sent.
func suppressedShare(l *finding.Ledger) float64 {
	suppressed, due := suppressedAndDue(l)
	share, _ := dataset.Over(suppressed, suppressed+due)
	return share
}

// suppressedAndDue are the spans that were suppressed by a limit of the tracer's own, and all
// others that were to come.
func suppressedAndDue(l *finding.Ledger) (suppressed, due float64) {
	due = float64(ledger.Spans(*l, ledger.Delivered) + ledger.Spans(*l, ledger.Merged))
	if l.LostShare < 1 {
		due /= 1 - l.LostShare
	} else { // nothing came
		due = float64(ledger.Admitted(*l) + max(0, ledger.Spans(*l, ledger.Unaccounted)))
	}
	return float64(ledger.Spans(*l, ledger.Suppressed)), due
}
