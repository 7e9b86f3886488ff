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
// Under sampling a few operations may all be sampled out. It reports too whether that is so of
// all operations of which some should have come.
func (s *study) untraced(variant string) (none []finding.Ledger, all bool) {
	const enough = 20 // operations that are meant to be sampled
	t := s.tracing[variant]
	if t.Silent || t.Sampling <= 0 || !s.traces(variant) {
		return nil, false
	}
	some := false
	for _, l := range s.ledgers {
		own := l.Operation != ledger.Start && l.Operation != ledger.Stop && l.Operation != ledger.All
		if l.Variant != variant || !own {
			continue
		}
		came := entry(l, ledger.Delivered) + entry(l, ledger.Merged) + entry(l, ledger.Forgone) + entry(l, ledger.Dropped) + entry(l, ledger.FailedSend)
		nothing := came == 0 && entry(l, ledger.Unaccounted) <= 0
		some = some || !nothing
		if per, known := t.Spans[l.Operation]; known && per.How == ledger.Declared && per.High == 0 || float64(l.Operations)*t.Sampling < enough {
			continue
		}
		if nothing {
			none = append(none, l)
		}
	}
	return none, len(none) > 0 && !some
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
		none, _ := s.untraced(v.Name)
		for _, l := range none {
			hits = append(hits, hit{fmt.Sprintf("no span came of any of %s operations", finding.FormatCount(int64(l.Operations))), place(cell{operation: l.Operation}, v.Name)})
		}
	}
	return hits
}

// untracedOperations lists the operations of all variants of which no span came, and the whole
// run where that is so of all of them.
func (s *study) untracedOperations() []finding.Untraced {
	var out []finding.Untraced
	for _, v := range s.variants {
		none, all := s.untraced(v.Name)
		for _, l := range none {
			out = append(out, finding.Untraced{Variant: v.Name, Operation: l.Operation})
		}
		if all {
			out = append(out, finding.Untraced{Variant: v.Name})
		}
	}
	return out
}

// untracedNames are the variants of which no span came of any operation, or of some.
func untracedNames(doc *finding.Document) []string {
	var out []string
	for _, v := range doc.Experiment.Variants {
		var operations []string
		for _, u := range doc.Untraced {
			if u.Variant == v.Name && u.Operation != "" {
				operations = append(operations, u.Operation)
			}
		}
		switch {
		case doc.IsUntraced(v.Name, ""):
			out = append(out, v.Name)
		case len(operations) > 0:
			out = append(out, v.Name+" on "+listed(operations))
		}
	}
	return out
}

// untracedClause says of whom no span came; nothing where some came of all.
func untracedClause(doc *finding.Document) []string {
	names := untracedNames(doc)
	if len(names) == 0 {
		return nil
	}
	return []string{"no span came with " + fewNames(names) + ", so that is not what tracing costs"}
}
