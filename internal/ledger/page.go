// This file sums settled lines over runs: a page for each operation.

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
	sampled float64 // sampled out
	lost    float64 // dropped, failed and unaccounted
	surplus float64 // what came beyond what was expected
	sent    *uint64 // on the page of All: what the tracer says that it sent; nil: it does not say it of every run
}

func (p *page) add(l line) {
	p.runs++
	p.operations += l.operations
	p.unsure += l.unsure
	p.known = p.known && l.known
	if p.how == "" || l.how == Inferred {
		p.how = l.how
	}
	p.expected = p.expected.plus(l.expected)
	p.due = p.due.plus(l.due)
	p.missing = p.missing.plus(l.missing)
	p.notExported += l.notExported
	p.delivered += l.delivered
	p.late += l.late
	p.duplicated += l.duplicated
	p.merged += l.merged
	p.suppressed += l.suppressed
	p.decided += l.decided
	p.dropped += l.dropped
	p.failed += l.failed
	p.atStop += l.atStop
	p.admitted += l.admitted
	p.ofStart = p.ofStart || l.ofStart
	p.excess += l.excess
	p.unaccounted += l.unaccounted
	p.besides += l.besides
	p.admits = p.admits || l.admits
	p.admitsFail = p.admitsFail || l.admitsFail
	if l.operation != Stop { // of which no tracer says anything
		p.silent = silence{p.silent.drops || l.silent.drops || !l.admits, p.silent.failures || l.silent.failures || !l.admitsFail}
	}
	p.exact = p.exact && l.exact
	p.orphans = max(p.orphans, l.orphans)
	p.varies = p.varies || l.varies
	p.doubted = p.doubted || l.doubted
	p.absent += l.absent
	p.unchecked += l.unchecked
	p.addBackground(l.background)
	p.foreign += l.foreign
	p.addServices(l)
	p.left += l.left
	p.droppedOnWay += l.droppedOnWay
	p.failedOnWay += l.failedOnWay
	p.early += l.early
	p.torn += l.torn
	if l.operation != Start && l.operation != Stop {
		p.kept.add(l.kept, p.runs == 1)
	}
	p.blind = p.blind || l.blind
	p.counted = p.counted || l.counted
	p.copies += l.copies
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
	p.surplus += math.Max(0, -l.unaccounted)
	if l.chance.trials > 0 {
		arrived := l.told() + l.left + l.decided + l.placed() + l.unaccounted
		p.sampled += math.Max(0, l.middle()-arrived)
	} else {
		p.sampled += math.Max(0, l.expected.high-l.notExported-l.due.high)
	}
}

// says adds what the tracer says of another run that it sent. Where it does not say it of one, it is not known.
func (p *page) says(sent *uint64, first bool) {
	if first || sent == nil || p.sent == nil {
		if p.sent = nil; first {
			p.sent = sent
		}
		return
	}
	p.sent = plus(p.sent, sent)
}

// tellsDrops reports whether it is known how many spans the tracer dropped, at least.
func (p *page) tellsDrops() bool { return p.admits && (!p.silent.drops || p.dropped > 0) }

// tellsFailures reports whether it is known how many spans were in failed exports, at least.
func (p *page) tellsFailures() bool { return p.admitsFail && (!p.silent.failures || p.failed > 0) }

// expects reports whether the page says what was to come, not only what came.
func (p *page) expects() bool { return p.known && p.operation != Stop }

// suppressedShare is what the tracer suppressed by a limit of its own over what it made, 0 to 1.
func (p *page) suppressedShare() float64 {
	return p.suppressed / (p.delivered + p.merged + p.lost + p.suppressed)
}

// lostShare is lost over what should have arrived, 0 to 1.
func (p *page) lostShare() float64 {
	if p.lost <= 0 {
		return 0
	}
	return p.lost / (p.delivered + p.merged + p.lost)
}

// This file reads what a page says.

// Spans is the number of spans of one entry, 0 where there is none.
func Spans(l finding.Ledger, name string) int64 {
	for _, e := range l.Entries {
		if e.Name == name {
			return e.Spans
		}
	}
	return 0
}

// LostOnWay is what the hops say that they lost.
func LostOnWay(l finding.Ledger) int64 {
	return Spans(l, DroppedOnWay) + Spans(l, EarlyOnWay) + Spans(l, TornOnWay) + Spans(l, FailedOnWay)
}

// Admitted is what the tracer and the hops say that they lost.
func Admitted(l finding.Ledger) int64 {
	return Spans(l, Dropped) + Spans(l, FailedSend) + Spans(l, LostAtStop) + LostOnWay(l)
}

// AdmittedShare is what they say that they lost, of that and what came.
func AdmittedShare(l finding.Ledger) float64 {
	lost := float64(Admitted(l))
	if lost <= 0 {
		return 0
	}
	return lost / (lost + float64(Spans(l, Delivered)+Spans(l, Merged)))
}

// Surplus is how many more spans came than were expected, in the runs in which that is so: the expected number is wrong then,
// or what should not be there makes up for what was lost.
func Surplus(l finding.Ledger) int64 {
	for _, r := range l.Outcome {
		if r.Code == finding.PageSurplus || r.Code == finding.PageCameUnexpected {
			return int64(r.Figure("spans"))
		}
	}
	return 0
}

// Expects reports whether a ledger says how many spans were to come, and not only how many came.
func Expects(l finding.Ledger) bool {
	return slices.ContainsFunc(l.Entries, func(e finding.Entry) bool { return e.Name == Expected })
}

// LossEnds returns the least and the most that may have been lost, as shares.
func LossEnds(l finding.Ledger) (least, most float64, known bool) {
	var delivered, lost, more float64 // delivered: by themselves, or merged into others
	for _, e := range l.Entries {
		switch e.Name {
		case Expected:
			known = true
		case Delivered, Merged:
			delivered += float64(e.Spans)
		case Unaccounted:
			more = max(0, float64(e.High-max(0, e.Spans)))
		}
	}
	lost = l.LostShare * delivered / max(1-l.LostShare, 1e-12)
	if l.LostShare >= 1 {
		return 1, 1, known
	}
	if delivered+lost+more <= 0 {
		return 0, 0, known
	}
	return l.LostShare, (lost + more) / (delivered + lost + more), known
}

// BesideOperations is the page of a variant's whole run less what the pages of operations account for: what its tracer
// admits to have lost, and came, of operations of which nobody knows how many spans they make. It is nil where nothing
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
	if rest.LostShare = AdmittedShare(rest); rest.LostShare <= 0 {
		return nil
	}
	return &rest
}

// This file writes a page as entries, each with how it is known.

// entries lists the page in the order of a span's way. The numbers add up:
// expected less all that follow is zero, duplicated, what is of other work and what
// is admitted beyond what is missing apart.
func (p *page) entries() []finding.Entry {
	var entries []finding.Entry
	add := func(name string, spans float64, how string) int64 {
		entries = append(entries, finding.Entry{Name: name, Spans: whole(spans), How: how})
		return whole(spans)
	}
	if p.expects() {
		add(Expected, 0, p.how)
	}
	var sum int64
	if p.notExported > 0 {
		sum += add(NotExported, p.notExported, Inferred)
	}
	if p.sampled > 0 || p.chance.trials > 0 {
		sum += add(SampledOut, p.sampled, inferredIf(!p.traced))
	}
	if p.decided > 0 {
		sum += add(DecidedOut, p.decided, p.attributed(p.decided))
	}
	if p.suppressed > 0 {
		sum += add(Suppressed, p.suppressed, inferredIf(p.late > 0))
	}
	speaks := p.expects() || p.operation == All
	if p.tellsDrops() && speaks {
		sum += add(Dropped, p.dropped, inferredIf(p.silent.drops || p.attributed(p.dropped) == Inferred))
	}
	if p.tellsFailures() && speaks {
		sum += add(FailedSend, p.failed, inferredIf(p.silent.failures || p.attributed(p.failed) == Inferred))
	}
	if p.sent != nil && p.operation == All {
		add(SaysSent, float64(*p.sent), Counted)
	}
	if p.atStop > 0 {
		sum += add(LostAtStop, p.atStop, Inferred)
	}
	if p.merged > 0 {
		sum += add(Merged, p.merged, inferredIf(p.late > 0))
	}
	if p.left > 0 {
		sum += add(SampledOnWay, p.left, Counted)
	}
	if p.droppedOnWay > 0 {
		sum += add(DroppedOnWay, p.droppedOnWay, Counted)
	}
	if p.early > 0 {
		sum += add(EarlyOnWay, p.early, Inferred)
	}
	if p.torn > 0 {
		sum += add(TornOnWay, p.torn, Inferred)
	}
	if p.failedOnWay > 0 {
		sum += add(FailedOnWay, p.failedOnWay, Counted)
	}
	sum += add(Delivered, p.delivered, inferredIf(p.late > 0))
	add(Duplicated, p.duplicated, Counted)
	if other := p.otherWork(); other > 0 {
		add(Background, other, Counted)
	}
	if p.admitted > 0 && p.operation == All {
		add(AdmittedBeyond, p.admitted, Counted)
	}
	if p.expects() {
		sum += add(Unaccounted, p.unaccounted, Inferred)
		entries[0].Spans = sum
		p.ends(entries)
	}
	return entries
}

// ends gives the entries that are known only between two ends their ends.
func (p *page) ends(entries []finding.Entry) {
	for i := range entries {
		e := &entries[i]
		switch {
		case e.Name == Expected && p.expected.low < p.expected.high:
			e.Low, e.High = int64(math.Floor(p.expected.low)), int64(math.Ceil(p.expected.high))
		case e.Name == SampledOut && p.chance.trials > 0:
			e.Low = max(0, int64(math.Floor(p.expected.low-p.due.high)))
			e.High = max(0, int64(math.Ceil(p.expected.high-p.due.low)))
		case e.Name == Unaccounted && p.missing.low < p.missing.high:
			e.Low, e.High = int64(math.Floor(p.missing.low)), int64(math.Ceil(p.missing.high))
		}
	}
}

// attributed says how a number that the tracer admits is known: counted for the
// whole run, as far as it agrees with the sink; inferred for one operation of it;
// unless it is none at all.
func (p *page) attributed(spans float64) string {
	return inferredIf(spans > 0 && (p.operation != All || p.admitted > 0))
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
// towards All only. What is admitted beyond what is missing is no loss that the
// sink knows of, unless it may be of an operation of which it is not known what to
// expect.
func (b *book) enter(lines []line) {
	guessing := slices.ContainsFunc(lines, func(l line) bool { return !l.known && l.operation != Start && l.operation != Stop })
	for _, l := range lines {
		if p, ok := b.pages[l.operation]; ok && l.operation != All {
			p.add(l)
		}
		whole := l
		if l.operation == Start || l.operation == Stop {
			whole.exact, whole.operations = true, 0
			if !l.known { // listed, never netted: what came is what was expected
				whole.known, whole.expected, whole.due = true, exactly(l.told()), exactly(l.told())
			}
			whole.ofStart = l.operation == Start && !l.known
			if guessing {
				whole.dropped, whole.admitted = whole.dropped+l.admitted, 0
			}
		}
		b.pages[All].add(whole)
	}
}

// ledgers writes the pages that have something to say.
func (b *book) ledgers(variant, hop string) []finding.Ledger {
	traced := false
	for _, name := range b.order {
		p := b.pages[name]
		traced = traced || p.told() > 0 || p.expected.high > 0
	}
	var out []finding.Ledger
	for _, name := range b.order {
		p := b.pages[name]
		switch {
		case p.runs == 0:
			continue
		case (name == Start || name == Stop) && p.told() == 0 && p.duplicated == 0 && p.due.high == 0:
			continue
		case name == All && !traced:
			continue
		}
		out = append(out, finding.Ledger{
			Operation: name, Variant: variant, Hop: hop, Operations: p.operations,
			Unchecked: uint64(whole(p.unchecked)), Entries: p.entries(), Exact: p.exact && p.expects() && name != Start, Outcome: b.outcome(p), LostShare: p.lostShare(),
		})
		out[len(out)-1].ByChance, out[len(out)-1].Pages = p.chance.trials > 0, p.route(b.pages[All].hops, cmp.Or(b.end, finding.PageSink))
		out[len(out)-1].Services = p.missingOf()
	}
	return out
}
