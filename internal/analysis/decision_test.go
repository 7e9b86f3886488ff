package analysis_test

import (
	"math"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// What was measured at a rate has a decision at that rate; a closed loop has none.
func TestDecisions(t *testing.T) {
	s := twoVariants()
	doc := analyse(t, s.input())
	if len(doc.Decisions) != 1 {
		t.Fatalf("%d decisions, want 1", len(doc.Decisions))
	}
	d := doc.Decisions[0]
	w := d.Way("otel")
	if d.Operation != "json" || d.Baseline != "none" || d.Rate != 500 || d.Whole != "otel" ||
		w == nil || w.Kept != 1 || w.Standing != finding.OnFrontier {
		t.Fatalf("%+v", d)
	}
	if math.Abs(w.CPU.Estimate-30e-6*500) > 0.002 || math.Abs(d.Carries.Estimate-20000) > 2000 || math.Abs(w.Carries.Estimate-12500) > 1250 {
		t.Errorf("it adds %+v CPU, one carries %+v, then %+v", w.CPU, d.Carries, w.Carries)
	}
	s.change = func(r *record.Record) { // both of a block at the same time
		r.Started = time.Date(2026, 3, 14, 9, r.Block, 0, 0, time.UTC)
		r.Ended = r.Started.Add(40 * time.Second)
		if r.Variant == "otel" {
			r.Ended = r.Ended.Add(10 * time.Second)
		}
	}
	if d := analyse(t, s.input()).Decisions[0]; d.Seconds != 50 || d.Blocks != len(s.input().Records)/2 {
		t.Errorf("%d blocks of %g s", d.Blocks, d.Seconds)
	}
	s.design = func(e *config.Experiment) { e.Load.Rate, e.Load.Connections = 0, 4 }
	s.change = func(r *record.Record) { r.Phases[0].OfferedRate = 0 }
	if doc := analyse(t, s.input()); len(doc.Decisions) > 0 {
		t.Errorf("a closed loop: %+v", doc.Decisions)
	}
}
