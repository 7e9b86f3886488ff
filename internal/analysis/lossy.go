// This file lists the variants apart that lost too many spans to be ranked: what they
// cost is the cost of less work.
package analysis

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/words"
)

// apart lists them, the most lost first within each cell, with what the findings say that
// they cost. What was lost at the rate that a search found counts, or in the window; back to
// back, where warm-up and window are asked the same, in either. There a tracer is the faster
// also for what it holds back by a limit of its own; at a rate, that is how its users have it.
// Where what the window lost is not known, what the whole phase lost counts; where nobody knows
// how many spans were to come, what the tracer admits to have lost in the whole run.
func (s *study) apart(findings []finding.Finding) []finding.Lossy {
	var out []finding.Lossy
	for _, at := range s.cells() {
		var here []finding.Lossy
		for _, v := range s.variants {
			if one := s.lossyOn(v.Name, at); one.LostShare > 1-finding.Lossless && !s.lossy(at) {
				here = append(here, one)
			}
		}
		slices.SortStableFunc(here, func(a, b finding.Lossy) int { return cmp.Compare(b.LostShare, a.LostShare) })
		out = append(out, here...)
	}
	for i := range out {
		if !slices.ContainsFunc(out, func(l finding.Lossy) bool { return l.Variant == s.baseline && sameCell(l, out[i]) }) {
			s.leastCost(&out[i], findings)
		}
	}
	return out
}

// lossyOn is what a variant lost for sure in what is measured on a cell. What a search lost
// beyond the rate that it found is not.
func (s *study) lossyOn(variant string, at cell.At) finding.Lossy {
	l := s.ledgerOf(variant, at)
	if l == nil {
		return finding.Lossy{}
	}
	loop := s.loopOf(at)
	if loop == searching {
		return s.lostAtRate(variant, at).apart(s.lossyOf(l, variant, at), "at the rate found")
	}
	if of := ofRun(s.byCell, variant); of != nil && !expects(*l) {
		whole := s.lossyOf(of, variant, at)
		return lostSpans{due: float64(whole.Spans) / whole.LostShare, lost: float64(whole.Spans)}.apart(whole, "in the whole run")
	}
	if window := s.lostInWindow(variant, at); loop != saturating && !window.below(l) {
		return window.apart(s.lossyOf(l, variant, at), "in the window")
	}
	return s.lossyOf(l, variant, at)
}

func sameCell(a, b finding.Lossy) bool {
	return a.Operation == b.Operation && cell.LevelOf(a.Parameter) == cell.LevelOf(b.Parameter)
}

// leastCost gives a variant that is listed apart what it costs there, by the metric that the
// answer is made of: also at a level, where the headline may be the line through all of them.
// It is the least only where the baseline lost nothing.
func (s *study) leastCost(l *finding.Lossy, findings []finding.Finding) {
	if l.LostShare >= 1 {
		return // nothing came: it may have made none
	}
	at := cell.AtOf(l.Operation, l.Parameter)
	metric := s.headlineOf(at).Name
	for _, f := range findings {
		here := f.Operation == at.Operation && cell.LevelOf(f.Parameter) == at.Level
		if f.Metric == metric && here && f.Role == "" && f.Variant == l.Variant && f.Against == s.baseline {
			l.Metric = f.Metric
			if f.ByRatio() {
				l.Cost = f.Relative
			} else if f.Absolute != nil {
				l.Added, l.Unit = f.Absolute, f.Unit
			}
		}
	}
}

// absentShare is what was lost, or held back by a limit of the tracer's own, over all
// that the operations made: back to back, either makes a tracer the faster.
func absentShare(l *finding.Ledger) float64 {
	forgone, due := forgoneAndDue(l)
	if forgone == 0 {
		return l.LostShare
	}
	return (l.LostShare*due + forgone) / (due + forgone)
}

func (s *study) lossyOf(l *finding.Ledger, variant string, at cell.At) finding.Lossy {
	refused := s.refused(variant, at)
	atSink := min(refused, entry(*l, ledger.FailedSend))
	out := finding.Lossy{Operation: at.Operation, Parameter: at.Level.Map(), Variant: variant, LostShare: l.LostShare}
	var places []finding.LostAt
	if s.loopOf(at) == saturating {
		out.LostShare = absentShare(l)
		places = append(places, finding.LostAt{Place: finding.LostByLimit, Spans: entry(*l, ledger.Forgone)})
	}
	places = append(places, []finding.LostAt{
		{Place: finding.LostInQueue, Spans: entry(*l, ledger.Dropped)},
		{Place: finding.LostInStream, Spans: entry(*l, ledger.FailedSend) - atSink},
		{Place: finding.LostAtSink, Spans: atSink},
		{Place: finding.LostNowhere, Spans: max(0, entry(*l, ledger.Unaccounted))},
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
	out.Text = finding.FormatValue(out.LostShare, "1") + " of the spans lost: " + words.Places(places)
	return out
}

// refused is how many spans the receiver refused on a cell.
func (s *study) refused(variant string, at cell.At) int64 {
	var n uint64
	for _, r := range s.all[variant] {
		if p := r.phases[at]; p != nil {
			for _, c := range []record.Counts{p.WarmupSink, p.Sink} {
				n += c.Rejected
			}
		}
	}
	return int64(n)
}
