// Capacities that are only known to lie between two rates: no verdict may be finer
// than the searches.

package analysis_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/compare"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// cells is a scene of searches for a limit on latency whose answers are cells of a
// grid, the same in every block: what passed, and what did not.
func cells(none, otel [2]float64) scene {
	s := capacities(map[string]float64{"none": 1, "otel": 1})
	s.design = func(e *config.Experiment) {
		e.Load.Rate = 0
		e.Load.Capacity = &config.RateSearch{Goal: config.GoalLatency, Percentile: 99, Limit: 20e6}
	}
	s.also(func(r *record.Record) {
		c, at := r.Phases[0].Capacity, none
		if r.Variant == "otel" {
			at = otel
		}
		c.Goal, c.Target, c.Rate, c.Passing, c.Failing = "latency", 0.020, at[0], at[0], at[1]
		c.Probes = []record.Probe{{Rate: r.Phases[0].OfferedRate, Held: true, Passed: true}}
	})
	return s
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// Where all searches end in the same two rates, what differs by less than these is
// not seen: no difference larger than 0 % would be a lie.
func TestTheSameCellIsNoProofOfEquality(t *testing.T) {
	f := get(t, analyse(t, cells([2]float64{1000, 1050}, [2]float64{1000, 1050}).input()), "json", "otel", "capacity")
	if f.Verdict.Kind != finding.NoDifference || !near(*f.Verdict.Bound, 0.05) || !near(*f.Relative.Low, 1/1.05-1) || !near(*f.Relative.High, 0.05) {
		t.Errorf("%+v, %+v", f.Verdict, f.Relative)
	}
	if !near(*f.Absolute.Low, -50) || !near(*f.Absolute.High, 50) || f.Value != 1000 || f.Relative.Estimate != 0 {
		t.Errorf("%+v", f.Absolute)
	}
	if note, _ := told(f.Notes, finding.NoteBracket); !near(note.Figure("share"), 0.05) {
		t.Errorf("%+v", f.Notes)
	}
}

func TestCellsAreCompared(t *testing.T) {
	const a, b, c, d = 1000.0, 1050.0, 1102.5, 1157.625
	for _, one := range []struct {
		name       string
		none, otel [2]float64
		kind       finding.Kind
		low, high  float64
	}{
		{"neighbours may be the same rate", [2]float64{b, c}, [2]float64{a, b}, finding.NoDifference, a/c - 1, 0},
		{"further apart they are not", [2]float64{c, d}, [2]float64{a, b}, finding.Costs, a/d - 1, b/c - 1},
		{"and upwards", [2]float64{a, b}, [2]float64{c, d}, finding.Saves, c/b - 1, d/a - 1},
		{"of different widths", [2]float64{a, b}, [2]float64{a, d}, finding.NoDifference, a/b - 1, d/a - 1},
	} {
		f := get(t, analyse(t, cells(one.none, one.otel).input()), "json", "otel", "capacity")
		if f.Verdict.Kind != one.kind || !near(*f.Relative.Low, one.low) || !near(*f.Relative.High, one.high) || !near(*f.Verdict.Low, one.low) {
			t.Errorf("%s: %+v, %v to %v", one.name, f.Verdict, *f.Relative.Low, *f.Relative.High)
		}
	}
}

func TestBudgetsOfCells(t *testing.T) {
	for value, want := range map[float64]finding.Kind{0.03: finding.CannotTell, 0.1: finding.Within} {
		s := cells([2]float64{1000, 1050}, [2]float64{1000, 1050})
		s.budget = []config.Limit{{Metric: "capacity", Value: value}}
		v := get(t, analyse(t, s.input()), "json", "otel", "capacity").Verdict
		if v.Kind != want {
			t.Errorf("may fall by %v: %+v", value, v)
		}
		if want == finding.CannotTell && (v.MoreBlocks != 0 || !tells(v.Reasons, finding.WhyBetweenEnds)) {
			t.Errorf("more blocks settle nothing: %+v", v)
		}
	}
}

// A fit reads its rate off a line: it is exact, whatever was probed around it.
func TestAFitIsExact(t *testing.T) {
	doc := analyse(t, capacities(map[string]float64{"none": 2450, "otel": 2450}).input())
	f := get(t, doc, "json", "otel", "capacity")
	if f.Samples[0].ValueWithin != nil || f.Samples[0].BaselineWithin != nil || *f.Relative.High > 0.02 {
		t.Errorf("%+v, %v", f.Samples[0], *f.Relative.High)
	}
}

func TestTheRateOfASearchIsABracket(t *testing.T) {
	one := searchOf(t, analyse(t, cells([2]float64{1000, 1050}, [2]float64{800, 840}).input()), "otel")
	if one.Rate.Estimate != 800 || *one.Rate.Low != 800 || *one.Rate.High != 840 {
		t.Errorf("%+v", one.Rate)
	}
	if one.Held != 800 || one.Failed != 840 {
		t.Errorf("%v passed and %v did not", one.Held, one.Failed)
	}
}

// A service that its database saturates before the CPU target can do what it held: the comparison stays, between its ends.
func TestASaturatedSearchIsABracket(t *testing.T) {
	s := capacities(map[string]float64{"none": 2450, "otel": 1520})
	s.also(search("none", func(r *record.Record, c *record.Search) {
		if r.Block == 3 {
			c.Outcome, c.Rate, c.Passing, c.Failing = record.Saturated, 0, 2300, 2400
		}
	}))
	doc := analyse(t, s.input())
	f := get(t, doc, "json", "otel", "capacity")
	if f.Verdict.Kind != finding.Costs || f.Relative.Low == nil {
		t.Fatalf("%+v, %+v", f.Verdict, f.Relative)
	}
	one := f.Samples[2]
	if one.Block != 3 || one.Baseline != 2300 || one.BaselineWithin == nil ||
		one.BaselineWithin.Low != 2300 || *one.BaselineWithin.High != 2400 {
		t.Errorf("block 3: %+v", one)
	}
	if got := searchOf(t, doc, "none"); got.Rate == nil || got.Rate.Low == nil || !strings.Contains(got.Text, "saturated at 2,300/s") {
		t.Errorf("%+v", got)
	}
}

// Where nothing is known that is too much, no interval ends there.
func TestABracketWithoutAnEnd(t *testing.T) {
	for _, budget := range [][]config.Limit{nil, {{Metric: "capacity", Value: 0.5}}} {
		s := cells([2]float64{1000, 1050}, [2]float64{800, 840})
		s.budget = budget
		s.also(search("otel", func(r *record.Record, c *record.Search) {
			if r.Block == 3 {
				c.Failing = 0
			}
		}))
		doc := analyse(t, s.input())
		f := get(t, doc, "json", "otel", "capacity")
		if f.Verdict.Kind != finding.CannotTell || f.Verdict.MoreBlocks != 0 || f.Verdict.Reason().Code != finding.WhyOpenBracket || f.Verdict.Reason().Figure("blocks") != 1 || f.Relative.Low != nil {
			t.Errorf("%+v, %+v", f.Verdict, f.Relative)
		}
		if one := searchOf(t, doc, "otel"); one.Rate.Low != nil {
			t.Errorf("%+v", one.Rate)
		}
	}
}

// Searches that end now in one cell and now in the next are no modes of the program.
func TestNeighbouringCellsAreNoModes(t *testing.T) {
	for _, c := range []struct {
		up    float64
		modes bool
	}{{1.05, false}, {1.05 * 1.05 * 1.05, true}} {
		s := cells([2]float64{1000, 1050}, [2]float64{1000, 1050})
		s.blocks = 20
		s.also(func(r *record.Record) {
			c := r.Phases[0].Capacity
			jitter := wobble(r, "grid", 0.001)
			c.Rate, c.Passing, c.Failing = c.Rate*jitter, c.Passing*jitter, c.Failing*jitter
		})
		s.also(search("otel", func(r *record.Record, one *record.Search) {
			if r.Block%2 == 0 {
				one.Rate, one.Passing, one.Failing = one.Rate*c.up, one.Passing*c.up, one.Failing*c.up
			}
		}))
		f := get(t, analyse(t, s.input()), "json", "otel", "capacity")
		if got := tells(f.Verdict.Reasons, finding.WhyModes); got != c.modes {
			t.Errorf("%.3f apart: %+v", c.up, f.Verdict)
		}
	}
}

// Blocks do not make a bracket narrower: an experiment that is to stop at less goes on
// to its most, and says why.
func TestPrecisionOfCells(t *testing.T) {
	for precision, want := range map[float64]bool{0.02: false, 0.06: true} {
		s := cells([2]float64{1000, 1050}, [2]float64{800, 840})
		s.blocks = 12
		s.design = func(e *config.Experiment) {
			e.Load = config.Load{Duration: e.Load.Duration, Capacity: &config.RateSearch{Goal: config.GoalLatency, Percentile: 99, Limit: 20e6}}
			e.Design.Blocks, e.Design.Most, e.Design.Precision, e.Design.Metric = 8, 12, precision, "capacity"
		}
		in := s.input()
		enough, width, err := analysis.Precise(in)
		if err != nil || enough != want || !near(width, math.Log(1.05)) {
			t.Errorf("±%v: %v, %v, %v", precision, enough, width, err)
		}
		told := false
		for _, w := range analyse(t, in).Warnings {
			told = told || w.Code == "precision-not-reached" && strings.Contains(w.Text, "a finer resolution")
		}
		if told == want {
			t.Errorf("±%v: the resolution is named: %v", precision, told)
		}
	}
}

func TestCellsOfTwoResults(t *testing.T) {
	same := cells([2]float64{1000, 1050}, [2]float64{800, 840})
	doc := compared(t, compare.Input{Base: same.result(t, "a"), News: []*finding.Document{same.result(t, "b")}})
	c := changeIn(t, doc, 0, "json", "otel", "capacity")
	most := 1.05*1.05 - 1
	if c.Verdict.Kind != finding.NoDifference || !near(*c.Verdict.Bound, most) || !near(*c.Relative.High, most) || *c.Absolute.High < 90-1e-9 {
		t.Errorf("%+v, %+v", c.Verdict, c.Relative)
	}
	baselines := 0
	for _, one := range doc.Changes {
		if one.Of == finding.OfBaseline && one.Metric == "capacity" {
			baselines++
			if !near(*one.Relative.High, 0.05) || !near(*one.Relative.Low, 1/1.05-1) || !near(*one.Absolute.Low, -50) || !near(*one.Absolute.High, 50) {
				t.Errorf("the baselines: %+v, %+v", one.Relative, one.Absolute)
			}
		}
	}
	if baselines != 1 {
		t.Errorf("%d baselines are compared", baselines)
	}
	for value, want := range map[float64]finding.Kind{0.05: finding.CannotTell, 0.2: finding.Within} {
		limit := []config.Limit{{Metric: "capacity", Value: value}}
		doc := compared(t, compare.Input{Base: same.result(t, "a"), News: []*finding.Document{same.result(t, "b")}, Budget: limit})
		v := changeIn(t, doc, 0, "json", "otel", "capacity").Verdict
		if v.Kind != want || want == finding.CannotTell && (v.MoreBlocks != 0 || !tells(v.Reasons, finding.WhyBetweenEnds)) {
			t.Errorf("may fall by %v: %+v", value, v)
		}
	}
}

func TestCellsOfTwoVariants(t *testing.T) {
	doc, err := compare.Variants(compare.Input{Base: cells([2]float64{1000, 1050}, [2]float64{1000, 1050}).result(t, "a")}, []string{"none", "otel"})
	if err != nil {
		t.Fatal(err)
	}
	c := changeIn(t, doc, 0, "json", "otel", "capacity")
	if c.Verdict.Kind != finding.NoDifference || !near(*c.Verdict.Bound, 0.05) || !near(*c.Absolute.Low, -50) {
		t.Errorf("%+v, %+v", c.Verdict, c.Absolute)
	}
}

// The mean over operations is no finer than its parts.
func TestMeanOfCells(t *testing.T) {
	s := cells([2]float64{1000, 1050}, [2]float64{800, 840})
	s.order, s.operations = []string{"json", "work"}, map[string]float64{"json": 50e-6, "work": 250e-6}
	s.also(func(r *record.Record) { r.Phases[1].Capacity = r.Phases[0].Capacity })
	doc := compared(t, compare.Input{Base: s.result(t, "a"), News: []*finding.Document{s.result(t, "b")}})
	found := false
	for _, c := range doc.Changes {
		if c.Of == finding.OfMean && c.Metric == "capacity" {
			found = true
			if !near(*c.Relative.High, 1.05*1.05-1) || !near(*c.Before.Relative.Low, 800/1050.0-1) {
				t.Errorf("%+v, %+v", c.Relative, c.Before.Relative)
			}
		}
	}
	if !found {
		t.Error("no mean")
	}
}
