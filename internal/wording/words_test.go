package wording

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/schemas"
)

// codesIn are the codes that a file of package finding declares.
func codesIn(t *testing.T, file string) []finding.Code {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "../finding/"+file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []finding.Code
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		if kind, is := spec.Type.(*ast.Ident); is && kind.Name == "Code" {
			code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, finding.Code(code))
		}
		return true
	})
	if len(out) < 10 {
		t.Fatalf("%s declares %d codes", file, len(out))
	}
	return out
}

// Each code stands for one thing, has words, and is described in the schema.
func TestCodes(t *testing.T) {
	described := describedCodes(t)
	budget, end := 0.05, 0.1
	v := finding.Verdict{Budget: &budget, Estimate: &end, Low: &end, High: &end}
	seen := map[finding.Code]bool{}
	for _, code := range codesIn(t, "reason.go") {
		if seen[code] {
			t.Errorf("%s stands twice", code)
		}
		seen[code] = true
		r := finding.Reason{Code: code, Variant: "otel"}
		if code == finding.WhyTold || code == finding.WhyLeftOut { // these are said by others
			r.Said = "why"
		}
		if said := (answered{unit: "1"}).reason(r, &v); said == "" || said == string(code) {
			t.Errorf("%s has no words", code)
		}
		if !described[code] {
			t.Errorf("schemas/findings.json does not describe %s: give its constant a comment, then 'make schemas'", code)
		}
	}
}

// describedCodes are the codes that the schema of findings describes.
func describedCodes(t *testing.T) map[finding.Code]bool {
	t.Helper()
	text, err := schemas.Text("findings")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Definitions map[string]struct {
			Values []struct {
				Code        finding.Code `json:"const"`
				Description string       `json:"description"`
			} `json:"oneOf"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	described := map[finding.Code]bool{}
	for _, v := range schema.Definitions["Code"].Values {
		described[v.Code] = v.Description != ""
	}
	return described
}

func TestAnswers(t *testing.T) {
	if got := Answers(finding.Answers{Statuses: map[int]uint64{500: 205, 200: 1845}}); got != "200: 1,845 · 500: 205 (10.0 %)" {
		t.Error(got)
	}
}

// A backend differs by what it forgot: what it threw away before it had stored it is a loss, and told as one.
func TestBackendDiffers(t *testing.T) {
	n := func(n uint64) *uint64 { return &n }
	for want, b := range map[string]*record.Backend{
		"": {Name: "zipkin", Stored: 900, Dropped: 100, Answered: n(900)},
		"12 spans came to the sink, not to zipkin, and count as lost":                                                         {Name: "zipkin", Stored: 900, Astray: 12, Answered: n(900)},
		"zipkin reports that it stored 900 spans, and returns 300; 1 span came to the sink, not to zipkin, and count as lost": {Name: "zipkin", Stored: 900, Astray: 1, Answered: n(300)},
		"zipkin reports that it stored 900 spans, and returns 300":                                                            {Name: "zipkin", Stored: 900, Answered: n(300)},
		"zipkin reports that it stored 900 spans and threw 100 away, and returns 300":                                         {Name: "zipkin", Stored: 900, Dropped: 100, Answered: n(300)},
		"zipkin reports that it stored 900 spans; the number that it returns is unknown: no":                                  {Name: "zipkin", Stored: 900, Unreported: "no"},
	} {
		if got := BackendDiffers(b); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := BackendDiffers(nil); got != "" {
		t.Errorf("without a backend: %q", got)
	}
}

// A change that more blocks would not settle is not said to need them.
func TestBadgeOfFewBlocks(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	few := finding.Verdict{Kind: finding.CannotTell, Claims: 8, MoreBlocks: 1}
	for high, want := range map[float64]string{0.2: "needs 1 block more", 0.6: "inconclusive"} {
		if got := ChangeBadge(&finding.Change{Relative: &finding.Interval{Low: number(-0.1), High: number(high)}, Verdict: few}); got != want {
			t.Errorf("up to %g: %q, want %q", high, got, want)
		}
	}
}

func TestBadge(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	relative := &finding.Interval{Estimate: 0.31, Low: number(-0.03), High: number(0.77)}
	for name, c := range map[string]struct {
		f          finding.Finding
		text, long string
	}{
		"a wide bound": {finding.Finding{Unit: "s", Relative: relative, Verdict: finding.Verdict{Kind: finding.NoDifference, Bound: number(0.9)}},
			"inconclusive", "inconclusive"},
		"a narrow bound": {finding.Finding{Unit: "s", Relative: relative, Verdict: finding.Verdict{Kind: finding.NoDifference, Bound: number(0.25)}},
			"under 25 %", "no difference > 25 %"},
		"an absolute bound": {finding.Finding{Unit: "s", Verdict: finding.Verdict{Kind: finding.NoDifference, Bound: number(3.14e-6)}},
			"under 3.2 µs", "no difference > 3.2 µs"},
		"several claims": {finding.Finding{Unit: "s", Relative: relative, Verdict: finding.Verdict{Kind: finding.CannotTell, Claims: 3, Low: number(-0.1), High: number(0.9)}},
			"not significant after correction for 3 comparisons", "not significant after correction for 3 comparisons"},
		"a budget": {finding.Finding{Unit: "s", Relative: relative, Verdict: finding.Verdict{Kind: finding.CannotTell, Claims: 3, Low: number(-0.1), High: number(0.9), Budget: number(0.05), Reasons: []finding.Reason{{Code: finding.WhyStraddles}}}},
			"inconclusive, budget 5 %", "inconclusive, budget 5 %"},
		"work that was not done": {finding.Finding{Unit: "s", Relative: relative, Verdict: finding.Verdict{Kind: finding.CannotTell, Low: number(-0.1), High: number(0.9), Budget: number(0.05), Reasons: []finding.Reason{{Code: finding.WhyLost}}}},
			"cannot tell", "cannot tell"},
		"too few blocks, and too wide": {finding.Finding{Unit: "s", Relative: relative, Verdict: finding.Verdict{Kind: finding.CannotTell, Claims: 8, MoreBlocks: 1}},
			"inconclusive", "inconclusive"},
		"too few blocks": {finding.Finding{Unit: "s", Relative: &finding.Interval{Estimate: 0.31, Low: number(0.03), High: number(0.77)}, Verdict: finding.Verdict{Kind: finding.CannotTell, Claims: 8, MoreBlocks: 1}},
			"needs 1 block more", "needs 1 block more"},
		"modes":  {finding.Finding{Verdict: finding.Verdict{Kind: finding.CannotTell, Claims: 3}}, "cannot tell", "cannot tell"},
		"within": {finding.Finding{Verdict: finding.Verdict{Kind: finding.Within, Budget: number(0.05)}}, "within 5 %", "within 5 %"},
	} {
		if got := Badge(&c.f); got != c.text {
			t.Errorf("%s: %q, want %q", name, got, c.text)
		}
		if got := LongBadge(&c.f); got != c.long {
			t.Errorf("%s, with room: %q, want %q", name, got, c.long)
		}
	}
}

func TestMissing(t *testing.T) {
	l := finding.Ledger{Services: []finding.ServiceSpans{{Service: "app", Expected: 20, Delivered: 20}, {Service: "backend", Expected: 1010, Delivered: 7}}}
	if got := Missing(l); got != "not come, by service: 1,003 of backend" {
		t.Error(got)
	}
	if got := Missing(finding.Ledger{}); got != "" {
		t.Errorf("%q of what nobody knows", got)
	}
}

func TestPage(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for want, p := range map[string]finding.Page{
		"app → collector: 48,000 of 48,000 came":                     {From: "app", To: "collector", Expected: n(48000), Received: 48000, Dropped: n(0)},
		"collector → sink: 38,400 of 48,000 came, 9,600 sampled out": {From: "collector", To: "sink", Expected: n(48000), Received: 38400, Sampled: n(9600)},
		"app → collector: 90 of 100 came, 4 dropped by the tracer, 2 in failed exports by the tracer, 7 refused by collector, 4 lost between app and collector": {
			From: "app", To: "collector", Expected: n(100), Received: 90, Dropped: n(4), Failed: n(2), Refused: n(7), Between: 4, Outcome: finding.HopLost},
		"app → collector: 90 of 100 came, 6 lost at the stop by the tracer, 4 lost between app and collector": {
			From: "app", To: "collector", Expected: n(100), Received: 90, Inside: 6, Between: 4, Outcome: finding.HopLost},
		"edge → tail: 90 of 100 came, 4 dropped by edge, 1 lost inside edge, 5 lost between edge and tail": {
			From: "edge", To: "tail", Expected: n(100), Received: 90, Dropped: n(4), Inside: 1, Between: 5, Outcome: finding.HopLost},
		"collector → sink: 102 of 100 came, 2 more than collector reports": {From: "collector", To: "sink", Expected: n(100), Received: 102, More: 2},
		"app → (collector) → sink: 90 of 100 came, 10 did not, perhaps left out on purpose (collector does not report it: its page is gone)": {
			From: "app", To: "sink", Past: []string{"collector"}, Expected: n(100), Received: 90, Between: 10, Outcome: finding.HopUnsure, Unreported: "its page is gone"},
		"collector → sink: 185 of 3,870 came in 37 traces, all whole, 2,000 sampled out, 1,685 dropped too early by collector in 337 traces": {
			From: "collector", To: "sink", Expected: n(3870), Received: 185, Sampled: n(2000), Early: 1685, EarlyTraces: n(337), Traces: n(37), Partial: n(0)},
		"collector → sink: 13 of 20 came in 3 traces, 1 of them not whole, 5 sampled out, 2 left out of kept traces by collector, 1 trace dropped too early by collector, with an unknown number of spans": {
			From: "collector", To: "sink", Expected: n(20), Received: 13, Sampled: n(5), Torn: 2, EarlyTraces: n(1), Traces: n(3), Partial: n(1)},
		"app → collector: 7 came; the expected number is unknown": {From: "app", To: "collector", Received: 7, Outcome: finding.HopUnknown},
	} {
		if got := Way(p) + ": " + Hop(p); got != want {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
}

// A loss that nobody can rule out is told with its most, of how many, and why.
func TestLossThatIsNotCertain(t *testing.T) {
	reason := func(code finding.Code, spans float64) []finding.Reason {
		return []finding.Reason{{Code: code, Figures: []finding.Figure{{Name: "spans", Value: spans}, {Name: "operations", Value: 3}, {Name: "requests", Value: 2}}}}
	}
	exact := finding.Entry{Name: "expected", Spans: 91200}
	for want, l := range map[string]finding.Ledger{
		"no span is known to be lost; up to 794 of 91,200 may be: the number of spans varies":            {Outcome: reason(finding.PageMayVary, 794), Entries: []finding.Entry{exact}},
		"no span is known to be lost; up to 794 of 90,000 to 91,200 may be: the number of spans varies":  {Outcome: reason(finding.PageMayVary, 794), Entries: []finding.Entry{{Name: "expected", Spans: 90600, Low: 90000, High: 91200}}},
		"no span is known to be lost; up to 12 of 91,200 may be: 3 operations failed or were sent again": {Outcome: reason(finding.PageMayHaveFailed, 12), Entries: []finding.Entry{exact}},
		"no span is known to be lost; up to 1 span may be: the number of spans varies":                   {Outcome: reason(finding.PageMayVary, 1)},
		"no span is known to be lost; their number varies":                                               {Outcome: reason(finding.PageVaries, 0), Entries: []finding.Entry{exact}},
		"no span is known to be lost; 2 readiness requests failed, which made up to 4 spans, or none":    {Outcome: reason(finding.PageNotReady, 4), Entries: []finding.Entry{exact}},
	} {
		all := []finding.Ledger{l}
		FillLedgers(all)
		if all[0].Verdict != want {
			t.Errorf("%q, want %q", all[0].Verdict, want)
		}
	}
}

// Where operations have rates of their own, the load's is not what they were asked at.
func TestLoadOfOwnRates(t *testing.T) {
	e := &config.Experiment{
		Load:       config.Load{Rate: 60, Duration: 2 * time.Second},
		Operations: []program.Operation{{Name: "json", Rate: 1500}, {Name: "home"}},
	}
	if got := Load(e); got != "1500 (json) and 60 (home) operations/s for 2s, open loop" {
		t.Error(got)
	}
	e.Operations[0].Rate = 0
	if got := Load(e); got != "60 operations/s for 2s, open loop" {
		t.Error(got)
	}
}

// Operations with durations of their own are not said to last as long as the load.
func TestLoadOfOwnDurations(t *testing.T) {
	e := &config.Experiment{Load: config.Load{Rate: 5, Duration: 10 * time.Second}, Operations: []program.Operation{{Name: "short", Rate: 80, Duration: 4 * time.Second}, {Name: "long"}}}
	if got, want := Load(e), "80 (short) and 5 (long) operations/s for 4s and 10s, open loop"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e.Operations[0].Rate = 0
	if got, want := Load(e), "5 operations/s for 4s and 10s, open loop"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLoadInWords(t *testing.T) {
	for want, l := range map[string]config.Load{
		"2,000,000 operations at depth 10 on 1 thread, unthrottled":           {Calls: 2e6, Depth: 10, Threads: 1},
		"operations for 10s at depth 2, 4 and 8, unthrottled":                 {Duration: 10 * time.Second, Depths: []int{2, 4, 8}},
		"1,000 operations or 10s on 1 and 2 threads, unthrottled":             {Calls: 1000, Duration: 10 * time.Second, Crowds: []int{1, 2}},
		"operations for 30s, at a fixed rate of 10000 and 20000 operations/s": {Duration: 30 * time.Second, Rates: []float64{10000, 20000}},
	} {
		if got := loadText(l, true, ""); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A search that ends between two rates names both, and which of them passed.
func TestSearchNamesItsBracket(t *testing.T) {
	low, high := 800.0, 840.0
	for _, c := range []struct {
		search finding.Search
		made   record.Search
		want   string
	}{
		{finding.Search{Kind: "latency", Goal: "p99 under 20.0 ms", Rate: &finding.Interval{Estimate: 800, Low: &low, High: &high}},
			record.Search{Goal: "latency", Outcome: record.Found, Rate: 800, Passing: 800, Failing: 840},
			"p99 under 20.0 ms up to 800/s (800 to 840); between 800/s (passed) and 840/s (did not)"},
		{finding.Search{Kind: "cpu", Goal: "75 % of the app's CPU", Rate: &finding.Interval{Estimate: 840, Low: &low, High: &high}},
			record.Search{Goal: "cpu", Target: 0.75, Outcome: record.Found, Rate: 840, Passing: 800, Failing: 840},
			"75 % of the app's CPU at 840/s (800 to 840)"},
	} {
		FillSearch(&c.search, []*record.Search{&c.made})
		if c.search.Text != c.want {
			t.Errorf("%q, want %q", c.search.Text, c.want)
		}
	}
}

// headOf is a headline of a ratio with its interval.
func headOf(variant, operation string, v finding.Verdict, estimate, low, high float64) finding.Finding {
	v.Low, v.High = &low, &high
	least, most := low*1e-4, high*1e-4 // of an operation that takes 100 µs
	return finding.Finding{Variant: variant, Against: "none", Operation: operation, Metric: "cpu_per_operation", Unit: "s", Better: "lower", Headline: true, Blocks: 8,
		Relative: &finding.Interval{Estimate: estimate, Low: &low, High: &high}, Absolute: &finding.Interval{Estimate: estimate * 1e-4, Low: &least, High: &most}, Verdict: v}
}

// stepOf is what a variant costs over another one that is no baseline.
func stepOf(variant, against string, estimate, low, high float64) finding.Finding {
	f := headOf(variant, "get", finding.Verdict{Kind: finding.Costs}, estimate, low, high)
	if low < 0 {
		f.Verdict.Kind = finding.NoDifference
	}
	f.Against, f.Headline = against, false
	return f
}

func TestSummary(t *testing.T) {
	budget := 0.1
	figure := func(operation string, by float64) finding.Finding {
		return finding.Finding{Variant: "otel", Operation: operation, Metric: "cpu_per_operation", Unit: "s", Headline: true, Blocks: 2, Relative: &finding.Interval{Estimate: by}, Absolute: &finding.Interval{Estimate: by * 1e-4}}
	}
	capacity := headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, -0.4, -0.45, -0.35)
	capacity.Metric, capacity.Better, capacity.Unit = "capacity", "higher", "1/s"
	straddles := finding.Verdict{Kind: finding.CannotTell, Budget: &budget, MoreBlocks: 7, Reasons: []finding.Reason{{Code: finding.WhyStraddles}}}
	own := headOf("otel", "get", finding.Verdict{Kind: finding.CannotTell, Claims: 4, MoreBlocks: 3}, 0.5, 0.14, 0.99)
	own.Verdict.Low, own.Verdict.High = nil, nil
	limited := func(operation string, estimate, low, high float64, more int) finding.Finding {
		f := headOf("otel", operation, finding.Verdict{Kind: finding.CannotTell, Budget: &budget, Claims: 4, MoreBlocks: more}, estimate, low, high)
		f.Verdict.Low, f.Verdict.High = nil, nil
		return f
	}
	never := limited("get", 0, 0, 0, 0)
	never.Metric, never.Headline = "latency_p99", false
	for name, c := range map[string]struct {
		doc  finding.Document
		want string
	}{
		"seen, and the budget open": {finding.Document{Findings: []finding.Finding{limited("get", 0.54, 0.29, 0.95, 1)}},
			"httpbin: CPU per operation with otel differed by +54 % (95 % CI +29 % to +95 %); the budget of 10 % is inconclusive: about 1 block more would decide it."},
		"two seen, and their budgets open": {finding.Document{Findings: []finding.Finding{limited("get", 0.54, 0.29, 0.95, 1), limited("put", 0.2, 0.1, 0.3, 2)}},
			"httpbin: CPU per operation with otel differed by +20 %, +20 µs (put) to +54 %, +54 µs (get); the budget is inconclusive for " +
				"CPU per operation of otel on get (limit 10 %) and CPU per operation of otel on put (limit 10 %): about 2 blocks more would decide it."},
		"one not seen": {finding.Document{Findings: []finding.Finding{limited("get", 0.54, 0.29, 0.95, 1), limited("put", 0.2, -0.1, 0.3, 2)}},
			"httpbin: none of 2 differences in CPU per operation is clear; the budget is inconclusive for " +
				"CPU per operation of otel on get (limit 10 %) and CPU per operation of otel on put (limit 10 %): about 2 blocks more would decide it."},
		"more blocks do not decide all": {finding.Document{Findings: []finding.Finding{limited("get", 0.54, 0.29, 0.95, 1), never}},
			"httpbin: CPU per operation with otel differed by +54 % (95 % CI +29 % to +95 %); the budget is inconclusive for " +
				"CPU per operation of otel on get (limit 10 %) and latency p99 of otel on get (limit 10 %)."},
		"open": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", straddles, 0.54, 0.05, 0.95)}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 5 to 95 %), 54 µs (5 to 95); the budget of 10 % is inconclusive: about 7 blocks more would decide it."},
		"over": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Over, Budget: &budget}, 0.54, 0.29, 0.95)},
			Lossy: []finding.Lossy{{Variant: "scout", Operation: "get", LostShare: 0.5}}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 29 to 95 %), 54 µs (29 to 95); over the budget of 10 %; scout lost 50.0 % of the spans."},
		"lost": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95)}, Lossy: []finding.Lossy{{Variant: "scout", Operation: "get", LostShare: 0.5}}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 29 to 95 %), 54 µs (29 to 95); scout lost 50.0 % of the spans."},
		"may have lost, and suppressed": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95)}, LossUnknown: []finding.LossUnknown{{Variant: "otel", Operation: "get", LostMost: 1}},
			Suppressed: []finding.Suppressed{{Variant: "otel", Operation: "get", Share: 0.4}, {Variant: "otel", Operation: "put", Share: 0.3}}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 29 to 95 %), 54 µs (29 to 95); otel may have lost up to 100 % of the spans; otel suppressed up to 40.0 % of the spans by its own limit."},
		"excluded": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95), headOf("scout", "get", finding.Verdict{Kind: finding.Costs}, 0.1, 0.05, 0.15)}, Lossy: []finding.Lossy{{Variant: "scout", Operation: "get", LostShare: 0.5}}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 29 to 95 %), 54 µs (29 to 95); scout lost 50.0 % of the spans; excluded, because of lost spans: scout."},
		"a step": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95), stepOf("after", "otel", 0.04, 0.02, 0.06)}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 29 to 95 %), 54 µs (29 to 95); after adds 4.0 % CPU per operation over otel (95 % CI 2.0 to 6.0 %), 4.0 µs (2.0 to 6.0)."},
		"a step that is not there": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95), stepOf("after", "otel", 0.001, -0.011, 0.012)}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 29 to 95 %), 54 µs (29 to 95); after over otel: after makes no difference in CPU per operation larger than 1.2 %."},
		"two steps": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95), stepOf("after", "otel", 0.04, 0.02, 0.06), stepOf("other", "otel", 0.04, 0.02, 0.06)}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 29 to 95 %), 54 µs (29 to 95)."},
		"not among all": {finding.Document{Findings: []finding.Finding{own}},
			"httpbin: the CPU per operation that otel adds is inconclusive after correction for 4 comparisons (+14 % to +99 %)."},
		"no run succeeded": {finding.Document{Runs: finding.Runs{Failed: 2, Failure: []string{"block 1, none, attempt 1: ready: no shop.", "block 1, none, attempt 2: as in block 1, none, attempt 1"}}},
			"No run succeeded: block 1, none, attempt 1: ready: no shop."},
		"searched in vain": {finding.Document{Searches: []finding.Search{{Variant: "otel", Operation: "get", Goal: "no span lost", Text: "no span lost: unsteady", Ended: "unsteady"}}},
			"httpbin: the capacity cannot be compared: with otel on get unsteady."},
		"wide": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.NoDifference}, 0.2, -0.62, 1.19)}},
			"httpbin: the CPU per operation that otel adds is inconclusive (95 % CI −62 % to +119 %)."},
		"no difference": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.NoDifference}, 0.001, -0.011, 0.012)}},
			"httpbin: otel makes no difference in CPU per operation larger than 1.2 %."},
		"many": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95), headOf("java", "get", finding.Verdict{Kind: finding.Costs}, 0.12, 0.1, 0.14),
			headOf("zipkin", "get", finding.Verdict{Kind: finding.NoDifference}, 0.001, -0.011, 0.012)}},
			"httpbin: tracing changes CPU per operation by +12.0 %, +12.0 µs (java on get) to +54 %, +54 µs (otel on get); 1 of 3 not clear."},
		"what costs most is not clear": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95), headOf("java", "get", finding.Verdict{Kind: finding.Costs}, 0.12, 0.1, 0.14),
			headOf("scout", "get", finding.Verdict{Kind: finding.CannotTell, Reasons: []finding.Reason{{Code: finding.WhyOverloaded}}}, 0.97, -0.2, 1.9)}},
			"httpbin: tracing changes CPU per operation by +12.0 %, +12.0 µs (java on get) to +54 %, +54 µs (otel on get); 1 of 3 not clear, among them +97 %, +97 µs (scout on get)."},
		"nothing came": {finding.Document{Untraced: []finding.Untraced{{Variant: "otel"}, {Variant: "otel", Operation: "get"}}, Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95)}},
			"httpbin: no span came with otel, so the cost of tracing is unknown."},
		"figures": {finding.Document{Findings: []finding.Finding{figure("get", 0.54), figure("put", 0.1)}},
			"httpbin: CPU per operation with otel differed by +10.0 %, +10.0 µs (put) to +54.0 %, +54.0 µs (get), without intervals."},
		"a lower figure": {finding.Document{Findings: []finding.Finding{figure("get", -0.1)}},
			"httpbin: CPU per operation with otel was 10.0 % lower (2 blocks: no interval)."},
		"a capacity": {finding.Document{Findings: []finding.Finding{capacity}},
			"httpbin: otel costs 40.0 % of the capacity (95 % CI 35.0 to 45.0 %)."},
		"gaps": {finding.Document{Findings: []finding.Finding{headOf("otel", "get", finding.Verdict{Kind: finding.Costs}, 0.54, 0.29, 0.95)}, Experiment: finding.Experiment{Operations: []string{"get", "put"}}},
			"httpbin: otel adds 54 % CPU per operation (95 % CI 29 to 95 %), 54 µs (29 to 95); 1 of 2 operations has no comparison: put."},
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

func TestProxied(t *testing.T) {
	n := int64(7)
	for want, p := range map[string]finding.Proxied{
		"7 calls counted by proxies, as many as the graph makes (2 runs)": {Runs: 2, Calls: &n, Makes: &finding.Calls{Low: 7, High: 7}},
		"7 calls counted by proxies; the graph makes 6 (1 run)":           {Runs: 1, Calls: &n, Makes: &finding.Calls{Low: 6, High: 6}},
		"7 calls counted by proxies (1 run)":                              {Runs: 1, Calls: &n},
		"an unknown number of calls counted by proxies (3 runs)":          {Runs: 3, Makes: &finding.Calls{Low: 6, High: 6}},
	} {
		if got := Proxied(p); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
