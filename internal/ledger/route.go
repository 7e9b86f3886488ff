// This file accounts for spans hop by hop, where they pass through programs on their way to the sink.
package ledger

import (
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// What became of spans on the way, by the word of the hops.
const (
	SampledOnWay = "sampled-on-way" // left out on purpose: no loss
	DroppedOnWay = "dropped-on-way"
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
func believeHops(lines []line, run Run) {
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
		lines[i].doubtHops(run)
	}
}

// doubtHops takes it that what is missing was left out on purpose, where a hop does not say how much it left out.
func (l *line) doubtHops(run Run) {
	l.blind = blind(run.Hops)
	if room := math.Floor(l.missing.low); l.blind && l.known && room > 0 {
		l.exact = false
		l.widen(between{-room, 0})
		l.due.low = math.Max(0, l.due.low)
	}
}

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

// route is the account hop by hop; nothing where there are no hops, or where it is not sure in which stretch spans came.
func (p *page) route(life []record.Hop) []finding.Page {
	if len(p.hops) == 0 || p.operation == Start || p.operation == Stop {
		return nil
	}
	if p.operation != All && (p.late > 0 || !asTold(p.hops, life)) {
		return nil
	}
	missing := p.unaccounted
	if p.blind {
		missing = math.Max(missing, p.missing.high)
	}
	at := finding.Page{From: finding.PageApp}
	if p.expects() {
		at.Expected = spansOf(p.dropped + p.failed + p.atStop + p.left + p.droppedOnWay + p.failedOnWay + p.delivered + missing + p.otherWork())
	}
	if p.admits {
		at.Dropped = spansOf(p.dropped)
	}
	if p.admitsFail {
		at.Failed = spansOf(p.failed)
	}
	var pages []finding.Page
	blind := false // something on this page does not say how many it left out
	for _, h := range p.hops {
		if h.Received == nil { // what it says besides holds for the page that it is on
			at.Past = append(at.Past, h.Name)
			at.Sampled, at.Dropped, at.Failed = sum(at.Sampled, h.Sampled), sum(at.Dropped, h.Dropped), sum(at.Failed, h.Failed)
			at.Sent, at.Untold, blind = nil, both(at.Untold, h.Untold), blind || h.Sampled == nil
			continue
		}
		at.To, at.Received, at.Refused = h.Name, int64(*h.Received), sum(nil, h.Refused)
		pages = append(pages, settled(at, blind))
		blind = h.Sampled == nil
		at = finding.Page{
			From: h.Name, Expected: sum(nil, h.Received), Sampled: sum(nil, h.Sampled), Dropped: sum(nil, h.Dropped),
			Failed: sum(nil, h.Failed), Sent: sum(nil, h.Sent), Source: h.Source, Untold: h.Untold,
		}
	}
	at.To, at.Received = finding.PageSink, whole(p.delivered+p.duplicated+p.otherWork())
	return append(pages, settled(at, blind))
}

// asTold reports whether the hops say of a stretch all that they say of the whole run: a log has it at the end alone.
func asTold(stretch, life []record.Hop) bool {
	for i := range life {
		if i < len(stretch) && life[i].Told() && !stretch[i].Told() {
			return false
		}
	}
	return true
}

// settled says where the spans of a page were lost, and what it comes to.
func settled(p finding.Page, blind bool) finding.Page {
	if p.Expected == nil {
		p.Outcome = finding.HopUnknown
		return p
	}
	missing := *p.Expected - p.Received
	for _, told := range []*int64{p.Sampled, p.Dropped, p.Failed} {
		if told != nil {
			missing -= *told
		}
	}
	p.More = max(0, -missing)
	missing = max(0, missing)
	p.Between = missing
	if p.Sent != nil { // what it did not pass on never was between the two
		p.Between = min(missing, max(0, *p.Sent-p.Received))
		p.Inside = missing - p.Between
	}
	switch {
	case missing > 0 && blind:
		p.Outcome = finding.HopUnsure
	case p.Lost() > 0:
		p.Outcome = finding.HopLost
	case p.More > 0:
		p.Outcome = finding.HopMore
	default:
		p.Outcome = finding.HopWhole
	}
	return p
}

func spansOf(v float64) *int64 {
	n := whole(v)
	return &n
}

// sum adds what is told to what was; nil where neither is.
func sum(to *int64, more *uint64) *int64 {
	if more == nil {
		return to
	}
	n := int64(*more)
	if to != nil {
		n += *to
	}
	return &n
}

func both(a, b string) string {
	return strings.Trim(a+"; "+b, "; ")
}
