package study

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// TestClaimsOfCausesWithoutSamples: that no sample is of a cause bounds it, the sharper the more samples of tracing there are.
func TestClaimsOfCausesWithoutSamples(t *testing.T) {
	for name, c := range map[string]struct {
		claim   finding.Claim
		samples int64
		want    ClaimKind
	}{
		"under 5 % of tracing":            {finding.Claim{Metric: "cpu_task_memory", Beside: "cpu_tracing", Variants: []string{"otel"}, Below: number(-0.95)}, 500, Confirmed},
		"of 50 samples too few":           {finding.Claim{Metric: "cpu_task_memory", Beside: "cpu_tracing", Variants: []string{"otel"}, Below: number(-0.95)}, 50, Open},
		"not over 5 %":                    {finding.Claim{Metric: "cpu_task_memory", Beside: "cpu_tracing", Variants: []string{"otel"}, Above: number(-0.95)}, 500, Open},
		"elastic's, with samples, more":   {finding.Claim{Metric: "cpu_task_memory", Variants: []string{"elastic", "otel"}, Above: number(0)}, 500, Confirmed},
		"elastic's, hundred times":        {finding.Claim{Metric: "cpu_task_memory", Variants: []string{"elastic", "otel"}, Above: number(99)}, 500, Open},
		"otel's less":                     {finding.Claim{Metric: "cpu_task_memory", Variants: []string{"otel", "elastic"}, Below: number(0)}, 500, Confirmed},
		"no order of two without samples": {finding.Claim{Metric: "cpu_task_queue", Variants: []string{"otel", "elastic"}, Below: number(0)}, 500, Open},
		"bytes are not counted":           {finding.Claim{Metric: "alloc_task_memory", Beside: "cpu_tracing", Variants: []string{"otel"}, Below: number(-0.95)}, 500, Open},
	} {
		doc := shop("flask").document()
		amount := func(variant, metric string, adds float64) {
			f := finding.Finding{Operation: "db", Variant: variant, Against: "none", Metric: metric, Unit: "s", Better: "lower", Amount: true, Blocks: 8}
			for i := range 8 {
				f.Samples = append(f.Samples, finding.Sample{Block: i + 1, Value: adds * (1 + 0.01*float64(i%3))})
			}
			doc.Findings = append(doc.Findings, f)
		}
		amount("otel", "cpu_tracing", 100e-6)
		amount("elastic", "cpu_tracing", 200e-6)
		amount("elastic", "cpu_task_memory", 20e-6)
		for _, variant := range []string{"otel", "elastic"} {
			doc.Causes = append(doc.Causes, finding.Causes{Operation: "db", Variant: variant, Against: "none", Tracing: c.samples})
		}
		c.claim.Name, c.claim.Operation, c.claim.Of = name, []string{"db"}, "ratio"
		got := makeReplication(t, []finding.Claim{c.claim}, doc).Claims[0]
		if got.Kind != c.want || len(got.Figures) != 1 || got.Figures[0].Reason == nil {
			t.Errorf("%s: %s of %d figures: %s", name, got.Kind, len(got.Figures), got.Said)
			continue
		}
		why := got.Figures[0].Reason
		if seen := why.Code == finding.WhyNoSample || why.Because == finding.WhyNoSample; !seen && c.claim.Metric != "alloc_task_memory" {
			t.Errorf("%s: %+v does not say that no sample is of it", name, why)
		}
	}
}
