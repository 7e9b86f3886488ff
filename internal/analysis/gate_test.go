// What no budget may let through: a variant that cannot hold the rate, one that breaks down, and a program that is not there.

package analysis_test

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/compare"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

// gated is two variants against budgets of CPU and p99.
func gated(cpu float64) scene {
	s := twoVariants()
	s.latencies = true
	s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: cpu}, {Metric: "latency_p99", Value: cpu}}
	return s
}

// slow has a run hold two thirds of its rate.
func slow(r *record.Record) {
	p := &r.Phases[0]
	p.Load.WallSeconds = 1.5 * window
	p.Load.Backlog = []uint64{300, 600, 1000, 1300, 1600, 2000, 2300, 2600, 3000, 3300}
}

func TestRateThatOnlyTheBaselineHolds(t *testing.T) {
	for name, test := range map[string]struct {
		slow   map[string]bool
		blocks int
		want   finding.Kind // of both budgets
	}{
		"both hold it":                        {nil, 10, finding.Within},
		"the variant does not":                {map[string]bool{"otel": true}, 10, finding.Over},
		"the baseline does not":               {map[string]bool{"none": true}, 10, ""},
		"neither does":                        {map[string]bool{"otel": true, "none": true}, 10, ""},
		"the variant does not, of two blocks": {map[string]bool{"otel": true}, 2, ""},
	} {
		s := gated(2)
		s.blocks = test.blocks
		s.also(func(r *record.Record) {
			if test.slow[r.Variant] {
				slow(r)
			}
		})
		doc := analyse(t, s.input())
		for _, metric := range []string{"cpu_per_operation", "latency_p99"} {
			f := get(t, doc, "json", "otel", metric)
			if kind := f.Verdict.Kind; test.want != "" && kind != test.want || test.want == "" && (kind == finding.Within || kind == finding.Over) {
				t.Errorf("%s: %s is %s (%s), want %q", name, metric, kind, f.Verdict.Text, test.want)
			}
			r, has := told(f.Verdict.Reasons, finding.WhyOverloaded)
			if test.want != finding.Over {
				continue
			}
			if least := r.Figure("least"); !has || (metric == "cpu_per_operation") != (least > 0.5 && least < 0.7) {
				t.Errorf("%s: the reason of %s is %+v", name, metric, f.Verdict.Reasons)
			}
			if metric == "latency_p99" && f.Relative != nil {
				t.Errorf("%s: a ratio of latencies at different rates: %+v", name, f.Relative)
			}
		}
	}
}

// Where latency was timed apart, and the baseline held the rate in the rest alone, CPU is of the same work and latency is not.
func TestRateThatIsNotHeldWhereLatencyIsTimed(t *testing.T) {
	for name, part := range map[string]func(p *record.Phase, timed *record.Load){
		"timed": func(p *record.Phase, timed *record.Load) { p.Timed = &record.Timed{Load: *timed} },
		"rest":  func(p *record.Phase, timed *record.Load) { p.Timed, p.Load = &record.Timed{Load: p.Load}, *timed },
	} {
		s := gated(2)
		s.also(func(r *record.Record) {
			p, late := &r.Phases[0], *r
			late.Phases = []record.Phase{*p}
			if r.Variant == "none" {
				slow(&late)
			}
			part(p, &late.Phases[0].Load)
		})
		doc := analyse(t, s.input())
		cpu, p99 := get(t, doc, "json", "otel", "cpu_per_operation").Verdict, get(t, doc, "json", "otel", "latency_p99").Verdict
		if within := cpu.Kind == finding.Within; within != (name == "timed") || p99.Kind != finding.Overloaded {
			t.Errorf("the rate was not held in what is %s: CPU %s; p99 %s", name, cpu.Text, p99.Text)
		}
	}
}

// What is timed in slices lasts longer than in a window, at a rate that is lower by as much: it is held. A high percentile is not told
// where a tracer exports meanwhile.
func TestLatencyOfSlices(t *testing.T) {
	for seconds, tells := range map[float64]bool{0: true, 2 * window: false} {
		s := twoVariants()
		s.latencies = true
		s.also(func(r *record.Record) {
			p := &r.Phases[0]
			p.Timed = &record.Timed{Load: p.Load, Seconds: seconds}
			if seconds > 0 {
				p.Timed.Load.WallSeconds = seconds
			}
		})
		doc := analyse(t, s.input())
		for metric, want := range map[string]bool{"latency_p50": true, "latency_p95": true, "latency_p99": tells} {
			v := get(t, doc, "json", "otel", metric).Verdict
			if costs := v.Kind == finding.Costs; costs != want || !want && v.Reason().Code != finding.WhyTails {
				t.Errorf("over %g s: %s %s (%s)", seconds, metric, v.Kind, v.Text)
			}
		}
		if warned(doc, "overloaded") {
			t.Errorf("over %g s: %+v", seconds, doc.Warnings)
		}
	}
}

// Of two results it is the same: the newer variant could not hold the rate which the older one held.
func TestRateThatOnlyTheOlderHolds(t *testing.T) {
	late := gated(2)
	late.also(func(r *record.Record) {
		if r.Variant == "otel" {
			slow(r)
		}
	})
	good, slowed := gated(2), late
	for name, test := range map[string]struct {
		before, after scene
		want          bool // over
	}{"the newer does not": {good, slowed, true}, "the older does not": {slowed, good, false}, "both do": {good, good, false}} {
		before, after := test.before.result(t, "before"), test.after.result(t, "after")
		doc := compared(t, compare.Input{Base: before, News: []*finding.Document{after}, Budget: cpuBudget(2)})
		c := changeIn(t, doc, 0, "json", "otel", metric.CPUPerOperation)
		if over := c.Verdict.Kind == finding.Over; over != test.want || over && c.Verdict.Reason().Code != finding.WhyOverloaded {
			t.Errorf("%s: %s (%s)", name, c.Verdict.Kind, c.Verdict.Text)
		}
	}
}

// broken are so many runs of a variant whose program ended in their window.
func broken(variant string, n int, code string) []record.Record {
	var out []record.Record
	for i := range n {
		out = append(out, record.Record{
			Schema: record.Schema, Kind: record.Measured, Variant: variant, Block: 1 + i, Attempt: 1,
			Failure: &record.Failure{Stage: "window", Code: code, Process: "app", Message: "it ended"},
		})
	}
	return out
}

func TestRunsThatBreakDown(t *testing.T) {
	for name, test := range map[string]struct {
		variant, base int
		code          string
		budget        float64 // of CPU; 0: none
		want          finding.Kind
	}{
		"none":                                {0, 0, record.Ended, 1, finding.Within},
		"five of the variant":                 {5, 0, record.Ended, 1, finding.CannotTell},
		"five of either":                      {5, 5, record.Ended, 1, finding.Within},
		"one in eleven":                       {1, 0, record.Ended, 1, finding.Within},
		"five, and over the budget":           {5, 0, record.Ended, 0.02, finding.Over},
		"five, without a budget":              {5, 0, record.Ended, 0, finding.CannotTell},
		"five that found their port taken":    {5, 0, record.PortTaken, 1, finding.Within},
		"five that answered wrongly":          {5, 0, "", 1, finding.CannotTell},
		"none broke down, and without budget": {0, 0, "", 0, finding.Costs},
	} {
		s := gated(test.budget)
		if test.budget == 0 {
			s.budget = nil
		}
		s.extra = append(broken("otel", test.variant, test.code), broken("none", test.base, test.code)...)
		f := get(t, analyse(t, s.input()), "json", "otel", "cpu_per_operation")
		if f.Verdict.Kind != test.want {
			t.Errorf("%s: %s (%s), want %s", name, f.Verdict.Kind, f.Verdict.Text, test.want)
		}
		if r, has := told(f.Verdict.Reasons, finding.WhyDied); has != (test.want == finding.CannotTell) || has && r.Figure("died") != 5 {
			t.Errorf("%s: reasons %+v", name, f.Verdict.Reasons)
		}
	}
}

// A program that answers requests uses CPU: where next to none was used, another program answered them.
func TestCPUOfNothing(t *testing.T) {
	using := func(s scene, of map[string]float64) scene {
		s.also(func(r *record.Record) {
			p := &r.Phases[0]
			if per, has := of[r.Variant]; has {
				p.Usage[0].CPUSeconds = per * float64(p.Load.Completed)
				r.Start.Idle[0].CPUSeconds = 0
			}
		})
		return s
	}
	for name, of := range map[string]map[string]float64{
		"nothing in either":     {"none": 0, "otel": 0},
		"nothing in the one":    {"otel": 0},
		"0.4 µs in either":      {"none": 0.4e-6, "otel": 0.4e-6},
		"0.4 µs, then as usual": {"none": 0.4e-6},
	} {
		for _, budget := range []float64{0, 0.05} {
			s := using(gated(budget), of)
			if budget == 0 {
				s.budget = nil
			}
			doc := analyse(t, s.input())
			f := get(t, doc, "json", "otel", "cpu_per_operation")
			if r := f.Verdict.Reason(); f.Verdict.Kind != finding.CannotTell || r.Code != finding.WhyNoCPU {
				t.Errorf("%s, a budget of %g: %s, %+v", name, budget, f.Verdict.Kind, r)
			}
			if _, without := of["none"]; f.Value.Known() || f.Baseline.Known() == without {
				t.Errorf("%s: baseline %g, value %g", name, f.Baseline, f.Value)
			}
			if (f.Verdict.Budget != nil) != (budget > 0) {
				t.Errorf("%s: the budget is %v", name, f.Verdict.Budget)
			}
			if !strings.Contains(doc.Summary, f.Verdict.Reason().Text) {
				t.Errorf("%s: the sentence on top does not say why: %q", name, doc.Summary)
			}
		}
	}
	if f := get(t, analyse(t, using(twoVariants(), map[string]float64{"none": 2e-6, "otel": 2.1e-6}).input()), "json", "otel", "cpu_per_operation"); f.Verdict.Kind == finding.CannotTell {
		t.Errorf("2 µs a request: %s", f.Verdict.Text)
	}
}
