// This file puts what is missing down to those who say that they lost it.

package ledger

import "math"

// admit puts what the tracer admits, and what the sink refused, down to the
// lines that miss spans. The tracer speaks for the whole run, so which operation
// a span belonged to is inferred. Drops beyond all that is missing are not of any
// operation of which it is known what to expect; they stay with the last line, the
// start.
func admit(lines []line, run Run) {
	dropped, failed := run.Admitted.Dropped, run.Admitted.Failed
	start := &lines[len(lines)-1]
	for i := range lines {
		lines[i].admits, lines[i].admitsFail, lines[i].silent = dropped != nil, failed != nil, run.silent
	}
	if dropped != nil {
		used := putDown(lines, float64(*dropped), func(l *line, spans float64) { l.dropped += spans }, true)
		start.admitted = float64(*dropped) - used
	}
	refused := run.Start.Sink.Rejected + run.Stop.Sink.Rejected
	for _, s := range run.Phases {
		refused += s.Sink.Rejected
	}
	total := float64(refused)
	if failed != nil {
		total = math.Max(total, float64(*failed))
	}
	used := putDown(lines, total, func(l *line, spans float64) {
		l.failed += spans
		l.admitsFail = l.admitsFail || spans > 0
	}, true)
	start.excess = total - used
}

// putDown puts a total down to lines in proportion to the spans they miss for
// sure, then, if unsure is set, to those they may miss. It returns how many it
// put down.
func putDown(lines []line, total float64, put func(*line, float64), unsure bool) float64 {
	used := 0.0
	round := func(room func(between) float64) {
		rooms := make([]float64, len(lines))
		for i := range lines {
			rooms[i] = room(lines[i].missing)
		}
		got, left := share(total-used, rooms)
		for i, spans := range got {
			put(&lines[i], spans)
			lines[i].missing = lines[i].missing.less(spans)
		}
		used = total - left
	}
	round(func(b between) float64 { return b.low })
	if unsure {
		round(func(b between) float64 { return b.high })
	}
	return used
}

// lost is what should have arrived and did not, in itself or in another span. What a
// tracer holds back by a rule of its own was not to arrive.
func (l line) lost() float64 {
	return l.placed() + math.Max(0, l.unaccounted)
}

// placed is what was lost where somebody tells.
func (l line) placed() float64 {
	return l.dropped + l.failed + l.atStop + l.droppedOnWay + l.failedOnWay + l.early + l.torn
}

// lostAtMost is what may have been lost, where the number of spans varies or operations
// failed. Traces that chance may hide are not in it.
func (l line) lostAtMost() float64 {
	return math.Max(l.lost(), l.placed()+l.missing.high-l.chance.hidden)
}
