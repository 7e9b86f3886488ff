// Operations that do nothing: what tracing adds to them is an amount, in the summary, the
// verdict, the doubts and the precision.

package analysis_test

import (
	"math"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// What tracing adds to an operation that does nothing is a time: its share of nothing says
// nothing. It is a share where the operation burns time, or where somebody set a limit.
func TestCostOverNothingIsAnAmount(t *testing.T) {
	empty := func(e *config.Experiment) { e.Operations[0].Empty = true }
	for name, test := range map[string]struct {
		change func(*config.Experiment)
		amount bool
	}{
		"a call that does nothing": {empty, true},
		"work":                     {func(*config.Experiment) {}, false},
		"time burnt":               {func(e *config.Experiment) { empty(e); e.Load.Busy = time.Millisecond }, false},
		"a budget": {func(e *config.Experiment) {
			empty(e)
			e.Budget = []config.Limit{{Metric: "time_per_call", Value: 0.05}}
		}, false},
	} {
		s := calls(agents, 10)
		design := s.design
		s.design = func(e *config.Experiment) { design(e); test.change(e) }
		doc := analyse(t, s.input())
		f := get(t, doc, "json", "otel", "time_per_call")
		if f.Amount != test.amount || f.Relative == nil {
			t.Errorf("%s: amount %v, ratio %+v", name, f.Amount, f.Relative)
		}
		if f.Verdict.Kind == finding.Costs && (*f.Verdict.Low < 1e-3) != test.amount {
			t.Errorf("%s: the verdict is on another scale: %+v", name, f.Verdict)
		}
		if i := f.Shown(); test.amount && (i != f.Absolute || math.Abs(i.Estimate/4.05e-6-1) > 0.02) || !test.amount && i != f.Relative {
			t.Errorf("%s: %+v answers", name, i)
		}
		if f := get(t, doc, "json", "otel", "allocation_per_operation"); f.Amount {
			t.Errorf("%s: bytes are no time", name)
		}
		l := doc.Lossy[0]
		if (l.Added != nil) != test.amount || (l.Cost != nil) == test.amount {
			t.Errorf("%s: excluded from the ranking with %+v and %+v", name, l.Cost, l.Added)
		}
	}
}

// Modes of a method that does nothing are next to nothing beside what an agent adds.
func TestModesOfNothing(t *testing.T) {
	for _, empty := range []bool{true, false} {
		s := calls(map[string]call{"otel": {perCall: 900e-9, perSpan: 1e-6}}, 10)
		design, change := s.design, s.change
		s.design = func(e *config.Experiment) { design(e); e.Operations[0].Empty = empty }
		s.change = func(r *record.Record) {
			change(r)
			if r.Variant == "none" && r.Block%2 == 0 { // as the JVM happened to compile it
				r.Phases[0].Load.Driven.CallSeconds *= 1.3
			}
		}
		f := get(t, analyse(t, s.input()), "json", "otel", "time_per_call")
		if v := f.Verdict; v.Kind != finding.Costs || tells(v.Reasons, finding.WhyModes) == empty {
			t.Errorf("empty %v: %+v", empty, v)
		}
	}
}

// They are nothing, too, beside the noise of what it adds: a ratio to them says nothing.
func TestModesWithinTheNoise(t *testing.T) {
	for factor, clear := range map[float64]bool{2: true, 20: false} {
		s := calls(map[string]call{"otel": {perCall: 900e-9, perSpan: 1e-6}}, 10)
		design, change := s.design, s.change
		s.design = func(e *config.Experiment) { design(e); e.Operations[0].Empty = true }
		s.change = func(r *record.Record) {
			change(r)
			if r.Variant == "none" && r.Block%2 == 0 {
				r.Phases[0].Load.Driven.CallSeconds *= factor // of 0.2 µs, beside 10.9 added with a spread of 0.2
			}
		}
		f := get(t, analyse(t, s.input()), "json", "otel", "time_per_call")
		if v := f.Verdict; v.Kind != finding.Costs || tells(v.Reasons, finding.WhyModes) == clear {
			t.Errorf("%g times as slow: %+v", factor, v)
		}
	}
}

// A precision is that of what answers.
func TestPrecisionOfAnAmount(t *testing.T) {
	width := func(empty bool) float64 {
		s := calls(map[string]call{"otel": agents["otel"]}, 10)
		design, change := s.design, s.change
		s.design = func(e *config.Experiment) { design(e); e.Operations[0].Empty = empty }
		s.change = func(r *record.Record) {
			change(r)
			if r.Variant == "none" {
				r.Phases[0].Load.Driven.CallSeconds *= 1 + 0.05*float64(r.Block)
			}
		}
		in := s.input()
		in.Experiment.Design.Metric = "time_per_call"
		_, got, err := analysis.Precise(in)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if of, ratio := width(true), width(false); of > 0.03 || ratio < 0.06 {
		t.Errorf("of the amount %g, of the ratio %g", of, ratio)
	}
}
