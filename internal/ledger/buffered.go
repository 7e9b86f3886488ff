// This file puts spans where they belong that came while a later operation was made: a tracer
// has kept them back until a buffer was full, or longer than anybody knew, or its first export took long.

package ledger

import (
	"math"

	"github.com/tracetax/tracetax/internal/record"
)

// moveBuffered gives what came of one stretch beyond what was expected to the stretches before
// it that miss spans, at most holds for each stretch, the oldest first. The last line is the
// start, which was first: the spans of its requests, then those that the program made besides.
// Nothing is moved that may as well be a number which varies.
func moveBuffered(lines []line, holds, besides float64) {
	inTime := make([]*line, 0, len(lines))
	inTime = append(inTime, &lines[len(lines)-1])
	for i := range lines[:len(lines)-1] {
		inTime = append(inTime, &lines[i])
	}
	start := inTime[0]
	besides = math.Max(0, besides+math.Min(0, start.missing.high)) // less those that came in time
	for i, l := range inTime {
		left := math.Min(holds, -l.missing.high)
		give := func(to *line, most float64) float64 {
			spans := math.Min(left, most)
			if spans <= 0 || !l.known || !to.known {
				return 0
			}
			to.arrived(spans)
			l.arrived(-spans)
			left -= spans
			return spans
		}
		for j, before := range inTime[:i] {
			give(before, before.missing.low)
			if j == 0 {
				besides -= give(start, besides)
			}
		}
	}
}

// moveCold gives what came of an operation beyond what was expected to the start, as far as
// that misses spans: the first export of a process takes long on a busy machine, and what it
// brings comes while later operations are made. The last line is the start.
func moveCold(lines []line) {
	start := &lines[len(lines)-1]
	if !start.known {
		return
	}
	for i := range lines[:len(lines)-1] {
		l := &lines[i]
		if spans := math.Min(-l.missing.high, start.missing.low); l.known && spans > 0 {
			start.arrived(spans)
			l.arrived(-spans)
		}
	}
}

// arrived adds spans that came at another time than the others.
func (l *line) arrived(spans float64) {
	l.delivered += spans
	l.late += math.Max(0, spans)
	l.missing = l.missing.less(spans)
	l.exact = false
}

// Besides is how many spans the program made in calibration runs beside those of what it was
// asked for, the fewest of any run: what it does when it starts (to Kieker, loading the traced
// class and making its object are calls of it too). spans are what was learnt in these runs, by
// operation and by operation at its level. It is 0 where a number is not known, or varies.
func Besides(calibrations []record.Record, spans map[string]PerOperation) int {
	t, fewest := Tracing{Spans: spans}, math.Inf(1)
	for i := range calibrations {
		c := &calibrations[i]
		if c.Failed() {
			continue
		}
		run := FromRecord(c)
		asked, known := 0.0, true
		add := func(per PerOperation, times uint64) {
			asked += per.Low * float64(times)
			known = known && (times == 0 || per.exact())
		}
		for _, s := range run.Phases {
			add(t.per(s), s.Started)
		}
		add(t.Spans[record.ProbeOperation], run.Start.Started)
		if run.First != "" {
			add(t.Spans[run.First], 1)
		}
		for _, work := range c.Start.Once {
			add(t.Spans[work], 1)
		}
		if !known {
			return 0
		}
		fewest = math.Min(fewest, float64(c.Life.Told()-min(c.Life.Told(), c.Unasked.Spans()))-asked)
	}
	if math.IsInf(fewest, 1) || fewest < 0 {
		return 0
	}
	return int(fewest)
}
