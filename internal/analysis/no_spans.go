// This file finds operations that a tracer does not trace: what it costs there is not
// what tracing costs.
package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
)

// untraced are the operations of a variant of which no span came that should have, by
// what the variant is meant to do: no span is sent by intent, nor declared to be made.
// Under sampling a few operations may all be sampled out.
func (s *study) untraced(variant string) []finding.Ledger {
	const enough = 20 // operations that are meant to be sampled
	t := s.tracing[variant]
	if t.Silent || t.Sampling <= 0 || !s.traces(variant) {
		return nil
	}
	var out []finding.Ledger
	for _, l := range s.ledgers {
		own := l.Operation != ledger.Start && l.Operation != ledger.Stop && l.Operation != ledger.All
		if l.Variant != variant || !own || float64(l.Operations)*t.Sampling < enough {
			continue
		}
		if per, known := t.Spans[l.Operation]; known && per.How == ledger.Declared && per.High == 0 {
			continue
		}
		came := entry(l, ledger.Delivered) + entry(l, ledger.Merged) + entry(l, ledger.Forgone) + entry(l, ledger.Dropped) + entry(l, ledger.FailedSend)
		if came == 0 && entry(l, ledger.Unaccounted) <= 0 {
			out = append(out, l)
		}
	}
	return out
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

// findNoSpans leaves variants to findNothingTraced of which no span came at all.
func (s *study) findNoSpans() []hit {
	var hits []hit
	for _, v := range s.variants {
		if _, _, spans := s.seenOf(v.Name); spans == 0 {
			continue
		}
		for _, l := range s.untraced(v.Name) {
			hits = append(hits, hit{fmt.Sprintf("no span came of any of %s operations", finding.FormatCount(int64(l.Operations))), place(cell{operation: l.Operation}, v.Name)})
		}
	}
	return hits
}

// dark lists the operations of all variants of which no span came.
func (s *study) dark() []finding.Untraced {
	var out []finding.Untraced
	for _, v := range s.variants {
		for _, l := range s.untraced(v.Name) {
			out = append(out, finding.Untraced{Variant: v.Name, Operation: l.Operation})
		}
	}
	return out
}

// darkNames are the variants of which no span came of any operation, or of some.
func darkNames(doc *finding.Document) []string {
	var out []string
	for _, v := range doc.Experiment.Variants {
		var dark []string
		for _, u := range doc.Untraced {
			if u.Variant == v.Name {
				dark = append(dark, u.Operation)
			}
		}
		switch {
		case len(dark) == 0:
		case len(dark) == len(doc.Experiment.Operations):
			out = append(out, v.Name)
		default:
			out = append(out, v.Name+" on "+listed(dark))
		}
	}
	return out
}

// isDark reports whether no span came of an operation of a variant; where there is no
// operation, of none of all.
func isDark(untraced []finding.Untraced, operations int, variant, operation string) bool {
	dark := 0
	for _, u := range untraced {
		switch {
		case u.Variant != variant:
		case u.Operation == operation:
			return true
		default:
			dark++
		}
	}
	return operation == "" && dark > 0 && dark == operations
}
