package words

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// headOf is a headline of a ratio with its interval.
func headOf(variant, operation string, v finding.Verdict, estimate, low, high float64) finding.Finding {
	v.Low, v.High = &low, &high
	return finding.Finding{Variant: variant, Against: "none", Operation: operation, Metric: "cpu_per_operation", Unit: "s", Better: "lower", Headline: true, Blocks: 8,
		Relative: &finding.Interval{Estimate: estimate, Low: &low, High: &high}, Absolute: &finding.Interval{Estimate: estimate, Low: &low, High: &high}, Verdict: v}
}

func TestSummary(t *testing.T) {
	budget := 0.1
	figure := func(operation string, by float64) finding.Finding {
		return finding.Finding{Variant: "otel", Operation: operation, Metric: "cpu_per_operation", Unit: "s", Headline: true, Blocks: 2, Relative: &finding.Interval{Estimate: by}, Absolute: &finding.Interval{Estimate: by}}
	}
	capacity := headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, -0.4, -0.45, -0.35)
	capacity.Metric, capacity.Better, capacity.Unit = "capacity", "higher", "1/s"
	straddles := finding.Verdict{Kind: finding.CannotTell, Budget: &budget, MoreBlocks: 7, Reasons: []finding.Reason{{Code: finding.WhyStraddles}}}
	own := headOf("otel", "get", finding.Verdict{Kind: finding.CannotTell, Claims: 4, MoreBlocks: 3}, 0.5, 0.14, 0.99)
	own.Verdict.Low, own.Verdict.High = nil, nil
	for name, c := range map[string]struct {
		doc  finding.Document
		want string
	}{
		"open": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", straddles, 0.54, 0.05, 0.95)}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 5 to 95 %); it cannot be told whether the budget is kept by CPU per operation of otel on get: it takes about 7 blocks more, or a few more than that."},
		"over": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Over, Budget: &budget}, 0.54, 0.29, 0.95)},
			Lossy: []finding.Lossy{{Variant: "scout", Operation: "get", LostShare: 0.5}}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 29 to 95 %); over budget: CPU per operation of otel on get; scout lost 50.0 % of the spans."},
		"lost": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95)}, Lossy: []finding.Lossy{{Variant: "scout", Operation: "get", LostShare: 0.5}}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 29 to 95 %); scout lost 50.0 % of the spans."},
		"may have lost, and suppressed": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95)}, LossUnknown: []finding.LossUnknown{{Variant: "otel", Operation: "get", LostMost: 1}},
			Suppressed: []finding.Suppressed{{Variant: "otel", Operation: "get", Share: 0.4}, {Variant: "otel", Operation: "put", Share: 0.3}}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 29 to 95 %); otel may have lost up to 100 % of the spans; otel suppressed up to 40.0 % of the spans by a limit of its own."},
		"excluded": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95), headOf("scout", "get", finding.Verdict{Kind: finding.Costs}, 0.1, 0.05, 0.15)}, Lossy: []finding.Lossy{{Variant: "scout", Operation: "get", LostShare: 0.5}}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 29 to 95 %); scout lost 50.0 % of the spans; excluded, because of lost spans: scout."},
		"not among all": {finding.Document{Findings: []finding.Finding{own}},
			"httpbin: what otel adds to the CPU per operation is inconclusive after correction for 4 comparisons (+14 % to +99 %)."},
		"no run succeeded": {finding.Document{Runs: finding.Runs{Failed: 2, Failure: []string{"block 1, none, attempt 1: ready: no shop.", "block 1, none, attempt 2: as in block 1, none, attempt 1"}}},
			"No run succeeded: block 1, none, attempt 1: ready: no shop."},
		"searched in vain": {finding.Document{Searches: []finding.Search{{Variant: "otel", Operation: "get", Goal: "no span lost", Text: "no span lost: unsteady", Ended: "unsteady"}}},
			"httpbin: the capacity cannot be compared: with otel on get unsteady."},
		"wide": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.NoDifference}, 0.2, -0.62, 1.19)}},
			"httpbin: what otel adds to the CPU per operation is inconclusive (95 % CI −62 % to +119 %)."},
		"no difference": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.NoDifference}, 0.001, -0.011, 0.012)}},
			"httpbin: otel makes no difference in CPU per operation larger than 1.2 %."},
		"many": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95), headOf("java", "get", finding.Verdict{Kind: finding.Costs}, 0.12, 0.1, 0.14),
			headOf("zipkin", "get", finding.Verdict{Kind: finding.NoDifference}, 0.001, -0.011, 0.012)}},
			"httpbin: tracing changes CPU per operation by +12.0 % (java on get) to +54 % (otel on get); 1 of 3 not clear."},
		"nothing came": {finding.Document{Untraced: []finding.Untraced{{Variant: "otel"}, {Variant: "otel", Operation: "get"}}, Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95)}},
			"httpbin: no span came with otel, so what tracing costs cannot be told."},
		"figures": {finding.Document{Findings: []finding.Finding{figure("get", 0.54), figure("put", 0.1)}},
			"httpbin: CPU per operation with otel differed by +10.0 % (put) to +54.0 % (get), without intervals."},
		"a lower figure": {finding.Document{Findings: []finding.Finding{figure("get", -0.1)}},
			"httpbin: CPU per operation with otel was 10.0 % lower (2 blocks: no interval)."},
		"a capacity": {finding.Document{Findings: []finding.Finding{capacity}},
			"httpbin: otel costs 40.0 % of the capacity (95 % CI 35.0 to 45.0 %)."},
		"gaps": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95)}, Experiment: finding.Experiment{Operations: []string{"get", "put"}}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 29 to 95 %); 1 of 2 operations has no comparison: put."},
		"nothing": {finding.Document{}, "There is no run yet: nothing can be compared."},
	} {
		c.doc.Experiment.Workload, c.doc.Experiment.Variants = "httpbin", []finding.Variant{{Name: "none"}, {Name: "otel"}}
		got := Summary(&c.doc)
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// Rounding never makes a range narrower, on whichever side of zero its ends lie.
func TestRangesAreRoundedOutwards(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{-0.0301, 0.7701, "−3.1 % to +78 %"}, {0.0309, 0.7701, "+3.0 % to +78 %"}, {-0.7701, -0.0309, "−78 % to −3.0 %"},
	} {
		f := finding.Finding{Unit: "s", Relative: &finding.Interval{Estimate: (c.low + c.high) / 2, Low: &c.low, High: &c.high}}
		if got := rangeText(f); got != c.want {
			t.Errorf("%g to %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}
