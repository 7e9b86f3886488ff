// Runs that fall into modes.

package analysis_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

func TestModes(t *testing.T) {
	for _, who := range []string{"otel", "none"} {
		s := twoVariants()
		s.blocks, s.noise = 12, 0.003
		s.change = func(r *record.Record) {
			if r.Variant == who && r.Block%2 == 0 {
				r.Phases[0].Usage[0].CPUSeconds *= 2
			}
		}
		doc := analyse(t, s.input())
		v := get(t, doc, "json", "otel", "cpu_per_operation").Verdict
		r := v.Reason()
		if v.Kind != finding.CannotTell || r.Code != finding.WhyModes || r.Variant != who || r.Figure("share") != 0.5 || !warned(doc, "modes") {
			t.Errorf("%s: %+v", who, v)
		}
	}
}

// Bytes that differ by a few in a thousand from run to run are no modes, also
// beside a baseline that sends none.
func TestModesThatDoNotMatter(t *testing.T) {
	s := twoVariants()
	s.blocks = 12
	s.change = func(r *record.Record) {
		if r.Variant == "otel" {
			r.Phases[0].Sink.Bytes += uint64(r.Block%2)*10000 + uint64(r.Block)*7
		}
	}
	if v := get(t, analyse(t, s.input()), "json", "otel", "export_bytes_per_operation").Verdict; v.Kind != finding.Costs {
		t.Errorf("%+v", v)
	}
}

// Modes that lie nearer to each other than to no difference are a cost, or a saving, in each
// of them; others are not one. A budget is kept in modes, or broken, where it is in each of them.
func TestModesOfOneSign(t *testing.T) {
	for name, test := range map[string]struct {
		low, high float64 // CPU of the even blocks and of the odd ones, as a factor
		budget    float64 // 0: none
		want      finding.Kind
	}{
		"costs in both":                 {10, 15, 0, finding.Costs},
		"saves in both":                 {0.1, 0.15, 0, finding.Saves},
		"costs nothing or more":         {1, 1.5, 0, finding.CannotTell},
		"costs a little, or twice":      {1.5, 4, 0, finding.CannotTell},
		"over its budget in both":       {10, 15, 0.03, finding.Over},
		"within its budget in both":     {1.1, 1.5, 1.1, finding.Within},
		"saves, so within in both":      {0.1, 0.15, 0.03, finding.Within},
		"over in one, within in one":    {1.01, 1.5, 0.1, finding.CannotTell},
		"costs in both, over in one":    {4, 6, 4, finding.CannotTell},
		"over in both, hardly in one":   {1.1, 1.5, 0.08, finding.CannotTell},
		"within in both, hardly in one": {1.1, 1.5, 0.55, finding.CannotTell},
	} {
		s := twoVariants()
		s.blocks, s.noise = 12, 0.003
		s.variants[1].adds = 0
		if test.budget > 0 {
			s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: test.budget}}
		}
		s.change = func(r *record.Record) {
			if r.Variant == "otel" {
				r.Phases[0].Usage[0].CPUSeconds *= []float64{test.low, test.high}[r.Block%2]
			}
		}
		doc := analyse(t, s.input())
		f := get(t, doc, "json", "otel", "cpu_per_operation")
		if f.Verdict.Kind != test.want || !tells(f.Verdict.Reasons, finding.WhyModes) || !warned(doc, "modes") {
			t.Errorf("%s: %+v, warned of modes: %v", name, f.Verdict, warned(doc, "modes"))
		}
	}
}

// Over few blocks the signs of all claims together tell it.
func TestModesOfOneSignJointly(t *testing.T) {
	for factor, want := range map[float64]finding.Kind{1.5: finding.Costs, 30: finding.CannotTell} {
		s := manyClaims(8, 0.001)
		s.change = func(r *record.Record) {
			if r.Variant == "otel" {
				r.Phases[0].Usage[0].CPUSeconds *= []float64{10, 10 * factor}[r.Block%2]
			}
		}
		doc := analyse(t, s.input())
		v := get(t, doc, "op0", "otel", "cpu_per_operation").Verdict
		if v.Kind != want || v.Joint != (want == finding.Costs) || !warned(doc, "modes") {
			t.Errorf("modes %g times apart: %+v, warned of modes: %v", factor, v, warned(doc, "modes"))
		}
	}
}

// What each further call in depth costs: lines through the levels, and bends.

func TestDepths(t *testing.T) {
	depths := []int{2, 4, 8, 16, 32}
	doc := analyse(t, calls(agents, depths...).input())
	for metric, want := range map[string]float64{"slope": 315e-9, "base": 900e-9, "time_per_call_slope": 335e-9, "time_per_call_base": 900e-9, "r2": 1, "time_per_call_r2": 1} {
		f := get(t, doc, "json", "otel", metric)
		within := math.Abs(float64(f.Value)/want-1) < 0.1
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
			p.Spans = map[string]program.Number{"json": {Low: 10, High: 10}}
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

// manyClaims are two tracers on four operations in so many blocks: eight claims a
// metric, for which corrected intervals exist from nine blocks on. One of the tracers
// costs something, the other nothing.
func manyClaims(blocks int, noise float64) scene {
	s := twoVariants()
	s.blocks, s.noise = blocks, noise
	s.order, s.operations = nil, map[string]float64{}
	for i := range 4 {
		name := fmt.Sprintf("op%d", i)
		s.order, s.operations[name] = append(s.order, name), 50e-6
	}
	s.variants = append(s.variants, actor{name: "free", tracer: "otel-go", spans: 3})
	return s
}

func TestFewBlocksManyClaims(t *testing.T) {
	for _, blocks := range []int{6, 8, 9} {
		doc := analyse(t, manyClaims(blocks, 0.01).input())
		corrected := blocks >= stats.MinBlocks(stats.Bonferroni(claim.Confidence, 8))
		seen, none := 0, false
		for _, f := range doc.Findings {
			if f.Metric != "cpu_per_operation" || f.Role != "" {
				continue
			}
			seen++
			v := f.Verdict
			none = none || v.Kind == finding.NoDifference
			if v.Claims != 8 {
				t.Fatalf("%d blocks: %d claims, want 8", blocks, v.Claims)
			}
			switch f.Variant {
			case "otel":
				if v.Kind != finding.Costs || v.Joint == corrected {
					t.Errorf("%d blocks, %s of otel: %+v", blocks, f.Operation, v)
				}
				if !corrected && (*v.Low != *f.Relative.Low || *v.High != *f.Relative.High || v.Confidence != claim.Confidence) {
					t.Errorf("%d blocks, %s: the verdict's interval is %g to %g (%g), the finding's %g to %g", blocks, f.Operation, *v.Low, *v.High, v.Confidence, *f.Relative.Low, *f.Relative.High)
				}
			case "free":
				if v.Kind == finding.Costs || v.Kind == finding.Saves || v.Joint {
					t.Errorf("%d blocks, %s of a tracer that costs nothing: %+v", blocks, f.Operation, v)
				}
			}
		}
		if seen != 8 {
			t.Errorf("%d findings of CPU per operation, want 8", seen)
		}
		if none != corrected {
			t.Errorf("%d blocks: that there is no difference is said: %t; no verdict says so below 9 blocks", blocks, none)
		}
	}
}

// Budgets need intervals, and so does a number of blocks that was not fixed.
func TestNotJointly(t *testing.T) {
	budget := manyClaims(6, 0.01)
	budget.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.03}}
	stopping := manyClaims(6, 0.01)
	stopping.design = func(e *config.Experiment) {
		e.Design.Blocks, e.Design.Most, e.Design.Precision, e.Design.Metric = 6, 12, 0.02, "cpu_per_operation"
	}
	for name, s := range map[string]scene{"budget": budget, "stopping": stopping} {
		for _, f := range analyse(t, s.input()).Findings {
			if f.Metric == "cpu_per_operation" && f.Role == "" && (f.Verdict.Joint || f.Verdict.Kind == finding.Costs) {
				t.Errorf("%s: %s of %s: %+v", name, f.Operation, f.Variant, f.Verdict)
			}
		}
	}
}

// Experiments in which no tracer costs anything: how often any of the claims on six blocks
// says that one does. The headline is one family, the CPU by role and the memory are of another.
func TestJointAlarms(t *testing.T) {
	const experiments = 400
	alarms := map[string]int{}
	for seed := range uint64(experiments) {
		s := manyClaims(6, 0.02)
		s.seed = seed
		s.variants[1].adds, s.variants[1].delays = 0, 0
		alarmed := map[string]bool{}
		for _, f := range analyse(t, s.input()).Findings {
			switch {
			case !f.Verdict.Joint:
			case f.Headline:
				alarmed["headline"] = true
			case f.Metric == "cpu_per_operation" || f.Metric == "memory_mean" || f.Metric == "memory_peak":
				alarmed["other"] = true
			}
		}
		for family := range alarmed {
			alarms[family]++
		}
	}
	for family, n := range alarms {
		t.Logf("%s: %.1f %%", family, 100*float64(n)/experiments)
		if n > experiments*9/100 { // 5 %, and three standard errors
			t.Errorf("%s: an alarm in %d of %d experiments in which nothing costs anything", family, n, experiments)
		}
	}
}
