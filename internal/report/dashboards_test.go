// What dashboards read, as they read it.

package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tracetax/tracetax/internal/finding"
)

// Bencher Metric Format is as its published schema says, within the lengths of names that Bencher has, and carries the
// interval of a cost.
func TestBMF(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("testdata/bmf.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, doc := range fixtures() {
		var text bytes.Buffer
		if err := BMF(&text, doc); err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for benchmark, measures := range bmfOf(t, doc) {
			if n := len([]rune(benchmark)); n < 1 || n > 1024 {
				t.Errorf("%s: the name of a benchmark has %d characters: %.80q", name, n, benchmark)
			}
			for measure := range measures {
				if n := len([]rune(measure)); n < 1 || n > 64 {
					t.Errorf("%s: the name of a measure has %d characters: %q", name, n, measure)
				}
			}
		}
	}
	all := bmfOf(t, small.make())
	cost := all["hello/go/json/otel"]["cpu_per_operation_overhead"]
	if cost.Value == nil || cost.Low == nil || cost.High == nil || !(*cost.Low < *cost.Value && *cost.Value < *cost.High) {
		t.Errorf("the cost is %v", cost)
	}
	if base := all["hello/go/json/none"]["cpu_per_operation"]; base.Value == nil || *base.Value <= 0 || base.Low != nil {
		t.Errorf("the baseline is %v", base)
	}
	if amount := all["hello/go/json/otel"]["export_bytes_per_operation_added"]; amount.Value == nil || amount.Low == nil {
		t.Errorf("a cost without a ratio is %v", amount)
	}
	if step := bmfOf(t, ladder.make())["hello/go/json/sdk-1 over sdk-0"]["cpu_per_operation_overhead"]; step.Value == nil {
		t.Error("a step over another variant is not there")
	}
}

// bmfFigure is a measure as Bencher reads it.
type bmfFigure struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"lower_value"`
	High  *float64 `json:"upper_value"`
}

func bmfOf(t *testing.T, doc *finding.Document) map[string]map[string]bmfFigure {
	t.Helper()
	var text bytes.Buffer
	if err := BMF(&text, doc); err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string]bmfFigure
	if err := json.Unmarshal(text.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// action is a figure as github-action-benchmark documents it for its custom tools.
type action struct {
	Name  string   `json:"name"`
	Unit  string   `json:"unit"`
	Value *float64 `json:"value"`
	Range string   `json:"range"`
	Extra string   `json:"extra"`
}

func actionsOf(t *testing.T, doc *finding.Document) map[string]action {
	t.Helper()
	var text bytes.Buffer
	if err := BenchmarkAction(&text, doc); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&text)
	d.DisallowUnknownFields()
	var all []action
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	if all == nil {
		t.Fatal("no array")
	}
	byName := map[string]action{}
	for _, a := range all {
		if _, twice := byName[a.Name]; twice || a.Name == "" || a.Unit == "" || a.Value == nil {
			t.Errorf("%+v", a)
		}
		byName[a.Name] = a
	}
	return byName
}

func TestBenchmarkAction(t *testing.T) {
	for _, doc := range fixtures() {
		actionsOf(t, doc)
	}
	doc := small.make()
	doc.Environment = map[string]any{
		"os": "linux", "arch": "amd64", "cpus": 2.0, "cpu_model": "a processor", "kernel": "6.8.0", "tool": "1.2.3",
		"runtimes": map[string]any{"go": "go version go1.26"}, "packages": map[string]any{"otel-go": map[string]any{"go.opentelemetry.io/otel": "v1.47.0"}},
	}
	all := actionsOf(t, doc)
	cost := all["hello/go/json/otel: cpu_per_operation_of_baseline"]
	if cost.Unit != "% of the baseline" || cost.Value == nil || *cost.Value < 101 || *cost.Value > 110 || !strings.HasPrefix(cost.Range, "10") || !strings.Contains(cost.Range, " to 1") {
		t.Errorf("the cost is %+v", cost)
	}
	want := "Measured by tracetax 1.2.3: a processor; 2 CPUs; linux 6.8.0; go version go1.26; otel-go (go.opentelemetry.io/otel v1.47.0)."
	if cost.Extra != want {
		t.Errorf("extra is\n%s\nwant\n%s", cost.Extra, want)
	}
	for name := range all {
		if strings.Contains(name, "throughput") {
			t.Errorf("of %s more is better", name)
		}
	}
}

// github-action-benchmark warns by ratios of a figure to the one before: none may be near zero, or below.
func TestBenchmarkActionOfLittleCosts(t *testing.T) {
	doc := small.make()
	for i := range doc.Findings {
		f := &doc.Findings[i]
		if f.Operation != "json" || f.Metric != "cpu_per_operation" || f.Role != "" {
			continue
		}
		low, high := -0.03, -0.01
		f.Relative = &finding.Interval{Estimate: -0.02, Low: &low, High: &high}
		f.Verdict.Kind = finding.Saves
	}
	if cost := actionsOf(t, doc)["hello/go/json/otel: cpu_per_operation_of_baseline"]; cost.Value == nil || *cost.Value != 98 || cost.Range != "97 to 99" {
		t.Errorf("what is saved is %+v", cost)
	}
	for low, want := range map[float64]bool{-1e-6: false, 0: false, 1e-6: true} {
		for i := range doc.Findings {
			high := 3e-6
			f := &doc.Findings[i]
			f.Amount, f.Absolute, f.Verdict.Kind = true, &finding.Interval{Estimate: 2e-6, Low: &low, High: &high}, finding.NoDifference
		}
		if cost, has := actionsOf(t, doc)["hello/go/json/otel: cpu_per_operation_added"]; has != want || has && *cost.Value != 2e-6 {
			t.Errorf("an amount from %g is %+v", low, cost)
		}
		doc.Findings = append(doc.Findings, finding.Finding{
			Operation: "json", Variant: "otel", Against: "none", Metric: "cpu_per_span", Unit: "s", Better: "lower", Blocks: 8, Value: 2e-6,
			Absolute: &finding.Interval{Estimate: 2e-6, Low: &low, High: &low}, Verdict: finding.Verdict{Kind: finding.CannotTell},
		})
		if _, has := actionsOf(t, doc)["hello/go/json/otel: cpu_per_span"]; has != want {
			t.Errorf("the CPU of a span from %g is there: %t", low, has)
		}
		doc.Findings = doc.Findings[:len(doc.Findings)-1]
	}
	doc.Findings = append(doc.Findings, finding.Finding{
		Operation: "json", Variant: "otel", Against: "none", Metric: "idle_cpu", Unit: "1", Better: "lower", Blocks: 8, Value: 0,
		Absolute: &finding.Interval{}, Verdict: finding.Verdict{Kind: finding.CannotTell},
	})
	if _, has := actionsOf(t, doc)["hello/go/json/otel: idle_cpu"]; has {
		t.Error("a ratio to an idle CPU of zero is asked for")
	}
}

// A baseline has no figure of what tracing adds, nor of what it did not do: it has not cost zero.
func TestDashboardsLeaveOutWhatABaselineHasNot(t *testing.T) {
	doc := small.make()
	low, high := 1e-6, 3e-6
	one := func(metric, unit string, value finding.Number, absolute *finding.Interval, uncompared bool, baseline finding.Number) {
		doc.Findings = append(doc.Findings, finding.Finding{
			Operation: "json", Variant: "otel", Against: "none", Metric: metric, Unit: unit, Better: "lower", Blocks: 8,
			Baseline: baseline, Value: value, Absolute: absolute, Uncompared: uncompared, Verdict: finding.Verdict{Kind: finding.Costs},
		})
	}
	added := &finding.Interval{Estimate: 2e-6, Low: &low, High: &high}
	none := []string{"delivered_share", "cpu_per_span", "cpu_per_kept_trace", "slope", "base", "r2"}
	one(none[0], "1", 1, nil, false, 0)
	for _, metric := range none[1:] {
		one(metric, "s", 2e-6, added, false, 0)
	}
	one("gc_count", "count", 4, added, false, 0)
	one("blocked_time", "s", 3, nil, true, 2)
	const base, traced = "hello/go/json/none", "hello/go/json/otel"
	all := bmfOf(t, doc)
	for _, metric := range none {
		if _, has := all[base][metric]; has {
			t.Errorf("BMF: the baseline has %s", metric)
		}
		if _, has := actionsOf(t, doc)[base+": "+metric]; has {
			t.Errorf("github-action-benchmark: the baseline has %s", metric)
		}
		if _, has := all[traced][metric]; !has {
			t.Errorf("BMF: the variant has no %s", metric)
		}
	}
	if zero := all[base]["gc_count"]; zero.Value == nil || *zero.Value != 0 {
		t.Errorf("what the baseline did not do is %v", zero)
	}
	if own := all[base]["blocked_time"]; own.Value == nil || *own.Value != 2 {
		t.Errorf("what is not compared is %v", own)
	}
}

// What is not known or cannot be told is left out everywhere: it is never zero.
func TestDashboardsLeaveOutWhatIsNotKnown(t *testing.T) {
	for what, change := range map[string]func(*finding.Document, *finding.Finding){
		"inconclusive": func(_ *finding.Document, f *finding.Finding) {
			f.Verdict.Kind, f.Verdict.Reasons = finding.CannotTell, []finding.Reason{{Code: finding.WhyStraddles}}
		},
		"too wide": func(_ *finding.Document, f *finding.Finding) {
			bound := 0.9
			f.Verdict.Kind, f.Verdict.Bound = finding.NoDifference, &bound
		},
		"overloaded":  func(_ *finding.Document, f *finding.Finding) { f.Verdict.Kind = finding.Overloaded },
		"no interval": func(_ *finding.Document, f *finding.Finding) { f.Relative.Low, f.Relative.High = nil, nil },
		"no verdict":  func(_ *finding.Document, f *finding.Finding) { f.Verdict.Kind = finding.None },
		"no span came": func(d *finding.Document, _ *finding.Finding) {
			d.Untraced = []finding.Untraced{{Variant: "otel", Operation: "json"}}
		},
	} {
		doc := small.make()
		for i := range doc.Findings {
			if f := &doc.Findings[i]; f.Operation == "json" && f.Metric == "cpu_per_operation" && f.Role == "" {
				change(doc, f)
			}
		}
		const name, measure = "hello/go/json/otel", "cpu_per_operation_overhead"
		if _, has := bmfOf(t, doc)[name][measure]; has {
			t.Errorf("%s: BMF has the cost", what)
		}
		if _, has := actionsOf(t, doc)[name+": cpu_per_operation_of_baseline"]; has {
			t.Errorf("%s: github-action-benchmark has the cost", what)
		}
		if _, has := bmfOf(t, doc)[name]["cpu_per_operation"]; !has {
			t.Errorf("%s: the value is gone too", what)
		}
	}
}
