package study

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
)

// A claim about lost spans is held against what the ledgers counted, for sure and at most.
func TestClaimsAboutLostSpans(t *testing.T) {
	s := shop("proxy")
	s.change = func(d *finding.Document) {
		for _, l := range []struct {
			operation, variant string
			share, most        float64
		}{{"db", "otel", 0, 0}, {"json", "otel", 0, 0.3}, {"db", "elastic", 0.4, 0.4}, {"json", "elastic", 0.2, 0.3}} {
			d.Ledgers = append(d.Ledgers, finding.Ledger{Operation: l.operation, Variant: l.variant, LostShare: l.share, LostMost: l.most, Entries: []finding.Entry{{Name: ledger.Expected.String(), Spans: 100}}})
		}
	}
	for _, c := range []struct {
		name  string
		claim finding.Claim
		want  ClaimKind
	}{
		{"nothing is lost", finding.Claim{Variants: []string{"otel"}, Operation: []string{"db"}, Below: number(0.01)}, Confirmed},
		{"nothing is lost, where some may have been", finding.Claim{Variants: []string{"otel"}, Below: number(0.01)}, Open},
		{"nothing is lost, where much is", finding.Claim{Variants: []string{"elastic"}, Below: number(0.01)}, Refuted},
		{"much is lost", finding.Claim{Variants: []string{"elastic"}, Above: number(0.1)}, Confirmed},
		{"much is lost, where nothing is", finding.Claim{Above: number(0.1)}, Refuted},
		{"some lose much", finding.Claim{Above: number(0.35), Some: true}, Confirmed},
		{"who was not measured", finding.Claim{Variants: []string{"kieker"}, Below: number(0.01)}, Open},
		{"what was not measured", finding.Claim{Workloads: []string{"none such"}, Below: number(0.01)}, Open},
	} {
		c.claim.Name, c.claim.Metric = c.name, "lost_share"
		if got := makeReplication(t, []finding.Claim{c.claim}, s.document()).Claims[0]; got.Kind != c.want || len(got.Figures) == 0 {
			t.Errorf("%s: %s, want %s: %s %+v", c.name, got.Kind, c.want, got.Said, got.Figures)
		}
	}
}

// A loss that nobody knows is not none: what was lost for sure settles a claim, and nothing else does.
func TestClaimsAboutUnknownLosses(t *testing.T) {
	none, some, much := 0.0, 0.2, 0.01
	for name, c := range map[string]struct {
		change func(*finding.Document, *finding.Ledger)
		want   finding.Code
	}{
		"its number is not known":  {func(_ *finding.Document, l *finding.Ledger) { l.Entries = nil }, finding.WhyLossUnknown},
		"nothing was to come":      {func(_ *finding.Document, l *finding.Ledger) { l.Entries[0].Spans = 0 }, finding.WhyLossUnknown},
		"nobody looked at the ids": {func(_ *finding.Document, l *finding.Ledger) { l.Unchecked = 100 }, finding.WhyNoIDs},
		"the result excludes it from the ranking": {func(d *finding.Document, l *finding.Ledger) {
			d.LossUnknown = []finding.LossUnknown{{Operation: "db", Variant: "otel"}}
		}, finding.WhyLossUnknown},
	} {
		for share, want := range map[*float64]ClaimKind{&none: Open, &some: Refuted} {
			s := shop("proxy")
			s.change = func(d *finding.Document) {
				l := finding.Ledger{Operation: "db", Variant: "otel", LostShare: *share, LostMost: *share, Entries: []finding.Entry{{Name: ledger.Expected.String(), Spans: 100}}}
				c.change(d, &l)
				d.Ledgers = append(d.Ledgers, l)
			}
			claim := finding.Claim{Name: name, Metric: "lost_share", Variants: []string{"otel"}, Operation: []string{"db"}, Below: &much}
			got := makeReplication(t, []finding.Claim{claim}, s.document()).Claims[0]
			if reason := got.Figures[0].Reason; got.Kind != want || want == Open && (reason == nil || reason.Code != c.want) {
				t.Errorf("%s, %g lost: %s, want %s; %+v", name, *share, got.Kind, want, reason)
			}
		}
	}
}

// A search for the rate without loss makes probes that lose spans: what it lost settles no claim.
func TestLostOnPurpose(t *testing.T) {
	for kind, want := range map[string]ClaimKind{"lossless": Open, "cpu": Refuted} {
		s := shop("proxy")
		s.change = func(d *finding.Document) {
			d.Searches = []finding.Search{{Operation: "db", Variant: "otel", Kind: kind}}
			d.Ledgers = []finding.Ledger{{Operation: "db", Variant: "otel", LostShare: 0.08, LostMost: 0.08, Entries: []finding.Entry{{Name: ledger.Expected.String(), Spans: 100}}}}
		}
		c := finding.Claim{Name: "x", Metric: "lost_share", Variants: []string{"otel"}, Operation: []string{"db"}, Below: number(0.01)}
		if got := makeReplication(t, []finding.Claim{c}, s.document()).Claims[0]; got.Kind != want {
			t.Errorf("a search for %s: %s (%s), want %s", kind, got.Kind, got.Said, want)
		}
	}
}
