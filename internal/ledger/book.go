// This file holds the pages of a variant on one hop, and writes them as ledgers.

package ledger

import (
	"cmp"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

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
