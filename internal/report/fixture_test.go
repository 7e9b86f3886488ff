// Documents to report on: made by formula, so golden files are stable and
// every figure can be told from the others.

package report

import (
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/wording"
)

// shape says what a fixture looks like.
type shape struct {
	operations []string
	variants   []finding.Variant
	blocks     int
	quick      bool
}

var small = shape{
	operations: []string{"json", "work", "chain"},
	variants:   []finding.Variant{{Name: "none", Tracer: "none"}, {Name: "otel", Tracer: "otel-go", Settings: map[string]string{"sampling": "100%"}}},
	blocks:     8,
}

var ladder = shape{
	operations: []string{"json", "work", "chain"},
	variants: []finding.Variant{
		{Name: "none", Tracer: "none"},
		{Name: "api", Tracer: "otel-go", Against: "none", Description: "API only"},
		{Name: "sdk-0", Tracer: "otel-go", Against: "api"},
		{Name: "sdk-1", Tracer: "otel-go", Against: "sdk-0"},
		{Name: "sdk-100", Tracer: "otel-go", Against: "sdk-1"},
		{Name: "batch", Tracer: "otel-go", Against: "sdk-100"},
		{Name: "simple", Tracer: "otel-go", Against: "batch"},
	},
	blocks: 10,
}

// fixtureMetrics: the baseline's value on the first operation, and what a step
// of the ladder adds to it as a share.
var fixtureMetrics = []struct {
	name, role, unit, better string
	base, step               float64
}{
	{"cpu_per_operation", "", "s", "lower", 52e-6, 0.043},
	{"cpu_per_operation", "app", "s", "lower", 44e-6, 0.05},
	{"cpu_per_operation", "backend", "s", "lower", 8e-6, 0.004},
	{"cpu_per_operation", "sink", "s", "lower", 0, 1.1e-6},
	{"latency_p50", "", "s", "lower", 210e-6, 0.021},
	{"latency_p95", "", "s", "lower", 480e-6, 0.034},
	{"latency_p99", "", "s", "lower", 1.3e-3, 0.002},
	{"memory_peak", "", "bytes", "lower", 21.4e6, 0.08},
	{"context_switches", "", "count", "lower", 41000, 0.01},
	{"export_bytes_per_operation", "", "bytes", "lower", 0, 61},
	{"throughput", "", "1/s", "higher", 500, 0},
}

// make builds the document of a shape.
func (s shape) make() *finding.Document {
	doc := &finding.Document{
		Schema: finding.Schema, Tool: "0.1.0-dev", Created: time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC),
		Results: "tracetax-results/hello-2026-03-14",
		Experiment: finding.Experiment{
			Name: "ladder", Workload: "hello/go", Operations: s.operations, Variants: s.variants,
			Load: "500 operations/s for 20s, open loop", Blocks: s.blocks, Seed: 42,
			File: "workload: hello/go\nvariants:\n  none:\n  otel: {tracer: otel-go}\n",
		},
		Environment: map[string]any{"kernel": "6.8.0", "cpus": 2.0, "cpu": "a processor", "cgroup": map[string]any{"version": 2.0, "writable": true}},
		Summary:     "otel costs json 21.5 % more CPU per operation (20.3 to 22.7); no span was lost.",
		Quick:       s.quick,
		Repeat:      []string{"tracetax run tracetax-results/hello-2026-03-14/experiment.yaml"},
		Runs:        finding.Runs{Good: s.blocks * len(s.variants), Blocks: s.blocks},
	}
	for o, operation := range s.operations {
		for v, variant := range s.variants[1:] {
			s.compare(doc, o, operation, v+1, 0)
			if against := s.indexOf(variant.Against); against > 0 {
				s.compare(doc, o, operation, v+1, against)
			}
			doc.Ledgers = append(doc.Ledgers, s.ledger(operation, variant.Name, v))
		}
		for v, variant := range s.variants {
			doc.Curves = append(doc.Curves, curve(operation, variant.Name, o, v))
		}
	}
	doc.Warnings = []finding.Warning{{
		Code: "window-short", Severity: "warning", Where: "otel",
		Text:   "the window of 20 s is shorter than 5 times the tracer's longest delay of 5 s",
		Advice: "measure for 25 s or more: load: {duration: 25s}",
	}}
	return doc
}

func (s shape) indexOf(name string) int {
	return slices.IndexFunc(s.variants, func(v finding.Variant) bool { return v.Name == name })
}

// compare adds the findings of variant v against variant a on an operation.
func (s shape) compare(doc *finding.Document, o int, operation string, v, a int) {
	for m, metric := range fixtureMetrics {
		f := finding.Finding{
			Operation: operation, Variant: s.variants[v].Name, Against: s.variants[a].Name,
			Metric: metric.name, Role: metric.role, Unit: metric.unit, Better: metric.better,
			Blocks: s.blocks, Headline: m == 0 && a == 0,
		}
		value := func(variant, block int) float64 {
			base := metric.base * float64(1+3*o)
			noise := 1 + 0.004*float64((block*7+variant*3+m)%5-2)
			if base == 0 {
				return metric.step * float64(variant) * noise
			}
			return base * (1 + metric.step*float64(variant)) * noise
		}
		for b := 1; b <= s.blocks; b++ {
			f.Samples = append(f.Samples, finding.Sample{Block: b, Baseline: value(a, b), Value: value(v, b)})
		}
		s.estimate(&f)
		doc.Findings = append(doc.Findings, f)
	}
}

// estimate fills in figures that look like an analysis's.
func (s shape) estimate(f *finding.Finding) {
	var sumBase, sumValue, low, high float64
	for i, p := range f.Samples {
		d := p.Value - p.Baseline
		if i == 0 || d < low {
			low = d
		}
		if i == 0 || d > high {
			high = d
		}
		sumBase += p.Baseline
		sumValue += p.Value
	}
	n := float64(len(f.Samples))
	base, value := sumBase/n, sumValue/n
	f.Baseline, f.Value = finding.Number(base), finding.Number(value)
	f.Absolute = &finding.Interval{Estimate: value - base}
	if base != 0 {
		f.Relative = &finding.Interval{Estimate: value/base - 1}
	}
	if s.blocks < 6 {
		return
	}
	f.Absolute.Low, f.Absolute.High = &low, &high
	if f.Relative != nil {
		relLow, relHigh := low/base, high/base
		f.Relative.Low, f.Relative.High = &relLow, &relHigh
	}
	f.Verdict = verdict(f, low, high)
}

func verdict(f *finding.Finding, low, high float64) finding.Verdict {
	i, relative := *f.Absolute, false
	if f.Relative != nil {
		i, relative = *f.Relative, true
	}
	switch {
	case low > 0:
		return finding.Verdict{Kind: finding.Costs, Claims: 6, Text: "costs " + finding.FormatSize(i, f.Unit, relative)}
	case high < 0:
		return finding.Verdict{Kind: finding.Saves, Text: "saves " + finding.FormatSize(i, f.Unit, relative)}
	}
	bound := max(-*i.Low, *i.High)
	return finding.Verdict{Kind: finding.NoDifference, Bound: &bound, Text: "no difference larger than " + finding.FormatBound(bound, f.Unit, relative)}
}

func (s shape) ledger(operation, variant string, v int) finding.Ledger {
	expected := int64(10000*s.blocks) + 137
	dropped := int64(0)
	if variant == "simple" {
		dropped = 1204
	}
	l := finding.Ledger{
		Operation: operation, Variant: variant, Hop: "app → sink", Operations: uint64(expected), Exact: true, Outcome: []finding.Reason{{Code: finding.PageNothingLost}},
		Entries: []finding.Entry{
			ledger.Entry(ledger.Expected, expected, "inferred"),
			ledger.Entry(ledger.SampledOut, 0, "inferred"),
			ledger.Entry(ledger.Dropped, dropped, "counted"),
			ledger.Entry(ledger.Delivered, expected-dropped, "counted"),
			ledger.Entry(ledger.Unaccounted, 0, "inferred"),
		},
	}
	if dropped > 0 {
		l.LostShare = float64(dropped) / float64(expected)
		l.Outcome = []finding.Reason{{Code: finding.PageLost, Figures: []finding.Figure{{Name: "share", Value: l.LostShare, Unit: "1"}, {Name: "dropped", Value: float64(dropped), Unit: "count"}}}}
	}
	filled := []finding.Ledger{l}
	wording.FillLedgers(filled)
	return filled[0]
}

func curve(operation, variant string, o, v int) finding.Curve {
	c := finding.Curve{Operation: operation, Variant: variant}
	seconds := 150e-6 * float64(1+o) * (1 + 0.05*float64(v))
	for _, p := range []float64{0, 25, 50, 75, 90, 95, 99, 99.5, 99.9} {
		seconds *= 1.25
		c.Points = append(c.Points, finding.Point{Percentile: p, Seconds: seconds, Low: seconds * 0.94, High: seconds * 1.09})
	}
	return c
}

// nastyName is what a name from outside may be at its worst.
const nastyName = `</script><script>alert("x")</script><img src=x onerror=alert(1)>`

// nasty has names and figures that a report must survive.
func nasty() *finding.Document {
	long := "a-very-long-variant-name-that-no-table-was-made-for-and-that-goes-on-and-on-0123456789"
	s := shape{
		operations: []string{nastyName, "\u202eright to left \u05e9\u05dc\u05d5\u05dd\u202c", "表 \"quoted\" 'n' & \x1b[31mred\x1b[0m\r\n=1+1"},
		variants: []finding.Variant{
			{Name: "none", Tracer: "none"},
			{Name: nastyName, Tracer: "<b>otel</b>", Against: "none"},
			{Name: long, Tracer: "otel", Against: nastyName},
			{Name: "otel-10", Tracer: "otel", Description: "`${alert(1)}`"},
		},
		blocks: 8,
	}
	doc := s.make()
	doc.Summary = nastyName + " costs more."
	doc.Experiment.Name, doc.Experiment.Workload = nastyName, "my/"+nastyName
	doc.Experiment.File = "# " + nastyName + "\nkey: \"</textarea>\"\n"
	doc.Environment = map[string]any{nastyName: nastyName, "list": []any{"a", nastyName}, "nothing": nil}
	doc.Repeat = []string{"tracetax run '" + nastyName + "'"}
	doc.Ledgers = append(doc.Ledgers,
		finding.Ledger{Operation: "(start)", Variant: nastyName, Hop: nastyName},
		finding.Ledger{Operation: "(stop)", Variant: long, Hop: "app → sink", LostShare: 1, Verdict: "all lost", Entries: []finding.Entry{
			{Name: "expected", Text: "expected", Spans: 5, Low: 4, High: 6, How: "inferred"}, {Name: "unaccounted", Text: "unaccounted", Spans: 5, How: "inferred"}}},
	)
	doc.Warnings = append(doc.Warnings, finding.Warning{Code: nastyName, Severity: "spoiled", Text: nastyName, Advice: "do <b>this</b>", Where: nastyName})
	doc.Runs = finding.Runs{Good: 30, Failed: 2, Blocks: 8, Failure: []string{"block 3, " + nastyName + ": ended with exit status 1\n" + nastyName}, Dropped: []string{"block 4: CPU stolen"}}
	bent(doc)
	return doc
}

// bent makes some findings into the rarer kinds.
func bent(doc *finding.Document) {
	f := doc.Findings
	f[0].Verdict = finding.Verdict{Kind: finding.Overloaded, Text: "could not hold the rate"}
	f[0].Relative, f[0].Absolute = nil, nil
	f[1].Verdict = finding.Verdict{Kind: finding.CannotTell, Text: "cannot tell: its runs fall into 2 modes", MoreBlocks: 12}
	f[1].Samples = nil
	budget := 0.05
	f[4].Verdict = finding.Verdict{Kind: finding.Over, Text: "over the budget of 5 %", Budget: &budget}
	f[5].Verdict = finding.Verdict{Kind: finding.Within, Text: "within the budget of 5 %", Budget: &budget}
	f[6].Absolute = &finding.Interval{Estimate: 1e-9}
	f[6].Relative = &finding.Interval{Estimate: 1e-6}
	f[7].Note = "runs fall into modes " + nastyName
	f[7].Parameter = map[string]string{"depth": "8", nastyName: "x"}
	zero := 0.0
	f[8].Baseline, f[8].Value = 0, 0
	f[8].Absolute, f[8].Relative = &finding.Interval{Estimate: 0, Low: &zero, High: &zero}, nil
	f[9].Metric = "made_up_metric"
	f[9].Unit = "furlongs"
	f[10].Operation = ""
	f[10].Metric = "startup_time"
	f[10].Unit = "s"
}

// empty has nothing in it: every run failed.
func empty() *finding.Document {
	return &finding.Document{
		Schema: finding.Schema, Tool: "0.1.0-dev", Created: time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC),
		Summary:    "No run succeeded: none, block 1: the port 8080 was taken: stop what listens on it.",
		Experiment: finding.Experiment{Workload: "hello/go", Operations: []string{"json"}, Variants: []finding.Variant{{Name: "none"}, {Name: "otel"}}},
		Runs:       finding.Runs{Failed: 4, Failure: []string{"none, block 1: the port 8080 was taken: stop what listens on it"}},
	}
}

// collected is a result with a Collector, which one variant alone has and is held against the other for.
func collected() *finding.Document {
	s := small
	s.operations = []string{"json"}
	s.variants = append(slices.Clone(s.variants), finding.Variant{Name: "collector", Tracer: "otel-go", Via: []string{"collector"}, Against: "otel"})
	doc := s.make()
	doc.Findings = slices.DeleteFunc(doc.Findings, func(f finding.Finding) bool { return f.Role == "backend" && f.Variant == "otel" })
	for i := range doc.Findings {
		if f := &doc.Findings[i]; f.Role == "backend" {
			f.Role = "collector"
		}
	}
	return doc
}

// fixtures are all documents, by name.
func fixtures() map[string]*finding.Document {
	quick := small
	quick.quick, quick.blocks = true, 2
	return map[string]*finding.Document{
		"small": small.make(), "ladder": ladder.make(), "quick": quick.make(), "nasty": nasty(), "empty": empty(),
		"sweep": sweeping(2, 1, 2, 4, 8, 16, 32, 64), "sweeps": sweeping(5, 1, 4, 16, 64),
		"capacity": searching(2, false), "capacities": searching(4, true), "goals": otherGoals(),
		"untraced": untracedAt(true, small.operations...), "untraced-part": untracedAt(false, "work"),
		"graph": graphed(), "collector": collected(),
	}
}
