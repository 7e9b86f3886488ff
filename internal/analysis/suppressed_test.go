// Spans that a tracer suppresses by a limit of its own, and answers with gaps.

package analysis_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// holdsBack makes a variant keep a share of its spans to itself.
func holdsBack(variant string, share float64) func(*record.Record) {
	return func(r *record.Record) {
		for i := range r.Phases {
			if c := &r.Phases[i].Sink; r.Variant == variant {
				c.Suppressed = uint64(share * float64(c.Spans))
				c.Spans -= c.Suppressed
			}
		}
	}
}

func TestSuppressed(t *testing.T) {
	s := twoVariants()
	s.also(holdsBack("otel", 0.4))
	doc := analyse(t, s.input())
	if len(doc.Suppressed) != 1 || len(doc.Lossy) > 0 {
		t.Fatalf("%+v, lost %+v", doc.Suppressed, doc.Lossy)
	}
	if u := doc.Suppressed[0]; u.Variant != "otel" || u.Operation != "json" || math.Abs(u.Share-0.4) > 1e-3 || u.Spans != 10*12000 {
		t.Errorf("%+v", u)
	}
	s = twoVariants()
	s.also(holdsBack("otel", 0.005))
	if doc := analyse(t, s.input()); len(doc.Suppressed) > 0 {
		t.Errorf("half a per cent: %+v", doc.Suppressed)
	}
}

// A search that found no rate leaves its operation without a comparison: the summary says so.
func TestSummaryNamesGaps(t *testing.T) {
	s := capacities(map[string]float64{"none": 2450, "otel": 1520})
	s.order, s.operations = []string{"json", "db"}, map[string]float64{"json": 50e-6, "db": 250e-6}
	s.also(func(r *record.Record) {
		if c := r.Phases[1].Capacity; r.Variant == "none" {
			c.Outcome, c.Rate, c.Passing = record.AboveMax, 0, 900
		}
	})
	doc := analyse(t, s.input())
	if want := "; 1 of 2 operations has no comparison: db (not every search with none found a rate)."; !strings.HasSuffix(doc.Summary, want) {
		t.Errorf("%q, want at its end %q", doc.Summary, want)
	}
	if f := get(t, doc, "db", "otel", metric.CPUPerOperation); f.Relative != nil || f.Absolute != nil || !f.Uncompared || f.Value == 0 {
		t.Errorf("a difference at different rates: %+v", f)
	}
}

func TestSummaryNamesVariantsWithGaps(t *testing.T) {
	s := capacities(map[string]float64{"none": 2450, "otel": 1520, "elastic": 1400})
	s.variants = append(s.variants, actor{name: "elastic", tracer: "elastic-go", adds: 30e-6, spans: 3})
	s.also(search("elastic", func(_ *record.Record, c *record.Search) { c.Outcome, c.Rate = record.AboveMax, 0 }))
	if doc := analyse(t, s.input()); !strings.Contains(doc.Summary, "; there is no comparison of elastic.") {
		t.Error(doc.Summary)
	}
}

// A variant that failed everywhere is not passed over, nor one on one operation.
func TestSummaryNamesWhoIsMissing(t *testing.T) {
	for _, c := range []struct {
		phases int // that elastic has
		want   string
	}{{0, "; there is no comparison of elastic."}, {1, "; there is no comparison of elastic on db."}} {
		s := twoVariants()
		s.order, s.operations = []string{"json", "db"}, map[string]float64{"json": 50e-6, "db": 250e-6}
		s.variants = append(s.variants, actor{name: "elastic", tracer: "elastic-go", adds: 30e-6, spans: 3})
		s.change = onlyRuns("elastic", func(r *record.Record) {
			r.Phases = r.Phases[:c.phases]
			if c.phases == 0 {
				r.Failure = &record.Failure{Stage: "start", Message: "it did not start"}
			}
		})
		if doc := analyse(t, s.input()); !strings.Contains(doc.Summary, c.want) {
			t.Errorf("%q, want %q in it", doc.Summary, c.want)
		}
	}
}

// Where there is nothing to compare, the summary tells of the spans all the same.
func TestSummaryWithoutAComparison(t *testing.T) {
	s := capacities(map[string]float64{"none": 2450, "otel": 1520})
	s.also(search("none", func(_ *record.Record, c *record.Search) { c.Outcome, c.Rate = record.AboveMax, 0 }))
	s.also(holdsBack("otel", 0.4))
	if doc := analyse(t, s.input()); !strings.HasSuffix(doc.Summary, "; otel suppressed 40.0 % of the spans by its own limit.") {
		t.Error(doc.Summary)
	}
}

// No budget is kept where nothing was traced; what is over it even so, is over it.
func TestBudgetWhereNothingWasTraced(t *testing.T) {
	for _, c := range []struct {
		metric, found string
		limit         float64
		want          finding.Kind
	}{
		{"cpu_per_operation", "cpu_per_operation", 0.9, finding.CannotTell},
		{"cpu_per_operation", "cpu_per_operation", 0.05, finding.Over},
		{"lost_share", "delivered_share", 0, finding.CannotTell},
		{"startup_time", "startup_time", 0.9, finding.CannotTell},
		{"export_bytes_per_operation", "export_bytes_per_operation", 0.1, finding.CannotTell},
	} {
		s := twoVariants()
		provocation("nothing-traced")(&s)
		s.budget = []config.Limit{{Metric: c.metric, Value: c.limit}}
		operation := "json"
		if c.metric == "startup_time" {
			operation = ""
		}
		doc := analyse(t, s.input())
		f := get(t, doc, operation, "otel", c.found)
		if f.Verdict.Kind != c.want || f.Verdict.Budget == nil {
			t.Errorf("%s within %g: %+v", c.metric, c.limit, f.Verdict)
		}
	}
}

// One whose baseline sent nothing, or lost spans, looks dear: no budget is broken by that.
func TestBudgetOverAnIdleBaseline(t *testing.T) {
	for code, change := range map[finding.Code]func(*record.Record){
		finding.WhyUntraced: func(r *record.Record) { r.Phases[0].Sink = record.Counts{Checking: true} },
		finding.WhyBaseLost: func(r *record.Record) { r.Phases[0].Sink.Spans /= 2 },
	} {
		s := twoVariants()
		s.variants = []actor{{name: "old", tracer: "otel-go", spans: 3}, {name: "new", tracer: "otel-go", adds: 30e-6, spans: 3}}
		if code == finding.WhyUntraced {
			s.plan = func(p *config.Plan) { p.Spans = nil }
		}
		s.budget = []config.Limit{{Metric: metric.CPUPerOperation, Value: 0.05}}
		s.change = onlyRuns("old", change)
		if v := get(t, analyse(t, s.input()), "json", "new", metric.CPUPerOperation).Verdict; v.Kind != finding.CannotTell || v.Reason().Code != code || v.Reason().Variant != "old" {
			t.Errorf("%s: %+v", code, v)
		}
	}
}

// What a baseline may have lost makes what is held against it look dear too, unless that may have lost as much.
func TestBudgetOverABaselineOfUnknownLoss(t *testing.T) {
	for name, c := range map[string]struct {
		unknown []string
		want    finding.Kind
	}{
		"all is known": {nil, finding.Over}, "of the baseline it is not": {[]string{"old"}, finding.CannotTell}, "of neither": {[]string{"old", "new"}, finding.Over},
	} {
		s := twoVariants()
		s.variants = []actor{{name: "old", tracer: "otel-go", spans: 3}, {name: "new", tracer: "otel-go", adds: 30e-6, spans: 3}}
		s.plan = func(p *config.Plan) {
			if slices.Contains(c.unknown, p.Variant) {
				p.Spans["json"] = program.Number{Low: 2, High: 6}
			}
		}
		s.budget = []config.Limit{{Metric: metric.CPUPerOperation, Value: 0.05}}
		if v := get(t, analyse(t, s.input()), "json", "new", metric.CPUPerOperation).Verdict; v.Kind != c.want || c.want == finding.CannotTell && v.Reason().Variant != "old" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// What a tracer that loses spans costs is the least only where its baseline did all of its work for sure.
func TestLeastCostOverABaselineOfUnknownLoss(t *testing.T) {
	for most, want := range map[float64]bool{3: true, 6: false} {
		s := twoVariants()
		s.variants = []actor{{name: "old", tracer: "otel-go", spans: 3}, {name: "new", tracer: "otel-go", adds: 30e-6, spans: 3}}
		s.plan = func(p *config.Plan) {
			if p.Variant == "old" {
				p.Spans["json"] = program.Number{Low: 3, High: most}
			}
		}
		s.change = onlyRuns("new", func(r *record.Record) { r.Phases[0].Sink.Spans /= 2 })
		doc := analyse(t, s.input())
		if len(doc.Lossy) != 1 || (doc.Lossy[0].Cost != nil) != want {
			t.Errorf("up to %g spans of the baseline: %+v", most, doc.Lossy)
		}
	}
}

// What may have been lost on an operation counts for what is of the load of the whole run.
func TestBudgetOfMemoryWithAnUnknownLoss(t *testing.T) {
	s := twoVariants()
	undeclared(&s)
	s.budget = []config.Limit{{Metric: "memory_peak", Value: 9}}
	if v := get(t, analyse(t, s.input()), "", "otel", "memory_peak").Verdict; v.Kind != finding.CannotTell || v.Reason().Code != finding.WhyMayBeLost {
		t.Errorf("%+v", v)
	}
}

// An operation that is dark says nothing of another.
func TestBudgetBesideADarkOperation(t *testing.T) {
	s := twoVariants()
	provocation("no-spans")(&s)
	s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.9}, {Metric: "startup_time", Value: 0.9}}
	doc := analyse(t, s.input())
	for operation, want := range map[string]finding.Kind{"json": finding.Within, "dark": finding.CannotTell} {
		if f := get(t, doc, operation, "otel", "cpu_per_operation"); f.Verdict.Kind != want {
			t.Errorf("%s: %+v", operation, f.Verdict)
		}
	}
	if f := get(t, doc, "", "otel", "startup_time"); f.Verdict.Kind != finding.Within {
		t.Errorf("the whole run, of which one operation was traced: %+v", f.Verdict)
	}
}

// A tracer that loses spans costs less than one that sends them: it keeps no budget by that,
// unless its user allows for it.
func TestBudgetOfWhatLostSpans(t *testing.T) {
	for _, c := range []struct {
		name   string
		share  uint64 // of 100 spans, how many come
		budget []config.Limit
		want   finding.Kind
	}{
		{"10 % lost", 90, []config.Limit{{Metric: metric.CPUPerOperation, Value: 0.9}}, finding.CannotTell},
		{"all lost", 0, []config.Limit{{Metric: metric.CPUPerOperation, Value: 0.9}}, finding.CannotTell},
		{"over all the same", 90, []config.Limit{{Metric: metric.CPUPerOperation, Value: 0.05}}, finding.Over},
		{"allowed for", 90, []config.Limit{{Metric: metric.CPUPerOperation, Value: 0.9}, {Metric: metric.LostShare, Value: 0.2}}, finding.Within},
		{"more than allowed for", 90, []config.Limit{{Metric: metric.CPUPerOperation, Value: 0.9}, {Metric: metric.LostShare, Value: 0.05}}, finding.CannotTell},
		{"the baseline, which loses nothing, is no reason", 50, []config.Limit{{Metric: metric.CPUPerOperation, Value: 0.05}}, finding.Over},
		{"next to nothing lost", 100, []config.Limit{{Metric: metric.CPUPerOperation, Value: 0.9}}, finding.Within},
	} {
		s := twoVariants()
		s.budget = c.budget
		s.also(func(r *record.Record) { r.Phases[0].Sink.Spans = r.Phases[0].Sink.Spans * c.share / 100 })
		doc := analyse(t, s.input())
		if f := get(t, doc, "json", "otel", metric.CPUPerOperation); f.Verdict.Kind != c.want || f.Verdict.Low == nil || math.Abs(f.Absolute.Estimate/30e-6-1) > 0.03 {
			t.Errorf("%s: %+v, %+v", c.name, f.Verdict, f.Absolute)
		}
	}
}

// One operation of which too few are sampled to be sure says nothing of the whole run, unless
// some of its spans came: then the run was traced.
func TestUntracedBesideAFew(t *testing.T) {
	s := twoVariants()
	provocation("no-spans")(&s) // dark, of 10,000 operations
	s.also(onlyRuns("otel", func(r *record.Record) {
		few := r.Phases[0]
		few.Load.Started, few.Load.Completed, few.Load.Intended = 1, 1, 1
		few.Sink = record.Counts{Spans: 3, Roots: 1, Traces: 1, Checking: true}
		r.Phases[0] = few
	}))
	doc := analyse(t, s.input())
	if !doc.IsUntraced("otel", "dark") || doc.IsUntraced("otel", "") {
		t.Errorf("%+v", doc.Untraced)
	}
}

// Stopping at a precision: how wide intervals are, and what is said of the end.

// The intervals of an experiment that stops at a precision are those of the widened
// confidence, everywhere.
func TestIntervalsAreWidened(t *testing.T) {
	s := twoVariants()
	s.noise, s.blocks = 0.03, 20
	fixed := get(t, analyse(t, s.input()), "json", "otel", "cpu_per_operation")
	s.design = func(e *config.Experiment) { e.Design.Blocks, e.Design.Most, e.Design.Precision = 8, 20, 1e-6 }
	doc := analyse(t, s.input())
	f := get(t, doc, "json", "otel", "cpu_per_operation")
	ratios, ok := claim.Ratios(claim.Sides(f.Samples))
	if !ok {
		t.Fatal("no ratio")
	}
	want := stats.Ratio(stats.SignedRank(ratios.Values(), stats.SequentialConfidence(8, 20, 0.95)))
	if math.Abs(*f.Relative.Low-want.Low) > 1e-12 || math.Abs(*f.Verdict.High-want.High) > 1e-12 {
		t.Errorf("%+v, want %+v", f.Relative, want)
	}
	if *f.Relative.High-*f.Relative.Low <= *fixed.Relative.High-*fixed.Relative.Low {
		t.Error("the interval is as narrow as with a fixed number of blocks")
	}
	if f.Verdict.Confidence != 0.95 {
		t.Errorf("the verdict speaks of %v, want what the interval has: 0.95", f.Verdict.Confidence)
	}
}

func TestWhyItStopped(t *testing.T) {
	for _, c := range []struct {
		name        string
		design      func(*scene)
		blocks      int
		stopped     string
		code        string
		interrupted bool
	}{
		{"fixed", func(*scene) {}, 10, "", "", false},
		{"precise enough", precise(8, 30, 0.05), 10, "stopped after 10 blocks at the precision of ±5.0 %, of CPU per operation", "stopped-early", false},
		{"the most", precise(8, 10, 0.0001), 10, "reached the most, 10 blocks, before the precision of ±0.010 %, of CPU per operation", "precision-not-reached", false},
		{"neither", precise(8, 30, 0.0001), 10, "", "", true},
		{"fewer than the least", precise(8, 30, 0.05), 7, "", "", true},
		{"of a metric that is not measured", func(s *scene) {
			s.design = func(e *config.Experiment) {
				e.Design.Blocks, e.Design.Most, e.Design.Precision, e.Design.Metric = 8, 10, 0.01, "latency_p99"
			}
		}, 10, "reached the most, 10 blocks, before the precision of ±1.0 %, of latency p99", "precision-not-reached", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := twoVariants()
			c.design(&s)
			s.blocks = c.blocks
			if s.design == nil {
				s.design = func(*config.Experiment) {}
			}
			doc := analyse(t, s.input())
			if doc.Runs.Stopped != c.stopped || warned(doc, "interrupted") != c.interrupted {
				t.Errorf("%q, %+v", doc.Runs.Stopped, doc.Warnings)
			}
			for _, code := range []string{"stopped-early", "precision-not-reached"} {
				if warned(doc, code) != (code == c.code) {
					t.Errorf("%s: %+v", code, doc.Warnings)
				}
			}
		})
	}
}

func TestPilot(t *testing.T) {
	s := twoVariants()
	s.design = func(e *config.Experiment) { e.Load.Relative = &config.Relative{Share: 0.5} }
	s.extra = []record.Record{
		pilot("none", record.ByGenerator, 9800), pilot("otel", record.Found, 1000),
		{Schema: record.Schema, Kind: record.Pilot, Variant: "otel", Attempt: 1, Failure: &record.Failure{Stage: "ready", Message: "it died"}},
	}
	doc := analyse(t, s.input())
	const want = "json: 500/s is 50 % of the slowest; a pilot found none at least 9,800/s (limited by the generator), otel 1,000/s"
	if len(doc.Experiment.Pilot) != 1 || doc.Experiment.Pilot[0] != want {
		t.Errorf("%q", doc.Experiment.Pilot)
	}
	if f := get(t, doc, "json", "otel", "cpu_per_operation"); f.Blocks != 10 {
		t.Errorf("a pilot is a block: %d", f.Blocks)
	}
	if len(doc.Ledgers) == 0 || ledgerOf(t, doc, "json", "otel").Operations != 10*10000 {
		t.Error("a pilot is in the ledger")
	}
	if len(doc.Searches) > 0 || warned(doc, "interrupted") {
		t.Errorf("%+v %+v", doc.Searches, doc.Warnings)
	}
	if text := strings.Join(doc.Runs.Failure, "\n"); !strings.Contains(text, "pilot of otel, attempt 1: ready: it died") {
		t.Error(text)
	}
	if doc.Experiment.Load != "50 % of the capacity of the slowest variant for 20s, open loop" {
		t.Error(doc.Experiment.Load)
	}
}

func TestOrderIsNamed(t *testing.T) {
	s := twoVariants()
	for _, order := range []config.Order{config.Windows, config.Woven, config.Apart} {
		s.design = func(e *config.Experiment) { e.Design.Order = order }
		if got := analyse(t, s.input()).Experiment.Order; got != string(order) {
			t.Errorf("the order is said to be %q, want %q", got, order)
		}
	}
}

func TestFaultsAreNamed(t *testing.T) {
	s := twoVariants()
	s.design = func(e *config.Experiment) {
		e.Faults = config.Faults{SinkLoses: 0.03, SinkLate: 20e6, GeneratorLate: 1e6}
	}
	s.change = onlyRuns("otel", func(r *record.Record) {
		p := &r.Phases[0]
		p.Sink.Thrown = p.Sink.Spans * 3 / 100
		p.Sink.Spans -= p.Sink.Thrown
	})
	doc := analyse(t, s.input())
	if len(doc.Experiment.Faults) != 3 {
		t.Errorf("%q", doc.Experiment.Faults)
	}
	l := ledgerOf(t, doc, "json", "otel")
	if ledger.Spans(l, ledger.Unaccounted) != 9000 || !l.Exact || l.Outcome[0].Code != finding.PageLost || l.Outcome[0].Figure("unaccounted") != 9000 {
		t.Errorf("what was thrown away by order is found without being told: %+v", l)
	}
	s.design = func(e *config.Experiment) { e.Variants[1].Faults = &config.Faults{SinkLoses: 0.03} }
	if got := analyse(t, s.input()).Experiment.Faults; len(got) != 1 || got[0] != "with otel the sink throws 3 % of the accepted spans away" {
		t.Errorf("%q", got)
	}
	if f := get(t, doc, "json", "otel", "delivered_share"); f.Value != 0.97 || f.Verdict.Kind != finding.None {
		t.Errorf("%+v", f)
	}
}
