// Package ledger owns the account of spans: it derives the fate of every span
// from the operations started, the sink's counts and the tracer's reports. It is
// pure. It must not know how anything was received, nor what a result is used for.
//
// Files, from the top: page, outcome, account, hops, crossed, against, learn, line, varied, traced, run, otherwork, ledger, fates.
package ledger

import (
	"github.com/tracetax/tracetax/internal/finding"
)

// Lines of a ledger that belong to no operation, and the one for all together.
const (
	Start = "(start)" // before the first phase: readiness probes, the tracer's own start
	Stop  = "(stop)"  // while the processes stopped, less what is put down to operations
	All   = "(run)"   // the whole life of the processes
)

// AppToSink is the hop from the traced processes to the sink.
const AppToSink = "app → sink"

// HopOf returns the name of the runs' hop, from the traced processes to the end of the spans' way.
func HopOf(runs []Run) string {
	for _, r := range runs {
		if r.Backend != "" {
			return "app → " + r.Backend
		}
	}
	return AppToSink
}

// How an entry is known.
const (
	Counted  = "counted"
	Inferred = "inferred"
	Declared = "declared"
)

// bandConfidence is the binomial band that randomly sampled traces must be in.
const bandConfidence = 0.999

// Account returns the ledgers of one variant on one hop, summed over its runs:
// one an operation in the given order, then Start and Stop where spans came
// there or were expected, then All where there was anything to account for.
//
// With every span sampled each run has its own account, so a loss in one
// cannot hide behind a surplus in another. With random sampling the runs are
// accounted together: chance evens out over many traces. If the tracer reports the number of traces it
// sampled, chance has no part in it.
func Account(variant, hop string, operations []string, t Tracing, runs []Run) []finding.Ledger {
	if t.random() && len(runs) > 1 && !t.ReportsTraced(runs...) {
		runs = []Run{together(runs)}
	}
	book := newBook(operations, t)
	for i, run := range runs {
		book.end = run.Backend
		book.enter(linesOf(run, t))
		all := book.pages[All]
		all.hops = hopsOf(all.hops, run.Hops, i == 0)
		all.says(run.Reported.Sent, i == 0)
	}
	return book.ledgers(variant, hop)
}

// Chance returns the outcome of random sampling on an operation over all runs, and whether the traces seen are more or
// fewer than chance allows. If the number of sampled traces is known, it counts: losses of them are no matter of chance.
func Chance(operation string, t Tracing, runs []Run) (outcome []finding.Reason, off bool) {
	if !t.random() || len(runs) == 0 {
		return nil, false
	}
	b, run := newBook([]string{operation}, t), together(runs)
	for _, l := range linesOf(run, t) {
		b.enter([]line{l})
	}
	p := b.pages[operation]
	if t.ReportsTraced(runs...) {
		p.chance.traces = max(p.chance.traces, t.sampledOf(operation, runs))
	}
	c := p.chance
	return b.chanced(p), c.trials > 0 && (p.tooFew() || c.traces > c.high)
}
