// Documents of what no span came, at all or on one operation.

package report

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

// untracedAt is the small document, with no span of otel on the operations.
func untracedAt(all bool, operations ...string) *finding.Document {
	doc := small.make()
	causes := []finding.NoSpanBy{
		{Cause: finding.NotUnderstood, Count: 12, Text: "12 connections came, and over none of them a request that the receiver understands"},
		{Cause: finding.ExportFailed, Count: 3, Process: "shop", Log: "<b>UNAVAILABLE</b>", Text: "the log of shop tells that sending failed: <b>UNAVAILABLE</b>"},
	}
	if !all {
		causes = nil // nothing is known
	}
	for _, o := range operations {
		doc.Untraced = append(doc.Untraced, finding.Untraced{Variant: "otel", Operation: o, Operations: 80000, Causes: causes})
	}
	if all {
		doc.Untraced = append(doc.Untraced, finding.Untraced{Variant: "otel", Operations: 240000, Causes: causes})
	}
	for i := range doc.Findings {
		if f := &doc.Findings[i]; doc.NotTracing(f) {
			f.Verdict = finding.Verdict{Kind: finding.CannotTell, Text: "cannot tell: no span came with otel, so that this is not what tracing costs"}
		}
	}
	for i := range doc.Ledgers {
		if l := &doc.Ledgers[i]; doc.IsUntraced(l.Variant, l.Operation) {
			l.Outcome, l.LostShare, l.Exact = []finding.Reason{{Code: finding.PageNoSpan}}, 0, false
			l.Entries = []finding.Entry{{Name: "expected", How: "inferred"}, {Name: "delivered", How: "counted"}}
		}
	}
	words.FillLedgers(doc.Ledgers)
	if all {
		doc.FullSummary = "On hello/go, no span came with otel, so that what tracing costs cannot be told."
	}
	return doc
}
