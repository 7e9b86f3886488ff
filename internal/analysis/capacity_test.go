// Searches for a capacity: the metric, what stands beside it, and what is not said.

package analysis_test

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

func TestCapacityIsCompared(t *testing.T) {
	doc := analyse(t, capacities(map[string]float64{"none": 2450, "otel": 1520}).input())
	f := get(t, doc, "json", "otel", "capacity")
	const truth = 1520.0/2450 - 1
	if f.Verdict.Kind != finding.Costs || !f.Headline || f.Better != "higher" || *f.Relative.Low > truth || *f.Relative.High < truth {
		t.Errorf("38 %% less: %+v, %s", f.Verdict, finding.FormatInterval(*f.Relative, f.Unit, true))
	}
	if doc.Experiment.Load != "search for the rate at 75 % of the app's CPU, probes of 20s, open loop" {
		t.Error(doc.Experiment.Load)
	}
}

// Nothing but the capacity is compared: each variant worked at a rate of its own.
func TestASearchComparesNothingElse(t *testing.T) {
	s := capacities(map[string]float64{"none": 2450, "otel": 1520})
	s.also(func(r *record.Record) { // a search goes beyond what is held, and to the quota
		r.Phases[0].Load.WallSeconds, r.Phases[0].Usage[0].ThrottleSeconds = 30, 5
	})
	doc := analyse(t, s.input())
	if warned(doc, "overloaded") || warned(doc, "throttled") {
		t.Errorf("%+v", doc.Warnings)
	}
	for _, f := range doc.Findings {
		switch {
		case f.Operation == "":
		case f.Metric == "capacity":
		case f.Metric == "cpu_per_operation":
			if f.Verdict.Kind != finding.None || f.Headline || !strings.Contains(f.Note, "no comparison") {
				t.Errorf("CPU at different rates: %+v", f)
			}
		default:
			t.Errorf("%s is compared at different rates", f.Metric)
		}
	}
	if len(doc.Curves) > 0 {
		t.Error("latency at different rates side by side")
	}
}

func TestSearches(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(*record.Record, *record.Search)
		capacity bool // whether it is compared
		text     string
		binding  string
	}{
		{"found", func(*record.Record, *record.Search) {}, true, "75 % of the app's CPU at 1,5", "quota"},
		{"bound by other things", func(r *record.Record, c *record.Search) {
			if r.Block > 7 {
				c.Binding = "database"
			}
		}, true, "limited by the quota (7 of 10), database (3 of 10)", "quota (7 of 10), database (3 of 10)"},
		{"faster than the generator", func(_ *record.Record, c *record.Search) {
			c.Outcome, c.Rate, c.Passing, c.Binding = record.ByGenerator, 0, 9800, "generator"
		}, false, "75 % of the app's CPU: more than 9,800/s, limited by the generator", "generator"},
		{"once faster than the generator", func(r *record.Record, c *record.Search) {
			if r.Block == 3 { // whatever rate it names
				c.Outcome, c.Rate, c.Passing = record.ByGenerator, 9800, 9800
			}
		}, false, "found at about 1,5", "quota"},
		{"above max", func(_ *record.Record, c *record.Search) { c.Outcome, c.Rate, c.Passing = record.AboveMax, 0, 500 }, false,
			"more than 500/s, the highest rate allowed", "quota"},
		{"below the least", func(_ *record.Record, c *record.Search) {
			c.Outcome, c.Rate, c.Passing, c.Failing = record.BelowLeast, 0, 0, 1
		}, false, "less than 1.00/s, the lowest rate that can be tried", "quota"},
		{"saturated", func(_ *record.Record, c *record.Search) {
			c.Outcome, c.Rate, c.Passing, c.Failing = record.Saturated, 0, 900, 950
		}, true,
			"saturated at 900/s, before the goal was reached", "quota"},
		{"nothing to lose", func(_ *record.Record, c *record.Search) {
			c.Outcome, c.Rate, c.Passing, c.Failing, c.Binding = record.NoSpans, 0, 0, 2000, ""
		}, false, "no spans to lose", ""},
		{"bound by the tracer", func(_ *record.Record, c *record.Search) { c.Binding = "the tracer's queue or export" }, true,
			"; limited by the tracer's queue or export", "the tracer's queue or export"},
		{"unsteady twice", func(r *record.Record, c *record.Search) {
			if r.Block > 8 {
				c.Outcome = record.Unsteady
			}
		}, true, "2 blocks, unsteady, do not count", "quota"},
		{"steady the second time", func(r *record.Record, c *record.Search) {
			if r.Block == 2 {
				c.Before = c.Probes
			}
		}, true, "; limited by the quota; in 1 block it was repeated, as the first ended unsteady", "quota"},
		{"unsteady too often", func(r *record.Record, c *record.Search) {
			if r.Block > 7 {
				c.Outcome = record.Unsteady
			}
		}, false, "found at about 1,5", "quota"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := capacities(map[string]float64{"none": 2450, "otel": 1520})
			s.also(search("otel", c.change))
			doc := analyse(t, s.input())
			f, shown := look(doc, "json", "otel", "none", "capacity", "")
			one := searchOf(t, doc, "otel")
			if shown != c.capacity || (one.Rate != nil) != c.capacity {
				t.Errorf("shown %v, %+v", shown, f)
			}
			if !strings.Contains(one.Text, c.text) || one.Binding != c.binding || len(one.Outcomes) != 10 || len(one.Points) != 30 {
				t.Errorf("%q, bound by %q", one.Text, one.Binding)
			}
			if none := one.Outcomes[0] == string(record.NoSpans); none && (one.Held != 0 || one.Failed != 0) {
				t.Errorf("without a span to lose, %v passed and %v did not", one.Held, one.Failed)
			}
			if base := searchOf(t, doc, "none"); base.Rate == nil {
				t.Error("the baseline's own search is not shown")
			}
		})
	}
}

func searchOf(t *testing.T, doc *finding.Document, variant string) finding.Search {
	t.Helper()
	for _, one := range doc.Searches {
		if one.Variant == variant {
			return one
		}
	}
	t.Fatalf("no search of %s", variant)
	return finding.Search{}
}

func TestUnsteadyBlocksDoNotCount(t *testing.T) {
	s := capacities(map[string]float64{"none": 2450, "otel": 1520})
	s.also(search("otel", func(r *record.Record, c *record.Search) {
		if r.Block > 8 {
			c.Outcome, c.Rate = record.Unsteady, 3
		}
	}))
	doc := analyse(t, s.input())
	if f := get(t, doc, "json", "otel", "capacity"); f.Blocks != 8 {
		t.Errorf("%d blocks", f.Blocks)
	}
	if one := searchOf(t, doc, "otel"); *one.Rate.Low < 1400 {
		t.Errorf("a rate that was not found counts: %+v", one.Rate)
	}
}

func TestFitOfSearches(t *testing.T) {
	s := capacities(map[string]float64{"none": 2450, "otel": 1520})
	s.also(search("otel", func(r *record.Record, c *record.Search) { c.Linear = r.Block > 4 }))
	one := searchOf(t, analyse(t, s.input()), "otel")
	if one.Linear != 6 || one.Base == nil || *one.Base != 0.02 || *one.Demand*1520 < 0.7 || *one.Demand*1520 > 0.76 {
		t.Errorf("%+v", one)
	}
}

func TestGoals(t *testing.T) {
	for _, c := range []struct {
		goal   config.RateSearch
		target float64
		text   string
		load   string
	}{
		{config.RateSearch{Goal: config.GoalLatency, Percentile: 99, Limit: 20e6}, 0.020, "p99 under 20.0 ms up to 2,4", "search for the highest rate with p99 under 20ms"},
		{config.RateSearch{Goal: config.GoalLossless}, 0, "no span lost up to 2,4", "search for the highest rate at which no span is lost"},
		{config.RateSearch{Goal: config.GoalCPU, CPU: 0.75}, 0.75, "75 % of the app's CPU at 2,4", "search for the rate"},
	} {
		s := capacities(map[string]float64{"none": 2450, "otel": 1520})
		s.design = func(e *config.Experiment) { e.Load.Capacity = &c.goal }
		s.also(func(r *record.Record) {
			one := r.Phases[0].Capacity
			one.Goal, one.Target = string(c.goal.Goal), c.target
			for i := range one.Probes {
				one.Probes[i].Load.Latency = spread(1000, 0.010)
			}
		})
		doc := analyse(t, s.input())
		one := searchOf(t, doc, "none")
		if !strings.HasPrefix(one.Text, c.text) || !strings.HasPrefix(doc.Experiment.Load, c.load) {
			t.Errorf("%q, %q", one.Text, doc.Experiment.Load)
		}
		if latency := one.Points[0].Seconds; (latency > 0) != (c.goal.Goal == config.GoalLatency) || latency > 0 && (latency < 0.015 || latency > 0.025) {
			t.Errorf("%s: latency %v", c.goal.Goal, latency)
		}
	}
}

// A search for the lossless rate loses spans on purpose: the ledger has them, and
// nobody is blamed.
func TestALosslessSearchLosesOnPurpose(t *testing.T) {
	s := capacities(map[string]float64{"none": 2450, "otel": 1520})
	s.budget = []config.Limit{{Metric: "lost_share"}}
	s.also(func(r *record.Record) { r.Phases[0].Capacity.Goal = "lossless" })
	s.also(onlyRuns("otel", func(r *record.Record) {
		r.Phases[0].Warmup.Started, r.Phases[0].Warmup.Completed = 100, 100
		r.Phases[0].WarmupSink = record.Counts{Spans: 293, Checking: true}
	}))
	doc := analyse(t, s.input())
	l := ledgerOf(t, doc, "json", "otel")
	if ledger.Spans(l, ledger.Unaccounted) != 70 || ledger.Spans(l, ledger.Expected) != 10*3*10100 {
		t.Errorf("%+v", l.Entries)
	}
	if warned(doc, "spans-unaccounted") || len(doc.Lossy) > 0 || searchOf(t, doc, "otel").LostShare != nil {
		t.Errorf("%+v; %+v", doc.Lossy, doc.Warnings)
	}
	if f := get(t, doc, "json", "otel", "delivered_share"); f.Verdict.Kind != finding.CannotTell {
		t.Errorf("%+v", f.Verdict)
	}
}

func ledgerOf(t *testing.T, doc *finding.Document, operation, variant string) finding.Ledger {
	t.Helper()
	for _, l := range doc.Ledgers {
		if l.Operation == operation && l.Variant == variant {
			return l
		}
	}
	t.Fatalf("no ledger of %s on %s", variant, operation)
	return finding.Ledger{}
}

func TestCapacityBudget(t *testing.T) {
	for value, want := range map[float64]finding.Kind{0.5: finding.Within, 0.1: finding.Over} {
		s := capacities(map[string]float64{"none": 2450, "otel": 1520})
		s.budget = []config.Limit{{Metric: "capacity", Value: value}, {Metric: "latency_p99", Value: 0.1}}
		doc := analyse(t, s.input())
		if f := get(t, doc, "json", "otel", "capacity"); f.Verdict.Kind != want {
			t.Errorf("may fall by %v: %+v", value, f.Verdict)
		}
		if f := get(t, doc, "json", "otel", "latency_p99"); f.Verdict.Kind != finding.CannotTell || f.Verdict.Budget == nil {
			t.Errorf("a limit is met by silence: %+v", f.Verdict)
		}
	}
}

func TestHeadlineOfASearch(t *testing.T) {
	in := capacities(map[string]float64{"none": 2450, "otel": 1520}).input()
	if got := analysis.Headline(in.Experiment, in.Records); !strings.HasPrefix(got, "capacity otel: json −3") {
		t.Error(got)
	}
}

// What reads findings alone knows a search without loss by the name that experiments have for it.
func TestKindOfASearchWithoutLoss(t *testing.T) {
	if finding.KindLossless != string(config.GoalLossless) {
		t.Errorf("%q is called %q in findings", config.GoalLossless, finding.KindLossless)
	}
}
