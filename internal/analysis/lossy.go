// This file lists the variants apart that lost too many spans to be ranked: what they
// cost is the cost of less work.
package analysis

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

// apart lists them, the most lost first within each cell. Looked at are workloads that make
// themselves work, and rates that were searched for: there a tracer that throws spans away
// is the faster for it.
func (s *study) apart() []finding.Lossy {
	var out []finding.Lossy
	for _, at := range s.cells() {
		var here []finding.Lossy
		for _, v := range s.variants {
			l := s.ledgerOf(v.Name, at)
			if l == nil {
				continue
			}
			switch loop := s.loopOf(at); {
			case loop.drives() && absentShare(l) > 1-lossless:
				here = append(here, s.lossyOf(l, v.Name, at))
			case loop == searching && !s.lossy(at):
				if lost := s.lostAtRate(v.Name, at); lost.share() > 1-lossless {
					here = append(here, lost.apart(s.lossyOf(l, v.Name, at)))
				}
			}
		}
		slices.SortStableFunc(here, func(a, b finding.Lossy) int { return cmp.Compare(b.LostShare, a.LostShare) })
		out = append(out, here...)
	}
	return out
}

// absentShare is what was lost, or held back by a limit of the tracer's own, over all
// that the operations made: back to back, either makes a tracer the faster.
func absentShare(l *finding.Ledger) float64 {
	forgone, came := float64(entry(*l, ledger.Forgone)), float64(entry(*l, ledger.Delivered)+entry(*l, ledger.Merged))
	if forgone == 0 {
		return l.LostShare
	}
	due := came
	if l.LostShare < 1 {
		due = came / (1 - l.LostShare)
	}
	return (l.LostShare*due + forgone) / (due + forgone)
}

func (s *study) lossyOf(l *finding.Ledger, variant string, at cell) finding.Lossy {
	refused := s.refused(variant, at)
	atSink := min(refused, entry(*l, ledger.FailedSend))
	places := []finding.LostAt{
		{Place: finding.LostByLimit, Spans: entry(*l, ledger.Forgone)},
		{Place: finding.LostInQueue, Spans: entry(*l, ledger.Dropped)},
		{Place: finding.LostInStream, Spans: entry(*l, ledger.FailedSend) - atSink},
		{Place: finding.LostAtSink, Spans: atSink},
		{Place: finding.LostNowhere, Spans: max(0, entry(*l, ledger.Unaccounted))},
	}
	places = slices.DeleteFunc(places, func(p finding.LostAt) bool { return p.Spans <= 0 })
	slices.SortStableFunc(places, func(a, b finding.LostAt) int { return cmp.Compare(b.Spans, a.Spans) })
	out := finding.Lossy{Operation: at.operation, Parameter: s.parameters[at.level], Variant: variant, LostShare: absentShare(l)}
	for _, p := range places {
		out.Spans += p.Spans
	}
	var words []string
	for i := range places {
		places[i].Share = out.LostShare * float64(places[i].Spans) / float64(out.Spans)
		words = append(words, finding.FormatValue(places[i].Share, "1")+" "+whereText(places[i].Place))
	}
	out.Where = places
	out.Text = finding.FormatValue(out.LostShare, "1") + " of the spans lost: " + strings.Join(words, ", ")
	return out
}

func whereText(place string) string {
	switch place {
	case finding.LostByLimit:
		return "by " + place
	case finding.LostAtSink:
		return "at " + place
	case finding.LostNowhere:
		return "nobody says where"
	}
	return "in " + place
}

// refused is how many spans the receiver refused on a cell.
func (s *study) refused(variant string, at cell) int64 {
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

// lostSpans is what was lost of the spans that were to come.
type lostSpans struct{ expected, lost float64 }

func (l lostSpans) share() float64 {
	share, _ := over(l.lost, l.expected) // 0 where none were to come
	return share
}

// lostAtRate is what was lost at the rates that the searches of a variant found, in the
// probes that these rest on. The ledger has all probes: also those of higher rates.
func (s *study) lostAtRate(variant string, at cell) lostSpans {
	var sum lostSpans
	for _, block := range s.blocksOf(variant, s.baseline) {
		p := s.runs[variant][block].phases[at]
		if p == nil || p.Capacity == nil || p.Capacity.Outcome != record.Found {
			continue
		}
		if one := restsOn(p.Capacity, p.OfferedRate); one != nil {
			sum.expected, sum.lost = sum.expected+one.Expected, sum.lost+one.Lost
		}
	}
	return sum
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

// apart tells of the spans that were lost at the rate that was found. Where they were lost
// is known of the whole search only: each place has as large a part of them as of all.
func (l lostSpans) apart(whole finding.Lossy) finding.Lossy {
	out := whole
	out.LostShare, out.Spans, out.Where = l.share(), int64(math.Round(l.lost)), nil
	words := []string{}
	for _, place := range whole.Where {
		if place.Place == finding.LostByLimit {
			continue // by intent: these were not to come
		}
		out.Where = append(out.Where, place)
	}
	var all int64
	for _, place := range out.Where {
		all += place.Spans
	}
	for i := range out.Where {
		part := float64(out.Where[i].Spans) / float64(all)
		out.Where[i].Share, out.Where[i].Spans = out.LostShare*part, int64(math.Round(l.lost*part))
		words = append(words, finding.FormatValue(out.Where[i].Share, "1")+" "+whereText(out.Where[i].Place))
	}
	out.Text = finding.FormatValue(out.LostShare, "1") + " of the spans lost at the rate found"
	if len(words) > 0 {
		out.Text += ": " + strings.Join(words, ", ")
	}
	return out
}
