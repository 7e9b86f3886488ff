// This file puts down what the hops say of themselves, where spans pass through programs on their way to the sink.

package ledger

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/record"
)

// What became of spans on the way, by the word of the hops.
const (
	SampledOnWay = "sampled-on-way" // left out on purpose: no loss
	DroppedOnWay = "dropped-on-way"
	EarlyOnWay   = "dropped-early" // before it was decided on their traces
	TornOnWay    = "torn"          // left out of traces that were kept, by a hop or the tracer
	FailedOnWay  = "failed-on-way"
)

// word is a figure that hops say of themselves, and where it goes in a line.
type word struct {
	of  func(record.Hop) *uint64
	put func(*line, float64)
}

var onTheWay = []word{
	{func(h record.Hop) *uint64 { return h.Sampled }, func(l *line, spans float64) { l.left += spans }},
	{func(h record.Hop) *uint64 { return h.Dropped }, func(l *line, spans float64) { l.droppedOnWay += spans }},
	{func(h record.Hop) *uint64 { return h.Failed }, func(l *line, spans float64) { l.failedOnWay += spans }},
}

// believeHops puts down what the hops say of the spans that do not come: what they say of a stretch to that, as far as it
// misses spans; and what they say of the whole run beyond all stretches (at the stop, or in a log) in proportion.
func believeHops(lines []line, run Run, t Tracing) {
	for _, w := range onTheWay {
		rest := said(run.Hops, w.of)
		for i := range lines {
			l := &lines[i]
			own := said(l.hops, w.of)
			rest -= own
			if spans := math.Min(own, math.Max(0, l.missing.high)); spans > 0 && l.known {
				w.put(l, spans)
				l.missing = l.missing.less(spans)
			}
		}
		putDown(lines, math.Max(0, rest), w.put, true)
	}
	for i := range lines {
		lines[i].droppedEarly()
		lines[i].doubtHops(run.blind(t))
	}
}

// doubtHops takes it that what is missing was left out on purpose, where a hop or the tracer does not say how much it left out.
func (l *line) doubtHops(blind bool) {
	l.blind = blind
	if room := math.Floor(l.missing.low); l.blind && l.known && room > 0 {
		l.exact = false
		l.widen(between{-room, 0})
		l.due.low = math.Max(0, l.due.low)
	}
}

// doubtCount doubts what hops say that they left out on purpose. A span that came to them twice is two in their counts, and so
// makes up for one that was lost, and so does one of other work. How many are such is not known, only how many of those are that
// came in the end; and that more are counted than do not come.
func (l *line) doubtCount() {
	if !l.known || l.left+l.torn <= 0 {
		return
	}
	l.exact, l.counted = false, true
	told := math.Max(l.left+l.torn, said(l.hops, func(h record.Hop) *uint64 { return h.Sampled }))
	came, beyond := l.came(), told-l.left-l.torn
	odd := came - l.delivered - l.copiedBehind()
	if odd <= 0 && beyond <= 0 || came <= 0 {
		return
	}
	alike := math.Max(1, l.perTrace) // what becomes of the spans of a trace is one case
	odd += standardErrors*math.Sqrt(odd*alike) - math.Log(overlooked)*alike
	l.copies = math.Floor(math.Min(l.left, math.Max(0, told*math.Min(1, odd/came)-beyond)))
	l.missing.high += l.copies
}

// came is how many spans came to the end of the way, each as often as it came.
func (l *line) came() float64 { return l.delivered + l.duplicated + l.otherWork() }

// copiedBehind is how many of the duplicates came of the way behind the last hop: so many more came than it sent.
func (l *line) copiedBehind() float64 {
	if len(l.hops) == 0 || l.hops[len(l.hops)-1].Sent == nil {
		return 0
	}
	return math.Max(0, math.Min(l.duplicated, l.came()-float64(*l.hops[len(l.hops)-1].Sent)))
}

// blind reports whether a hop, or a tracer that decides on traces, does not say how many it left out.
func (r Run) blind(t Tracing) bool { return blind(r.Hops) || t.Decides && r.Admitted.Sampled == nil }

// blind reports whether a hop does not say how many it left out.
func blind(hops []record.Hop) bool {
	return slices.ContainsFunc(hops, func(h record.Hop) bool { return h.Sampled == nil })
}

// leavesOut reports whether hops left any out: then a parent that did not come need not be lost.
func leavesOut(hops []record.Hop) bool {
	return said(hops, func(h record.Hop) *uint64 { return h.Sampled }) > 0
}

// said is the sum of a figure over the hops, as far as they tell it.
func said(hops []record.Hop, of func(record.Hop) *uint64) float64 {
	sum := 0.0
	for _, h := range hops {
		if n := of(h); n != nil {
			sum += float64(*n)
		}
	}
	return sum
}

// hopsOf adds what the hops say in another run. Where they are not the same, nothing is told.
func hopsOf(sum, more []record.Hop, first bool) []record.Hop {
	if first {
		return more
	}
	if len(sum) == 0 || len(more) == 0 {
		return nil
	}
	return record.HopsPlus(sum, more)
}
