// This file tells what was lost in that part of a phase which a figure is of: its window, or
// the probes at the rate that a search found. The ledger has the warm-up too, and all probes.
package analysis

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/words"
)

// lostSpans is what was lost of the spans that were to come.
type lostSpans struct {
	due, lost float64
	most      float64 // may have been lost, at least lost: their number varies, or operations failed; not what chance may hide
	known     bool    // there is such a part, and it is known of how many spans at least
}

func (l lostSpans) share() float64 {
	share, _ := over(l.lost, l.due) // 0 where none were to come
	return share
}

// mostShare is the share that may have been lost at most, at least share.
func (l lostSpans) mostShare() float64 {
	share, _ := over(l.most, l.due-l.lost+l.most) // 0 where none were to come
	return share
}

// unsure reports whether more than what matters may be missing unseen.
func (l lostSpans) unsure() bool { return !l.known || l.mostShare()-l.share() > 1-finding.Lossless }

// lostAtRate is what was lost at the rates that the searches of a variant found, in the
// probes that these rest on.
func (s *study) lostAtRate(variant string, at cell.At) lostSpans {
	return s.lostIn(variant, at, float64(s.tracing[variant].Holds), func(p *phase) (load *record.Load, sink record.Counts, is bool) {
		if p.Capacity == nil || p.Capacity.Outcome != record.Found {
			return nil, sink, false
		}
		if probe := restsOn(p.Capacity, p.OfferedRate); probe != nil {
			return &probe.Load, probe.Sink, true
		}
		return nil, sink, true
	})
}

// lostInWindow is what was lost behind the warm-up. Of a search, whose window are its probes,
// and of operations back to back, of whose warm-up what is lost is as much the tracer's way, it
// is not known.
func (s *study) lostInWindow(variant string, at cell.At) lostSpans {
	if how := s.loopOf(at); how == searching || how == saturating {
		return lostSpans{}
	}
	of := cell.Cell{At: at, Variant: variant}
	if known, has := s.windows[of]; has {
		return known
	}
	s.windows[of] = s.lostIn(variant, at, 0, func(p *phase) (*record.Load, record.Counts, bool) { return &p.Load, p.Sink, true })
	return s.windows[of]
}

// lostIn settles a part of each phase like a phase of its own: block by block, or all together
// where chance decides what is sampled. What is missing of the part but not of its whole phase
// came late, and is not lost; nor are as many spans of each as may come in a later part of it.
// The part is nil where there should be one and is not.
func (s *study) lostIn(variant string, at cell.At, later float64, part func(*phase) (load *record.Load, sink record.Counts, is bool)) lostSpans {
	tracing := s.tracingByCell(variant)
	var parts, wholes []ledger.Run
	for _, block := range s.blocksOf(variant, s.baseline) {
		r := s.runs[variant][block]
		p := r.phases[at]
		if p == nil {
			continue
		}
		load, sink, is := part(p)
		if !is {
			continue
		}
		if load == nil {
			return lostSpans{}
		}
		parts = append(parts, ledger.Run{Phases: []ledger.Stretch{{
			Operation: at.String(), Started: load.Started, Completed: load.Completed, Resent: load.Resent, Sink: sink,
		}}})
		wholes = append(wholes, ofCells(r.Record))
	}
	size := 1 // how many blocks are settled together
	if tracing.ByChance() {
		size = max(1, len(parts))
	}
	var sum lostSpans
	for i := 0; i < len(parts); i += size {
		one, known := ledger.Deliveries(tracing, parts[i:i+size]...)[at.String()]
		whole, knownWhole := ledger.Deliveries(tracing, wholes[i:i+size]...)[at.String()]
		if !known || !knownWhole {
			return lostSpans{}
		}
		lost := min(max(0, one.Due-one.Delivered-later), whole.Due-whole.Delivered)
		most := max(lost, min(one.LostAtMost-later, whole.LostAtMost))
		sum = lostSpans{due: sum.due + one.Due, lost: sum.lost + lost, most: sum.most + most, known: true}
	}
	return sum
}

// below reports whether the whole phase tells of a loss that may be the part's and is unknown of
// it. It never is where the part is known.
func (l lostSpans) below(whole *finding.Ledger) bool {
	return !l.known || l.unsure() && l.share() < whole.LostShare && whole.LostShare <= l.mostShare()
}

// lostInPhase is what was lost of all that was made on a cell, the warm-up and all probes too.
func (s *study) lostInPhase(variant string, at cell.At) lostSpans {
	return s.lostIn(variant, at, 0, func(p *phase) (*record.Load, record.Counts, bool) {
		load := record.Load{
			Started: p.Warmup.Started + p.Load.Started, Completed: p.Warmup.Completed + p.Load.Completed, Resent: p.Warmup.Resent + p.Load.Resent,
		}
		return &load, p.WarmupSink.Plus(p.Sink), true
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

// apart tells of the spans that were lost in the part, which words name. Where they were lost
// is known of the whole phase only: each place has as large a part of them as of all.
func (l lostSpans) apart(whole finding.Lossy, part string) finding.Lossy {
	out := whole
	out.Part = part
	out.LostShare, out.Spans, out.Where = l.share(), int64(math.Round(l.lost)), slices.Clone(whole.Where)
	for i := range out.Where {
		part := float64(out.Where[i].Spans) / float64(whole.Spans)
		out.Where[i].Share, out.Where[i].Spans = out.LostShare*part, int64(math.Round(l.lost*part))
	}
	out.Text = finding.FormatValue(out.LostShare, "1") + " of the spans lost " + part
	if len(out.Where) > 0 {
		out.Text += ": " + words.Places(out.Where)
	}
	return out
}
