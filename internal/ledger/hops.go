// The counts of hops: programs that spans pass through on their way to the sink.

package ledger

import (
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// onTheWay are the figures that hops report of themselves.
var onTheWay = []struct {
	fate Fate
	of   func(record.Hop) *uint64
}{
	{SampledOnWay, func(h record.Hop) *uint64 { return h.Sampled }},
	{DroppedOnWay, func(h record.Hop) *uint64 { return h.Dropped }},
	{FailedOnWay, func(h record.Hop) *uint64 { return h.Failed }},
}

// believeHops explains missing spans by the counts of hops: those of a stretch in that stretch, as far as it misses spans;
// those of the whole run beyond all stretches (at the stop, or in a log) in proportion.
func believeHops(lines []line, run Run, t Tracing) {
	for _, w := range onTheWay {
		rest := reportedBy(run.Hops, w.of)
		for i := range lines {
			l := &lines[i]
			own := reportedBy(l.hops, w.of)
			rest -= own
			if spans := math.Min(own, math.Max(0, l.missing.high)); spans > 0 && l.known {
				l.put(w.fate, spans)
				l.missing = l.missing.less(spans)
			}
		}
		charge(lines, math.Max(0, rest), w.fate, true)
	}
	for i := range lines {
		lines[i].droppedEarly()
		lines[i].doubtHops(run.unreported(t))
	}
}

// doubtHops assumes that missing spans were left out on purpose, if a hop or the tracer does not report how many it left out.
func (l *line) doubtHops(unreported bool) {
	l.unreported = unreported
	if room := math.Floor(l.missing.low); l.unreported && l.known && room > 0 {
		l.exact = false
		l.widen(between{-room, 0})
		l.due.low = math.Max(0, l.due.low)
	}
}

// doubtCount doubts the counts of spans that hops left out on purpose. A duplicate counts as two and hides a lost span, and
// so does a span of other work. Their number is unknown; known is the number of such that came in the end, and that more are
// counted than are missing.
func (l *line) doubtCount() {
	if !l.known || l.spans[SampledOnWay]+l.spans[TornOnWay] <= 0 {
		return
	}
	l.exact, l.counted = false, true
	told := math.Max(l.spans[SampledOnWay]+l.spans[TornOnWay], reportedBy(l.hops, func(h record.Hop) *uint64 { return h.Sampled }))
	came, beyond := l.came(), told-l.spans[SampledOnWay]-l.spans[TornOnWay]
	odd := came - l.spans[Delivered] - l.copiedBehind()
	if odd <= 0 && beyond <= 0 || came <= 0 {
		return
	}
	alike := math.Max(1, l.perTrace) // what becomes of the spans of a trace is one case
	odd += standardErrors*math.Sqrt(odd*alike) - math.Log(overlooked)*alike
	l.spans[copied] = math.Floor(math.Min(l.spans[SampledOnWay], math.Max(0, told*math.Min(1, odd/came)-beyond)))
	l.missing.high += l.spans[copied]
}

// came returns the number of spans at the end of the way, each as often as it came.
func (l *line) came() float64 { return l.spans[Delivered] + l.spans[Duplicated] + l.otherWork() }

// copiedBehind returns the number of duplicates made after the last hop: so many more came than it sent.
func (l *line) copiedBehind() float64 {
	if len(l.hops) == 0 || l.hops[len(l.hops)-1].Sent == nil {
		return 0
	}
	return math.Max(0, math.Min(l.spans[Duplicated], l.came()-float64(*l.hops[len(l.hops)-1].Sent)))
}

// unreported reports whether a hop, or a tracer that decides on traces, does not report how many it left out.
func (r Run) unreported(t Tracing) bool {
	return hopUnreported(r.Hops) || t.Decides && r.Reported.Sampled == nil
}

// hopUnreported reports whether a hop does not report how many it left out.
func hopUnreported(hops []record.Hop) bool {
	return slices.ContainsFunc(hops, func(h record.Hop) bool { return h.Sampled == nil })
}

// leavesOut reports whether hops left any out: then a parent that did not come need not be lost.
func leavesOut(hops []record.Hop) bool {
	return reportedBy(hops, func(h record.Hop) *uint64 { return h.Sampled }) > 0
}

// reportedBy is the sum of a figure over the hops that report it.
func reportedBy(hops []record.Hop, of func(record.Hop) *uint64) float64 {
	sum := 0.0
	for _, h := range hops {
		if n := of(h); n != nil {
			sum += float64(*n)
		}
	}
	return sum
}

// hopsOf adds what the hops report in another run; nothing if the hops differ.
func hopsOf(sum, more []record.Hop, first bool) []record.Hop {
	if first {
		return more
	}
	if len(sum) == 0 || len(more) == 0 {
		return nil
	}
	return record.HopsPlus(sum, more)
}

// This file accounts for spans hop by hop, where they pass through programs on their way to the sink.

// route is the account hop by hop, up to an end; nothing where there are no hops, or where it is not sure in which stretch spans came.
func (p *page) route(life []record.Hop, end string) []finding.Page {
	if len(p.hops) == 0 || p.operation == Start || p.operation == Stop {
		return nil
	}
	if p.operation != All && (p.spans[cameLate] > 0 || !reportsAll(p.hops, life)) {
		return nil
	}
	missing := p.spans[Unaccounted]
	if p.unreported {
		missing = math.Max(missing, p.missing.high)
	}
	at := finding.Page{From: finding.PageApp}
	if p.expects() {
		at.Expected = spansOf(p.spans[DecidedOut] + p.placed() + p.spans[SampledOnWay] + p.spans[Delivered] + missing + p.otherWork())
	}
	if p.spans[DecidedOut] > 0 {
		at.Sampled = spansOf(p.spans[DecidedOut])
	}
	if p.knows(Dropped) {
		at.Dropped = spansOf(p.spans[Dropped])
	}
	if p.knows(FailedSend) {
		at.Failed = spansOf(p.spans[FailedSend])
	}
	at.Inside = whole(p.spans[LostAtStop]) // still with the tracer: they never were between the two
	var pages []finding.Page
	unreported := p.unreported && !hopUnreported(p.hops) // a program on this page does not report how many it left out; here the tracer, if no hop
	for _, h := range p.hops {
		if h.Received == nil { // its other counts hold for the page that it is on
			at.Past = append(at.Past, h.Name)
			at.Sampled, at.Dropped, at.Failed = sum(at.Sampled, h.Sampled), sum(at.Dropped, h.Dropped), sum(at.Failed, h.Failed)
			at.Sent, at.Unreported, unreported = nil, both(at.Unreported, h.Unreported), unreported || h.Sampled == nil
			continue
		}
		at.To, at.Received, at.Refused = h.Name, int64(*h.Received), sum(nil, h.Refused)
		pages = append(pages, closed(at, unreported))
		unreported = h.Sampled == nil
		at = finding.Page{
			From: h.Name, Expected: sum(nil, h.Received), Sampled: sum(nil, h.Sampled), Dropped: sum(nil, h.Dropped),
			Failed: sum(nil, h.Failed), Sent: sum(nil, h.Sent), Source: h.Source, Unreported: h.Unreported,
			EarlyTraces: sum(nil, h.Early), KeptTraces: sum(nil, h.Kept),
		}
	}
	at.To, at.Received = end, whole(p.spans[Delivered]+p.spans[Duplicated]+p.otherWork())
	at.Twice = whole(p.spans[Duplicated])
	pages = append(pages, closed(at, unreported))
	p.unhide(pages)
	return p.byTrace(pages)
}

// unhide puts spans that are missing by their ids on pages on which copies of others came in their place: behind the last hop as
// far as these are from there, and else before the first.
func (p *page) unhide(pages []finding.Page) {
	hidden := whole(p.lost - p.spans[TornOnWay]) // that is taken from what was left out
	for _, at := range pages {
		hidden -= at.Lost()
	}
	behind := min(hidden, whole(p.copiedBehind()))
	cover(&pages[len(pages)-1], behind)
	cover(&pages[0], hidden-behind)
	beyond := -whole(p.spans[SampledOnWay] + p.spans[TornOnWay]) // counted by hops, and more than can be missing
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
		if at := &pages[i]; p.spans[copied] > 0.5 && (at.Outcome == finding.HopWhole || at.Outcome == finding.HopMore) {
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

// reportsAll reports whether the hops report on a stretch all that they report on the whole run: a log has it at the end alone.
func reportsAll(stretch, life []record.Hop) bool {
	for i := range life {
		if i < len(stretch) && life[i].Reports() && !stretch[i].Reports() {
			return false
		}
	}
	return true
}

// closed sets the place where the spans of a page were lost, and its result.
func closed(p finding.Page, unreported bool) finding.Page {
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
	case missing > 0 && unreported:
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

// sum adds what is reported to what was; nil if both are unknown.
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

// Hops that decide on whole traces and count in traces: those thrown away undecided, and whether the kept ones are whole.

// traces are those that came of operations whose traces are all alike.
type traces struct {
	known   bool
	came    int64
	partial int64 // of these, without some of their spans
	lacking int64 // these
}

func (t *traces) add(more traces, first bool) {
	t.known = more.known && (first || t.known)
	t.came += more.came
	t.partial += more.partial
	t.lacking += more.lacking
}

// decides reports whether a hop reports kept traces in a run: it leaves out whole ones then, also in a stretch in which it
// kept none. One that never kept any may leave out spans.
func decides(run, stretch []record.Hop) bool {
	kept := func(hops []record.Hop, least uint64) bool {
		return slices.ContainsFunc(hops, func(h record.Hop) bool { return h.Kept != nil && *h.Kept >= least })
	}
	return kept(run, 1) && kept(stretch, 0)
}

// droppedEarly books the spans of traces that hops threw away undecided, if the spans per trace are known.
func (l *line) droppedEarly() {
	spans := math.Min(l.perTrace*reportedBy(l.hops, func(h record.Hop) *uint64 { return h.Early }), math.Max(0, l.missing.high))
	if l.known && spans > 0 {
		l.spans[EarlyOnWay] += spans
		l.missing = l.missing.less(spans)
	}
}

// tear takes from what was left out on purpose the spans that kept traces lack: a trace that came in parts was decided on in
// parts. What they lack is first put down to what came late and to what was lost in another way, so it is the least.
func (l *line) tear(s Stretch, run Run, begun record.Begun) {
	if tracer := run.Reported.Sampled; decides(run.Hops, s.Hops) || tracer != nil && *tracer > 0 {
		l.kept = keptOf(s, l.perTrace, begun)
	}
	if !l.kept.known || !l.known {
		return
	}
	elsewhere := math.Max(0, l.missing.high) + l.placed() + math.Max(0, l.spans[cameLate])
	lacking := math.Max(0, float64(l.kept.lacking)-elsewhere)
	for _, out := range []Fate{SampledOnWay, DecidedOut} {
		spans := math.Min(l.spans[out], lacking)
		l.spans[out] -= spans
		l.spans[TornOnWay] += spans
		lacking -= spans
	}
}

// decide explains spans by the finished traces that the tracer reports as left out. It reports them for the whole run, at the
// stop.
func decide(lines []line, run Run) {
	if n := run.Reported.Sampled; n != nil {
		charge(lines, float64(*n), DecidedOut, true)
	}
}

// keptOf are the traces that came; all of them should have so many spans.
func keptOf(s Stretch, perTrace float64, begun record.Begun) traces {
	own, _ := s.Sink.OfOperations(begun)
	if perTrace <= 0 || !own.Whole() {
		return traces{}
	}
	out := traces{known: true}
	for _, sizes := range own.Shapes {
		for size, n := range sizes {
			out.came += n
			if lacks := int64(perTrace) - int64(size); lacks > 0 {
				out.partial += n
				out.lacking += n * lacks
			}
		}
	}
	out.partial, out.lacking = max(0, out.partial), max(0, out.lacking) // below none where traces that had come before got more
	return out
}

// byTrace adds each hop's trace decisions to its page, and to the tracer's page the spans missing from kept traces.
func (p *page) byTrace(pages []finding.Page) []finding.Page {
	early, torn := whole(p.spans[EarlyOnWay]), whole(p.spans[TornOnWay])
	for i := range pages {
		at := &pages[i]
		if at.EarlyTraces != nil && *at.EarlyTraces > 0 {
			at.Early = min(at.Inside, early)
			at.Inside -= at.Early
			early -= at.Early
		}
		if at.KeptTraces == nil || *at.KeptTraces == 0 {
			continue
		}
		if at.Sampled != nil && torn > 0 {
			at.Torn = min(*at.Sampled, torn)
			left := *at.Sampled - at.Torn
			at.Sampled = &left
			torn -= at.Torn
			if at.Outcome != finding.HopUnsure {
				at.Outcome = finding.HopLost
			}
		}
		if p.kept.known {
			at.Traces, at.Partial = &p.kept.came, &p.kept.partial
		}
	}
	if app := &pages[0]; p.spans[DecidedOut] > 0 && app.Outcome == finding.HopLost { // the rest is the tracer's
		tracers := min(app.Between, torn)
		app.Between -= tracers
		app.Torn += tracers
	}
	return pages
}
