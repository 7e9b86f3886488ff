// Latency, and when it cannot be compared.

package analysis_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/compare"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
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
		{"timed apart, censored", func(s *scene) {
			s.change = func(r *record.Record) {
				p := &r.Phases[0]
				timed := p.Load
				timed.TimedOut, timed.Completed = 50, timed.Completed-50
				p.Timed = &record.Timed{Load: timed}
			}
		}, "latency_p95", true, finding.Costs, "operations-failed"},
		{"censored: a quantile below", func(s *scene) { s.change = timeOuts(50) }, "latency_p95", true, finding.Costs, "operations-failed"},
		{"censored: a quantile that reaches in", func(s *scene) { s.change = timeOuts(500) }, "latency_p99", false, "", "overloaded"},
		{"overloaded", func(s *scene) {
			s.change = func(r *record.Record) {
				if r.Variant == "otel" {
					r.Phases[0].Load.WallSeconds = 25
				}
			}
		}, "latency_p50", true, finding.Overloaded, "overloaded"},
		{"all had their load at once for longer", func(s *scene) {
			s.change = func(r *record.Record) {
				p := &r.Phases[0]
				p.Timed, p.AtOnceSeconds = &record.Timed{Load: p.Load}, 2*window
				p.Load.WallSeconds = 2 * window
				p.Load.Intended, p.Load.Started, p.Load.Completed = 2*p.Load.Intended, 2*p.Load.Started, 2*p.Load.Completed
			}
		}, "latency_p50", true, finding.Costs, ""},
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
		{"answers of one variant wait for a delayed acknowledgement", putOff(600), "latency_p50", true, finding.CannotTell, "delayed-acknowledgement"},
		{"few do", putOff(400), "latency_p50", true, finding.Costs, ""},
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

// putOff makes so many answers of 10,000 wait for a delayed acknowledgement.
func putOff(n uint64) func(*scene) {
	return func(s *scene) {
		s.change = func(r *record.Record) {
			if r.Variant == "otel" {
				r.Phases[0].Load.PutOff = n
			}
		}
	}
}

func timeOuts(n uint64) func(*record.Record) {
	return func(r *record.Record) {
		r.Phases[0].Load.TimedOut = n
		r.Phases[0].Load.Completed -= n
	}
}

// Woven variants are compared by what they use, not how long they take.

// woven is a scene whose variants had their load at the same time.
func woven() scene {
	s := twoVariants()
	s.latencies = true
	s.change = func(r *record.Record) {
		r.Harness.Order = "woven"
	}
	return s
}

func TestWovenVariantsCompareNoLatency(t *testing.T) {
	doc := analyse(t, woven().input())
	for _, metric := range []string{"latency_mean", "latency_p50", "latency_p90", "latency_p99", "startup_time", "first_operation_time"} {
		operation := "json"
		if !strings.HasPrefix(metric, "latency") {
			operation = ""
		}
		f := get(t, doc, operation, "otel", metric)
		if f.Verdict.Kind != finding.CannotTell || f.Verdict.Reason().Code != finding.WhySharedCPU || f.Verdict.MoreBlocks != 0 {
			t.Errorf("%s: %+v", metric, f.Verdict)
		}
		if f.Absolute == nil || f.Absolute.Low != nil || f.Relative.Low != nil || !tells(f.Notes, finding.NoteSharedCPU) {
			t.Errorf("%s: a figure with a note, and no interval: %+v, %q", metric, f.Absolute, f.Note)
		}
	}
	if f := get(t, doc, "json", "otel", "latency_max"); f.Verdict.Kind != finding.None || !tells(f.Notes, finding.NoteSharedCPU) {
		t.Errorf("%+v", f)
	}
	if f := get(t, doc, "json", "otel", "cpu_per_operation"); f.Verdict.Kind != finding.Costs || *f.Absolute.Low > 30e-6 || *f.Absolute.High < 30e-6 {
		t.Errorf("the CPU: %+v", f.Verdict)
	}
	if f := get(t, doc, "", "otel", "memory_peak"); f.Verdict.Kind != finding.NoDifference {
		t.Errorf("the memory: %+v", f.Verdict)
	}
	if !warned(doc, "woven") {
		t.Errorf("%+v", doc.Warnings)
	}
}

// A limit on latency cannot be kept by woven variants, nor broken; it takes nothing from the
// confidence of the others.
func TestBudgetsOfWovenVariants(t *testing.T) {
	for _, blocks := range []int{3, 10} {
		s := woven()
		s.blocks = blocks
		s.budget = []config.Limit{{Metric: "latency_p99", Value: 0.5}, {Metric: "cpu_per_operation", Value: 0.9}}
		doc := analyse(t, s.input())
		v := get(t, doc, "json", "otel", "latency_p99").Verdict
		if v.Kind != finding.CannotTell || v.Budget == nil || v.MoreBlocks != 0 || v.Reason().Code != finding.WhySharedCPU {
			t.Errorf("%d blocks: %+v", blocks, v)
		}
		if v := get(t, doc, "json", "otel", "cpu_per_operation").Verdict; blocks == 10 && (v.Kind != finding.Within || v.Claims != 1) {
			t.Errorf("%+v", v)
		}
	}
}

// Two results of woven variants are compared in their CPU alone.
func TestWovenResultsCompared(t *testing.T) {
	in := compare.Input{Base: woven().result(t, "a"), News: []*finding.Document{woven().result(t, "b")}, Budget: []config.Limit{{Metric: "latency_p99", Value: 0.5}}}
	doc := compared(t, in)
	if v := changeIn(t, doc, 0, "json", "otel", "latency_p99").Verdict; v.Kind != finding.CannotTell || v.Reason().Code != finding.WhySharedCPU {
		t.Errorf("%+v", v)
	}
	if v := changeIn(t, doc, 0, "json", "otel", "latency_p50").Verdict; v.Kind != finding.None && v.Kind != finding.CannotTell {
		t.Errorf("%+v", v)
	}
	if v := changeIn(t, doc, 0, "json", "otel", "cpu_per_operation").Verdict; v.Kind != finding.NoDifference {
		t.Errorf("%+v", v)
	}
}

func TestThroughputOfWovenVariants(t *testing.T) {
	s := connections(0.01, 8, 2, 4)
	s.also(func(r *record.Record) { r.Harness.Order = "woven" })
	n := 0
	for _, f := range analyse(t, s.input()).Findings {
		if f.Metric == metric.Throughput {
			n++
			if f.Verdict.Kind != finding.CannotTell || f.Verdict.Reason().Code != finding.WhySharedCPU {
				t.Errorf("%+v", f.Verdict)
			}
		}
	}
	if n == 0 {
		t.Error("no throughput")
	}
}

// Whether the precision asked for has been reached.

// precisely is a scene that is to stop at a precision.
func precisely(blocks int, precision float64, metric string) scene {
	s := shop(5, blocks, calm)
	s.design = func(e *config.Experiment) {
		e.Design.Blocks, e.Design.Most, e.Design.Precision, e.Design.Metric = 8, 30, precision, metric
	}
	return s
}

func TestPrecise(t *testing.T) {
	for _, c := range []struct {
		name      string
		blocks    int
		precision float64
		metric    string
		enough    bool
		bounded   bool
	}{
		{"wide", 8, 0.2, metric.CPUPerOperation, true, true},
		{"narrow", 8, 0.002, metric.CPUPerOperation, false, true},
		{"no metric is the CPU per operation", 8, 0.2, "", true, true},
		{"of the whole run", 8, 0.2, "startup_time", true, true},
		{"too few blocks", 5, 0.2, metric.CPUPerOperation, false, false},
		{"no ratio", 8, 0.2, "export_bytes_per_operation", false, false},
		{"no precision", 8, 0, metric.CPUPerOperation, false, true},
	} {
		enough, width, err := analysis.Precise(precisely(c.blocks, c.precision, c.metric).input())
		if err != nil || enough != c.enough || math.IsInf(width, 1) == c.bounded {
			t.Errorf("%s: %v, width %g, error %v", c.name, enough, width, err)
		}
	}
}

// The width is that of the widest interval that the summary will have.
func TestPreciseIsTheWidestInterval(t *testing.T) {
	in := precisely(10, 0.05, metric.CPUPerOperation).input()
	_, width, err := analysis.Precise(in)
	if err != nil {
		t.Fatal(err)
	}
	widest := 0.0
	for _, f := range analyse(t, in).Findings {
		if f.Metric == metric.CPUPerOperation && f.Role == "" {
			widest = math.Max(widest, (math.Log1p(*f.Relative.High)-math.Log1p(*f.Relative.Low))/2)
		}
	}
	if math.Abs(width-widest) > 1e-12 {
		t.Errorf("width %g, the widest interval of the summary has %g", width, widest)
	}
	plain := in
	e := *in.Experiment
	e.Design.Most, e.Design.Precision = 0, 0
	plain.Experiment = &e
	if _, fixed, _ := analysis.Precise(plain); fixed >= width {
		t.Errorf("not widened: %g, of a fixed number of blocks %g", width, fixed)
	}
	if stats.SequentialConfidence(8, 30, claim.Confidence) <= claim.Confidence {
		t.Error("there is nothing to widen")
	}
}

func TestPreciseFails(t *testing.T) {
	if _, _, err := analysis.Precise(analysis.Input{}); err == nil {
		t.Error("of no experiment")
	}
	if _, _, err := analysis.Precise(precisely(8, 0.02, "nonsense").input()); err == nil {
		t.Error("of a metric that nothing has")
	}
	broken := precisely(8, 0.02, "")
	broken.change = func(r *record.Record) { r.Phases[0].Load.Latency = "broken" }
	if enough, _, err := analysis.Precise(broken.input()); err == nil || enough {
		t.Error("of a broken record")
	}
}

// Blocks that the harness spoiled do not count, as they do not in the summary.
func TestPreciseLeavesSpoiledBlocksOut(t *testing.T) {
	s := precisely(10, 0.2, "")
	_, clean, _ := analysis.Precise(s.input())
	s.change = func(r *record.Record) {
		if r.Block == 3 {
			r.Harness.StealSeconds = 100
			r.Phases[0].Usage[0].CPUSeconds *= 3
		}
	}
	if _, width, _ := analysis.Precise(s.input()); width > 1.5*clean {
		t.Errorf("a spoiled block makes the width %g, without it %g", width, clean)
	}
}

func BenchmarkPrecise(b *testing.B) {
	s := precisely(30, 0.01, "")
	s.latencies = true
	in := s.input()
	for b.Loop() {
		if _, _, err := analysis.Precise(in); err != nil {
			b.Fatal(err)
		}
	}
}

// An operation with a duration of its own is held against that, and not against the load's: five operations in 14 s hold 0.3/s.
func TestRateOfAnOperationsOwnDuration(t *testing.T) {
	for own, overloaded := range map[time.Duration]bool{14 * time.Second: false, 0: true} {
		s := twoVariants()
		s.rate = 0.3
		s.change = func(r *record.Record) {
			for i := range r.Phases {
				l := &r.Phases[i].Load
				l.Intended, l.Started, l.Completed, l.WallSeconds = 5, 5, 5, 14.2
			}
		}
		s.design = func(e *config.Experiment) { e.Load.Duration, e.Operations[0].Duration = 10*time.Second, own }
		if doc := analyse(t, s.input()); warned(doc, "overloaded") != overloaded {
			t.Errorf("duration %s of the operation, 10 s of the load: overloaded is %t", own, !overloaded)
		}
	}
}
