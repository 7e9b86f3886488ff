// Comparisons of results whose truth is known.

package analysis_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/compare"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

var calm = day{slower: 1}

func TestCompareFindsWhatChanged(t *testing.T) {
	before := shop(1, 12, calm).result(t, "r/main")
	after := shop(2, 12, day{slower: 1.3, drift: 0.01}).slowed(12e-6).result(t, "r/branch")
	doc := compared(t, compare.Input{Base: before, News: []*finding.Document{after}})
	c := changeIn(t, doc, 0, "json", "otel", metric.CPUPerOperation)
	if c.Verdict.Kind != finding.Costs || c.Relative == nil {
		t.Errorf("12 µs more: %+v", c.Verdict)
	}
	if truth := 92.0/80 - 1; math.Abs(c.Relative.Estimate-truth) > 0.03 || *c.Verdict.Low > truth || *c.Verdict.High < truth {
		t.Errorf("changed by %v (%v to %v), in truth by %v", c.Relative.Estimate, *c.Verdict.Low, *c.Verdict.High, truth)
	}
	if other := changeIn(t, doc, 0, "json", "otel-10", metric.CPUPerOperation); other.Verdict.Kind != finding.NoDifference || other.Verdict.Bound == nil {
		t.Errorf("nothing changed, but: %+v", other.Verdict)
	}
	for _, c := range doc.Changes {
		if c.Of == finding.OfBaseline && c.Metric == metric.CPUPerOperation && (c.Relative.Estimate < 0.2 || c.Verdict.Kind != finding.None || c.Note == "") {
			t.Errorf("the baseline on a machine 30 %% slower: %+v", c)
		}
	}
	if want := "Since main, CPU per operation went up for otel on json by "; !strings.HasPrefix(doc.Summary, want) {
		t.Errorf("the summary is %q", doc.Summary)
	}
	if _, err := json.Marshal(doc); err != nil {
		t.Error(err)
	}
}

func TestCompareMeans(t *testing.T) {
	before := shop(1, 12, calm).result(t, "main")
	after := shop(2, 12, calm).slowed(40e-6).result(t, "branch")
	doc := compared(t, compare.Input{Base: before, News: []*finding.Document{after}})
	truth := math.Sqrt(120.0/80*470/430) - 1
	for _, c := range doc.Changes {
		if c.Of != finding.OfMean || c.Metric != metric.CPUPerOperation || c.Variant != "otel" {
			continue
		}
		if math.Abs(c.Relative.Estimate-truth) > 0.03 || *c.Relative.Low > truth || *c.Relative.High < truth {
			t.Errorf("geometric mean %v (%v to %v), in truth %v", c.Relative.Estimate, *c.Relative.Low, *c.Relative.High, truth)
		}
		if c.Before.Relative == nil || c.Verdict.Kind != finding.Costs {
			t.Errorf("the mean is %+v", c)
		}
		return
	}
	t.Error("no geometric mean")
}

func TestCompareSeveral(t *testing.T) {
	base := shop(1, 10, calm).result(t, "r/1.0")
	doc := compared(t, compare.Input{Base: base, News: []*finding.Document{
		shop(2, 10, calm).result(t, "r/1.1"), shop(3, 12, calm).slowed(30e-6).result(t, "r/1.2"),
	}})
	if len(doc.News) != 2 || doc.News[1].Name != "1.2" || doc.News[1].Blocks != 12 {
		t.Errorf("the results are %+v", doc.News)
	}
	if a, b := changeIn(t, doc, 0, "json", "otel", metric.CPUPerOperation), changeIn(t, doc, 1, "json", "otel", metric.CPUPerOperation); a.Verdict.Kind == finding.Costs || b.Verdict.Kind != finding.Costs || a.Verdict.Claims != b.Verdict.Claims {
		t.Errorf("verdicts %+v, %+v", a.Verdict, b.Verdict)
	}
	if !strings.Contains(doc.Summary, "1.1: CPU per operation did not change") || !strings.Contains(doc.Summary, "1.2: CPU per operation went up") {
		t.Errorf("the summary is %q", doc.Summary)
	}
}

// What may not differ, and what may.
func TestCompareRefusesWhatDiffers(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*finding.Document)
		want   string // in the refusal; "" is none
		warns  string // code of a warning otherwise
	}{
		{"nothing", func(*finding.Document) {}, "", ""},
		{"workload", func(d *finding.Document) { d.Experiment.Workload = "hello/flask" }, "the workload differs: hello/go in main, hello/flask in branch", "compare-different"},
		{"load", func(d *finding.Document) { d.Experiment.Load = "1 operation/s" }, "the load differs", "compare-different"},
		{"operations", func(d *finding.Document) { d.Experiment.Operations = []string{"json"} }, "the set of operations differs: json, work in main, json in branch", "compare-different"},
		{"their order", func(d *finding.Document) { d.Experiment.Operations = []string{"work", "json"} }, "", ""},
		{"baseline", func(d *finding.Document) { d.Experiment.Variants[0].Settings = map[string]string{"sampling": "1%"} }, "the baseline differs", "compare-different"},
		{"faults", func(d *finding.Document) { d.Experiment.Faults = []string{"the sink loses 3 %"} }, "the set of faults differs", "compare-different"},
		{"order", func(d *finding.Document) { d.Experiment.Order = "windows" }, "the order differs: apart in main, windows in branch", "compare-different"},
		{"room", func(d *finding.Document) {
			d.Warnings = append(d.Warnings, finding.Warning{Code: "in-turn", Severity: "note", Where: "json"})
		}, "the set of operations without room for all variants at once differs: none in main, json in branch", "compare-different"},
		{"rate found", func(d *finding.Document) { d.Experiment.Rates = map[string]float64{"json": 515, "work": 500} }, "", "compare-rate"},
		{"rate found, a little", func(d *finding.Document) { d.Experiment.Rates = map[string]float64{"json": 509, "work": 491} }, "", ""},
		{"CPU", func(d *finding.Document) { d.Environment["cpu_model"] = "another" }, "the machines differ in their CPU: one in main, another in branch", "compare-elsewhere"},
		{"number of CPUs", func(d *finding.Document) { d.Environment["cpus"] = 64.0 }, "number of CPUs", "compare-elsewhere"},
		{"kernel", func(d *finding.Document) { d.Environment["kernel"] = "5.4.0-1" }, "kernel", "compare-elsewhere"},
		{"kernel, a little", func(d *finding.Document) { d.Environment["kernel"] = "6.9.1" }, "", "compare-kernel"},
		{"tool", func(d *finding.Document) { d.Tool = "2.0" }, "", "compare-tool"},
		{"tool that measured", func(d *finding.Document) { d.Environment["tool"] = "0.9" }, "", "compare-tool"},
		{"unknown machine", func(d *finding.Document) { d.Environment = nil }, "", ""},
		{"a variant of its own", func(d *finding.Document) {
			d.Experiment.Variants = append(d.Experiment.Variants, finding.Variant{Name: "zipkin"})
		}, "", "compare-partial"},
		{"company, paired", func(d *finding.Document) {
			d.Experiment.Order = "paired"
			d.Experiment.Variants = append(d.Experiment.Variants, finding.Variant{Name: "zipkin"})
		}, "", "compare-company"},
		{"quick", func(d *finding.Document) { d.Quick = true }, "", "compare-quick"},
		{"warned", func(d *finding.Document) {
			d.Warnings = append(d.Warnings, finding.Warning{Code: "x", Severity: "spoiled"})
		}, "", "compare-warned"},
	} {
		before, after := shop(1, 8, calm).result(t, "main"), shop(2, 8, calm).result(t, "branch")
		for _, d := range []*finding.Document{before, after} {
			d.Environment["cpu_model"], d.Environment["kernel"] = "one", "6.8.0"
			d.Experiment.Rates = map[string]float64{"json": 500, "work": 500}
		}
		c.change(after)
		if before.Experiment.Order = ""; after.Experiment.Order == "paired" {
			before.Experiment.Order = "paired"
		}
		_, err := compare.Compare(compare.Input{Base: before, News: []*finding.Document{after}})
		var different *compare.DifferentError
		if refused := errors.As(err, &different); refused != (c.want != "") || refused && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		doc := compared(t, compare.Input{Base: before, News: []*finding.Document{after}, Force: true})
		if c.warns != "" && !warnedOf(doc, c.warns) {
			t.Errorf("%s: no warning %s among %v", c.name, c.warns, doc.Warnings)
		}
	}
}

func warnedOf(doc *finding.Comparison, code string) bool {
	for _, w := range doc.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// Between machines there are ratios and ranks, and no figure of either machine.
func TestCompareElsewhere(t *testing.T) {
	before, after := shop(1, 8, calm).result(t, "here"), shop(2, 8, day{slower: 3}).result(t, "there")
	before.Environment["cpu_model"], after.Environment["cpu_model"] = "one", "another"
	doc := compared(t, compare.Input{Base: before, News: []*finding.Document{after}, Force: true})
	if !doc.Elsewhere || !strings.HasPrefix(doc.Summary, "Between different machines, ratios only.") {
		t.Errorf("the summary is %q", doc.Summary)
	}
	for _, c := range doc.Changes {
		if c.Of == finding.OfBaseline || c.Absolute != nil || c.Before.Value.Known() || c.After.Absolute != nil || c.Relative == nil {
			t.Errorf("a figure of one machine: %+v", c)
		}
	}
	places := map[string][]int{}
	for _, r := range doc.Ranks {
		if r.Operation == "json" {
			places[r.Variant] = r.Places
		}
	}
	for variant, want := range map[string]int{"none": 1, "otel-10": 2, "otel": 3} {
		if p := places[variant]; len(p) != 2 || p[0] != want || p[1] != want {
			t.Errorf("ranks of %s: %v, want %d in both", variant, p, want)
		}
	}
}

// The means of variants are of the same operations: those that all of them have.
func TestMeansAreOfTheSameOperations(t *testing.T) {
	before, after := shop(1, 12, calm).result(t, "before"), shop(2, 12, calm).result(t, "after")
	means := func() (n int) {
		for _, c := range compared(t, compare.Input{Base: before, News: []*finding.Document{after}}).Changes {
			if c.Of == finding.OfMean && c.Metric == metric.CPUPerOperation {
				n++
			}
		}
		return n
	}
	if n := means(); n != 2 {
		t.Fatalf("%d means of json and work", n)
	}
	third := func(doc *finding.Document) {
		for _, f := range doc.Findings {
			if f.Operation == "json" && f.Metric == metric.CPUPerOperation && f.Role == "" && f.Variant == "otel" {
				f.Operation = "query"
				doc.Findings = append(doc.Findings, f)
			}
		}
	}
	value := func() float64 {
		for _, c := range compared(t, compare.Input{Base: before, News: []*finding.Document{after}}).Changes {
			if c.Of == finding.OfMean && c.Metric == metric.CPUPerOperation && c.Variant == "otel" {
				return c.Relative.Estimate
			}
		}
		return math.NaN()
	}
	alike := value()
	third(before)
	third(after)
	if with := value(); math.Abs(with-alike) > 1e-12 {
		t.Errorf("the mean is %g, with an operation that the other variant has not %g", alike, with)
	}
}

// One of which no span came, or that lost too many, has no place among those that did their work.
func TestRanksOfWhatDidItsWork(t *testing.T) {
	before, after := shop(1, 8, calm).result(t, "here"), shop(2, 8, day{slower: 3}).result(t, "there")
	before.Environment["cpu_model"], after.Environment["cpu_model"] = "one", "another"
	before.Lossy = []finding.Lossy{{Operation: "json", Variant: "otel-10", LostShare: 0.5}}
	after.Untraced = []finding.Untraced{{Operation: "json", Variant: "otel-10"}}
	before.LossUnknown = []finding.LossUnknown{{Operation: "work", Variant: "otel-10", LostMost: 0.5}}
	after.LossUnknown = []finding.LossUnknown{{Operation: "work", Variant: "none", LostMost: 0.5}} // against which all are held
	doc := compared(t, compare.Input{Base: before, News: []*finding.Document{after}, Force: true})
	for _, r := range doc.Ranks {
		if r.Operation == "json" && (r.Variant == "otel-10" || r.Variant == "otel" && (r.Places[0] != 2 || r.Places[1] != 2)) {
			t.Errorf("%+v", r)
		}
		if r.Operation == "work" && (r.Variant == "otel-10" || r.Places[1] != 0) {
			t.Errorf("though nobody knows what was lost: %+v", r)
		}
	}
}

func TestCompareSettings(t *testing.T) {
	before, after := shop(1, 8, calm).result(t, "main"), shop(2, 8, calm).result(t, "branch")
	before.Experiment.Variants[1].Settings = map[string]string{"processor": "batch", "sampling": "100%"}
	after.Experiment.Variants[1].Settings = map[string]string{"processor": "simple", "sampling": "100%", "delay": "1s"}
	after.Experiment.Variants[2].Tracer = "otel-python"
	doc := compared(t, compare.Input{Base: before, News: []*finding.Document{after}})
	want := "otel: processor batch → simple; otel: delay none → 1s; otel-10: tracer otel-go → otel-python"
	if got := strings.Join(doc.News[0].Changed, "; "); got != want {
		t.Errorf("changed: %s", got)
	}
}

func TestCompareDoubts(t *testing.T) {
	few := shop(1, 4, calm).result(t, "few")
	doc := compared(t, compare.Input{Base: few, News: []*finding.Document{shop(2, 12, calm).result(t, "b")}})
	if v := changeIn(t, doc, 0, "json", "otel", metric.CPUPerOperation).Verdict; v.Kind != finding.CannotTell || v.MoreBlocks == 0 || v.Reason().Code != finding.WhyFewBlocks || v.Reason().Figure("blocks") != 4 {
		t.Errorf("four blocks: %+v", v)
	}

	modal := shop(3, 20, calm)
	modal.change = func(r *record.Record) {
		if r.Variant == "otel" && r.Block%2 == 0 {
			r.Phases[0].Usage[0].CPUSeconds *= 2
		}
	}
	doc = compared(t, compare.Input{Base: shop(1, 20, calm).result(t, "a"), News: []*finding.Document{modal.result(t, "b")}})
	if v := changeIn(t, doc, 0, "json", "otel", metric.CPUPerOperation).Verdict; v.Kind != finding.CannotTell || v.Reason().Code != finding.WhyModes || v.Reason().Result != "b" {
		t.Errorf("modes: %+v", v)
	}

	late := shop(4, 12, calm).result(t, "late")
	for i := range late.Findings {
		if f := &late.Findings[i]; f.Metric == "memory_peak" {
			f.Verdict = finding.Verdict{Kind: finding.Overloaded, Reasons: []finding.Reason{{Code: finding.WhyOverloaded, Variant: "otel"}}}
		}
	}
	doc = compared(t, compare.Input{Base: shop(1, 12, calm).result(t, "a"), News: []*finding.Document{late}})
	if v := changeIn(t, doc, 0, "", "otel", "memory_peak").Verdict; v.Kind != finding.Overloaded || v.Reason().Code != finding.WhyOverloaded || v.Reason().Result != "late" || v.Reason().Variant != "otel" {
		t.Errorf("overloaded: %+v", v)
	}
}

// A result that stopped at its precision has wider intervals.
func TestCompareOfStoppedResults(t *testing.T) {
	before, after := shop(1, 12, calm).result(t, "a"), shop(2, 12, calm).result(t, "b")
	width := func() float64 {
		c := changeIn(t, compared(t, compare.Input{Base: before, News: []*finding.Document{after}}), 0, "json", "otel", metric.CPUPerOperation)
		return *c.Relative.High - *c.Relative.Low
	}
	fixed := width()
	after.Experiment.Blocks, after.Experiment.Most, after.Experiment.Precision = 8, 30, 0.02
	if stopped := width(); stopped <= fixed {
		t.Errorf("width %g, of a fixed number of blocks %g", stopped, fixed)
	}
}

func TestCompareVariants(t *testing.T) {
	base := shop(1, 12, day{slower: 1, drift: 0.02}).result(t, "r/main")
	doc, err := compare.Variants(compare.Input{Base: base, Budget: cpuBudget(0.01)}, []string{"otel-10", "otel", "none"})
	if err != nil {
		t.Fatal(err)
	}
	more, less := changeIn(t, doc, 0, "json", "otel", metric.CPUPerOperation), changeIn(t, doc, 1, "json", "none", metric.CPUPerOperation)
	if more.Verdict.Kind != finding.Over || less.Verdict.Kind != finding.Within {
		t.Errorf("verdicts: %+v, %+v", more.Verdict, less.Verdict)
	}
	if truth := 80.0/62 - 1; *more.Relative.Low > truth || *more.Relative.High < truth {
		t.Errorf("otel over otel-10: %v to %v, in truth %v", *more.Relative.Low, *more.Relative.High, truth)
	}
	if !strings.HasPrefix(doc.Summary, "Compared with otel-10, CPU per operation is higher for otel on json") {
		t.Errorf("the summary is %q", doc.Summary)
	}
	for _, names := range [][]string{{"otel"}, {"otel", "zipkin"}, {"otel", "otel"}} {
		if _, err := compare.Variants(compare.Input{Base: base}, names); err == nil {
			t.Errorf("%v are compared", names)
		}
	}
}

// Where the blocks are too few for so many claims, the signs of all of them tell, and each has an interval of its own: unless
// what was seen decided how many blocks there are. An answer that is taken back leaves none.
func TestCompareVariantsOverFewBlocks(t *testing.T) {
	base := shop(1, 7, calm).result(t, "few")
	of := func() finding.Change {
		doc, err := compare.Variants(compare.Input{Base: base}, []string{"none", "otel-10", "otel"})
		if err != nil {
			t.Fatal(err)
		}
		return changeIn(t, doc, 1, "json", "otel", metric.CPUPerOperation)
	}
	if c := of(); c.Verdict.Kind != finding.Costs || !c.Verdict.Joint || c.Verdict.Claims < 6 || *c.Verdict.Low > 0.6 || *c.Verdict.High < 0.6 {
		t.Errorf("%+v", c.Verdict)
	}
	base.Lossy = []finding.Lossy{{Operation: "json", Variant: "none", LostShare: 0.3}}
	if c := of(); c.Verdict.Kind != finding.CannotTell || c.Verdict.Joint || c.Verdict.Low != nil {
		t.Errorf("taken back: %+v", c.Verdict)
	}
	base.Lossy = nil
	base.Experiment.Blocks, base.Experiment.Most, base.Experiment.Precision = 7, 30, 0.02
	if c := of(); c.Verdict.Kind != finding.CannotTell || c.Verdict.Joint || c.Verdict.MoreBlocks < 1 || c.Relative.Low == nil {
		t.Errorf("stopped by its precision: %+v, %+v", c.Verdict, c.Relative)
	}
}

// A headline that a result cannot tell is none that did not change: the sentence on top says why.
func TestCompareWhatCannotBeTold(t *testing.T) {
	restless := func(doc *finding.Document) *finding.Document {
		for i := range doc.Findings {
			if f := &doc.Findings[i]; f.Headline && f.Variant == "otel" {
				f.Samples, f.Blocks, f.Value, f.Absolute, f.Relative = []finding.Sample{}, 0, finding.NotKnown(), nil, nil
				f.Verdict = finding.Verdict{Kind: finding.CannotTell, Reasons: []finding.Reason{{Code: finding.WhyRestless, Variant: "otel", Figures: []finding.Figure{{Name: "share", Value: 0.4, Unit: "1"}}}}}
			}
		}
		return doc
	}
	base := restless(shop(1, 8, calm).result(t, "r/main"))
	variants, err := compare.Variants(compare.Input{Base: base}, []string{"none", "otel"})
	if err != nil {
		t.Fatal(err)
	}
	results, err := compare.Compare(compare.Input{Base: base, News: []*finding.Document{restless(shop(2, 8, calm).result(t, "r/new"))}})
	if err != nil {
		t.Fatal(err)
	}
	for name, doc := range map[string]*finding.Comparison{"variants": variants, "results": results} {
		c := changeIn(t, doc, 0, "json", "otel", metric.CPUPerOperation)
		if c.Verdict.Kind != finding.CannotTell || c.Verdict.Reason().Code != finding.WhyRestless || c.Relative != nil || c.Absolute != nil {
			t.Errorf("%s: %+v", name, c)
		}
		if name == "variants" && !strings.Contains(doc.Summary, c.Verdict.Reason().Text) {
			t.Errorf("the summary keeps silent about it: %q", doc.Summary)
		}
		if text, err := json.Marshal(doc); err != nil || bytes.Contains(text, []byte("NaN")) {
			t.Errorf("%s, in JSON: %v", name, err)
		}
	}
}

// A filter that leaves nothing of a metric or an operation names it.
func TestFiltersNameWhatTheyHide(t *testing.T) {
	filter, err := compare.ParseFilter("metric:cpu_per_operation operation:json")
	if err != nil {
		t.Fatal(err)
	}
	base := shop(1, 8, calm).result(t, "a")
	doc, err := compare.Variants(compare.Input{Base: base, Filter: filter}, []string{"none", "otel"})
	if err != nil {
		t.Fatal(err)
	}
	hidden := map[string][]string{}
	for _, h := range doc.Hidden {
		hidden[h.Key] = h.Names
	}
	if len(hidden) != 2 || !slices.Equal(hidden["operation"], []string{"work"}) ||
		!slices.Contains(hidden["metric"], metric.MemoryPeak) || slices.Contains(hidden["metric"], metric.CPUPerOperation) {
		t.Errorf("%v", doc.Hidden)
	}
	if doc, err = compare.Variants(compare.Input{Base: base}, []string{"none", "otel"}); err != nil || doc.Hidden != nil {
		t.Errorf("without a filter: %v, %v", doc.Hidden, err)
	}
}

func TestCompareNothing(t *testing.T) {
	a, b := shop(1, 8, calm).result(t, "a"), shop(2, 8, calm).result(t, "b")
	if _, err := compare.Compare(compare.Input{Base: a}); err == nil {
		t.Error("one result is compared with nothing")
	}
	f, err := compare.ParseFilter("metric:nonsense")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compare.Compare(compare.Input{Base: a, News: []*finding.Document{b}, Filter: f}); err == nil || !strings.Contains(err.Error(), "cpu_per_operation") {
		t.Errorf("an empty filter: %v", err)
	}
	b.Findings = nil
	if _, err := compare.Compare(compare.Input{Base: a, News: []*finding.Document{b}}); err == nil {
		t.Error("results without figures in common are compared")
	}
}

// Two results of a relative rate: one question, though their pilots found
// different rates, which is said.
func TestCompareRelativeRates(t *testing.T) {
	result := func(seed uint64, found float64) *finding.Document {
		s := shop(seed, 8, calm)
		s.design = func(e *config.Experiment) { e.Load.Relative = &config.Relative{Share: 0.5} }
		s.extra = []record.Record{pilot("none", record.Found, 3*found), pilot("otel", record.Found, found), pilot("otel-10", record.Found, 2*found)}
		s.rate = found / 2
		return s.result(t, "rate "+finding.FormatValue(found, "1/s"))
	}
	base := result(1, 1000)
	for found, want := range map[float64]string{1000: "", 1016: "", 1100: "json was asked at 500/s in rate 1,000/s and at 550/s in rate 1,100/s"} {
		doc := compared(t, compare.Input{Base: base, News: []*finding.Document{result(2, found)}})
		var texts []string
		for _, w := range doc.Warnings {
			if w.Code == "compare-rate" {
				texts = append(texts, w.Text)
			}
		}
		if said := strings.Join(texts, "; "); want == "" && said != "" || !strings.HasPrefix(said, want) {
			t.Errorf("pilots found 1,000/s and %g/s: %q", found, said)
		}
	}
}

// A copy of a result is no new evidence.
func TestCompareWithItself(t *testing.T) {
	one, copied := shop(1, 8, calm).result(t, "one"), shop(1, 8, calm).result(t, "copy")
	for _, doc := range []*finding.Document{one, copied} {
		doc.Environment = map[string]any{"started": "2026-01-02T15:04:05.123456789Z"}
	}
	_, err := compare.Compare(compare.Input{Base: one, News: []*finding.Document{copied}})
	if err == nil || !strings.Contains(err.Error(), "hold the same runs") {
		t.Errorf("a result compared with its copy: %v", err)
	}
	copied.Environment = map[string]any{"started": "2026-01-02T16:04:05.123456789Z"}
	if _, err := compare.Compare(compare.Input{Base: one, News: []*finding.Document{copied}}); err != nil {
		t.Errorf("another experiment that found the same: %v", err)
	}
}

// Where a search found no rate, the summary does not speak of other things first.
func TestCompareWithoutCapacity(t *testing.T) {
	doc := compared(t, compare.Input{Base: searchless(t, 1, "before"), News: []*finding.Document{searchless(t, 2, "after")}})
	if !strings.HasPrefix(doc.Summary, "The change of the capacity is unknown: in before, otel on json, unsteady") {
		t.Errorf("summary %q", doc.Summary)
	}
	if len(doc.Warnings) == 0 || doc.Warnings[len(doc.Warnings)-1].Code != "compare-no-capacity" {
		t.Errorf("warnings %+v", doc.Warnings)
	}
}

// searchless is the result of an experiment whose search found nothing.
func searchless(t *testing.T, seed uint64, name string) *finding.Document {
	doc := shop(seed, 8, calm).result(t, name)
	doc.Searches = []finding.Search{{Operation: "json", Variant: "otel", Text: "unsteady: the probes contradict each other"}}
	return doc
}
