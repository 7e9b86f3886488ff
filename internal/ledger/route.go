// This file accounts for spans hop by hop, where they pass through programs on their way to the sink.

package ledger

import (
	"math"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// route is the account hop by hop, up to an end; nothing where there are no hops, or where it is not sure in which stretch spans came.
func (p *page) route(life []record.Hop, end string) []finding.Page {
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
		at.Expected = spansOf(p.decided + p.dropped + p.failed + p.atStop + p.left + p.droppedOnWay + p.early + p.torn + p.failedOnWay + p.delivered + missing + p.otherWork())
	}
	if p.decided > 0 {
		at.Sampled = spansOf(p.decided)
	}
	if p.tellsDrops() {
		at.Dropped = spansOf(p.dropped)
	}
	if p.tellsFailures() {
		at.Failed = spansOf(p.failed)
	}
	at.Inside = whole(p.atStop) // still with the tracer: they never were between the two
	var pages []finding.Page
	blind := p.blind && !blind(p.hops) // something on this page does not say how many it left out; here the tracer, if no hop
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
			EarlyTraces: sum(nil, h.Early), KeptTraces: sum(nil, h.Kept),
		}
	}
	at.To, at.Received = end, whole(p.delivered+p.duplicated+p.otherWork())
	at.Twice = whole(p.duplicated)
	pages = append(pages, settled(at, blind))
	p.unhide(pages)
	return p.byTrace(pages)
}

// unhide puts spans that are missing by their ids on pages on which copies of others came in their place: behind the last hop as
// far as these are from there, and else before the first.
func (p *page) unhide(pages []finding.Page) {
	hidden := whole(p.lost - p.torn) // that is taken from what was left out
	for _, at := range pages {
		hidden -= at.Lost()
	}
	behind := min(hidden, whole(p.copiedBehind()))
	cover(&pages[len(pages)-1], behind)
	cover(&pages[0], hidden-behind)
	beyond := -whole(p.left + p.torn) // counted by hops, and more than can be missing
	for _, at := range pages[1:] {
		if at.Sampled != nil {
			beyond += *at.Sampled
		}
	}
	for i := 1; i < len(pages) && p.counted && beyond > 0; i++ {
		if at := &pages[i]; at.Sampled != nil {
			at.Copies = min(*at.Sampled, beyond)
			beyond -= at.Copies
		}
	}
	for i := range pages {
		if at := &pages[i]; p.copies > 0.5 && (at.Outcome == finding.HopWhole || at.Outcome == finding.HopMore) {
			at.Outcome = finding.HopHidden
		}
		if i < len(pages)-1 && pages[i+1].Sampled != nil && *pages[i+1].Sampled > 0 {
			break
		}
	}
}

// cover puts spans on a page that did not come, and in whose place as many copies did.
func cover(at *finding.Page, spans int64) {
	if spans > 0 && at.Expected != nil && at.Outcome != finding.HopUnsure {
		at.Between, at.More, at.Outcome = at.Between+spans, at.More+spans, finding.HopLost
	}
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
	p.Inside = min(missing, p.Inside)
	p.Between = missing - p.Inside
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
