// This file says how far it is known that every operation makes the same number of spans. What a
// few operations of a calibration did not show, thousands in the runs may.

package ledger

import (
	"math"
)

// overlooked is the chance that is taken of missing a variation.
const overlooked = 0.001

// rare is the largest share of operations that may make another number than n operations, all
// of which made the same, without one of these being among them. 20 leave 29 %, 10,000 leave 0.07 %.
func rare(n uint64) float64 { return 1 - math.Pow(overlooked, 1/float64(n)) }

// larger takes note of traces that have more spans than any had in the calibration. They were
// made, so that they make up for none that is missing; and there may be more of them, as rare as
// they came, which lost some. A declared number they contradict only where others are missing.
func (l *line) larger(s Stretch, per PerOperation) {
	if !per.exact() || per.Roots == nil || !tells(s.Sink, 1) {
		return
	}
	traces, spans, most := s.Sink.Shapes.Larger(per.Roots, per.Cold.sizes)
	extra, many, top := float64(spans), float64(traces), float64(most)
	if extra == 0 || per.How == Declared && l.missing.high+extra <= 0 {
		return
	}
	l.varies, l.exact, l.how = true, false, Inferred
	more := standardErrors*math.Sqrt(many) - math.Log(overlooked)
	l.widen(between{extra, extra + top*math.Min(more, math.Max(0, float64(s.Started)*per.traces()-many))})
}

// showAbsent puts down to lines the parents of spans that came, which never came themselves. So
// many were lost for sure, whatever came besides. A parent may come later than its children,
// until the stop.
func showAbsent(lines []line, run Run, t Tracing) {
	came := float64(run.Start.Sink.Absent + run.Stop.Sink.Absent)
	rooms := make([]float64, len(lines))
	rooms[len(lines)-1] = math.Max(0, float64(run.Start.Sink.Absent))
	for i, s := range run.Phases {
		came += float64(s.Sink.Absent)
		rooms[i] = math.Max(0, float64(s.Sink.Absent))
	}
	got, _ := share(came, rooms)
	for i, s := range run.Phases {
		l := &lines[i]
		if got[i] <= 0 || !l.known || l.unsure > 0 || t.none() || !t.per(s).Parents || s.Sink.Merged+s.Sink.Suppressed > 0 || leavesOut(s.Hops) || run.blind(t) {
			continue
		}
		l.absent = got[i]
		by := between{math.Max(0, l.absent-l.missing.low), math.Max(0, l.absent-l.missing.high)}
		l.exact = l.exact && by.high == 0
		l.widen(by)
	}
}

// doubt takes it that what is missing was never made, as far as the operations that agreed leave
// it possible and nothing shows that it was lost.
func (l *line) doubt(operations uint64) {
	room := math.Floor(l.missing.low - l.absent)
	if !l.known || room <= 0 || l.agreed == 0 && !l.varies {
		return
	}
	if !l.varies {
		others := math.Floor(rare(l.agreed) * float64(operations))
		room = math.Min(room, math.Floor(others*l.perOperation))
	}
	if room <= 0 {
		return
	}
	l.doubted, l.exact = true, false
	l.widen(between{-room, 0})
	l.due.low = math.Max(0, l.due.low)
}

// settled ends the doubt of spans that the tracer admits to have lost: they were made, and no hop left them out.
func (l *line) settled() {
	if by := min(l.copies, l.copies-l.missing.high); by > 0 {
		l.left -= by
		l.copies -= by
		l.missing.low += by
	}
	if !l.doubted {
		return
	}
	if by := math.Min(0, l.missing.high) - l.missing.low; by > 0 {
		l.missing.low += by
		l.expected.low += by
		l.due.low += by
	}
}
