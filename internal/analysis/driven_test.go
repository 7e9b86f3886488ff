package analysis

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/stats"
)

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
		if f := get(t, doc, "json", "otel", metric); math.Abs(f.Value/want-1) > 0.04 {
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
	if f := get(t, doc, "json", "otel", "cpu_per_span"); math.Abs(f.Value/((4.25e-6-0.2e-6)*0.9+0.3*3.15e-6)*10-1) > 0.06 {
		t.Errorf("%g per span", f.Value)
	}
	if f := get(t, doc, "json", "scout", "time_per_call"); !strings.Contains(f.Note, "90.0 % of its spans were lost") {
		t.Error(f.Note)
	}
	if want := "listed apart, because they lost spans: scout"; !strings.Contains(doc.Answer, want) || strings.Contains(strings.Split(doc.Answer, ";")[0], "scout") {
		t.Error(doc.Answer)
	}
	if !strings.Contains(doc.Answer, "tracing with otel costs 4.0") || !strings.Contains(doc.Answer, "µs per call") {
		t.Error(doc.Answer)
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
	if f := get(t, doc, "json", "scout", "slope"); !strings.Contains(f.Note, "throws spans away") {
		t.Error(f.Note)
	}
	if !strings.Contains(doc.Answer, "tracing with otel costs 31") || !strings.Contains(doc.Answer, ") per further call in depth on json") || strings.Contains(doc.Answer, "with scout") {
		t.Error(doc.Answer)
	}
	if len(doc.Lossy) != len(depths) {
		t.Errorf("%+v", doc.Lossy)
	}
	for _, l := range doc.Lossy { // at each level, though the headline is the line through them
		if l.Variant != "scout" || l.Metric != timePerCall || l.Cost == nil || l.Cost.Estimate <= 0 {
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
	if !regexp.MustCompile(`^cannot tell: no straight line: a further call costs 3\d\d ns at depth 2 to 16, and 5\d\d ns at 16 to 32$`).MatchString(base.Verdict.Text) {
		t.Errorf("%+v", base.Verdict)
	}
	if f := get(t, doc, "json", "bent", "slope"); f.Verdict.Kind != finding.Costs || !strings.Contains(f.Note, "no straight line: ") {
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

// Three levels are too few to tell a bend, and so are blocks of which some bend the other way.
func TestBendsThatAreNone(t *testing.T) {
	if _, ok := bendOf([]float64{2, 4, 8}, []float64{1, 2, 9}); ok {
		t.Error("three levels")
	}
	a := axis{parameter: depthParameter, x: []float64{2, 4, 8, 16}}
	of := func(added ...[]float64) map[int]lines {
		out := map[int]lines{}
		for i, y := range added {
			var l lines
			l.cost, _ = stats.FitLine(a.x, y)
			l.bend, l.bends = bendOf(a.x, y)
			out[i] = l
		}
		return out
	}
	up, down, little := []float64{2, 4, 8, 32}, []float64{2, 4, 8, 8}, []float64{2, 4, 8, 17}
	if text := bentText(of(up, up, up, up, up, up), a, 0.95); !strings.Contains(text, "costs 1.00 s at depth 2 to 8, and 3.00 s at 8 to 16") {
		t.Errorf("%q", text)
	}
	for name, blocks := range map[string]map[int]lines{
		"both ways": of(up, down, up, down, up, up), "little": of(little, little, little, little, little, little), "few blocks": of(up, up, up, up, up),
	} {
		if text := bentText(blocks, a, 0.95); text != "" {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// Without a calibration at a depth nobody knows how many spans a call makes there.
func TestNoNumberOfOneDepthIsUsedAtAnother(t *testing.T) {
	s := calls(map[string]call{"otel": {perCall: 900e-9, perSpan: 315e-9}}, 2, 4)
	s.extra = s.extra[:1]
	s.plan = func(p *spec.Plan) {
		if p.Variant == "otel" {
			p.Spans = map[string]spec.Number{"json": {Low: 10, High: 10}}
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

// pacedCalls is otel's calls at a rate.
func pacedCalls() scene {
	s := calls(map[string]call{"otel": {perCall: 900e-9, perSpan: 315e-9}}, 10)
	s.design = func(e *spec.Experiment) {
		e.Workload.Self = true
		e.Load = spec.Load{Rate: 50000, Duration: window * time.Second, Depth: 10}
	}
	s.also(func(r *record.Record) {
		p := &r.Phases[0]
		p.OfferedRate, p.Load.Intended, p.Load.WallSeconds = 50000, 1000000, window
	})
	return s
}

func TestPacedCalls(t *testing.T) {
	doc := analyse(t, pacedCalls().input())
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
	if doc.Experiment.Load != "operations for 20s at depth 10, paced at 50000 operations/s" {
		t.Error(doc.Experiment.Load)
	}
}

// At a rate a variant is listed apart for what its window lost, not its warm-up, and has no
// cost per span then; back to back for either. What it holds back by a limit of its own lists
// it apart back to back alone: at a rate it is told beside.
func TestWhatIsLostInWarmUpOfCalls(t *testing.T) {
	const spans = 10000000 // of a window
	backToBack := func() scene { return calls(map[string]call{"otel": {perCall: 900e-9, perSpan: 315e-9}}, 10) }
	for name, test := range map[string]struct {
		scene                func() scene
		warmup, window, held uint64 // spans that are lost, or held back
		apart, unsent        float64
	}{
		"paced, lost in warm-up":        {pacedCalls, spans / 10, 0, 0, 0, 0},
		"paced, lost in the window":     {pacedCalls, 0, spans / 10, 0, 0.1, 0},
		"paced, held back":              {pacedCalls, 0, 0, spans / 10, 0, 0.05},
		"back to back, lost in warm-up": {backToBack, spans / 10, 0, 0, 0.05, 0},
		"back to back, lost in window":  {backToBack, 0, spans / 10, 0, 0.05, 0},
		"back to back, held back":       {backToBack, 0, 0, spans / 10, 0.05, 0},
	} {
		s := test.scene()
		s.also(onlyRuns("otel", func(r *record.Record) {
			p := &r.Phases[0]
			p.Warmup.Started, p.Warmup.Completed, p.WarmupSink = spans/10, spans/10, p.Sink
			p.WarmupSink.Spans -= test.warmup
			p.Sink.Spans, p.Sink.Forgone = p.Sink.Spans-test.window-test.held, test.held
			all := test.warmup + test.window
			r.Tracer.Dropped = &all
		}))
		doc := analyse(t, s.input())
		apart, unsent := doc.LostShare("json", nil, "otel"), 0.0
		if len(doc.Unsent) == 1 {
			unsent = doc.Unsent[0].Share
		}
		if math.Abs(apart-test.apart) > 1e-9 || math.Abs(unsent-test.unsent) > 1e-9 {
			t.Errorf("%s: %g apart and %g not sent, want %g and %g", name, apart, unsent, test.apart, test.unsent)
		}
		if _, has := look(doc, "json", "otel", "none", "cpu_per_span", ""); has == (test.apart > 0) && test.held == 0 {
			t.Errorf("%s: a cost per span: %v", name, has)
		}
	}
}

func TestLoadInWords(t *testing.T) {
	for want, l := range map[string]spec.Load{
		"2,000,000 operations at depth 10 on 1 thread, back to back":                 {Calls: 2e6, Depth: 10, Threads: 1},
		"operations for 10s at depth 2, 4 and 8, back to back":                       {Duration: 10 * time.Second, Depths: []int{2, 4, 8}},
		"1,000 operations or 10s on 1 and 2 threads each busy for 1µs, back to back": {Calls: 1000, Duration: 10 * time.Second, Crowds: []int{1, 2}, Busy: time.Microsecond},
		"operations for 30s, paced at 10000 and 20000 operations/s":                  {Duration: 30 * time.Second, Rates: []float64{10000, 20000}},
	} {
		if got := loadText(l, true); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// stepped is a tracer whose setting says which steps are left.
func stepped() scene {
	s := calls(map[string]call{
		"a-off": {perSpan: 20e-9}, "b-probe": {perSpan: 100e-9}, "c-full": {perSpan: 300e-9}, "d-http": {perSpan: 400e-9},
	}, 10)
	before := s.design
	s.design = func(e *spec.Experiment) {
		before(e)
		tracer := &spec.Tracer{Name: "otel-java", Settings: []spec.Setting{{Name: "mode", Kind: "choice", Choices: map[string]spec.Choice{
			"off": {Steps: []string{"instrumentation"}}, "probe": {Steps: []string{"instrumentation", "probe"}}, "full": {},
		}}, {Name: "protocol"}}}
		for i, settings := range []map[string]string{nil, {"mode": "off", "protocol": "grpc"}, {"mode": "probe", "protocol": "http"}, {"mode": "full", "protocol": "grpc"}, {"mode": "full", "protocol": "http"}} {
			if i > 0 {
				e.Variants[i].Tracer, e.Variants[i].Settings = tracer, settings
			}
		}
	}
	return s
}

func TestIncrements(t *testing.T) {
	doc := analyse(t, stepped().input())
	type step struct {
		over, steps string
		adds        float64
	}
	want := map[string]step{
		"a-off": {"none", "instrumentation", 200e-9}, "b-probe": {"a-off", "probe", 800e-9},
		"c-full": {"b-probe", "queue writing", 2000e-9}, "d-http": {"b-probe", "queue writing", 3000e-9},
	}
	seen := 0
	for _, i := range doc.Increments {
		if i.Metric != "time_per_call" {
			continue
		}
		seen++
		w := want[i.Variant]
		if i.Over != w.over || strings.Join(i.Steps, " ") != w.steps || math.Abs(i.Absolute.Estimate/w.adds-1) > 0.15 || i.Absolute.Low == nil || i.Tracer != "otel-java" || i.Blocks != 8 {
			t.Errorf("%+v, want %+v", i, w)
		}
	}
	if seen != len(want) {
		t.Errorf("%d increments: %+v", seen, doc.Increments)
	}
	// The answer is about what makes all steps; the others are parts of it.
	if !strings.Contains(doc.Answer, "tracing with c-full costs") || !strings.Contains(doc.Answer, "tracing with d-http costs") || strings.Contains(doc.Answer, "b-probe") {
		t.Error(doc.Answer)
	}
	if got := doc.Experiment.Variants[2].Steps; strings.Join(got, " ") != "instrumentation probe" {
		t.Errorf("%q", got)
	}
	if got := doc.Experiment.Variants[3].Steps; len(got) != 4 {
		t.Errorf("%q", got)
	}
	for _, v := range doc.Experiment.Variants {
		if v.Partial != (v.Name == "a-off" || v.Name == "b-probe") {
			t.Errorf("%s is partial: %v", v.Name, v.Partial)
		}
	}
}

// What adds no step to the variant that it names is held against what that one is: both add the
// same steps to the same.
func TestIncrementsFollowWhatIsNamed(t *testing.T) {
	s := stepped()
	before := s.design
	s.design = func(e *spec.Experiment) {
		before(e)
		e.Variants[1].Settings = map[string]string{"mode": "off"}
		e.Variants[2].Settings = map[string]string{"mode": "probe"}
		e.Variants[2].Against = "a-off"
		e.Variants[3].Settings, e.Variants[3].Against = map[string]string{"mode": "probe", "protocol": "grpc"}, "b-probe"
		e.Variants[4].Settings = map[string]string{"mode": "off", "protocol": "grpc"}
	}
	over := map[string]string{}
	for _, i := range analyse(t, s.input()).Increments {
		over[i.Variant] = i.Over
	}
	if want := map[string]string{"a-off": "none", "b-probe": "a-off", "c-full": "a-off", "d-http": "none"}; !maps.Equal(over, want) {
		t.Errorf("%v, want %v", over, want)
	}
}

// Who names a variant that runs fewer steps is held against that one, though another runs more
// of them: it may be of another kind, such as another way to weave.
func TestIncrementsOverWhatIsNamed(t *testing.T) {
	s := stepped()
	before := s.design
	s.design = func(e *spec.Experiment) {
		before(e)
		e.Variants[3].Against = "a-off"
	}
	over := map[string]string{}
	for _, i := range analyse(t, s.input()).Increments {
		over[i.Variant] = i.Over + " " + strings.Join(i.Steps, " ")
	}
	if over["c-full"] != "a-off probe queue writing" || over["d-http"] != "b-probe queue writing" {
		t.Errorf("%v", over)
	}
}

// The baseline may be of the same tracer. It is held against like any other, and nothing that
// runs fewer steps takes its place.
func TestIncrementsOverABaselineWithSteps(t *testing.T) {
	s := stepped()
	before := s.design
	s.design = func(e *spec.Experiment) {
		before(e)
		e.Variants[0].Tracer, e.Variants[0].Settings = e.Variants[2].Tracer, map[string]string{"mode": "probe"}
		e.Variants[2].Settings = map[string]string{"mode": "off"}
	}
	over := map[string]string{}
	for _, i := range analyse(t, s.input()).Increments {
		over[i.Variant] = i.Over
	}
	if over["c-full"] != "none" || over["d-http"] != "none" {
		t.Errorf("%v", over)
	}
}

// A tracer that does not tell its steps has no increments.
func TestNoIncrementsWithoutSteps(t *testing.T) {
	if doc := analyse(t, calls(agents, 10).input()); len(doc.Increments) > 0 || doc.Experiment.Variants[1].Steps != nil {
		t.Errorf("%+v", doc.Increments)
	}
}

// One variant of a tracer has no steps to tell apart: what it adds is what it costs.
func TestNoIncrementsOfOneVariant(t *testing.T) {
	s := stepped()
	before := s.design
	s.design = func(e *spec.Experiment) {
		before(e)
		for i := range e.Variants[1:] {
			e.Variants[i+1].Settings = map[string]string{"mode": "full"}
		}
	}
	if doc := analyse(t, s.input()); len(doc.Increments) > 0 {
		t.Errorf("%+v", doc.Increments)
	}
}

func TestWhatAStudyPublishedGoesWithTheFindings(t *testing.T) {
	s := twoVariants()
	below := 0.0
	s.design = func(e *spec.Experiment) {
		e.Published = []spec.Published{
			{Source: "a study", Workload: "hello/go", Operation: "json", Variant: "none", Metric: "throughput", Value: 390},
			{Source: "a study", Workload: "other/go", Operation: "json", Variant: "none", Metric: "throughput", Value: 1},
			{Source: "a study", Operation: "json", Variant: "otel", Metric: "throughput", Value: 245, Spread: 3, Note: "raw"},
		}
		e.Claims = []spec.Claim{{Name: "MF1", Metric: "throughput", Of: "cost", Below: &below}}
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

// What a tracer holds back by a limit of its own is no loss, but makes it the faster
// back to back.
func TestAbsentShare(t *testing.T) {
	for name, test := range map[string]struct {
		lost            float64
		came, held, old int64
		want            float64
	}{
		"nothing":   {0, 1000, 0, 0, 0},
		"lost":      {0.2, 800, 0, 0, 0.2},
		"held back": {0, 600, 400, 0, 0.4},
		"both":      {0.5, 250, 500, 0, 0.75},
		"merged":    {0, 500, 200, 300, 0.2},
		"none came": {1, 0, 500, 0, 1},
	} {
		l := finding.Ledger{LostShare: test.lost, Entries: []finding.Entry{
			{Name: ledger.Forgone, Spans: test.held}, {Name: ledger.Merged, Spans: test.old}, {Name: ledger.Delivered, Spans: test.came},
		}}
		if got := absentShare(&l); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", name, got, test.want)
		}
	}
}

// Who keeps a share of the traces, or some a second, leaves some out on purpose; who does not
// tell its steps leaves out nothing.
func TestWhoLeavesOutTraces(t *testing.T) {
	s := calls(map[string]call{"plain": {perSpan: 90e-9}, "sampled": {perSpan: 90e-9}, "rationed": {perSpan: 90e-9}, "few": {perSpan: 90e-9}, "all": {perSpan: 90e-9}}, 10)
	in := s.input()
	in.Plans["sampled"].Sampling = 0.05
	tracer := &spec.Tracer{Name: "scout-java", Settings: []spec.Setting{{Name: "mode", Choices: map[string]spec.Choice{"rationed": {Rationed: true}, "few": {Partial: true}, "all": {}}}}}
	for i, v := range in.Experiment.Variants {
		if _, has := tracer.Settings[0].Choices[v.Name]; has {
			in.Experiment.Variants[i].Tracer, in.Experiment.Variants[i].Settings = tracer, map[string]string{"mode": v.Name}
		}
	}
	for _, v := range analyse(t, in).Experiment.Variants {
		if want := v.Name == "sampled" || v.Name == "rationed" || v.Name == "few"; v.Partial != want {
			t.Errorf("%s is partial: %v", v.Name, v.Partial)
		}
	}
}
