// Latency, and when it cannot be compared.

package analysis_test

import (
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

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
			s.design = func(e *config.Experiment) { e.Load.Rate, e.Load.Connections = 0, 4 }
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
			cpu := get(t, doc, "json", "otel", "cpu_per_operation")
			if withheld := cpu.Verdict.Reason().Code == finding.WhyOverloaded; withheld != (c.kind == finding.Overloaded || c.kind == "" && c.warning == "overloaded") || withheld && cpu.Verdict.Kind != finding.CannotTell {
				t.Errorf("CPU: %+v", cpu.Verdict)
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
