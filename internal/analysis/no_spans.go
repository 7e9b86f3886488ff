// This file finds operations that a tracer does not trace: what it costs there is not
// what tracing costs.
package analysis

import (
	"fmt"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/words"
)

// byChance is how unlikely it must be that sampling alone has kept no trace.
const byChance = 0.001

// untraced are the operations of a variant of which no span came that should have, by
// what the variant is meant to do: no span is sent by intent, nor declared to be made, nor may
// sampling have kept none by chance. It reports too whether that is so of all operations of
// which some should have come.
func (s *study) untraced(variant string) (none []finding.Ledger, all bool) {
	t := s.tracing[variant]
	if t.Silent || t.Sampling <= 0 || !s.traces(variant) {
		return nil, false
	}
	nothing, some := s.cameOf(variant) == 0, false
	for _, l := range s.ledgers {
		own := l.Operation != ledger.Start && l.Operation != ledger.Stop && l.Operation != ledger.All
		if l.Variant != variant || !own || l.Operations == 0 {
			continue
		}
		dark := nothing || s.isDark(l)
		some = some || !dark
		if per, known := t.Spans[l.Operation]; known && per.How == ledger.Declared && per.High == 0 {
			continue
		}
		if dark && math.Pow(1-t.Sampling, float64(l.Operations)) <= byChance {
			none = append(none, l)
		}
	}
	return none, len(none) > 0 && !some
}

// isDark reports whether nothing is known of spans of an operation, lost ones included, where
// some came of the run.
func (s *study) isDark(l finding.Ledger) bool {
	came := entry(l, ledger.Delivered) + entry(l, ledger.Merged) + entry(l, ledger.Forgone) + entry(l, ledger.Dropped) + entry(l, ledger.FailedSend)
	return came == 0 && entry(l, ledger.Unaccounted) <= 0
}

// cameOf is how many spans came of a variant in all of its measured runs, those included that
// the sink threw away by order.
func (s *study) cameOf(variant string) uint64 {
	var n uint64
	for _, r := range s.all[variant] {
		n += r.Life.Told() + r.Life.Thrown
		for _, p := range r.Phases {
			n += p.Sink.Told() + p.Sink.Thrown + p.WarmupSink.Told() + p.WarmupSink.Thrown
		}
	}
	return n
}

// traces reports whether a variant is meant to send spans to the sink: it has a tracer,
// or its user has told a process where the sink is.
func (s *study) traces(variant string) bool {
	for i, v := range s.variants {
		if v.Name == variant {
			return tracerName(v) != "none" || i > 0 && knowsSink(v, s.in.Plans[variant])
		}
	}
	return false
}

// untracedOperations lists the operations of all variants of which no span came, and the whole
// run where that is so of all of them, with what is known of why.
func (s *study) untracedOperations() []finding.Untraced {
	var out []finding.Untraced
	for _, v := range s.variants {
		none, all := s.untraced(v.Name)
		if len(none) == 0 {
			continue
		}
		causes := s.causesOf(v, none, all)
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
func (s *study) dimLedgers() {
	for _, v := range s.variants {
		none, all := s.untraced(v.Name)
		if all {
			none = append(none, finding.Ledger{Operation: ledger.All})
		}
		for i := range s.ledgers {
			one := &s.ledgers[i]
			here := slices.ContainsFunc(none, func(l finding.Ledger) bool { return l.Operation == one.Operation })
			if here && one.Variant == v.Name && one.LostShare == 0 {
				one.Outcome, one.Exact = []finding.Reason{{Code: finding.PageNoSpan}}, false
				one.Verdict = words.Page(one.Outcome)
			}
		}
	}
}

// findNothingTraced looks at variants that are meant to export, and of which not one span
// came in any run. Where none came in the calibration either none would be expected, and none
// be missed.
func (s *study) findNothingTraced() []hit {
	var hits []hit
	for _, v := range s.variants {
		if none, all := s.untraced(v.Name); all {
			text := fmt.Sprintf("not one span came in %s", words.Counted(len(s.all[v.Name]), "run"))
			hits = append(hits, hit{text + causesText(s.causesOf(v, none, all)), v.Name})
		}
	}
	return hits
}

// findNoSpans leaves variants to findNothingTraced of which no span came at all.
func (s *study) findNoSpans() []hit {
	var hits []hit
	for _, v := range s.variants {
		none, all := s.untraced(v.Name)
		if all {
			continue
		}
		for _, l := range none {
			text := fmt.Sprintf("no span came of any of %s operations", finding.FormatCount(int64(l.Operations)))
			hits = append(hits, hit{text + causesText(s.causesOf(v, none, all)), place(cell.At{Operation: l.Operation}, v.Name)})
		}
	}
	return hits
}
