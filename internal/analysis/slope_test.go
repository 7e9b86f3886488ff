// What each further call in depth costs: lines through the levels, and bends.

package analysis_test

import (
	"math"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

func TestDepths(t *testing.T) {
	depths := []int{2, 4, 8, 16, 32}
	doc := analyse(t, calls(agents, depths...).input())
	for metric, want := range map[string]float64{"slope": 315e-9, "base": 900e-9, "time_per_call_slope": 335e-9, "time_per_call_base": 900e-9, "r2": 1, "time_per_call_r2": 1} {
		f := get(t, doc, "json", "otel", metric)
		within := math.Abs(f.Value/want-1) < 0.1
		if !within || f.Blocks != 8 || len(f.Parameter) > 0 {
			t.Errorf("%s is %g, want %g: %+v", metric, f.Value, want, f)
		}
	}
	f := get(t, doc, "json", "otel", "slope")
	if f.Absolute.Low == nil || *f.Absolute.Low > 315e-9 || *f.Absolute.High < 315e-9 || f.Verdict.Kind != finding.Costs || f.Relative != nil {
		t.Errorf("%+v %+v", f.Absolute, f.Verdict)
	}
	for _, f := range doc.Findings {
		if f.Parameter != nil && (f.Headline || f.Verdict.Kind != finding.None) {
			t.Errorf("a verdict on a level by itself: %+v", f)
		}
	}
	if !f.Headline {
		t.Error("the slope is no headline")
	}
	if f := get(t, doc, "json", "scout", "slope"); !tells(f.Notes, finding.NoteLineLost) {
		t.Error(f.Note)
	}
	if len(doc.Lossy) != len(depths) {
		t.Errorf("%+v", doc.Lossy)
	}
	for _, l := range doc.Lossy { // at each level, though the headline is the line through them
		if l.Variant != "scout" || l.Metric != metric.TimePerCall || l.Cost == nil || l.Cost.Estimate <= 0 {
			t.Errorf("%+v", l)
		}
	}
	// What was expected at each depth was learnt there.
	for _, l := range doc.Ledgers {
		if l.Operation == "json" && l.Variant == "otel" && (l.LostShare != 0 || !l.Exact || l.Entries[0].Spans != 8*1000000*(2+4+8+16+32)) {
			t.Errorf("%+v", l)
		}
	}
	points := map[string]int{}
	for _, c := range doc.Sweeps {
		if c.Parameter != "depth" {
			t.Error(c.Parameter)
		}
		points[c.Metric+" "+c.Variant] = len(c.Points)
	}
	if points["time_per_call otel"] != 5 || points["cpu_per_span otel"] != 5 || points["cpu_per_span scout"] != 0 {
		t.Errorf("%v", points)
	}
}

// What costs more the deeper it goes has a slope in the mean, and no base: a line that is none
// ends anywhere.
func TestNoStraightLine(t *testing.T) {
	doc := analyse(t, calls(map[string]call{
		"bent": {perCall: 900e-9, perSpan: 315e-9, deeper: 200e-9}, "straight": {perCall: 900e-9, perSpan: 315e-9},
	}, 2, 4, 8, 16, 32).input())
	base := get(t, doc, "json", "bent", "base")
	r, is := told(base.Verdict.Reasons, finding.WhyBent)
	below, between := r.Figure("below"), r.Figure("between")
	if !is || base.Verdict.Kind != finding.CannotTell || below < 300e-9 || below >= 400e-9 || between < 500e-9 || between >= 600e-9 {
		t.Errorf("%+v", base.Verdict)
	}
	if r.Figure("first") != 2 || r.Figure("before") != 16 || r.Figure("last") != 32 {
		t.Errorf("at depth %+v", r.Figures)
	}
	if f := get(t, doc, "json", "bent", "slope"); f.Verdict.Kind != finding.Costs || !tells(f.Notes, finding.NoteMeanSlope) {
		t.Errorf("%+v %s", f.Verdict, f.Note)
	}
	if f := get(t, doc, "json", "straight", "base"); f.Verdict.Kind != finding.Costs {
		t.Errorf("%+v", f.Verdict)
	}
	var warned []string
	for _, w := range doc.Warnings {
		if w.Code == "no-straight-line" {
			warned = append(warned, w.Where)
		}
	}
	if !slices.Equal(warned, []string{"json, bent"}) {
		t.Errorf("warned of %q", warned)
	}
}

// Without a calibration at a depth nobody knows how many spans a call makes there.
func TestNoNumberOfOneDepthIsUsedAtAnother(t *testing.T) {
	s := calls(map[string]call{"otel": {perCall: 900e-9, perSpan: 315e-9}}, 2, 4)
	s.extra = s.extra[:1]
	s.plan = func(p *config.Plan) {
		if p.Variant == "otel" {
			p.Spans = map[string]config.Number{"json": {Low: 10, High: 10}}
		}
	}
	doc := analyse(t, s.input())
	if warned(doc, "spans-surplus") || warned(doc, "spans-unaccounted") || !warned(doc, "expectation-unknown") {
		t.Errorf("%+v", doc.Warnings)
	}
	for _, f := range doc.Findings {
		if f.Metric == "cpu_per_span" && f.Parameter["depth"] == "4" {
			t.Errorf("%+v", f)
		}
	}
}
