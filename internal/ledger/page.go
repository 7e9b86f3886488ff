// This file sums settled lines over runs: a page for each operation.

package ledger

import "math"

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
