// Verdicts against a budget, and among many claims.

package analysis_test

import (
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

func TestBudget(t *testing.T) {
	limit := func(metric string, v float64) []config.Limit { return []config.Limit{{Metric: metric, Value: v}} }
	for _, c := range []struct {
		name   string
		budget []config.Limit
		change func(*scene)
		metric string
		want   finding.Kind
		more   bool // blocks
	}{
		{"within", limit("cpu_per_operation", 0.8), nil, "cpu_per_operation", finding.Within, false},
		{"over", limit("cpu_per_operation", 0.05), nil, "cpu_per_operation", finding.Over, false},
		{"close", limit("cpu_per_operation", 0.598), func(s *scene) { s.noise = 0.05 }, "cpu_per_operation", finding.CannotTell, true},
		{"too few blocks", limit("cpu_per_operation", 0.05), func(s *scene) { s.blocks = 3 }, "cpu_per_operation", finding.CannotTell, true},
		{"nothing lost", limit("lost_share", 0), nil, "delivered_share", finding.Within, false},
		{"something lost", limit("lost_share", 0), func(s *scene) {
			s.change = func(r *record.Record) {
				if r.Variant == "otel" && r.Block == 2 {
					r.Phases[0].Sink.Spans--
				}
			}
		}, "delivered_share", finding.Over, false},
		{"loss unknown", limit("lost_share", 0), func(s *scene) { s.plan = func(p *config.Plan) { p.Spans = nil } }, "delivered_share", finding.CannotTell, false},
		{"not measured", limit("latency_p999", 0.05), nil, "latency_p999", finding.CannotTell, false},
		{"the maximum", limit("latency_max", 0.05), func(s *scene) { s.latencies = true }, "latency_max", finding.CannotTell, false},
		{"no ratio to zero", limit("export_bytes_per_operation", 0.05), nil, "export_bytes_per_operation", finding.CannotTell, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := twoVariants()
			s.budget = c.budget
			if c.change != nil {
				c.change(&s)
			}
			f := get(t, analyse(t, s.input()), "json", "otel", c.metric)
			if f.Verdict.Kind != c.want || f.Verdict.Budget == nil || (f.Verdict.MoreBlocks > 0) != c.more {
				t.Errorf("%+v", f.Verdict)
			}
		})
	}
}

func TestBudgetThatMoreBlocksWouldSettle(t *testing.T) {
	s := twoVariants()
	s.noise, s.blocks = 0.03, 8
	s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.63}}
	v := get(t, analyse(t, s.input()), "json", "otel", "cpu_per_operation").Verdict
	if v.Kind != finding.CannotTell || v.MoreBlocks == 0 || !tells(v.Reasons, finding.WhyMoreBlocks) {
		t.Errorf("%+v", v)
	}
}

func TestManyClaimsNeedMoreBlocks(t *testing.T) {
	s := twoVariants()
	s.blocks = 6
	s.order = []string{"a", "b", "c", "d"}
	s.operations = map[string]float64{"a": 1e-4, "b": 1e-4, "c": 1e-4, "d": 1e-4}
	s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.05}}
	f := get(t, analyse(t, s.input()), "a", "otel", "cpu_per_operation")
	want := stats.MinBlocks(stats.Bonferroni(0.95, 4)) - 6
	if f.Absolute.Low == nil || f.Verdict.Kind != finding.CannotTell || f.Verdict.MoreBlocks != want || f.Verdict.Claims != 4 {
		t.Errorf("an interval of its own, and %d more blocks for a verdict: %+v", want, f.Verdict)
	}
}

// However many metrics and operations there are, an experiment in which nothing
// differs alarms in at most one family of claims in twenty.
func TestNothingDiffers(t *testing.T) {
	families, alarms := map[string]uint64{}, map[string]uint64{}
	var all, rung uint64
	for seed := range uint64(250) {
		s := scene{
			seed: seed, blocks: 10, order: []string{"a", "b"}, operations: map[string]float64{"a": 50e-6, "b": 200e-6}, rate: 100, noise: 0.02,
			variants: []actor{{name: "none", tracer: "none"}, {name: "one", tracer: "none"}, {name: "two", tracer: "none", against: "one"}},
		}
		rang := map[string]bool{}
		for _, f := range analyse(t, s.input()).Findings {
			if f.Verdict.Claims > 0 {
				name := f.Metric + " " + f.Role
				rang[name] = rang[name] || f.Verdict.Kind == finding.Costs || f.Verdict.Kind == finding.Saves
			}
		}
		for name, yes := range rang {
			families[name]++
			all++
			if yes {
				alarms[name]++
				rung++
			}
		}
	}
	if len(families) < 6 {
		t.Fatalf("only the families %v", families)
	}
	for name, n := range families {
		if _, most := stats.BinomialBand(n, 0.05, 0.999); alarms[name] > most {
			t.Errorf("%s: %d alarms of %d, chance allows %d", name, alarms[name], n, most)
		}
	}
	t.Logf("%d alarms in %d families: %.1f %%", rung, all, 100*float64(rung)/float64(all))
}
