// Calls at a rate, and what their windows lost.

package analysis_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

// fixedRateCalls is otel's calls at a rate.
func fixedRateCalls() scene {
	s := calls(map[string]call{"otel": {perCall: 900e-9, perSpan: 315e-9}}, 10)
	s.design = func(e *config.Experiment) {
		e.Workload.Driver = program.SelfDriving
		e.Load = config.Load{Rate: 50000, Duration: window * time.Second, Depth: 10}
	}
	s.also(func(r *record.Record) {
		p := &r.Phases[0]
		p.OfferedRate, p.Load.Intended, p.Load.WallSeconds = 50000, 1000000, window
	})
	return s
}

func TestFixedRateCalls(t *testing.T) {
	doc := analyse(t, fixedRateCalls().input())
	if f := get(t, doc, "json", "otel", "cpu_per_operation"); !f.Headline {
		t.Error("no headline")
	}
	if f := get(t, doc, "json", "otel", "time_per_call"); f.Headline || f.Note != "" {
		t.Errorf("%+v", f)
	}
	for _, name := range []string{"blocked_time", "latency_p50", "time_per_call_p50"} {
		if _, has := look(doc, "json", "otel", "none", name, ""); has {
			t.Errorf("%s of calls that wait for their tick", name)
		}
	}
	if doc.Experiment.Load != "operations for 20s at depth 10, at a fixed rate of 50000 operations/s" {
		t.Error(doc.Experiment.Load)
	}
}

// What was not held, or sent nothing, is not told of as if it were.
func TestFixedRateCallsThatAreNotWhatTheySeem(t *testing.T) {
	s := fixedRateCalls()
	s.also(onlyRuns("otel", func(r *record.Record) { r.Phases[0].Load.WallSeconds = 2 * window }))
	doc := analyse(t, s.input())
	if !slices.ContainsFunc(doc.Warnings, func(w finding.Warning) bool {
		return w.Code == "overloaded" && strings.HasSuffix(w.Text, ": its figures are those of the rate reached")
	}) {
		t.Errorf("%+v", doc.Warnings)
	}
	// Of a quarter a calibration of 20 operations would not tell that it was made.
	for name, lost := range map[string]uint64{"some": 2, "all": 1} {
		s = fixedRateCalls()
		s.also(onlyRuns("otel", func(r *record.Record) { r.Phases[0].Sink.Spans -= r.Phases[0].Sink.Spans / lost }))
		doc = analyse(t, s.input())
		if len(doc.Lossy) != 1 || doc.Lossy[0].Part != "in the window" || (doc.Lossy[0].Cost == nil && doc.Lossy[0].Added == nil) != (lost == 1) {
			t.Errorf("%s of the spans lost: %+v", name, doc.Lossy)
		}
	}
}

// At a rate a variant is excluded from the ranking for what its window lost, not its warm-up, and has no
// cost per span then; unthrottled for either. What it suppresses by a limit of its own excludes
// it from the ranking unthrottled alone: at a rate it is told beside.
func TestWhatIsLostInWarmUpOfCalls(t *testing.T) {
	const spans = 10000000 // of a window
	unthrottled := func() scene { return calls(map[string]call{"otel": {perCall: 900e-9, perSpan: 315e-9}}, 10) }
	for name, test := range map[string]struct {
		scene                func() scene
		warmup, window, held uint64 // spans that are lost, or suppressed
		apart, suppressed    float64
	}{
		"fixed rate, lost in warm-up":    {fixedRateCalls, spans / 10, 0, 0, 0, 0},
		"fixed rate, lost in the window": {fixedRateCalls, 0, spans / 10, 0, 0.1, 0},
		"fixed rate, suppressed":         {fixedRateCalls, 0, 0, spans / 10, 0, 0.05},
		"unthrottled, lost in warm-up":   {unthrottled, spans / 10, 0, 0, 0.05, 0},
		"unthrottled, lost in window":    {unthrottled, 0, spans / 10, 0, 0.05, 0},
		"unthrottled, suppressed":        {unthrottled, 0, 0, spans / 10, 0.05, 0},
	} {
		s := test.scene()
		s.also(onlyRuns("otel", func(r *record.Record) {
			p := &r.Phases[0]
			p.Warmup.Started, p.Warmup.Completed, p.WarmupSink = spans/10, spans/10, p.Sink
			p.WarmupSink.Spans -= test.warmup
			p.Sink.Spans, p.Sink.Suppressed = p.Sink.Spans-test.window-test.held, test.held
			all := test.warmup + test.window
			r.Tracer.Dropped = &all
		}))
		doc := analyse(t, s.input())
		apart, suppressed := doc.LostShare("json", nil, "otel"), 0.0
		if len(doc.Suppressed) == 1 {
			suppressed = doc.Suppressed[0].Share
		}
		if math.Abs(apart-test.apart) > 1e-9 || math.Abs(suppressed-test.suppressed) > 1e-9 {
			t.Errorf("%s: %g lost and %g suppressed, want %g and %g", name, apart, suppressed, test.apart, test.suppressed)
		}
		if _, has := look(doc, "json", "otel", "none", "cpu_per_span", ""); has == (test.apart > 0) && test.held == 0 {
			t.Errorf("%s: a cost per span: %v", name, has)
		}
	}
}

// Calls that are counted are due for as long as the rate takes for them, however long the window may last.
func TestOverloadOfCountedCalls(t *testing.T) {
	for _, calls := range []uint64{0, 1_000_000} {
		for factor, want := range map[float64]bool{1: false, 2: true} {
			s := fixedRateCalls()
			before := s.design
			s.design = func(e *config.Experiment) {
				before(e)
				if e.Load.Calls = calls; calls > 0 {
					e.Load.Duration = config.DefaultLongest
				}
			}
			s.also(onlyRuns("otel", func(r *record.Record) { r.Phases[0].Load.WallSeconds = factor * window }))
			if doc := analyse(t, s.input()); warned(doc, "overloaded") != want {
				t.Errorf("%d calls that took %g times as long as they should: overloaded %t, want %t", calls, factor, !want, want)
			}
		}
	}
}

// Workloads that make their operations themselves, unthrottled.

// agents are two that deliver every span, and one that is cheap because it does not.
var agents = map[string]call{
	"kieker": {perCall: 300e-9, perSpan: 90e-9},
	"otel":   {perCall: 900e-9, perSpan: 315e-9},
	"scout":  {perCall: 100e-9, perSpan: 5e-9, lost: 0.9},
}

func TestCallsInSaturation(t *testing.T) {
	doc := analyse(t, calls(agents, 10).input())
	for metric, want := range map[string]float64{
		"time_per_call": 200e-9 + 900e-9 + 3150e-9, "time_per_call_p50": 4.25e-6, "cpu_per_operation": 4.25e-6*0.9 + 0.3*3.15e-6,
		"blocked_time": 0.1 * 4.25e-6, "allocation_per_operation": 500, "gc_count": 40, "gc_time": 20e-9, "heap_peak": 300e6, "heap_live": 300e6,
		"throughput": 1 / 4.25e-6, "delivered_share": 1, "delivered_rate": 10 / 4.25e-6,
	} {
		if f := get(t, doc, "json", "otel", metric); math.Abs(float64(f.Value)/want-1) > 0.04 {
			t.Errorf("%s is %g, want %g", metric, f.Value, want)
		}
	}
	if f := get(t, doc, "json", "otel", "time_per_call"); !f.Headline || f.Verdict.Kind != finding.Costs || !strings.Contains(f.Note, "saturation") || f.Relative == nil {
		t.Errorf("%+v", f)
	}
	if f := get(t, doc, "json", "otel", "cpu_per_operation"); f.Headline {
		t.Error("two headlines")
	}
	for _, name := range []string{"latency_p50", "time_per_call_p999"} {
		if f, has := look(doc, "json", "otel", "none", name, ""); has {
			t.Errorf("%+v", f)
		}
	}
	if warned(doc, "spoiled-blocks") || warned(doc, "spoiled-kept") || warned(doc, "generator-late") {
		t.Errorf("the program's own lateness is held against the harness: %+v", doc.Warnings)
	}
	if len(doc.Curves) != 4 {
		t.Errorf("%d curves", len(doc.Curves))
	}
}

// Rule 10: who loses spans is no cheap agent.
func TestLossyAgentsAreListedApart(t *testing.T) {
	doc := analyse(t, calls(agents, 10).input())
	if len(doc.Lossy) != 1 {
		t.Fatalf("%+v", doc.Lossy)
	}
	l := doc.Lossy[0]
	if l.Variant != "scout" || math.Abs(l.LostShare-0.9) > 1e-6 || len(l.Where) != 1 || l.Where[0].Place != finding.LostInQueue || l.Text != "90.0 % of the spans lost: 90.0 % in the tracer's queue" {
		t.Errorf("%+v", l)
	}
	if _, has := look(doc, "json", "scout", "none", "cpu_per_span", ""); has {
		t.Error("a quotient per span of an agent that throws spans away")
	}
	if f := get(t, doc, "json", "otel", "cpu_per_span"); math.Abs(float64(f.Value)/((4.25e-6-0.2e-6)*0.9+0.3*3.15e-6)*10-1) > 0.06 {
		t.Errorf("%g per span", f.Value)
	}
	if f := get(t, doc, "json", "scout", "time_per_call"); !tells(f.Notes, finding.NoteLossy) {
		t.Error(f.Note)
	} else if note, _ := told(f.Notes, finding.NoteLossy); math.Abs(note.Figure("share")-0.9) > 1e-9 || note.Variant != "scout" {
		t.Errorf("%+v", note)
	}
	if f := get(t, doc, "json", "otel", "time_per_call"); !f.Headline || math.Abs(f.Absolute.Estimate/4.05e-6-1) > 0.02 {
		t.Errorf("%+v", f.Absolute)
	}
}

// Just above and below what may be lost.
func TestOnePercentMayBeLost(t *testing.T) {
	for lost, apart := range map[float64]bool{0.0099: false, 0.0101: true} {
		doc := analyse(t, calls(map[string]call{"otel": {perCall: 900e-9, perSpan: 315e-9, lost: lost}}, 10).input())
		_, has := look(doc, "json", "otel", "none", "cpu_per_span", "")
		if has == apart || (len(doc.Lossy) == 1) != apart {
			t.Errorf("%g lost: per span %v, %+v", lost, has, doc.Lossy)
		}
	}
}

func TestWhatAStudyPublishedGoesWithTheFindings(t *testing.T) {
	s := twoVariants()
	below := 0.0
	s.design = func(e *config.Experiment) {
		e.Published = []config.Published{
			{Source: "a study", Workload: "hello/go", Operation: "json", Variant: "none", Metric: "throughput", Value: 390},
			{Source: "a study", Workload: "other/go", Operation: "json", Variant: "none", Metric: "throughput", Value: 1},
			{Source: "a study", Operation: "json", Variant: "otel", Metric: "throughput", Value: 245, Spread: 3, Note: "raw"},
		}
		e.Claims = []config.Claim{{Name: "MF1", Metric: "throughput", Of: "cost", Below: &below}}
	}
	in := s.input()
	in.LeftOut = []finding.LeftOut{{Variant: "inspectit", Reason: "its artefacts cannot be had"}}
	doc := analyse(t, in)
	if p := doc.Experiment.Published; len(p) != 2 || p[1].Value != 245 || p[1].Note != "raw" {
		t.Errorf("%+v", p)
	}
	if c := doc.Experiment.Claims; len(c) != 1 || c[0].Name != "MF1" || *c[0].Below != 0 {
		t.Errorf("%+v", c)
	}
	if l := doc.Experiment.LeftOut; len(l) != 1 || !warned(doc, "variant-left-out") {
		t.Errorf("%+v %+v", l, doc.Warnings)
	}
}

// Levels: no mixing, curves, knees, and ledgers that still add up.

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
