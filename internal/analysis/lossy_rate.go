// This file tells what was lost at the rates that searches found. The ledger does not say:
// it has all probes, also those of higher rates.
package analysis

import (
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

// lostSpans is what was lost of the spans that were to come.
type lostSpans struct {
	due, lost float64
	known     bool // a rate was found, and how many spans were to come at it is known
}

func (l lostSpans) share() float64 {
	share, _ := over(l.lost, l.due) // 0 where none were to come
	return share
}

// lostAtRate is what was lost at the rates that the searches of a variant found, in the
// probes that these rest on: each is settled like a phase of its own. What is missing of a
// probe but not of its whole search came late, and is not lost.
func (s *study) lostAtRate(variant string, at cell) lostSpans {
	var sum lostSpans
	tracing := s.tracingByCell(variant)
	for _, block := range s.blocksOf(variant, s.baseline) {
		r := s.runs[variant][block]
		p := r.phases[at]
		if p == nil || p.Capacity == nil || p.Capacity.Outcome != record.Found {
			continue
		}
		probe := restsOn(p.Capacity, p.OfferedRate)
		if probe == nil {
			return lostSpans{}
		}
		one, known := ledger.Deliveries(ledger.Run{Phases: []ledger.Stretch{{
			Operation: at.String(), Started: probe.Load.Started, Completed: probe.Load.Completed, Resent: probe.Load.Resent, Sink: probe.Sink,
		}}}, tracing)[at.String()]
		if !known {
			return lostSpans{}
		}
		lost := math.Max(0, one.Due-one.Delivered-float64(tracing.Holds)) // so many may come with a later probe
		if whole, known := r.delivery[at.String()]; known {
			lost = math.Min(lost, whole.Due-whole.Delivered)
		}
		sum = lostSpans{due: sum.due + one.Due, lost: sum.lost + lost, known: true}
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
	out.LostShare, out.Spans, out.Where = l.share(), int64(math.Round(l.lost)), slices.Clone(whole.Where)
	words := []string{}
	for i := range out.Where {
		part := float64(out.Where[i].Spans) / float64(whole.Spans)
		out.Where[i].Share, out.Where[i].Spans = out.LostShare*part, int64(math.Round(l.lost*part))
		words = append(words, finding.FormatValue(out.Where[i].Share, "1")+" "+whereText(out.Where[i].Place))
	}
	out.Text = finding.FormatValue(out.LostShare, "1") + " of the spans lost at the rate found"
	if len(words) > 0 {
		out.Text += ": " + strings.Join(words, ", ")
	}
	return out
}
