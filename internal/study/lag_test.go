package study

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// The load generator's lag withholds a ratio of two variants where it differs too much between these two. How it differs from
// the baseline's, beside which one of them costs next to nothing, says nothing of it where the two were compared directly.
func TestLagIsOfTheTwo(t *testing.T) {
	late := finding.Verdict{Kind: finding.CannotTell, Reasons: []finding.Reason{{Code: finding.WhyLag}}}
	direct := func(doc *finding.Document, v finding.Verdict) {
		for _, f := range doc.Findings {
			if f.Variant == "elastic" {
				f.Against, f.Verdict = "otel", v
				doc.Findings = append(doc.Findings, f)
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*finding.Document)
		want   ClaimKind
	}{
		"no lag": {func(*finding.Document) {}, Confirmed},
		"not compared directly": {func(doc *finding.Document) {
			doc.Findings[0].Verdict = late
		}, Open},
		"compared directly, and alike": {func(doc *finding.Document) {
			direct(doc, finding.Verdict{Kind: finding.Costs})
			doc.Findings[0].Verdict = late
		}, Confirmed},
		"compared directly, and not alike": {func(doc *finding.Document) {
			direct(doc, late)
		}, Open},
		"compared directly the other way round": {func(doc *finding.Document) {
			for _, f := range doc.Findings {
				if f.Variant == "otel" {
					f.Against, f.Verdict = "elastic", finding.Verdict{Kind: finding.Saves}
					doc.Findings = append(doc.Findings, f)
				}
			}
			doc.Findings[0].Verdict = late
		}, Confirmed},
		"withheld directly for something else": {func(doc *finding.Document) {
			direct(doc, finding.Verdict{Kind: finding.CannotTell, Reasons: []finding.Reason{{Code: finding.WhyModes}}})
			doc.Findings[0].Verdict = late
		}, Open},
		"lag, and nobody knows what was lost": {func(doc *finding.Document) {
			direct(doc, finding.Verdict{Kind: finding.Costs})
			doc.Findings[0].Verdict = late
			doc.LossUnknown = append(doc.LossUnknown, finding.LossUnknown{Operation: doc.Findings[0].Operation, Variant: doc.Findings[0].Variant})
		}, Open},
		"withheld for something else": {func(doc *finding.Document) {
			direct(doc, finding.Verdict{Kind: finding.Costs})
			doc.Findings[0].Verdict = finding.Verdict{Kind: finding.CannotTell, Reasons: []finding.Reason{{Code: finding.WhyModes}}}
		}, Open},
	} {
		s := shop("flask")
		s.change = c.change
		claim := finding.Claim{Name: name, Metric: "cpu_per_operation", Of: "ratio", Variants: []string{"elastic", "otel"}, Above: number(0.1)}
		if got := makeReplication(t, []finding.Claim{claim}, s.document()).Claims[0]; got.Kind != c.want {
			t.Errorf("%s: %s, want %s: %s", name, got.Kind, c.want, got.Said)
		}
	}
}
