// Replications of self-driving workloads: who is ordered, and how what was
// published of them is held against ours.

package study

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// methodCalls is a result of calls that do nothing: four agents that make all steps, and one
// without its queue.
func methodCalls(change func(*finding.Document)) *finding.Document {
	s := scene{
		workload: "calls/java", blocks: 8, noise: 0.01, seed: 1, metric: "time_per_call", better: "lower",
		base:  map[string]float64{"call": 50e-9},
		ratio: map[string]map[string]float64{"kieker": {"call": 30}, "otel": {"call": 80}, "scouter": {"call": 300}, "elastic": {"call": 90}, "probe": {"call": 20}},
		order: []string{"kieker", "otel", "scouter", "elastic", "probe"},
	}
	s.change = func(d *finding.Document) {
		for i := range d.Experiment.Variants {
			d.Experiment.Variants[i].Partial = d.Experiment.Variants[i].Name == "probe"
		}
		for i := range d.Findings {
			d.Findings[i].Amount = true
		}
		for name, value := range map[string]float64{"none": 100e-9, "kieker": 1550e-9, "otel": 3000e-9, "scouter": 100e-6, "elastic": 4.2e-6, "probe": 99e-6, "inspectit": 7e-6} {
			publish(d, "call", name, value, "")
		}
		d.Experiment.LeftOut = []finding.LeftOut{{Variant: "inspectit", Reason: "it cannot be had"}}
		if change != nil {
			change(d)
		}
	}
	return s.document()
}

func names(r Ranking) []string {
	var out []string
	for _, p := range r.Places {
		out = append(out, p.Variant)
	}
	return out
}

func TestWhoLeavesOutNothingIsOrdered(t *testing.T) {
	lost := func(d *finding.Document) {
		d.Lossy = []finding.Lossy{{Operation: "call", Variant: "otel", LostShare: 0.9}}
	}
	unsure := func(d *finding.Document) {
		d.Ledgers = []finding.Ledger{{Operation: "call", Variant: "otel", LostShare: 0, LostMost: 1}, {Operation: "call", Variant: "kieker", LostShare: 0, LostMost: 0.005}}
	}
	listed := func(d *finding.Document) {
		d.LossUnknown = []finding.LossUnknown{{Operation: "call", Variant: "otel", LostMost: 0.4}, {Operation: "other", Variant: "kieker", LostMost: 1}}
	}
	sampled := func(d *finding.Document) {
		d.Ledgers = []finding.Ledger{{Operation: "call", Variant: "otel", LostShare: 0, LostMost: 0.4, ByChance: true}}
	}
	parts := func(whole ...string) func(*finding.Document) {
		return func(d *finding.Document) {
			for i := range d.Experiment.Variants {
				d.Experiment.Variants[i].Partial = !slices.Contains(whole, d.Experiment.Variants[i].Name)
			}
		}
	}
	for name, test := range map[string]struct {
		change func(*finding.Document)
		want   string
		taus   int
	}{
		"all steps":     {nil, "kieker otel elastic scouter", 1},
		"one lost some": {lost, "kieker elastic scouter", 1},
		"one may have":  {unsure, "kieker elastic scouter", 1},
		"one is listed": {listed, "kieker elastic scouter", 1},
		"sampled":       {sampled, "kieker otel elastic scouter", 1}, // what chance may hide is no sign of a loss
		"two are whole": {parts("kieker", "otel"), "kieker otel", 0},
		"one is whole":  {parts("none", "kieker"), "probe kieker otel elastic scouter", 1}, // the parts are what there is to order
		"quick":         {func(d *finding.Document) { d.Quick = true }, "kieker otel elastic scouter", 1},
	} {
		s := makeReplication(t, nil, methodCalls(test.change))
		if got := strings.Join(names(s.Rankings[0]), " "); got != test.want || len(s.Rankings[0].Taus) != test.taus {
			t.Errorf("%s: %s, %+v", name, got, s.Rankings[0].Taus)
		}
	}
	if s := makeReplication(t, nil, methodCalls(lost)); !strings.Contains(s.Summary, "xcluded from the ranking, as they lost spans: otel;") {
		t.Error(s.Summary)
	}
	partly := shop("flask")
	partly.change = func(d *finding.Document) {
		d.Lossy = []finding.Lossy{{Operation: "db", Variant: "otel", LostShare: 0.9}, {Operation: "db", Variant: "none", LostShare: 0.9}}
	}
	if s := makeReplication(t, nil, partly.document(), shop("spring").document()); s.Summary != "Excluded from the ranking, as they lost spans: otel on 1 of 4." {
		t.Error(s.Summary)
	}
}

func TestPublishedAmounts(t *testing.T) {
	s := makeReplication(t, nil, methodCalls(nil))
	table := s.Tables[0]
	if !table.Amount {
		t.Fatalf("%+v", table)
	}
	for _, r := range table.Rows {
		switch r.Variant {
		case "kieker": // 1450 ns are added to ours too
			if p := r.Published[0]; p.Cost != nil || math.Abs(*p.Added-1450e-9) > 1e-15 || !*p.Within {
				t.Errorf("%+v", p)
			}
		case "otel":
			if p := r.Published[0]; math.Abs(*p.Added-2900e-9) > 1e-15 || *p.Within {
				t.Errorf("%+v", p)
			}
		case "inspectit":
			if r.Value != nil || r.Reason.Code != finding.WhyLeftOut || r.Reason.Said != "it cannot be had" || r.Published[0].Value != 7e-6 || r.Published[0].Within != nil {
				t.Errorf("%+v", r)
			}
		}
	}
	if !slices.ContainsFunc(table.Rows, func(r Row) bool { return r.Variant == "inspectit" }) {
		t.Error("what could not run is not in the table")
	}
	if i := s.Rankings[0].Places[0].Cost; i.Estimate > 1e-5 {
		t.Errorf("ordered by a ratio: %+v", i)
	}
	if text := strings.Join(s.Methods, " "); !strings.Contains(text, "the operation does nothing") || !strings.Contains(text, "leave out steps of tracing") {
		t.Error(text)
	}
}

// Two tracers can be held against each other where a share of the baseline says nothing; two
// workloads cannot, and there is no mean.
func TestNoMeanOfSharesOfNothing(t *testing.T) {
	amounts := func(workload string) *finding.Document {
		s := shop(workload)
		s.change = func(d *finding.Document) {
			for i := range d.Findings {
				d.Findings[i].Amount = true
			}
		}
		return s.document()
	}
	s := makeReplication(t, nil, amounts("calls/java"), amounts("calls/go"))
	if len(s.Means) > 0 {
		t.Errorf("%+v", s.Means)
	}
	if len(s.Ratios) == 0 || slices.ContainsFunc(s.Ratios, func(r Ratio) bool { return r.Between == BetweenWorkloads }) {
		t.Errorf("%+v", s.Ratios)
	}
}

func TestWhatAResultSaysOfItself(t *testing.T) {
	s := makeReplication(t, nil, methodCalls(func(d *finding.Document) {
		d.Quick = true
		d.Environment = map[string]any{"runtimes": map[string]any{"mvn": "\x1b[1mApache Maven 3.8.7\x1b[m", "java": "openjdk 17"}}
		d.Searches = []finding.Search{{Operation: "call", Variant: "otel", Held: 20000, Failed: 23000, Points: []finding.SearchPoint{{Rate: 1}}}}
	}))
	if r := s.Results[0]; !r.Quick || !slices.Equal(r.Runtimes, []string{"java: openjdk 17", "mvn: Apache Maven 3.8.7"}) {
		t.Errorf("%+v", r)
	}
	if l := s.Searches[0]; l.Workload != "calls/java" || l.Held != 20000 || l.Points != nil {
		t.Errorf("%+v", l)
	}
}

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
			f.Value, f.Absolute = finding.Number(10e-6*(1+0.05*float64(n))), &finding.Interval{Estimate: 10e-6 * (1 + 0.05*float64(n)), Low: &low, High: &high}
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
