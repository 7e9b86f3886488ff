package study

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// A maximum has no interval, however many blocks there are: a claim on it stays open.
func TestClaimOnAMaximum(t *testing.T) {
	for name, want := range map[string]ClaimKind{"latency_max": Open, "latency_p99": Confirmed} {
		s := shop("proxy")
		s.metric, s.better = name, "lower"
		c := finding.Claim{Name: "x", Metric: name, Variants: []string{"otel"}, Operation: []string{"db"}, Above: number(0)}
		if got := makeReplication(t, []finding.Claim{c}, s.document()).Claims[0]; got.Kind != want {
			t.Errorf("%s: %s (%s), want %s", name, got.Kind, got.Said, want)
		}
	}
}

// Nor are variants told apart by it, in a ranking or by a ratio.
func TestRankingByAMaximum(t *testing.T) {
	for name, want := range map[string]string{"latency_max": "a a", "latency_p99": "a b"} {
		s := shop("proxy")
		s.metric, s.better = name, "lower"
		c := finding.Claim{Name: "x", Metric: name, Above: number(0)}
		made := makeReplication(t, []finding.Claim{c}, s.document())
		for _, r := range made.Rankings {
			if len(r.Places) != 2 || r.Places[0].Groups+" "+r.Places[1].Groups != want {
				t.Errorf("%s: %+v, want %s", name, r.Places, want)
			}
		}
		if none := len(made.Ratios) == 0; none != (name == "latency_max") || len(made.Rankings) == 0 {
			t.Errorf("%s: %d ratios, %d rankings", name, len(made.Ratios), len(made.Rankings))
		}
	}
}

// Where a cost is known between two ends, variants whose ends overlap are not told apart.
func TestRankingOfRanges(t *testing.T) {
	for narrow, want := range map[bool]string{true: "a b", false: "a a"} {
		doc := shop("proxy").document()
		doc.Findings = nil
		for n, v := range []string{"otel", "elastic"} {
			f := finding.Finding{Operation: "db", Variant: v, Against: "none", Metric: "cpu_per_span", Unit: "s", Better: "lower", Blocks: 8}
			for i := range 8 {
				x := 10e-6 * (1 + 0.05*float64(n)) * (1 + 0.001*float64(i*(n+1)%5))
				sample := finding.Sample{Block: i + 1, Value: x}
				if high := x * 1.25; !narrow {
					sample.ValueWithin = &finding.Range{Low: x * 0.83, High: &high}
				}
				f.Samples = append(f.Samples, sample)
			}
			low, high := 8e-6, 13e-6
			f.Value, f.Absolute = 10e-6*(1+0.05*float64(n)), &finding.Interval{Estimate: 10e-6 * (1 + 0.05*float64(n)), Low: &low, High: &high}
			doc.Findings = append(doc.Findings, f)
		}
		claim := finding.Claim{Name: "x", Metric: "cpu_per_span", Above: number(0)}
		for _, r := range makeReplication(t, []finding.Claim{claim}, doc).Rankings {
			if len(r.Places) != 2 || r.Places[0].Groups+" "+r.Places[1].Groups != want {
				t.Errorf("known exactly: %t: %+v, want %s", narrow, r.Places, want)
			}
		}
	}
}
