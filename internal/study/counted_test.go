package study

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// A claim about lost spans is held against what the ledgers counted, for sure and at most.
func TestClaimsAboutLostSpans(t *testing.T) {
	s := shop("proxy")
	s.change = func(d *finding.Document) {
		for _, l := range []struct {
			operation, variant string
			share, most        float64
		}{{"db", "otel", 0, 0}, {"json", "otel", 0, 0.3}, {"db", "elastic", 0.4, 0.4}, {"json", "elastic", 0.2, 0.3}} {
			d.Ledgers = append(d.Ledgers, finding.Ledger{Operation: l.operation, Variant: l.variant, LostShare: l.share, LostMost: l.most})
		}
	}
	for _, c := range []struct {
		name  string
		claim finding.Claim
		want  finding.ClaimKind
	}{
		{"nothing is lost", finding.Claim{Variants: []string{"otel"}, Operation: []string{"db"}, Below: number(0.01)}, finding.Confirmed},
		{"nothing is lost, where some may have been", finding.Claim{Variants: []string{"otel"}, Below: number(0.01)}, finding.Open},
		{"nothing is lost, where much is", finding.Claim{Variants: []string{"elastic"}, Below: number(0.01)}, finding.Refuted},
		{"much is lost", finding.Claim{Variants: []string{"elastic"}, Above: number(0.1)}, finding.Confirmed},
		{"much is lost, where nothing is", finding.Claim{Above: number(0.1)}, finding.Refuted},
		{"some lose much", finding.Claim{Above: number(0.35), Some: true}, finding.Confirmed},
		{"who was not measured", finding.Claim{Variants: []string{"kieker"}, Below: number(0.01)}, finding.Open},
		{"what was not measured", finding.Claim{Workloads: []string{"none such"}, Below: number(0.01)}, finding.Open},
	} {
		c.claim.Name, c.claim.Metric = c.name, "lost_share"
		if got := makeStudy(t, []finding.Claim{c.claim}, s.document()).Claims[0]; got.Kind != c.want || len(got.Figures) == 0 {
			t.Errorf("%s: %s, want %s: %s %+v", c.name, got.Kind, c.want, got.Said, got.Figures)
		}
	}
}
