// Losses in the part of a phase that a figure is from: its window, or the probes at the rate that a search found. The ledger
// has the warm-up too, and all probes.

package delivery

import (
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

// Lost is the loss among expected spans.
type Lost struct {
	due, lost float64
	most      float64 // may have been lost, at least lost: their number varies, or operations failed; not what chance may hide
	Known     bool    // there is such a part, and it is known of how many spans at least
}

// Share returns the share lost for sure.
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

// lostAtRate returns the loss at the rates that the searches of a variant know, in the
// probes behind these.
func (b *Accounts) lostAtRate(variant string, at cell.At) Lost {
	return b.lostIn(variant, at, float64(b.Tracing[variant].Buffers), func(p *dataset.Phase) (load *record.Load, sink record.Counts, is bool) {
		if p.Capacity == nil || !carries(p) {
			return nil, sink, false
		}
		if probe := restsOn(p.Capacity, p.OfferedRate); probe != nil {
			return &probe.Load, probe.Sink, true
		}
		return nil, sink, true
	})
}

// lostIn accounts for a part of each phase as if it were a phase: block by block, or all together if chance decides what is
// sampled. Spans that the part misses and its phase does not came late, and are not lost; nor are as many as may come in a
// later part. What was left out on purpose is known per phase only: the part has its share of the phase's loss, by its
// operations. The sampled-trace count is also per phase. The part's loss is then bounded: at least the phase's loss minus the
// most the rest could have lost, at most what the part can have produced. The part is nil if it is missing.
func (b *Accounts) lostIn(variant string, at cell.At, later float64, part func(*dataset.Phase) (load *record.Load, sink record.Counts, is bool)) Lost {
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
		whole := record.Counted(p.Whole.Made()...)
		shares = append(shares, portion{load.Started + load.Resent, whole.Started + whole.Resent})
	}
	size := 1 // how many blocks have one account
	if tracing.ByChance() {
		size = max(1, len(parts))
	}
	counted := tracing.ByChance() && tracing.ReportsTraced(wholes...) // the tracer counts the traces that it samples, by phase
	if counted && tracing.ReportsTraced(parts...) {                   // the generator does, of each part
		counted, size = false, 1
	}
	var all Lost
	for i := 0; i < len(parts); i += size {
		one, known := ledger.Deliveries(tracing, parts[i:i+size]...)[at.String()]
		if counted && sum(shares[i:i+size]).rest() == 0 { // the part is the phase, which the tracer reports
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
		most := max(lost, min(max(one.LostAtMost-later, min(whole.OfOthers, one.Delivered)), whole.LostAtMost*share))
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

// share is the part divided by the whole; 0 where the whole is 0.
func (p portion) share() float64 {
	share, _ := dataset.Over(float64(p.part), float64(p.whole)) // 0 where there were none
	return share
}

// rest is the remainder outside the part.
func (p portion) rest() uint64 { return p.whole - min(p.whole, p.part) }

func sum(all []portion) portion {
	var out portion
	for _, one := range all {
		out.part, out.whole = out.part+one.part, out.whole+one.whole
	}
	return out
}

// below reports whether the whole phase lost spans that may be of the part, whose own loss is unknown.
// It is false if the part's loss is known.
func (l Lost) below(whole *finding.Ledger) bool {
	return !l.Known || l.Unsure() && l.Share() < whole.LostShare && whole.LostShare <= l.MostShare()
}

// lostInPhase returns the loss on a cell, with the warm-up, all probes and profiled load.
func (b *Accounts) lostInPhase(variant string, at cell.At) Lost {
	return b.lostIn(variant, at, 0, func(p *dataset.Phase) (*record.Load, record.Counts, bool) {
		load := record.Counted(p.Whole.Made()...)
		return &load, p.Whole.Came(), true
	})
}

// restsOn is the probe that a phase's window is: the last that was held at its rate.
func restsOn(c *record.Search, rate float64) *record.Probe {
	for i := len(c.Probes) - 1; i >= 0; i-- {
		if p := &c.Probes[i]; p.Held && p.Rate == rate {
			return p
		}
	}
	return nil
}

// failsOn reports whether operations failed or were sent again: these may have made their spans, or
// not, or twice.
func (b *Accounts) failsOn(variant string, at cell.At) bool {
	return slices.ContainsFunc(b.PhasesOf(variant, at), func(p *dataset.Phase) bool {
		made := record.Counted(p.Whole.Made()...)
		return made.Started > made.Completed || made.Resent > 0
	})
}

// foundNone reports whether no search of a variant knows a rate.
func (b *Accounts) foundNone(variant string, at cell.At) bool {
	return !slices.ContainsFunc(b.PhasesOf(variant, at), func(p *dataset.Phase) bool { return p.Capacity != nil && carries(p) })
}

// carries reports whether the search of a phase knows the rate that the variant holds.
func carries(p *dataset.Phase) bool {
	_, known := p.Capacity.Carries()
	return known
}
