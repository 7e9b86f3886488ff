// This file writes a page as entries, each with how it is known.

package ledger

import (
	"math"

	"github.com/tracetax/tracetax/internal/finding"
)

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
