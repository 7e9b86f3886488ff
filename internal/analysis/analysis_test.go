package analysis

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/stats"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestAddedCPUIsFound(t *testing.T) {
	doc := analyse(t, twoVariants().input())
	f := get(t, doc, "json", "otel", "cpu_per_operation")
	if f.Absolute.Low == nil || *f.Absolute.Low > 30e-6 || *f.Absolute.High < 30e-6 {
		t.Errorf("30 µs are outside %s", finding.FormatInterval(*f.Absolute, f.Unit, false))
	}
	if *f.Relative.Low > 0.6 || *f.Relative.High < 0.6 {
		t.Errorf("60 %% are outside %s", finding.FormatInterval(*f.Relative, f.Unit, true))
	}
	if f.Verdict.Kind != finding.Costs || !f.Headline || f.Blocks != 10 || len(f.Samples) != 10 {
		t.Errorf("finding %+v", f)
	}
	if math.Abs(f.Baseline-50e-6) > 5e-6 {
		t.Errorf("baseline %v, want about 50 µs", f.Baseline)
	}
	app, _ := look(doc, "json", "otel", "none", "cpu_per_operation", "app")
	if app.Headline || app.Value != f.Value {
		t.Errorf("app alone %v, everything %v: load and sink must not be charged", app.Value, f.Value)
	}
	if sink, ok := look(doc, "json", "otel", "none", "cpu_per_operation", "sink"); !ok || sink.Verdict.Kind != finding.None || sink.Relative != nil {
		t.Errorf("the sink is shown apart, without verdict, absolute only: %+v", sink)
	}
}

func TestCPUPerOperation(t *testing.T) {
	p := &phase{
		Phase: &record.Phase{DrainSeconds: 4, Load: record.Load{Started: 1000, WallSeconds: 10}, Usage: []record.Usage{
			{Process: "a", Role: "app", Seconds: 14, CPUSeconds: 2},
			{Process: "b", Role: "database", Seconds: 14, CPUSeconds: 1},
			{Process: "l", Role: "load", Seconds: 14, CPUSeconds: 100},
		}},
		idle: map[string]record.Usage{"a": {Seconds: 2, CPUSeconds: 0.2}, "l": {Seconds: 2, CPUSeconds: 1}},
	}
	for role, want := range map[string]float64{"": 2.6e-3, "app": 1.6e-3, "database": 1e-3, "load": 98e-3} {
		if got, _ := cpuMetric(role).value(nil, p); math.Abs(got-want) > 1e-12 {
			t.Errorf("role %q: %v, want %v: the window's and the drain's CPU, less 4 s at the idle rate", role, got, want)
		}
	}
}

func TestTheSameTwiceCostsNothing(t *testing.T) {
	s := twoVariants()
	s.variants[1] = actor{name: "again", tracer: "none"}
	doc := analyse(t, s.input())
	if f := get(t, doc, "json", "again", "cpu_per_operation"); f.Verdict.Kind != finding.NoDifference || *f.Verdict.Bound > 0.05 {
		t.Errorf("verdict %+v", f.Verdict)
	}
	if _, ok := look(doc, "json", "again", "none", "export_bytes_per_operation", ""); ok {
		t.Error("a metric that is zero on both sides is shown")
	}
	if !strings.Contains(doc.Answer, "no difference") {
		t.Error(doc.Answer)
	}
}

func TestBlocksThatCount(t *testing.T) {
	failed := &record.Failure{Stage: "ready", Message: "the port was taken"}
	for _, c := range []struct {
		name    string
		records func([]record.Record) []record.Record
		blocks  int
		failed  int
	}{
		{"all", func(r []record.Record) []record.Record { return r }, 10, 0},
		{"a block without its baseline", func(r []record.Record) []record.Record { return r[1:] }, 9, 0},
		{"a block without the variant", func(r []record.Record) []record.Record { return r[:19] }, 9, 0},
		{"a failed run", func(r []record.Record) []record.Record { r[3].Failure = failed; return r }, 9, 1},
		{"a second attempt", func(r []record.Record) []record.Record {
			again := r[3]
			again.Attempt = 2
			r[3].Failure = failed
			return append(r, again)
		}, 10, 1},
		{"a second attempt that failed too", func(r []record.Record) []record.Record {
			again := r[3]
			again.Attempt, again.Failure = 2, failed
			r[3].Failure = failed
			return append(r, again)
		}, 9, 2},
		{"a phase is missing", func(r []record.Record) []record.Record { r[3].Phases = nil; return r }, 9, 0},
		{"a variant that is not in the experiment", func(r []record.Record) []record.Record { r[3].Variant = "gone"; return r }, 9, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := twoVariants().input()
			in.Records = c.records(in.Records)
			doc := analyse(t, in)
			if f := get(t, doc, "json", "otel", "cpu_per_operation"); f.Blocks != c.blocks {
				t.Errorf("%d blocks, want %d", f.Blocks, c.blocks)
			}
			if doc.Runs.Failed != c.failed || len(doc.Runs.Failure) != c.failed || warned(doc, "failed-runs") != (c.failed > 0) {
				t.Errorf("runs %+v", doc.Runs)
			}
		})
	}
}

func TestSpoiledBlocks(t *testing.T) {
	for _, c := range []struct {
		name          string
		bad           []int // blocks with 20 % of the CPU stolen
		dropped, kept int
	}{
		{"none", nil, 0, 0}, {"one", []int{4}, 1, 0}, {"at most a fifth", []int{1, 4, 7}, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := twoVariants()
			s.change = func(r *record.Record) {
				for _, block := range c.bad {
					if r.Block == block && r.Variant == "otel" {
						r.Harness.StealSeconds = 0.2 * 60 * 2
					}
				}
			}
			doc := analyse(t, s.input())
			f := get(t, doc, "json", "otel", "cpu_per_operation")
			if len(doc.Runs.Dropped) != c.dropped || f.Blocks != 10-c.dropped || warned(doc, "spoiled-kept") != (c.kept > 0) {
				t.Errorf("dropped %q, %d blocks", doc.Runs.Dropped, f.Blocks)
			}
			if doc.Runs.Variants[1].Dropped != c.dropped {
				t.Errorf("of otel: %+v", doc.Runs.Variants[1])
			}
		})
	}
}

func TestFewBlocksGiveFigures(t *testing.T) {
	for _, c := range []struct {
		name   string
		blocks int
		quick  bool
		text   string
	}{{"too few", 5, false, "5 blocks: figures only"}, {"quick", 10, true, "quick: figures only"}} {
		t.Run(c.name, func(t *testing.T) {
			s := twoVariants()
			s.blocks, s.quick = c.blocks, c.quick
			doc := analyse(t, s.input())
			f := get(t, doc, "json", "otel", "cpu_per_operation")
			if f.Verdict.Kind != finding.None || f.Verdict.Text != c.text || f.Absolute.Low != nil || f.Relative.High != nil {
				t.Errorf("%+v", f)
			}
			if !strings.Contains(doc.Answer, "figures only") {
				t.Error(doc.Answer)
			}
		})
	}
}

func TestBudget(t *testing.T) {
	limit := func(metric string, v float64) []spec.Limit { return []spec.Limit{{Metric: metric, Value: v}} }
	for _, c := range []struct {
		name   string
		budget []spec.Limit
		change func(*scene)
		metric string
		want   finding.Kind
		more   bool // blocks
	}{
		{"within", limit("cpu_per_operation", 0.8), nil, "cpu_per_operation", finding.Within, false},
		{"over", limit("cpu_per_operation", 0.05), nil, "cpu_per_operation", finding.Over, false},
		{"close", limit("cpu_per_operation", 0.598), func(s *scene) { s.noise = 0.05 }, "cpu_per_operation", finding.CannotTell, false},
		{"too few blocks", limit("cpu_per_operation", 0.05), func(s *scene) { s.blocks = 3 }, "cpu_per_operation", finding.CannotTell, true},
		{"nothing lost", limit("lost_share", 0), nil, "delivered_share", finding.Within, false},
		{"something lost", limit("lost_share", 0), func(s *scene) {
			s.change = func(r *record.Record) {
				if r.Variant == "otel" && r.Block == 2 {
					r.Phases[0].Sink.Spans--
				}
			}
		}, "delivered_share", finding.Over, false},
		{"loss unknown", limit("lost_share", 0), func(s *scene) { s.plan = func(p *spec.Plan) { p.Spans = nil } }, "delivered_share", finding.CannotTell, false},
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
			if f.Verdict.Kind != c.want || f.Verdict.Budget == nil || (f.Verdict.MoreBlocks > 0) != c.more && c.more {
				t.Errorf("%+v", f.Verdict)
			}
		})
	}
}

func TestBudgetThatMoreBlocksWouldSettle(t *testing.T) {
	s := twoVariants()
	s.noise, s.blocks = 0.03, 8
	s.budget = []spec.Limit{{Metric: "cpu_per_operation", Value: 0.63}}
	v := get(t, analyse(t, s.input()), "json", "otel", "cpu_per_operation").Verdict
	if v.Kind != finding.CannotTell || v.MoreBlocks == 0 || !strings.Contains(v.Text, "more would settle it") {
		t.Errorf("%+v", v)
	}
}

func TestManyClaimsNeedMoreBlocks(t *testing.T) {
	s := twoVariants()
	s.blocks = 6
	s.order = []string{"a", "b", "c", "d"}
	s.operations = map[string]float64{"a": 1e-4, "b": 1e-4, "c": 1e-4, "d": 1e-4}
	f := get(t, analyse(t, s.input()), "a", "otel", "cpu_per_operation")
	want := stats.MinBlocks(stats.Bonferroni(0.95, 4)) - 6
	if f.Absolute.Low == nil || f.Verdict.Kind != finding.CannotTell || f.Verdict.MoreBlocks != want || f.Verdict.Claims != 4 {
		t.Errorf("an interval of its own, and %d more blocks for a verdict: %+v", want, f.Verdict)
	}
}

func TestAgainst(t *testing.T) {
	s := twoVariants()
	s.variants = append(s.variants, actor{name: "more", tracer: "otel-go", against: "otel", adds: 50e-6, spans: 5})
	doc := analyse(t, s.input())
	f, ok := look(doc, "json", "more", "otel", "cpu_per_operation", "")
	if !ok || f.Headline || *f.Absolute.Low > 20e-6 || *f.Absolute.High < 20e-6 {
		t.Errorf("20 µs over otel: %+v", f)
	}
	if f.Verdict.Claims != 3 {
		t.Errorf("%d claims, want 3", f.Verdict.Claims)
	}
}

func TestABlockWithoutItsBaselineDoesNotCountForAnyPair(t *testing.T) {
	s := twoVariants()
	s.variants = append(s.variants, actor{name: "more", tracer: "otel-go", against: "otel", adds: 50e-6, spans: 5})
	in := s.input()
	in.Records = in.Records[1:]
	if f, _ := look(analyse(t, in), "json", "more", "otel", "cpu_per_operation", ""); f.Blocks != 9 {
		t.Errorf("%d blocks, want 9", f.Blocks)
	}
}

func TestSilentVariant(t *testing.T) {
	s := twoVariants()
	s.plan = func(p *spec.Plan) { p.Silent = true }
	s.change = func(r *record.Record) { r.Phases[0].Sink = record.Counts{Checking: true} }
	doc := analyse(t, s.input())
	for _, metric := range []string{"delivered_share", "cpu_per_span", "export_bytes_per_operation"} {
		if f, ok := look(doc, "json", "otel", "none", metric, ""); ok {
			t.Errorf("%s of a variant that is meant to deliver nothing: %+v", metric, f)
		}
	}
	if last := doc.Ledgers[1]; last.Verdict != "not exported by intent" || strings.Contains(doc.Answer, "lost") {
		t.Errorf("%q; %s", last.Verdict, doc.Answer)
	}
}

// Calibrations tell what is not declared, also of another variant of the tracer;
// they enter no estimate.
func TestCalibration(t *testing.T) {
	s := twoVariants()
	s.variants = append(s.variants, actor{name: "half", tracer: "otel-go", adds: 10e-6, spans: 3})
	s.plan = func(p *spec.Plan) { p.Spans = nil }
	in := s.input()
	calibration := in.Records[1]
	calibration.Kind, calibration.Block = record.Calibration, 0
	in.Records = append(in.Records, calibration)
	doc := analyse(t, in)
	if f := get(t, doc, "json", "otel", "cpu_per_operation"); f.Blocks != 10 {
		t.Errorf("%d blocks", f.Blocks)
	}
	for _, l := range doc.Ledgers {
		if l.Variant != "none" && (l.Entries[0].How != "inferred" || l.Verdict != "nothing lost" || !l.Exact) {
			t.Errorf("%+v", l)
		}
	}
}

func TestPerSpan(t *testing.T) {
	f := get(t, analyse(t, twoVariants().input()), "json", "otel", "cpu_per_span")
	if *f.Absolute.Low > 10e-6 || *f.Absolute.High < 10e-6 || f.Relative != nil {
		t.Errorf("30 µs over 3 spans: %+v", f.Absolute)
	}
	s := twoVariants()
	s.change = func(r *record.Record) { r.Phases[0].Sink.Spans -= r.Phases[0].Sink.Spans / 20 }
	if _, ok := look(analyse(t, s.input()), "json", "otel", "none", "cpu_per_span", ""); ok {
		t.Error("a cost per span although 5 % were lost")
	}
}

func TestLatency(t *testing.T) {
	s := twoVariants()
	s.latencies, s.noise = true, 0.002
	doc := analyse(t, s.input())
	f := get(t, doc, "json", "otel", "latency_p50")
	if *f.Absolute.Low > 41e-6 || *f.Absolute.High < 39e-6 || f.Verdict.Kind != finding.Costs {
		t.Errorf("40 µs: %s, %+v", finding.FormatInterval(*f.Absolute, f.Unit, false), f.Verdict)
	}
	if f := get(t, doc, "json", "otel", "latency_max"); f.Absolute.Low != nil || f.Verdict.Kind != finding.None {
		t.Errorf("a maximum has no interval: %+v", f)
	}
	if _, ok := look(doc, "json", "otel", "none", "latency_p999", ""); ok {
		t.Error("99.9 % of 10,000 values has only 10 above it")
	}
	if len(doc.Curves) != 2 || len(doc.Curves[0].Points) == 0 || doc.Curves[0].Points[len(doc.Curves[0].Points)-1].Percentile != 99.5 {
		t.Errorf("curves %+v", doc.Curves)
	}
}

func TestLatencyThatCannotBeCompared(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(*scene)
		metric  string
		shown   bool
		kind    finding.Kind
		warning string
	}{
		{"censored: the mean", func(s *scene) { s.change = timeOuts(50) }, "latency_mean", false, "", ""},
		{"censored: a quantile below", func(s *scene) { s.change = timeOuts(50) }, "latency_p95", true, finding.Costs, "operations-failed"},
		{"censored: a quantile that reaches in", func(s *scene) { s.change = timeOuts(500) }, "latency_p99", false, "", "overloaded"},
		{"overloaded", func(s *scene) {
			s.change = func(r *record.Record) {
				if r.Variant == "otel" {
					r.Phases[0].Load.WallSeconds = 25
				}
			}
		}, "latency_p50", true, finding.Overloaded, "overloaded"},
		{"one slow run is not overloaded", func(s *scene) {
			s.change = func(r *record.Record) {
				if r.Variant == "otel" && r.Block == 3 {
					r.Phases[0].Load.WallSeconds = 25
				}
			}
		}, "latency_p50", true, finding.Costs, "overloaded"},
		{"closed loop", func(s *scene) {
			s.change = func(r *record.Record) { r.Phases[0].OfferedRate = 0 }
			s.design = func(e *spec.Experiment) { e.Load.Rate, e.Load.Connections = 0, 4 }
		}, "latency_p50", false, "", ""},
		{"the generator is later with one variant", func(s *scene) {
			s.change = func(r *record.Record) {
				if r.Variant == "otel" {
					r.Phases[0].Load.Lag = spread(10000, 20e-6)
				}
			}
		}, "latency_p50", true, finding.CannotTell, "lag-differs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := twoVariants()
			s.latencies, s.noise = true, 0.002
			c.change(&s)
			doc := analyse(t, s.input())
			f, shown := look(doc, "json", "otel", "none", c.metric, "")
			if shown != c.shown || f.Verdict.Kind != c.kind {
				t.Errorf("shown %v, %+v", shown, f.Verdict)
			}
			if c.kind == finding.Overloaded && (f.Relative != nil || f.Absolute != nil) {
				t.Error("a ratio of an overloaded variant")
			}
			if c.warning != "" && !warned(doc, c.warning) {
				t.Errorf("no warning %s in %+v", c.warning, doc.Warnings)
			}
		})
	}
}

func timeOuts(n uint64) func(*record.Record) {
	return func(r *record.Record) {
		r.Phases[0].Load.TimedOut = n
		r.Phases[0].Load.Completed -= n
	}
}

func TestModes(t *testing.T) {
	s := twoVariants()
	s.blocks, s.noise = 12, 0.003
	s.change = func(r *record.Record) {
		if r.Variant == "otel" && r.Block%2 == 0 {
			r.Phases[0].Usage[0].CPUSeconds *= 2
		}
	}
	doc := analyse(t, s.input())
	v := get(t, doc, "json", "otel", "cpu_per_operation").Verdict
	if v.Kind != finding.CannotTell || !strings.Contains(v.Text, "50 % at") || !warned(doc, "modes") {
		t.Errorf("%+v", v)
	}
}

// Bytes that differ by a few in a thousand from run to run are no modes, also
// beside a baseline that sends none.
func TestModesThatDoNotMatter(t *testing.T) {
	s := twoVariants()
	s.blocks = 12
	s.change = func(r *record.Record) {
		if r.Variant == "otel" {
			r.Phases[0].Sink.Bytes += uint64(r.Block%2)*10000 + uint64(r.Block)*7
		}
	}
	if v := get(t, analyse(t, s.input()), "json", "otel", "export_bytes_per_operation").Verdict; v.Kind != finding.Costs {
		t.Errorf("%+v", v)
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

func TestHeadline(t *testing.T) {
	in := twoVariants().input()
	for n, want := range map[int]string{0: "", 1: "", 4: "CPU per operation otel: json +", 20: "CPU per operation otel: json +"} {
		got := Headline(in.Experiment, in.Records[:n])
		if !strings.HasPrefix(got, want) || (want == "") != (got == "") || strings.Contains(got, "(") != (n == 20) {
			t.Errorf("after %d runs: %q", n, got)
		}
	}
}

// Whatever the records hold, the document is JSON: no NaN, no infinity.
func FuzzDocumentIsJSON(f *testing.F) {
	f.Add(uint64(1), 0.0, 0.0, uint64(0), uint64(0), 0.0)
	f.Add(uint64(2), 20.0, -1.0, uint64(10000), uint64(5), 1e300)
	f.Add(uint64(3), 1e-300, 1e300, uint64(1), uint64(5), -1e308)
	f.Add(uint64(4), 20.0, 5e-324, uint64(1), uint64(1)<<63, 0.0)
	f.Fuzz(func(t *testing.T, seed uint64, wall, cpu float64, started, spans uint64, idle float64) {
		for _, v := range []float64{wall, cpu, idle} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Skip("a record is JSON too")
			}
		}
		s := twoVariants()
		s.seed, s.blocks = seed, 7
		s.budget = []spec.Limit{{Metric: "cpu_per_operation", Value: 0.05}, {Metric: "lost_share"}, {Metric: "latency_p99", Value: 1}}
		s.change = func(r *record.Record) {
			if r.Block%2 == 0 {
				p := &r.Phases[0]
				p.Load.WallSeconds, p.Load.Started, p.Sink.Spans = wall, started, spans
				p.Usage[0].CPUSeconds = cpu
				r.Start.Idle[0].CPUSeconds, r.Start.IdleSeconds = idle, wall
			}
		}
		doc, err := Analyse(s.input())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(doc); err != nil {
			t.Error(err)
		}
	})
}

func TestNothingToCompare(t *testing.T) {
	in := twoVariants().input()
	in.Records = nil
	if doc := analyse(t, in); doc.Answer != "There is no run yet: nothing can be compared." {
		t.Error(doc.Answer)
	}
	in.Experiment.Variants = nil
	if _, err := Analyse(in); err == nil {
		t.Error("an experiment without variants is analysed")
	}
}

func golden() Input {
	s := twoVariants()
	s.order = []string{"json", "work", "chain"}
	s.operations = map[string]float64{"json": 50e-6, "work": 250e-6, "chain": 120e-6}
	s.latencies = true
	s.variants = append(s.variants, actor{name: "simple", tracer: "otel-go", against: "otel", adds: 80e-6, delays: 90e-6, spans: 3})
	s.budget = []spec.Limit{{Metric: "cpu_per_operation", Value: 0.2, Text: "20%"}, {Metric: "lost_share", Value: 0, Text: "0"}}
	dropped := uint64(1204)
	none := uint64(0)
	s.change = func(r *record.Record) {
		if r.Variant == "none" {
			return
		}
		r.Tracer = record.Admitted{Dropped: &none, Source: "log"}
		r.Start.FirstOperation, r.Start.Probes = "json", 2
		r.Start.Sink = record.Counts{Spans: 5, Roots: 3, Traces: 3, Checking: true}
		if r.Variant == "simple" && r.Block == 4 {
			r.Tracer.Dropped = &dropped
			r.Phases[0].Sink.Spans -= dropped
		}
	}
	in := s.input()
	in.Environment = map[string]any{"os": "linux", "kernel": "6.8.0", "cpu_model": "a processor", "cpus": 2.0}
	return in
}

func TestGolden(t *testing.T) {
	got, err := json.MarshalIndent(analyse(t, golden()), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "findings.json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(got)+"\n" {
		t.Errorf("%s differs; look at it with: go test ./internal/analysis -run Golden -update && git diff", path)
	}
}
