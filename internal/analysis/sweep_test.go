// Levels: no mixing, curves, knees, and ledgers that still add up.

package analysis_test

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

func TestLevelsAreNotMixed(t *testing.T) {
	doc := analyse(t, connections(0.005, 8, 1, 2, 4, 8, 16, 32).input())
	var levels []string
	for _, f := range doc.Findings {
		if f.Metric != "throughput" {
			continue
		}
		levels = append(levels, f.Parameter["connections"])
		if f.Blocks != 10 || *f.Relative.Low > -0.2 || *f.Relative.High < -0.2 || f.Verdict.Kind != finding.Costs {
			t.Errorf("%v: %+v", f.Parameter, f)
		}
	}
	if strings.Join(levels, " ") != "1 2 4 8 16 32" {
		t.Errorf("levels %v", levels)
	}
	for _, f := range doc.Findings {
		if strings.HasPrefix(f.Metric, "latency") {
			t.Errorf("a closed loop has %s", f.Metric)
		}
		if f.Operation == "" && f.Parameter != nil {
			t.Errorf("%s of the whole run has a level", f.Metric)
		}
	}
	if doc.Experiment.Load != "1, 2, 4, 8, 16 and 32 connections kept busy for 20s, closed loop" {
		t.Error(doc.Experiment.Load)
	}
}

func TestSweepOfConnections(t *testing.T) {
	doc := analyse(t, connections(0.005, 8, 1, 2, 4, 8, 16, 32).input())
	s := sweepOf(t, doc, "otel", "throughput")
	if s.Parameter != "connections" || len(s.Points) != 6 || s.Unit != "1/s" {
		t.Fatalf("%+v", s)
	}
	for i, want := range []float64{80, 160, 320, 640, 640, 640} {
		if p := s.Points[i]; *p.Low > want || *p.High < want {
			t.Errorf("at %v: %v (%v to %v), want %v", p.X, p.Y, *p.Low, *p.High, want)
		}
	}
	if s.Knee == nil || s.Knee.X != 8 || s.Knee.First || s.Knee.After != nil || s.Knee.Under != 0.1 || s.Knee.Last != 32 || s.Knee.Gain.Low == nil {
		t.Errorf("knee %+v", s.Knee)
	}
	if c := sweepOf(t, doc, "none", "cpu_per_operation"); len(c.Points) != 6 || c.Knee != nil {
		t.Errorf("%+v", c)
	}
}

func sweepOf(t *testing.T, doc *finding.Document, variant, metric string) finding.Sweep {
	t.Helper()
	for _, s := range doc.Sweeps {
		if s.Variant == variant && s.Metric == metric {
			return s
		}
	}
	t.Fatalf("no sweep of %s of %s", metric, variant)
	return finding.Sweep{}
}

func TestKnees(t *testing.T) {
	for _, c := range []struct {
		name  string
		scene scene
		x     float64 // 0: none
		first bool
		after float64 // the knee lies between that and x; 0: at x
	}{
		{"none yet", connections(0.005, 100, 1, 2, 4, 8), 0, false, 0},
		{"flat from the first", connections(0.005, 1, 1, 2, 4, 8), 1, true, 0},
		{"levels that are no doublings", connections(0.005, 10, 1, 5, 10, 15, 20), 10, false, 0},
		{"noise hides it", connections(0.4, 8, 1, 2, 4, 8, 16, 32), 0, false, 0},
		{"too few blocks", func() scene { s := connections(0.005, 8, 1, 2, 4, 8, 16); s.blocks = 5; return s }(), 0, false, 0},
		{"between two levels", connections(0.02, 4.45, 1, 2, 4, 8, 16, 32), 8, false, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			knee := sweepOf(t, analyse(t, c.scene.input()), "none", "throughput").Knee
			switch {
			case c.x == 0 && knee != nil:
				t.Errorf("a knee is claimed: %+v", knee)
			case c.x > 0 && (knee == nil || knee.X != c.x || knee.First != c.first || (knee.After != nil) != (c.after > 0) || c.after > 0 && *knee.After != c.after):
				t.Errorf("%+v, want %v (first: %t, after %v)", knee, c.x, c.first, c.after)
			}
		})
	}
}

// With curves that never bend, a knee is claimed in under one in twenty.
func TestNoKneeWhereThereIsNone(t *testing.T) {
	claimed := 0
	for seed := range uint64(60) {
		s := connections(0.05, 1000, 1, 2, 4, 8, 16)
		s.also(func(r *record.Record) { // exactly a tenth more per doubling: the edge of the rule
			rate := 100.0
			for i := range r.Phases {
				p := &r.Phases[i]
				p.Load.Completed = uint64(window * rate * wobble(r, p.Parameter["connections"]+string(rune('a'+seed)), 0.05))
				rate *= 1.1
			}
		})
		if sweepOf(t, analyse(t, s.input()), "none", "throughput").Knee != nil {
			claimed++
		}
	}
	if claimed > 6 {
		t.Errorf("%d of 60", claimed)
	}
}

func TestSweepOfRates(t *testing.T) {
	s := rates(100, 200, 400)
	s.also(func(r *record.Record) {
		if p := &r.Phases[2]; r.Variant == "otel" {
			p.Load.WallSeconds = 30
		}
	})
	doc := analyse(t, s.input())
	if p := sweepOf(t, doc, "none", "latency_p50").Points; len(p) != 3 || p[2].X != 400 {
		t.Errorf("%+v", p)
	}
	if p := sweepOf(t, doc, "otel", "latency_p50").Points; len(p) != 2 {
		t.Errorf("the latency of a level at which a variant was overloaded: %+v", p)
	}
	if s := sweepOf(t, doc, "otel", "throughput"); len(s.Points) != 3 || s.Knee != nil || s.Points[2].Y > 280 {
		t.Errorf("what it reached: %+v", s)
	}
	for _, f := range doc.Findings {
		if f.Metric == "latency_p50" && (f.Verdict.Kind == finding.Overloaded) != (f.Parameter["rate"] == "400") {
			t.Errorf("%v: %+v", f.Parameter, f.Verdict)
		}
	}
	if len(doc.Curves) != 6 || doc.Curves[0].Parameter["rate"] != "100" {
		t.Errorf("%d curves", len(doc.Curves))
	}
	if doc.Experiment.Load != "100, 200 and 400 operations/s for 20s, open loop" {
		t.Error(doc.Experiment.Load)
	}
}

func TestLedgersOfSweepsAddUp(t *testing.T) {
	s := connections(0.005, 8, 1, 2, 4)
	var started uint64
	s.also(onlyRuns("otel", func(r *record.Record) {
		for _, p := range r.Phases {
			started += p.Load.Started
		}
		if r.Block == 3 {
			r.Phases[1].Sink.Spans -= 5
		}
	}))
	s.budget = []config.Limit{{Metric: "lost_share"}}
	doc := analyse(t, s.input())
	l := ledgerOf(t, doc, "json", "otel")
	if l.Operations != started || ledger.Spans(l, ledger.Expected) != int64(3*started) || ledger.Spans(l, ledger.Delivered) != int64(3*started)-5 || ledger.Spans(l, ledger.Unaccounted) != 5 || !l.Exact {
		t.Errorf("%d operations, %+v", l.Operations, l)
	}
	for _, f := range doc.Findings {
		if f.Metric == "delivered_share" && (f.Verdict.Kind == finding.Over) != (f.Parameter["connections"] == "2") {
			t.Errorf("the loss was at 2 connections; at %v: %+v", f.Parameter, f.Verdict)
		}
	}
}

// Levels that are no numbers are compared, but make no curve.
func TestLevelsThatAreNoNumbers(t *testing.T) {
	s := twoVariants()
	s.also(func(r *record.Record) { r.Phases[0].Parameter = map[string]string{"body": "large"} })
	doc := analyse(t, s.input())
	if f := get(t, doc, "json", "otel", "cpu_per_operation"); f.Parameter["body"] != "large" || len(doc.Sweeps) > 0 {
		t.Errorf("%+v, %d sweeps", f.Parameter, len(doc.Sweeps))
	}
}
