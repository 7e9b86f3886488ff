// The result of a page of the ledger: codes with their figures.

package ledger

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

func (b *book) outcome(p *page) []finding.Reason {
	out := b.came(p)
	add := func(is bool, code finding.Code, figures ...finding.Figure) {
		if is {
			out = append(out, finding.Reason{Code: code, Figures: figures})
		}
	}
	add(p.spans[Suppressed] > 0.5, finding.PageSuppressed, spans(p.spans[Suppressed]), part("share", p.suppressedShare()))
	add(p.surplus > 0 && p.expected.high > 0 && !b.tracing.none(), finding.PageSurplus, spans(p.surplus))
	add(p.operation == Start && p.spans[ofStarting] > 0, finding.PageBesides, spans(p.spans[ofStarting]))
	add(p.spans[besides] > 0, finding.PageBesideWhole, spans(p.spans[besides]))
	add(p.spans[Duplicated] > 0, finding.PageRepeated, spans(p.spans[Duplicated]))
	add(p.spans[absent] > 0 && p.operation != Start && p.operation != Stop, finding.PageParentsAbsent, spans(p.spans[absent]))
	add(len(p.background) > 0, finding.PageOtherWork, p.others()...)
	add(p.spans[foreign] > 0, finding.PageForeign, count("traces", p.spans[foreign]))
	add(p.operation == All && p.spans[ReportedBeyond] > 0.5, b.beyond(p), spans(p.spans[ReportedBeyond]))
	add(p.spans[failedCame] > 0, finding.PageFailedCame, spans(p.spans[failedCame]))
	return out
}

// beyond is the code of drops that the tracer counts and that are not missing.
func (b *book) beyond(p *page) finding.Code {
	switch {
	case b.tracing.none():
		return finding.PageReportedSuppressed
	case p.ofStart:
		return finding.PageReportedOfStart
	}
	return finding.PageReportedBeyond
}

// came adds the reasons for the fates of the spans.
func (b *book) came(p *page) []finding.Reason {
	delivered := spans(p.spans[Delivered])
	switch {
	case p.operation == Start && !p.known:
		return one(finding.PageOfStarting, delivered, count("requests", float64(p.operations)))
	case p.operation == Stop:
		return one(finding.PageOfStopping, delivered)
	case b.tracing.Silent && !p.known && p.spans[Delivered] == 0:
		return one(finding.PageNotExported)
	case !p.known && p.lost > 0:
		return append(append(one(finding.PageCame, delivered), p.loss()...), finding.Reason{Code: finding.PageUnknown})
	case !p.known:
		return append(one(finding.PageCame, delivered), finding.Reason{Code: finding.PageUnknown})
	case p.expected.high == 0 && p.surplus > 0:
		return one(finding.PageCameUnexpected, delivered)
	case p.expected.high == 0 && p.basis == Inferred && !b.tracing.none():
		return one(finding.PageNoneLearnt)
	case p.expected.high == 0:
		return one(finding.PageNone)
	case b.tracing.Silent && p.spans[Delivered] > p.plain():
		return append(one(finding.PageNotExported), one(finding.PageCameUnexported, delivered)...)
	case b.tracing.Silent:
		return one(finding.PageNotExported)
	case b.tracing.none() && p.surplus > 0:
		return one(finding.PageCameUnsampled, delivered)
	case p.chance.trials > 0:
		return b.chanced(p)
	}
	return p.loss()
}

// plain returns the delivered spans that are only listed: those of Start and Stop
// on the page of all.
func (p *page) plain() float64 {
	if p.operation == All {
		return p.due.low
	}
	return 0
}

// loss adds the reasons for lost spans, by source.
func (p *page) loss() []finding.Reason {
	missing := spans(p.missing.high)
	switch {
	case p.lost >= 0.5:
		return one(finding.PageLost, p.lostBy()...)
	case p.missing.high > 0.5 && p.unsure > 0:
		return one(finding.PageMayHaveFailed, missing, count("operations", float64(p.unsure)))
	case p.missing.high > 0.5 && p.unasked > 0:
		return one(finding.PageNotReady, missing, count("requests", float64(p.unasked)))
	case p.missing.high > 0.5 && p.unreported:
		return one(finding.PageHopSilent, missing)
	case p.missing.high > 0.5 && p.spans[copied] > 0.5:
		return one(finding.PageCopies, missing)
	case p.missing.high > 0.5 && p.crossed:
		return one(finding.PageMayBeOthers, missing)
	case p.missing.high > 0.5 && p.doubted && !p.varies:
		return one(finding.PageMayNotBeMade, missing)
	case p.missing.high > 0.5:
		return one(finding.PageMayVary, missing)
	case p.spans[idless] > 0 && !p.exact:
		return one(finding.PageUnchecked, spans(p.spans[idless]))
	case p.varies:
		return one(finding.PageVaries)
	case p.surplus > 0: // the expected number is wrong: it proves neither a loss nor its absence
		return nil
	case p.counted:
		return one(finding.PageByCount)
	}
	return one(finding.PageNothingLost)
}

// lostBy are the share that was lost, and the spans of it by fate: of the tracer's drops and failed exports, and what is
// unaccounted for, also where there are none.
func (p *page) lostBy() []finding.Figure {
	out := []finding.Figure{part("share", p.lostShare())}
	for f := range Fates {
		switch {
		case f == Unaccounted:
			out = append(out, count(f.Figure(), p.lost-p.placed()))
		case f.reported() && (table[f].by == byTracer || p.spans[f] > 0):
			out = append(out, count(f.Figure(), p.spans[f]))
		}
	}
	return out
}

// chanced adds the outcome of random sampling. A trace that was lost whole looks like one that was
// not sampled: the spans that came may be complete, and no more is known.
func (b *book) chanced(p *page) []finding.Reason {
	c := p.chance
	var out []finding.Reason
	if p.lost >= 0.5 {
		out = p.loss()
	}
	switch {
	case p.tooFew():
		out = append(out, finding.Reason{Code: finding.PageTooFewTraces})
	case p.lost < 0.5 && c.traces > 0 && c.traces <= c.high && p.missing.high-c.hidden <= 0.5:
		out = append(out, finding.Reason{Code: finding.PageComplete})
	}
	out = append(out, one(finding.PageTracesKept, count("traces", float64(c.traces)), count("trials", float64(c.trials)), part("sampling", b.tracing.Sampling),
		count("low", float64(c.low)), count("high", float64(c.high)))...)
	switch {
	case c.traces > c.high:
		out = append(out, finding.Reason{Code: finding.PageTooManyTraces})
	case p.missing.high > 0.5 && p.lost >= 0.5:
		out = append(out, p.unseen(finding.PageHiddenInAll))
	case p.missing.high > 0.5:
		out = append(out, p.unseen(finding.PageHidden))
	}
	return out
}

// tooFew reports whether fewer traces came than chance allows. It is false if whole traces were left out later or discarded
// undecided, or if their number is unreported: then it is not chance alone.
func (p *page) tooFew() bool {
	return p.chance.traces < p.chance.low && p.spans[DecidedOut]+p.spans[EarlyOnWay] == 0 && !p.unreported
}

// unseen returns the most spans that may have been lost.
func (p *page) unseen(code finding.Code) finding.Reason {
	lost := p.lost + p.missing.high - math.Max(0, p.spans[Unaccounted])
	return finding.Reason{Code: code, Figures: []finding.Figure{spans(lost), part("share", lost/(p.spans[Delivered]+p.spans[Merged]+lost))}}
}

func one(code finding.Code, figures ...finding.Figure) []finding.Reason {
	return []finding.Reason{{Code: code, Figures: figures}}
}

func spans(n float64) finding.Figure { return count("spans", n) }

func count(name string, n float64) finding.Figure {
	return finding.Figure{Name: name, Value: float64(whole(n)), Unit: "count"}
}

func part(name string, v float64) finding.Figure {
	return finding.Figure{Name: name, Value: v, Unit: "1"}
}

// fewRoots bounds the names of roots that are listed.
const fewRoots = 3

// others returns the number of spans of other work, and of the most frequent of its roots.
func (p *page) others() []finding.Figure {
	roots := slices.SortedFunc(maps.Keys(p.background), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.background[b], p.background[a]), cmp.Compare(a, b))
	})
	out := []finding.Figure{spans(p.otherWork())}
	for _, root := range roots[:min(len(roots), fewRoots)] {
		out = append(out, count(root, float64(p.background[root])))
	}
	return out
}
