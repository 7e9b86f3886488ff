// This file learns from settled runs what a calibration's few operations could not show: that many
// more made the same number of spans.

package ledger

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// Confirm returns what the tracing is meant to do with what runs teach beside the calibration:
// operations of stretches of which every span came, as many as expected, agreed too.
func Confirm(t Tracing, runs []Run) Tracing {
	spans := maps.Clone(t.Spans)
	if t.random() && slices.ContainsFunc(runs, func(r Run) bool { return r.Backend != "" }) {
		t.Spans = nil // without traces nobody knows what chance has kept, and so what is missing
		return t
	}
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
