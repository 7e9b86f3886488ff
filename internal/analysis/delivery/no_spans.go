// This file finds operations that a tracer does not trace: what it costs there is not
// what tracing costs.

package delivery

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/words"
)

// byChance is how unlikely it must be that sampling alone has kept no trace.
const byChance = 0.001

// Untraced are the operations of a variant of which no span came that should have, by
// what the variant is meant to do: no span is sent by intent, nor declared to be made, nor may
// sampling have kept none by chance, nor is the variant on other processes alone (on:). It reports too whether that is so of all operations of
// which some should have come.
func (b *Book) Untraced(variant string) (none []finding.Ledger, all bool) {
	t := b.Tracing[variant]
	if t.Silent || t.Sampling <= 0 || !b.traces(variant) {
		return nil, false
	}
	nothing, some := b.cameOf(variant) == 0, false
	for _, l := range b.Ledgers {
		own := l.Operation != ledger.Start && l.Operation != ledger.Stop && l.Operation != ledger.All
		if l.Variant != variant || !own || l.Operations == 0 {
			continue
		}
		dark := nothing || b.isDark(l)
		some = some || !dark
		if per, known := t.Spans[l.Operation]; known && per.How == ledger.Declared && per.High == 0 {
			continue
		}
		if !nothing && b.skips(variant, l.Operation) {
			continue
		}
		if dark && math.Pow(1-t.Sampling, float64(l.Operations)) <= byChance {
			none = append(none, l)
		}
	}
	return none, len(none) > 0 && !some
}

// skips reports whether a variant leaves the process that an operation asks untraced on purpose.
func (b *Book) skips(variant, operation string) bool {
	return slices.ContainsFunc(b.Experiment.Variants, func(v config.Variant) bool {
		return v.Name == variant && slices.ContainsFunc(b.Experiment.Operations, func(o config.Operation) bool {
			return o.Name == operation && v.Skips(o, b.Experiment.Workload)
		})
	})
}

// isDark reports whether nothing is known of spans of an operation, lost ones included, where
// some came of the run.
func (b *Book) isDark(l finding.Ledger) bool {
	came := ledger.Spans(l, ledger.Delivered) + ledger.Spans(l, ledger.Merged) + ledger.Spans(l, ledger.Suppressed) + ledger.Spans(l, ledger.DecidedOut) + ledger.Spans(l, ledger.SampledOnWay) + ledger.Admitted(l)
	if !ledger.Expects(l) && b.leftOut(l.Variant) > 0 {
		return false // some of those may have been of it
	}
	return came == 0 && ledger.Spans(l, ledger.Unaccounted) <= 0
}

// leftOut is how many spans of a variant its tracer and its hops left out on purpose, as they say.
func (b *Book) leftOut(variant string) uint64 {
	var n uint64
	for _, r := range b.All[variant] {
		n += saidBy(r.Tracer.Sampled)
		for _, hop := range r.Hops {
			n += saidBy(hop.Sampled)
		}
	}
	return n
}

// cameOf is how many spans came of a variant in all of its measured runs, those included that
// the sink threw away by order, and that the tracer or a hop left out on purpose.
func (b *Book) cameOf(variant string) uint64 {
	n := b.leftOut(variant)
	for _, r := range b.All[variant] {
		n += r.Life.Told() + r.Life.Thrown
		for _, p := range r.Phases {
			n += p.Sink.Told() + p.Sink.Thrown + p.WarmupSink.Told() + p.WarmupSink.Thrown
		}
	}
	return n
}

// traces reports whether spans of a variant are meant to come: the sink is not gone on purpose, and it has a tracer,
// or its user has told a process where the sink is.
func (b *Book) traces(variant string) bool {
	for i, v := range b.Variants {
		if v.Name == variant {
			return b.Experiment.FaultsOf(v).SinkGone == "" && (v.TracerName() != config.NoTracer || i > 0 && knowsSink(v, b.Plans[variant]))
		}
	}
	return false
}

// UntracedOperations lists the operations of all variants of which no span came, and the whole
// run where that is so of all of them, with what is known of why.
func (b *Book) UntracedOperations() []finding.Untraced {
	var out []finding.Untraced
	for _, v := range b.Variants {
		none, all := b.Untraced(v.Name)
		if len(none) == 0 {
			continue
		}
		causes := b.CausesOf(v, none, all)
		var operations uint64
		for _, l := range none {
			out = append(out, finding.Untraced{Variant: v.Name, Operation: l.Operation, Operations: l.Operations, Causes: causes})
			operations += l.Operations
		}
		if all {
			out = append(out, finding.Untraced{Variant: v.Name, Operations: operations, Causes: causes})
		}
	}
	return out
}

// dimLedgers takes "nothing lost" from the ledgers of operations of which no span came.
func (b *Book) dimLedgers() {
	for _, v := range b.Variants {
		none, all := b.Untraced(v.Name)
		if all {
			none = append(none, finding.Ledger{Operation: ledger.All})
		}
		for i := range b.Ledgers {
			one := &b.Ledgers[i]
			here := slices.ContainsFunc(none, func(l finding.Ledger) bool { return l.Operation == one.Operation })
			if here && one.Variant == v.Name && one.LostShare == 0 {
				one.Outcome, one.Exact = []finding.Reason{{Code: finding.PageNoSpan}}, false
				one.Verdict = words.Page(one.Outcome)
			}
		}
	}
}
