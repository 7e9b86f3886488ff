package analysis_test

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

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
