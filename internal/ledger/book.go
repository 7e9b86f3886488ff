// This file sums settled lines over runs and writes them as ledgers.
package ledger

import (
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

// book holds the pages of a variant on one hop.
type book struct {
	tracing Tracing
	order   []string
	pages   map[string]*page
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
	p.forgone += l.forgone
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
	p.exact = p.exact && l.exact
	p.orphans = max(p.orphans, l.orphans)
	p.varies = p.varies || l.varies
	p.doubted = p.doubted || l.doubted
	p.absent += l.absent
	p.unchecked += l.unchecked
	p.addBackground(l.background)
	p.addServices(l)
	p.left += l.left
	p.droppedOnWay += l.droppedOnWay
	p.failedOnWay += l.failedOnWay
	p.blind = p.blind || l.blind
	if p.operation != All {
		p.hops = hopsOf(p.hops, l.hops, p.runs == 1)
	}
	p.chance.traces += l.chance.traces
	p.chance.trials += l.chance.trials
	p.chance.low += l.chance.low
	p.chance.high += l.chance.high
	p.chance.hidden += l.chance.hidden
	p.lost += l.lost()
	p.surplus += math.Max(0, -l.unaccounted)
	if l.chance.trials > 0 {
		arrived := l.told() + l.left + l.placed() + l.unaccounted
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

// middle is the number of spans to expect where it lies between two ends.
func (l line) middle() float64 {
	if l.unsure > 0 {
		return l.expected.high
	}
	return (l.expected.low + l.expected.high) / 2
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
		out[len(out)-1].ByChance, out[len(out)-1].Pages = p.chance.trials > 0, p.route(b.pages[All].hops)
		out[len(out)-1].Services = p.missingOf()
	}
	return out
}

// expects reports whether the page says what was to come, not only what came.
func (p *page) expects() bool { return p.known && p.operation != Stop }

// forgoneShare is what the tracer held back by a limit of its own over what it made, 0 to 1.
func (p *page) forgoneShare() float64 {
	return p.forgone / (p.delivered + p.merged + p.lost + p.forgone)
}

// lostShare is lost over what should have arrived, 0 to 1.
func (p *page) lostShare() float64 {
	if p.lost <= 0 {
		return 0
	}
	return p.lost / (p.delivered + p.merged + p.lost)
}
