// This file learns from settled runs what a calibration's few operations could not show: that many
// more made the same number of spans.

package ledger

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// learnLater adds what runs teach of operations of which a calibration taught nothing: their spans came only when it had ended.
// Where every trace that came is of an operation of its own, an operation makes at most as many spans as the largest, and at
// least as many as came in the run in which the fewest did. What makes up the difference was lost, or never made.
func learnLater(t Tracing, runs []Run) map[string]PerOperation {
	out := maps.Clone(t.Spans)
	if t.none() || t.random() || t.Decides || t.Buffers > 0 {
		return out
	}
	ends, told, largest := map[string]PerOperation{}, uint64(0), 0
	for _, run := range runs {
		operations, traces := run.Start.Started+1, run.Start.Sink.Traces // the first operation is one
		for _, s := range run.Phases {
			operations, traces = operations+s.Started, traces+s.Sink.Traces
		}
		if traces > operations {
			return out
		}
		for _, s := range run.Phases {
			_, own := t.Spans[s.Operation]
			if _, level := t.Spans[s.Level]; own || level {
				continue
			}
			if s.Started == 0 || !s.Sink.Whole() {
				return out
			}
			for _, sizes := range s.Sink.Shapes {
				for size := range sizes {
					largest = max(largest, size)
				}
			}
			told += s.Sink.Told()
			came := float64(s.Sink.Told()) / float64(s.Started)
			per, seen := ends[s.Operation]
			if !seen {
				per = PerOperation{Low: came, How: Inferred, Later: true}
			}
			per.Low, per.High = math.Min(per.Low, came), math.Max(per.High, came)
			ends[s.Operation] = per
		}
	}
	if told == 0 {
		return out
	}
	for operation, per := range ends {
		per.High = math.Max(per.High, float64(largest))
		if out == nil {
			out = map[string]PerOperation{}
		}
		out[operation] = per
	}
	return out
}

// carried takes it that spans which came of an operation learnt later are those of others before it which had not come yet:
// as many of its own may be lost.
func carried(lines []line, run Run, t Tracing) {
	made := 0.0
	if run.First != "" {
		made = t.Spans[run.First].High
	}
	late := math.Max(0, made-float64(run.Start.Sink.Told()))
	for i, s := range run.Phases {
		per := t.per(s)
		if !per.Later {
			continue
		}
		lines[i].widen(between{0, math.Min(late, float64(s.Sink.Told()))})
		late = math.Max(0, late+per.High*float64(s.Started)-float64(s.Sink.Told()))
	}
}

// Confirm returns what the tracing is meant to do with what runs teach beside the calibration:
// operations of stretches of which every span came, as many as expected, agreed too.
func Confirm(t Tracing, runs []Run) Tracing {
	if t.random() && slices.ContainsFunc(runs, func(r Run) bool { return r.Backend != "" }) {
		t.Spans = nil // without traces nobody knows what chance has kept, and so what is missing
		return t
	}
	t.Spans = learnLater(t, runs)
	spans := maps.Clone(t.Spans)
	for _, run := range runs {
		for i, l := range settle(run, t) {
			if i >= len(run.Phases) || !l.confirms(run.Phases[i], t, run.begun(t)) {
				continue
			}
			name := run.Phases[i].Level
			if _, known := t.Spans[name]; !known || name == "" {
				name = run.Phases[i].Operation
			}
			per := spans[name]
			per.Agreed += l.operations
			if t.random() {
				s := run.Phases[i]
				per.Agreed += seen(s.Sink) + leftOut(s, t.per(s)) - l.operations
			}
			spans[name] = per
		}
	}
	t.Spans = spans
	return t
}

// confirms reports whether a stretch's operations all made what they are meant to.
func (l line) confirms(s Stretch, t Tracing, begun record.Begun) bool {
	per := t.per(s)
	if l.left > 0 || l.decided > 0 || l.blind {
		return false
	}
	if t.none() || !l.known || l.varies || l.unsure > 0 || l.absent > 0 || per.Agreed == 0 || !per.exact() {
		return false
	}
	own, _ := s.Sink.Apart(begun)
	if t.random() {
		return tells(own, 1) && per.traces() == 1 && single(own.Shapes, int(per.Low))
	}
	if l.missing != exactly(0) {
		return false
	}
	return l.late > 0 || alike(own, s.Started)
}
