package analysis_test

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

func TestSummary(t *testing.T) {
	operations := func(s *scene, names ...string) {
		s.order = names
		s.operations = map[string]float64{"json": 50e-6, "work": 250e-6}
	}
	for _, c := range []struct {
		name   string
		change func(*scene)
		begins string
		ends   string
	}{
		{"one operation, one variant", func(*scene) {},
			"On hello/go, tracing with otel costs 29.8 µs of CPU per operation, +60.2 % (58.8 to 61.6)", ", on json; no span was lost."},
		{"many operations", func(s *scene) { operations(s, "json", "work") },
			"On hello/go, tracing with otel costs between 12.3 % (work) and 59.1 % (json, 30.3 µs) more CPU", "operation; no span was lost."},
		{"many variants", func(s *scene) {
			s.variants = append(s.variants, actor{name: "b", tracer: "b", adds: 10e-6, spans: 1}, actor{name: "c", tracer: "c", adds: 90e-6, spans: 1}, actor{name: "d", tracer: "d", spans: 1})
		}, "On hello/go, the 4 variants cost between 19.78 % (b on json) and 177.7 %", ") more CPU per operation, with no difference larger than 1.6 % for d on json; no span was lost."},
		{"nothing differs anywhere", func(s *scene) { operations(s, "json", "work"); s.variants[1].adds = 0 },
			"On hello/go, tracing with otel makes no difference in CPU per operation larger than ", " %; no span was lost."},
		{"nothing differs", func(s *scene) { s.variants[1].adds = 0 },
			"On hello/go, tracing with otel makes no difference in CPU per operation larger than ", " on json; no span was lost."},
		{"figures only", func(s *scene) { s.blocks = 2 },
			"On hello/go, in 2 blocks (figures only), CPU per operation with otel was 30.8 µs higher (+59.7 %) on json", "; no span was lost; an interval needs at least 6 blocks."},
		{"figures of many operations", func(s *scene) { operations(s, "json", "work"); s.blocks = 5 },
			"On hello/go, in 5 blocks (figures only), CPU per operation with otel differed by +12.3 % (work) to +60.3 % (json, ", "an interval needs at least 6 blocks."},
		{"nothing differs, within a budget", func(s *scene) {
			s.variants[1].adds, s.budget = 0, []config.Limit{{Metric: "cpu_per_operation", Value: 0.2}}
		}, "On hello/go, tracing with otel makes no difference in CPU per operation larger than ", "; within the budget; no span was lost."},
		{"noise hides much", func(s *scene) { s.variants[1].adds, s.noise = 0, 0.8 },
			"On hello/go, tracing with otel makes an inconclusive difference in CPU per operation: −", " % on json; no span was lost."},
		{"one of two is noise", func(s *scene) {
			operations(s, "json", "work")
			s.change = func(r *record.Record) {
				if r.Block%2 == 0 {
					r.Phases[1].Usage[0].CPUSeconds *= map[string]float64{"none": 1.6, "otel": 0.7}[r.Variant]
				} else if r.Variant == "otel" {
					r.Phases[1].Usage[0].CPUSeconds *= 1 + 0.06*float64(r.Block)
				}
			}
		}, "On hello/go, tracing with otel costs ", ", and it is inconclusive for work: −"},
		{"saves", func(s *scene) { s.variants[1].adds = -10e-6 }, "On hello/go, tracing with otel saves ", "on json; no span was lost."},
		{"no tracer", func(s *scene) { s.variants[1].tracer, s.variants[1].spans = "none", 0 }, "On hello/go, otel costs 29.8 µs", "on json."},
		{"modes", func(s *scene) {
			s.blocks, s.noise = 12, 0.003
			s.change = func(r *record.Record) {
				if r.Variant == "otel" && r.Block%2 == 0 {
					r.Phases[0].Usage[0].CPUSeconds *= 2
				}
			}
		}, "On hello/go, tracing with otel changes the CPU per operation by an amount that cannot be told (the runs of otel fall into modes, 50 %", "no span was lost."},
		{"over budget", func(s *scene) { s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.05}} },
			"On hello/go, tracing with otel costs 29.8 µs", "; over budget: CPU per operation of otel on json; no span was lost."},
		{"within budget", func(s *scene) { s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.9}} },
			"On hello/go, tracing with otel costs 29.8 µs", "; within the budget; no span was lost."},
		{"lost", func(s *scene) {
			s.change = func(r *record.Record) { r.Phases[0].Sink.Spans -= r.Phases[0].Sink.Spans / 10 }
		}, "On hello/go, tracing with otel costs 29.8 µs", "; up to 10.0 % of the spans were lost (otel on json, in the window)."},
		{"nothing is instrumented", provocation("nothing-traced"), "On hello/go, no span came with otel, so that what tracing costs cannot be told.", ""},
		{"one operation is not instrumented", provocation("no-spans"), "On hello/go, tracing with otel costs", ", on json; no span came with otel on dark, so that what tracing costs there cannot be told."},
		{"every run failed", func(s *scene) {
			s.change = func(r *record.Record) {
				r.Failure = &record.Failure{Stage: "ready", Message: "\x1b[35mno shop\x1b[0m on PATH=/bin"}
			}
		}, "No run succeeded: ready: no shop on PATH=/bin.", ""},
		{"the baseline failed", func(s *scene) {
			s.change = func(r *record.Record) {
				if r.Variant == "none" {
					r.Failure = &record.Failure{Stage: "ready"}
				}
			}
		}, "No block holds both ", "."},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := twoVariants()
			c.change(&s)
			got := analyse(t, s.input()).FullSummary
			if !strings.HasPrefix(got, c.begins) || !strings.HasSuffix(got, c.ends) && !strings.Contains(got, c.ends) {
				t.Error(got)
			}
			t.Log(got)
		})
	}
}
