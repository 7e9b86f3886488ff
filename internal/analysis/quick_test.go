package analysis_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// Who makes a quick run looks for latency_p99, and is told why it is not there.
func TestQuickRunsWithoutP99(t *testing.T) {
	for operations, want := range map[int]bool{1999: true, 2000: false} {
		s := twoVariants()
		s.quick = true
		s.change = func(r *record.Record) {
			h := record.NewHistogram()
			for range operations {
				if err := h.RecordValue(1e6); err != nil {
					t.Fatal(err)
				}
			}
			encoded, err := record.EncodeHistogram(h)
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Phases {
				r.Phases[i].Load.Latency, r.Phases[i].OfferedRate = encoded, 100
			}
		}
		said := false
		for _, w := range analyse(t, s.input()).Warnings {
			said = said || w.Code == "quick" && strings.Contains(w.Text, "too few operations for latency_p99")
		}
		if said != want {
			t.Errorf("%d operations: said %t", operations, said)
		}
	}
}

// Verdicts against a budget, and among many claims.

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
		{"close", limit("cpu_per_operation", 0.64), func(s *scene) { s.noise = 0.05 }, "cpu_per_operation", finding.CannotTell, true},
		{"too close", limit("cpu_per_operation", 0.609), func(s *scene) { s.noise = 0.05 }, "cpu_per_operation", finding.CannotTell, false},
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

// alternating are the orders of two variants.
func alternating(block int) []int { return []int{block % 2, 1 - block%2} }

// shuffledBlocks are the orders of variants in blocks by chance.
func shuffledBlocks(seed uint64, variants int) func(int) []int {
	r := rand.New(rand.NewPCG(seed, 44))
	return func(int) []int { return r.Perm(variants) }
}

// slowing makes runs of a variant slow down the CPU of whatever runs next.
func slowing(variant string, by float64) func(*record.Record) {
	before := ""
	return func(r *record.Record) {
		if before == variant {
			for i := range r.Phases {
				r.Phases[i].Usage[0].CPUSeconds *= 1 + by
			}
		}
		before = r.Variant
	}
}

func TestCarryOver(t *testing.T) {
	second := func(by float64) func(*record.Record) {
		return func(r *record.Record) {
			if r.Position == 1 {
				r.Phases[0].Usage[0].CPUSeconds *= 1 + by
			}
		}
	}
	for name, c := range map[string]struct {
		blocks int
		orders func(int) []int
		change func(*record.Record)
		want   string // where; "": no warning
	}{
		"the second run of a block is slower":                    {12, alternating, second(0.05), "json, otel"},
		"by less than matters":                                   {12, alternating, second(0.002), ""},
		"over too few blocks":                                    {6, alternating, second(0.05), ""},
		"one that cannot be told, as the order is the same":      {12, nil, second(0.05), ""},
		"the next run is slower, in blocks by chance":            {20, shuffledBlocks(1, 2), slowing("otel", 0.05), "json, otel"},
		"the next run is slower, with each after each: balanced": {20, alternating, slowing("otel", 0.05), ""},
	} {
		s := twoVariants()
		s.noise, s.blocks, s.orders, s.change = 0.003, c.blocks, c.orders, c.change
		var where []string
		for _, w := range analyse(t, s.input()).Warnings {
			if w.Code == "carry-over" {
				where = append(where, w.Where)
			}
		}
		if strings.Join(where, " ") != c.want && !(c.want != "" && len(where) > 0 && where[0] == c.want) {
			t.Errorf("%s: warned of %q, want %q", name, where, c.want)
		}
	}
}

// With three variants and the orders of a plan a run comes after each: that one of them slows down
// the next is told.
func TestCarryOverAmongThree(t *testing.T) {
	s := manyClaims(20, 0.003)
	var orders [][]int
	for _, names := range (design.Plan{Seed: 3, Most: s.blocks, Variants: []string{"0", "1", "2"}}).Orders() {
		order := make([]int, len(names))
		for i, name := range names {
			order[i] = int(name[0] - '0')
		}
		orders = append(orders, order)
	}
	s.orders = func(block int) []int { return orders[block-1] }
	s.change = slowing("otel", 0.08)
	told := map[string]bool{}
	for _, w := range analyse(t, s.input()).Warnings {
		told[w.Where] = told[w.Where] || w.Code == "carry-over"
	}
	for _, operation := range s.order {
		if !told[operation+", otel"] {
			t.Errorf("not of %s", operation)
		}
	}
}

// Where the order makes no difference the warning comes in at most 1 % of experiments, however
// many operations and variants there are.
func TestAlarmOfCarryOver(t *testing.T) {
	t.Parallel()
	n := experiments() / 2 // of a share of 1 %, luck adds too much to fewer
	for _, blocks := range []int{10, 12, 20} {
		alarms := 0
		for i := range n {
			s := goingTogether(uint64(i), blocks)
			s.orders = shuffledBlocks(uint64(i), 3)
			alarms += count(warned(s.result(t, "same"), "carry-over"))
		}
		share := float64(alarms) / float64(n)
		t.Logf("%d blocks: an alarm in %.2f %% of %d experiments", blocks, 100*share, n)
		if allowed := allowedOf(0.01, n); share > allowed {
			t.Errorf("%d blocks: an alarm in %.2f %%, allowed %.2f %%", blocks, 100*share, 100*allowed)
		}
	}
}

// A figure that is below zero in one block has no ratio there; the baseline is not zero for it.
func TestNoRatioOfAFigureBelowZero(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*record.Record)
		why    finding.Code
		who    string
	}{
		"one block of the variant": {func(r *record.Record) {
			if r.Variant == "otel" && r.Block == 2 {
				r.Phases[0].Usage[0].CPUSeconds = -r.Phases[0].Usage[0].CPUSeconds
			}
		}, finding.WhyNotAbove, "otel"},
		"two of the baseline": {func(r *record.Record) {
			if r.Variant == "none" && r.Block <= 2 {
				r.Phases[0].Usage[0].CPUSeconds = -r.Phases[0].Usage[0].CPUSeconds
			}
		}, finding.WhyNotAbove, "none"},
	} {
		s := twoVariants()
		s.budget, s.change = []config.Limit{{Metric: "cpu_per_operation", Value: 0.05}}, c.change
		v := get(t, analyse(t, s.input()), "json", "otel", "cpu_per_operation").Verdict
		if r := v.Reason(); v.Kind != finding.CannotTell || r.Code != c.why || r.Variant != c.who || r.Figure("blocks") < 1 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	s := twoVariants()
	s.budget = []config.Limit{{Metric: "export_bytes_per_operation", Value: 0.05}}
	if v := get(t, analyse(t, s.input()), "json", "otel", "export_bytes_per_operation").Verdict; v.Reason().Code != finding.WhyNoRatio {
		t.Errorf("a baseline that exports nothing: %+v", v)
	}
}

// Nobody makes hundreds of blocks more: so many would not decide it.
func TestForeseesNoHundredsOfBlocks(t *testing.T) {
	s := twoVariants()
	s.noise, s.blocks = 0.05, 8
	for _, at := range []float64{0.59, 0.595, 0.6, 0.605, 0.61, 0.62} {
		s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: at}}
		v := get(t, analyse(t, s.input()), "json", "otel", "cpu_per_operation").Verdict
		if v.MoreBlocks > 100 || v.Kind == finding.CannotTell && v.MoreBlocks == 0 && !tells(v.Reasons, finding.WhyTooClose) {
			t.Errorf("a budget of %g: %+v", at, v)
		}
	}
}
