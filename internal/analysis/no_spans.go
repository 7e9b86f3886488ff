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

// dark are the variants of which no span came of any operation, or of some.
func (s *study) dark() []string {
	var out []string
	for _, v := range s.variants {
		dark := s.untraced(v.Name)
		switch {
		case len(dark) == 0:
		case len(dark) == len(s.operations()):
			out = append(out, v.Name)
		default:
			out = append(out, v.Name+" on "+dark[0].Operation)
		}
	}
	return out
}
