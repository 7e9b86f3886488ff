// The document as a whole.

package analysis_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

var update = flag.Bool("update", false, "write the golden files again")

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
		s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.05}, {Metric: "lost_share"}, {Metric: "latency_p99", Value: 1}}
		s.change = func(r *record.Record) {
			if r.Block%2 == 0 {
				p := &r.Phases[0]
				p.Load.WallSeconds, p.Load.Started, p.Sink.Spans = wall, started, spans
				p.Usage[0].CPUSeconds = cpu
				r.Start.Idle[0].CPUSeconds, r.Start.IdleSeconds = idle, wall
			}
		}
		doc, err := analysis.Analyse(s.input())
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
	if doc := analyse(t, in); doc.Summary != "There is no run yet: nothing can be compared." {
		t.Error(doc.Summary)
	}
	in.Experiment.Variants = nil
	if _, err := analysis.Analyse(in); err == nil {
		t.Error("an experiment without variants is analysed")
	}
}

func golden() analysis.Input {
	s := twoVariants()
	s.order = []string{"json", "work", "chain"}
	s.operations = map[string]float64{"json": 50e-6, "work": 250e-6, "chain": 120e-6}
	s.latencies = true
	s.variants = append(s.variants, actor{name: "simple", tracer: "otel-go", against: "otel", adds: 80e-6, delays: 90e-6, spans: 3})
	s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.2, Text: "20%"}, {Metric: "lost_share", Value: 0, Text: "0"}}
	dropped := uint64(1204)
	none := uint64(0)
	s.change = func(r *record.Record) {
		if r.Variant == "none" {
			return
		}
		r.Tracer = record.Reported{Dropped: &none, Source: "log"}
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

// Answers are added up by status over the blocks; an operation with one right status has none.
func TestAnswersByStatus(t *testing.T) {
	s := twoVariants()
	s.change = onlyRuns("otel", func(r *record.Record) { r.Phases[0].Load.Answers = map[int]uint64{200: 90, 500: 10} })
	doc := analyse(t, s.input())
	if len(doc.Answers) != 1 || doc.Answers[0].Variant != "otel" || doc.Answers[0].Operation != "json" || doc.Answers[0].Statuses[500] != 100 || doc.Answers[0].Statuses[200] != 900 {
		t.Errorf("%+v", doc.Answers)
	}
}

func TestInstrumentedInAnyRun(t *testing.T) {
	s := twoVariants()
	s.change = onlyRuns("otel", func(r *record.Record) {
		r.Tracer.Instrumented = map[string][]string{"app": {"flask"}}
		if r.Block == 2 {
			r.Tracer.Instrumented["back"] = []string{"flask", "sqlite3"}
		}
	})
	for _, v := range analyse(t, s.input()).Experiment.Variants {
		var want []string
		if v.Name == "otel" {
			want = []string{"flask", "sqlite3"}
		}
		if !slices.Equal(v.Instrumented, want) {
			t.Errorf("%s: %v, want %v", v.Name, v.Instrumented, want)
		}
	}
}

// A generator that is late is seen in few operations too: a latency of 0.4 ms that doubles is no "+1 %" beside 40 ms of lag.
func TestLateWithFewOperations(t *testing.T) {
	for _, c := range []struct {
		operations int
		lag        float64
		late       bool
	}{{200, 0.040, true}, {200, 0.002, true}, {200, 3e-6, false}, {2400, 0.040, true}} {
		s := twoVariants()
		s.blocks, s.noise, s.rate = 12, 0.002, float64(c.operations)/window
		s.change = func(r *record.Record) {
			served := 0.0004
			if r.Variant == "otel" {
				served *= 2
			}
			p := &r.Phases[0]
			p.Load.Latency, p.Load.Lag = spread(c.operations, c.lag+served), spread(c.operations, c.lag)
		}
		doc := analyse(t, s.input())
		if warned(doc, "generator-late") != c.late {
			t.Errorf("%+v: %+v", c, doc.Warnings)
		}
		f, shown := look(doc, "json", "otel", "none", "latency_p50", "")
		if !shown || (f.Verdict.Reason().Code == finding.WhyLate) != c.late || c.late != (f.Verdict.Kind == finding.CannotTell) {
			t.Errorf("%+v: shown %v, verdict %+v", c, shown, f.Verdict)
		}
	}
}

// One run in which the generator was very late is told, though the others were not.
func TestOneLateRun(t *testing.T) {
	for late, want := range map[float64]bool{0.060: true, 0.003: false} {
		s := twoVariants()
		s.change = func(r *record.Record) {
			if r.Phases[0].Load.Lag = spread(10000, 3e-6); r.Block == 3 {
				r.Phases[0].Load.Lag = spread(10000, late)
			}
		}
		doc := analyse(t, s.input())
		if warned(doc, "generator-late") != want || len(doc.Runs.Dropped) > 0 {
			t.Errorf("%g s late: %+v, left out %+v", late, doc.Warnings, doc.Runs.Dropped)
		}
	}
}

// What is foreseen is what the verdicts are corrected for afterwards, and with as many blocks as
// are needed there are corrected intervals, with one less there are none.
func TestForesee(t *testing.T) {
	budgeted := func(s scene, metrics ...string) scene {
		for _, m := range metrics {
			s.budget = append(s.budget, config.Limit{Metric: m, Value: 0.5})
		}
		return s
	}
	against := manyClaims(12, 0.01)
	against.variants[2].against = "otel"
	stopping := manyClaims(12, 0.01)
	stopping.design = func(e *config.Experiment) {
		e.Design.Blocks, e.Design.Most, e.Design.Precision, e.Design.Metric = 8, 30, 0.0001, metric.CPUPerOperation
	}
	levels := connections(0.005, 8, 1, 2, 8)
	if len(levels.variants) != 2 {
		t.Fatal("the scene has other variants")
	}
	for name, c := range map[string]struct {
		scene             scene
		headline, budgets int
	}{
		"one variant":                   {twoVariants(), 1, 0},
		"two variants, four operations": {manyClaims(12, 0.01), 8, 0},
		"compared with each other":      {against, 12, 0},
		"budgets":                       {budgeted(manyClaims(12, 0.01), metric.CPUPerOperation, "memory_peak", "startup_time", metric.LostShare), 0, 12},
		"a precision to stop at":        {stopping, 8, 0},
		"a search":                      {capacities(map[string]float64{"none": 2450, "otel": 1520}), 1, 0},
		"levels":                        {levels, 3, 0},
		"a line over depth":             {calls(map[string]call{"kieker": {perSpan: 300e-9}, "otel": {perSpan: 200e-9}}, 2, 4, 8, 16), 2, 0},
		"a line, and a budget":          {budgeted(calls(map[string]call{"kieker": {perSpan: 300e-9}}, 2, 4, 8, 16), metric.TimePerCall), 1, 4},
	} {
		t.Run(name, func(t *testing.T) {
			headline, budgets := analysis.Foresee(c.scene.input().Experiment)
			if headline.Claims != c.headline || budgets.Claims != c.budgets {
				t.Fatalf("foreseen are %d claims of the headline and %d on budgets, want %d and %d", headline.Claims, budgets.Claims, c.headline, c.budgets)
			}
			for _, o := range []analysis.Outlook{headline, budgets} {
				if o.Claims == 0 {
					continue
				}
				for _, blocks := range []int{o.Needs, o.Needs - 1} {
					s := c.scene
					s.blocks = blocks
					in := s.input()
					seen := 0
					for _, f := range analyse(t, in).Findings {
						v := f.Verdict
						of := v.Budget != nil
						if of != (o == budgets) || !of && f.Metric != o.Metric || f.Role != "" || f.Metric == metric.DeliveredShare || v.Kind == "" && v.Claims == 0 {
							continue
						}
						seen++
						enough := v.Low != nil && !v.Joint
						if blocks >= stats.MinBlocks(0.95) && v.Claims != o.Claims || enough != (blocks == o.Needs) {
							t.Errorf("%d blocks, %s of %s on %s: %+v; foreseen %+v", blocks, f.Metric, f.Variant, f.Operation, v, o)
						}
					}
					if seen != o.Claims && blocks >= stats.MinBlocks(0.95) {
						t.Errorf("%d blocks: %d verdicts, want %d", blocks, seen, o.Claims)
					}
				}
			}
		})
	}
}

func TestForeseeShort(t *testing.T) {
	for name, c := range map[string]struct {
		blocks, most    int
		short, hopeless bool
		joint           bool
	}{
		"enough":                    {9, 0, false, false, true},
		"one less":                  {8, 0, true, true, true},
		"too few for any interval":  {5, 0, true, true, false},
		"may stop before there are": {8, 30, true, false, false},
		"cannot reach them":         {8, 9, true, true, false}, // a precision needs more for the same estimate.Confidence
	} {
		s := manyClaims(c.blocks, 0.01)
		s.design = func(e *config.Experiment) {
			if c.most > 0 {
				e.Design.Most, e.Design.Precision = c.most, 0.02
			}
		}
		headline, budgets := analysis.Foresee(s.input().Experiment)
		if headline.Short() != c.short || headline.Hopeless() != c.hopeless || headline.Joint != c.joint || budgets.Short() {
			t.Errorf("%s: %+v, budgets %+v", name, headline, budgets)
		}
	}
	if f := get(t, analyse(t, manyClaims(8, 0.01).input()), "op0", "free", metric.CPUPerOperation); f.Verdict.Kind != finding.CannotTell {
		t.Errorf("with one block less: %+v", f.Verdict)
	}
}
