package analysis

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// only changes the runs of one variant.
func only(variant string, change func(*record.Record)) func(*scene) {
	return func(s *scene) {
		s.change = func(r *record.Record) {
			if r.Variant == variant {
				change(r)
			}
		}
	}
}

// provocations has one row for every warning of the list.
var provocations = []struct {
	code string
	by   func(*scene)
}{
	{"quick", func(s *scene) { s.quick = true }},
	{"too-few-blocks", func(s *scene) { s.blocks = 5 }},
	{"failed-runs", func(s *scene) {
		s.change = func(r *record.Record) {
			if r.Block == 2 {
				r.Failure = &record.Failure{Stage: "window", Message: "it died"}
			}
		}
	}},
	{"spoiled-blocks", only("otel", func(r *record.Record) {
		if r.Block == 2 {
			r.Phases[0].Load.Lag = spread(10000, 0.1)
		}
	})},
	{"spoiled-kept", only("otel", func(r *record.Record) { r.Harness.StealSeconds = 12 })},
	{"overloaded", only("otel", func(r *record.Record) { r.Phases[0].Load.WallSeconds = 30 })},
	{"generator-late", only("otel", func(r *record.Record) { r.Phases[0].Load.Lag = spread(10000, 0.002) })},
	{"lag-differs", func(s *scene) {
		s.latencies = true
		only("otel", func(r *record.Record) { r.Phases[0].Load.Lag = spread(10000, 40e-6) })(s)
	}},
	{"harness-shared-cpu", only("otel", func(r *record.Record) { r.Harness.Placement = "none" })},
	{"limits-unmet", only("otel", func(r *record.Record) { r.Harness.Unmet = []string{"no quota for app"} })},
	{"sink-busy", only("otel", func(r *record.Record) { r.Phases[0].Usage[2].CPUSeconds = 0.8 * window })},
	{"harness-busy", only("none", func(r *record.Record) { r.Harness.OwnCPU = 1 })},
	{"cpu-stolen", only("none", func(r *record.Record) { r.Harness.StealSeconds = 2 })},
	{"load-average", only("none", func(r *record.Record) { r.Harness.LoadAverage = 1.2 })},
	{"clock-accounting", only("none", func(r *record.Record) { r.Harness.Accounting = "clock" })},
	{"throttled", only("otel", func(r *record.Record) { r.Phases[0].Usage[0].ThrottleSeconds = 0.5 })},
	{"window-short", func(s *scene) {
		s.plan = func(p *spec.Plan) { p.Delay = 5 * time.Second }
	}},
	{"never-quiet", only("otel", func(r *record.Record) { r.Phases[0].Quiet = false })},
	{"low-rate", func(s *scene) { s.rate = 5 }},
	{"cpu-negative", only("otel", func(r *record.Record) { r.Start.Idle[0].CPUSeconds = 1.9 })},
	{"modes", func(s *scene) {
		s.blocks, s.noise = 12, 0.003
		only("otel", func(r *record.Record) {
			if r.Block%2 == 0 {
				r.Phases[0].Usage[0].CPUSeconds *= 2
			}
		})(s)
	}},
	{"operations-failed", only("none", func(r *record.Record) { r.Phases[0].Load.Failed, r.Phases[0].Load.Completed = 1, 9999 })},
	{"expectation-unknown", func(s *scene) { s.plan = func(p *spec.Plan) { p.Spans = nil } }},
	{"calibration-differs", only("otel", func(r *record.Record) {
		if r.Block == 1 {
			r.Kind, r.Block = record.Calibration, 0
			r.Phases[0].Sink.Spans = 4 * r.Phases[0].Load.Started
		}
	})},
	{"spans-lost", only("otel", func(r *record.Record) {
		n := uint64(7)
		r.Tracer.Dropped = &n
		r.Phases[0].Sink.Spans -= n
	})},
	{"spans-unaccounted", only("otel", func(r *record.Record) { r.Phases[0].Sink.Spans-- })},
	{"spans-surplus", only("otel", func(r *record.Record) { r.Phases[0].Sink.Spans++ })},
	{"sampling-off", func(s *scene) { s.plan = func(p *spec.Plan) { p.Sampling = 0.5 } }},
	{"duplicates", only("otel", func(r *record.Record) { r.Phases[0].Sink.Spans++; r.Phases[0].Sink.Duplicate = 1 })},
	{"evicted", only("otel", func(r *record.Record) { r.Life.Evicted = 1 })},
	{"killed-at-stop", only("otel", func(r *record.Record) { r.Stop.Killed = true })},
}

func TestEveryWarningCanBeProvoked(t *testing.T) {
	plain := twoVariants()
	plain.latencies, plain.noise = true, 0.002
	if doc := analyse(t, plain.input()); len(doc.Warnings) > 0 {
		t.Fatalf("warnings without cause: %+v", doc.Warnings)
	}
	provoked := map[string]bool{}
	for _, p := range provocations {
		t.Run(p.code, func(t *testing.T) {
			s := twoVariants()
			p.by(&s)
			doc := analyse(t, s.input())
			if !warned(doc, p.code) {
				t.Errorf("not among %+v", doc.Warnings)
			}
			for _, w := range doc.Warnings {
				if w.Text == "" || w.Advice == "" || w.Severity == "" {
					t.Errorf("says too little: %+v", w)
				}
			}
		})
		provoked[p.code] = true
	}
	for _, c := range checks {
		if !provoked[c.code] {
			t.Errorf("no row provokes %s", c.code)
		}
	}
}

func TestWarningsAreInTheirPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/warnings.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		if !strings.Contains(string(page), "`"+c.code+"`") {
			t.Errorf("docs/warnings.md does not explain %s", c.code)
		}
	}
}
