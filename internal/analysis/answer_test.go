package analysis

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

func TestAnswer(t *testing.T) {
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
		}, "On hello/go, the 4 variants cost between 19.8 % (b on json) and 178 %", ") more CPU per operation, with no difference larger than 1.6 % elsewhere; no span was lost."},
		{"nothing differs anywhere", func(s *scene) { operations(s, "json", "work"); s.variants[1].adds = 0 },
			"On hello/go, tracing with otel makes no difference in CPU per operation larger than ", " %; no span was lost."},
		{"nothing differs", func(s *scene) { s.variants[1].adds = 0 },
			"On hello/go, tracing with otel makes no difference in CPU per operation larger than ", " on json; no span was lost."},
		{"figures only", func(s *scene) { s.blocks = 2 },
			"On hello/go, in 2 blocks (figures only), tracing with otel costs ", "on json; no span was lost."},
		{"modes", func(s *scene) {
			s.blocks, s.noise = 12, 0.003
			s.change = func(r *record.Record) {
				if r.Variant == "otel" && r.Block%2 == 0 {
					r.Phases[0].Usage[0].CPUSeconds *= 2
				}
			}
		}, "On hello/go, tracing with otel changes the CPU per operation by an amount that cannot be told (the runs of otel fall into modes, 50 %", "no span was lost."},
		{"over budget", func(s *scene) { s.budget = []spec.Limit{{Metric: "cpu_per_operation", Value: 0.05}} },
			"On hello/go, tracing with otel costs 29.8 µs", "; over budget: cpu_per_operation of otel on json; no span was lost."},
		{"within budget", func(s *scene) { s.budget = []spec.Limit{{Metric: "cpu_per_operation", Value: 0.9}} },
			"On hello/go, tracing with otel costs 29.8 µs", "; within the budget; no span was lost."},
		{"lost", func(s *scene) {
			s.change = func(r *record.Record) { r.Phases[0].Sink.Spans -= r.Phases[0].Sink.Spans / 10 }
		}, "On hello/go, tracing with otel costs 29.8 µs", "; up to 10.0 % of the spans were lost (otel on json)."},
		{"every run failed", func(s *scene) {
			s.change = func(r *record.Record) { r.Failure = &record.Failure{Stage: "ready"} }
		}, "No run succeeded: ", "."},
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
			got := analyse(t, s.input()).Answer
			if !strings.HasPrefix(got, c.begins) || !strings.HasSuffix(got, c.ends) && !strings.Contains(got, c.ends) {
				t.Error(got)
			}
			t.Log(got)
		})
	}
}
