// Whether the precision asked for has been reached.

package analysis_test

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

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
	if stats.SequentialConfidence(8, 30, estimate.Confidence) <= estimate.Confidence {
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
