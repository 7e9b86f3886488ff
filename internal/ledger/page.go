// This file sums lines over runs: a page for each operation.

package ledger

import (
	"cmp"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

// page is the account of one operation, Start, Stop or All, over the runs.
type page struct {
	line
	runs    int
	lost    float64 // dropped, failed and unaccounted
	surplus float64 // what came beyond what was expected
	sent    *uint64 // on the page of All: spans sent, as the tracer reports; nil: not reported in every run
}

func (p *page) add(l line) {
	p.runs++
	p.operations += l.operations
	p.unsure += l.unsure
	p.unasked += l.unasked
	p.known = p.known && l.known
	if p.basis == "" || l.basis == Inferred {
		p.basis = l.basis
	}
	p.expected = p.expected.plus(l.expected)
	p.due = p.due.plus(l.due)
	p.missing = p.missing.plus(l.missing)
	for f := range p.spans {
		p.spans[f] += l.spans[f]
	}
	p.reports |= l.reports
	if l.operation != Stop { // no tracer reports anything of it
		p.gaps |= l.gaps | losses&^l.reports
	}
	p.ofStart = p.ofStart || l.ofStart
	p.exact = p.exact && l.exact
	p.varies = p.varies || l.varies
	p.doubted = p.doubted || l.doubted
	p.crossed = p.crossed || l.crossed
	p.unreported = p.unreported || l.unreported
	p.counted = p.counted || l.counted
	p.addBackground(l.background)
	p.addServices(l)
	if l.operation != Start && l.operation != Stop {
		p.kept.add(l.kept, p.runs == 1)
	}
	if p.operation != All {
		p.hops = hopsOf(p.hops, l.hops, p.runs == 1)
	}
	p.traced = p.traced || l.traced
	p.chance.traces += l.chance.traces
	p.chance.trials += l.chance.trials
	p.chance.low += l.chance.low
	p.chance.high += l.chance.high
	p.chance.hidden += l.chance.hidden
	p.lost += l.lost()
	if l.operation != shared {
		p.surplus += math.Max(0, -l.spans[Unaccounted])
	}
	if l.chance.trials > 0 {
		arrived := l.sum() + l.spans[SampledOnWay] + l.spans[DecidedOut] + l.placed() + l.spans[Unaccounted]
		p.spans[SampledOut] += math.Max(0, l.middle()-arrived)
	} else {
		p.spans[SampledOut] += math.Max(0, l.expected.high-l.spans[NotExported]-l.due.high)
	}
}

// says adds the reported sent spans of another run. If one run has no report, the sum is unknown.
func (p *page) says(sent *uint64, first bool) {
	if first || sent == nil || p.sent == nil {
		if p.sent = nil; first {
			p.sent = sent
		}
		return
	}
	p.sent = plus(p.sent, sent)
}

// knows reports whether it is known how many spans a tracer lost in a way that it may report, at least.
func (p *page) knows(f Fate) bool { return p.reports.has(f) && (!p.gaps.has(f) || p.spans[f] > 0) }

// expects reports whether the expected number is known, not only the number that came.
func (p *page) expects() bool { return p.known && p.operation != Stop }

// suppressedShare returns the share of made spans that the tracer's own limit suppressed, 0 to 1.
func (p *page) suppressedShare() float64 {
	return p.spans[Suppressed] / (p.spans[Delivered] + p.spans[Merged] + p.lost + p.spans[Suppressed])
}

// lostShare is lost over what should have arrived, 0 to 1.
func (p *page) lostShare() float64 {
	if p.lost <= 0 {
		return 0
	}
	return p.lost / (p.spans[Delivered] + p.spans[Merged] + p.lost)
}

// Reading a page.

// entry returns the entry of a fate; the zero value if there is none.
func entry(l finding.Ledger, f Fate) finding.Entry {
	i := slices.IndexFunc(l.Entries, func(e finding.Entry) bool { return e.Name == f.String() })
	if i < 0 {
		return finding.Entry{}
	}
	return l.Entries[i]
}

// Entry returns a ledger's entry for a fate: how many spans met it, and how that is known.
func Entry(f Fate, spans int64, how string) finding.Entry {
	return finding.Entry{Name: f.String(), Text: f.Text(), Spans: spans, How: how}
}

// Spans is the number of spans of a fate, 0 where there is no entry of it.
func Spans(l finding.Ledger, f Fate) int64 { return entry(l, f).Spans }

// Reported returns the spans that the tracer and the hops report as lost.
func Reported(l finding.Ledger) (sum int64) {
	for f := range Fates {
		if f.reported() {
			sum += Spans(l, f)
		}
	}
	return sum
}

// ReportedShare returns their share of themselves and the delivered spans.
func ReportedShare(l finding.Ledger) float64 {
	lost := float64(Reported(l))
	if lost <= 0 {
		return 0
	}
	return lost / (lost + float64(Spans(l, Delivered)+Spans(l, Merged)))
}

// Surplus returns the number of spans beyond the expected, over the runs with such: the expected number is wrong, or spans
// that should not be there make up for lost ones.
func Surplus(l finding.Ledger) int64 {
	for _, r := range l.Outcome {
		if r.Code == finding.PageSurplus || r.Code == finding.PageCameUnexpected {
			return int64(r.Figure("spans"))
		}
	}
	return 0
}

// Expects reports whether a ledger has the expected number of spans, not only the number that came.
func Expects(l finding.Ledger) bool {
	return entry(l, Expected).Name != ""
}

// Due returns the number of expected spans: those that came, by themselves or merged into others, and the surely lost ones.
func Due(l finding.Ledger) float64 {
	if l.LostShare >= 1 {
		return float64(Reported(l) + max(0, Spans(l, Unaccounted)))
	}
	return float64(Spans(l, Delivered)+Spans(l, Merged)) / (1 - l.LostShare)
}

// LossEnds returns the least and the most that may have been lost, as shares. Where clearly more came than were expected, their
// number is wrong, and any share may have been.
func LossEnds(l finding.Ledger) (least, most float64, known bool) {
	missing, due := entry(l, Unaccounted), Due(l)
	if finding.Matters(float64(Surplus(l)) / math.Max(1, float64(Spans(l, Delivered)))) {
		return l.LostShare, 1, Expects(l)
	}
	more := float64(max(0, missing.High-max(0, missing.Spans)))
	switch {
	case l.LostShare >= 1:
		return 1, 1, Expects(l)
	case due+more <= 0:
		return 0, 0, Expects(l)
	}
	return l.LostShare, (l.LostShare*due + more) / (due + more), Expects(l)
}

// BesideOperations is the page of a variant's whole run less what the pages of operations account for: what its tracer
// reports as lost, and came, of operations with an unknown number of spans. It is nil where nothing
// was lost so.
func BesideOperations(ledgers []finding.Ledger, variant string) *finding.Ledger {
	var whole *finding.Ledger
	placed := map[string]int64{}
	for i := range ledgers {
		switch l := &ledgers[i]; {
		case l.Variant != variant:
		case l.Operation == All:
			whole = l
		case Expects(*l):
			for _, e := range l.Entries {
				placed[e.Name] += e.Spans
			}
		}
	}
	if whole == nil || Expects(*whole) {
		return nil
	}
	rest := *whole
	rest.Entries = slices.Clone(whole.Entries)
	for i, e := range rest.Entries {
		rest.Entries[i].Spans = max(0, e.Spans-placed[e.Name])
	}
	if rest.LostShare = ReportedShare(rest); rest.LostShare <= 0 {
		return nil
	}
	return &rest
}

// OfAnyOperation returns the page of a variant's whole run if it lost spans for sure that are on no operation's page, since
// they may be of one or of another; nil if there are none.
func OfAnyOperation(ledgers []finding.Ledger, variant string) *finding.Ledger {
	var whole *finding.Ledger
	of := int64(0)
	for i := range ledgers {
		switch l := &ledgers[i]; {
		case l.Variant != variant:
		case l.Operation == All:
			whole = l
		case !Expects(*l) && l.Operation != Start && l.Operation != Stop:
			return nil // see BesideOperations
		default:
			of += missed(*l)
		}
	}
	if whole == nil || !Expects(*whole) || missed(*whole) <= of {
		return nil
	}
	return whole
}

// missed returns the number of surely lost spans of a ledger.
func missed(l finding.Ledger) int64 { return Reported(l) + max(0, Spans(l, Unaccounted)) }

// This file writes a page as entries, each with how it is known.

// entries lists the page in the order of a span's way. The numbers add up: expected less all that is netted or lost is zero.
func (p *page) entries() []finding.Entry {
	p.spans[Background] = p.otherWork()
	if p.sent != nil {
		p.spans[ReportedSent] = float64(*p.sent)
	}
	var entries []finding.Entry
	var sum int64
	for f := range Fates {
		if !p.shows(f) {
			continue
		}
		e := Entry(f, whole(p.spans[f]), p.how(f))
		if f != Expected && table[f].is != aside {
			sum += e.Spans
		}
		entries = append(entries, p.ends(f, e))
	}
	if p.expects() {
		entries[0].Spans = sum
	}
	return entries
}

// shows reports whether a page has an entry of a fate.
func (p *page) shows(f Fate) bool {
	ofAll := p.operation == All
	switch f {
	case Expected, Unaccounted:
		return p.expects()
	case SampledOut:
		return p.spans[f] > 0 || p.chance.trials > 0
	case Dropped, FailedSend:
		return p.knows(f) && (p.expects() || ofAll)
	case ReportedSent:
		return p.sent != nil && ofAll
	case ReportedBeyond:
		return p.spans[f] > 0 && ofAll
	case Delivered, Duplicated:
		return true
	}
	return p.spans[f] > 0
}

// how returns the source of the number of a fate. A report of the tracer is counted for the whole run if it agrees with the
// sink, and inferred for one operation of it, unless it is zero.
func (p *page) how(f Fate) string {
	is := table[f]
	switch {
	case f == Expected:
		return p.basis
	case is.is == aside || is.by == byHop:
		return Counted
	case is.by == bySink:
		return inferredIf(p.spans[cameLate] > 0)
	case is.by == byTracer:
		return inferredIf(p.gaps.has(f) || p.spans[f] > 0 && (p.operation != All || p.spans[ReportedBeyond] > 0))
	}
	return inferredIf(f != SampledOut || !p.traced)
}

// ends gives an entry that is known only between two ends its ends.
func (p *page) ends(f Fate, e finding.Entry) finding.Entry {
	switch {
	case f == Expected && p.expected.low < p.expected.high:
		e.Low, e.High = int64(math.Floor(p.expected.low)), int64(math.Ceil(p.expected.high))
	case f == SampledOut && p.chance.trials > 0:
		e.Low = max(0, int64(math.Floor(p.expected.low-p.due.high)))
		e.High = max(0, int64(math.Ceil(p.expected.high-p.due.low)))
	case f == Unaccounted && p.missing.low < p.missing.high:
		e.Low, e.High = int64(math.Floor(p.missing.low)), int64(math.Ceil(p.missing.high))
	}
	return e
}

func inferredIf(yes bool) string {
	if yes {
		return Inferred
	}
	return Counted
}

// This file holds the pages of a variant on one hop, and writes them as ledgers.

// book holds the pages of a variant on one hop.
type book struct {
	tracing Tracing
	order   []string
	pages   map[string]*page
	end     string // the backend where spans end; "" is the sink
}

func newBook(operations []string, t Tracing) *book {
	b := &book{tracing: t, pages: map[string]*page{}}
	for _, name := range append(append([]string(nil), operations...), Start, Stop, All) {
		b.order = append(b.order, name)
		b.pages[name] = &page{line: line{operation: name, known: true, exact: true}}
	}
	return b
}

// enter adds the lines of one run. Operations that are not of this book count
// towards All only. Reported losses beyond the missing spans are no loss at the sink,
// unless they may belong to an operation with an unknown number of expected spans.
func (b *book) enter(lines []line) {
	guessing := slices.ContainsFunc(lines, func(l line) bool { return !l.known && l.operation != Start && l.operation != Stop })
	for _, l := range lines {
		if p, ok := b.pages[l.operation]; ok && l.operation != All {
			p.add(l)
		}
		whole := l
		whole.crossed = false // it stays within the run
		if l.operation == Start || l.operation == Stop {
			whole.exact, whole.operations = l.unasked == 0 || l.missing.high <= 0, 0
			if !l.known { // listed, never netted: what came is what was expected
				whole.known, whole.expected, whole.due = true, exactly(l.sum()), exactly(l.sum())
			}
			whole.ofStart = l.operation == Start && !l.known
			if guessing {
				whole.spans[Dropped], whole.spans[ReportedBeyond] = whole.spans[Dropped]+l.spans[ReportedBeyond], 0
			}
		}
		b.pages[All].add(whole)
	}
}

// ledgers writes the pages that are not empty.
func (b *book) ledgers(variant, hop string) []finding.Ledger {
	traced := false
	for _, name := range b.order {
		p := b.pages[name]
		traced = traced || p.sum() > 0 || p.expected.high > 0
	}
	var out []finding.Ledger
	for _, name := range b.order {
		p := b.pages[name]
		switch {
		case p.runs == 0:
			continue
		case (name == Start || name == Stop) && p.sum() == 0 && p.spans[Duplicated] == 0 && p.due.high == 0:
			continue
		case name == All && !traced:
			continue
		}
		out = append(out, finding.Ledger{
			Operation: name, Variant: variant, Hop: hop, Operations: p.operations,
			Unchecked: uint64(whole(p.spans[idless])), Entries: p.entries(), Exact: p.exact && !p.crossed && p.expects() && name != Start, Outcome: b.outcome(p), LostShare: p.lostShare(),
		})
		out[len(out)-1].ByChance, out[len(out)-1].Pages = p.chance.trials > 0, p.route(b.pages[All].hops, cmp.Or(b.end, finding.PageSink))
		out[len(out)-1].Services = p.missingOf()
	}
	return out
}
