package analysis_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// meshed is a scene in which the second variant brings a sidecar beside app, which uses 100 µs an operation and 40 MB, and
// a collector, 20 µs; several is whether there is a second service, whose sidecar uses half as much.
func meshed(several bool) scene {
	s := twoVariants()
	s.noise = 0
	add := func(r *record.Record, process, kind, service string, cpu float64, memory uint64) {
		operations := float64(r.Phases[0].Load.Started)
		r.Phases[0].Usage = append(r.Phases[0].Usage, record.Usage{Process: process, Role: role.Role(kind), Service: service, Seconds: window + drain, CPUSeconds: cpu * operations})
		r.Start.Idle = append(r.Start.Idle, record.Usage{Process: process, Role: role.Role(kind), Service: service, Seconds: 2})
		r.Memory = append(r.Memory, record.Memory{Process: process, Role: role.Role(kind), Service: service, Steady: memory, Peak: memory})
	}
	s.change = func(r *record.Record) {
		if several {
			add(r, "cart", "app", "", 7e-6, 10e6)
		}
		if r.Variant == "none" {
			return
		}
		add(r, "proxy@app", "sidecar", "app", 100e-6, 40e6)
		add(r, "hub", "collector", "", 20e-6, 30e6)
		if several {
			add(r, "proxy@cart", "sidecar", "cart", 50e-6, 20e6)
		}
	}
	return s
}

// What a tracer brings is in the sum, and told by its role; by service as well where there are several.
func TestChargedByRoleAndService(t *testing.T) {
	for _, several := range []bool{false, true} {
		doc := analyse(t, meshed(several).input())
		var told []string
		by := map[string]finding.Finding{}
		for _, f := range doc.Findings {
			if f.Metric == "cpu_per_operation" || f.Metric == "memory_peak" {
				by[f.Metric+" "+f.Charged()] = f
			}
			if f.Metric == "cpu_per_operation" {
				told = append(told, f.Charged())
			}
		}
		want := []string{"", "app", "collector", "sidecar", "load", "sink"}
		cpu, memory := 120e-6, 70e6
		if several {
			want = []string{"", "app", "app of app", "app of cart", "collector", "sidecar", "sidecar of app", "sidecar of cart", "load", "sink"}
			cpu, memory = 170e-6, 90e6
		}
		if !slices.Equal(told, want) {
			t.Errorf("CPU per operation is told of %q, want %q", told, want)
		}
		app := by["cpu_per_operation app"].Absolute.Estimate
		if got := by["cpu_per_operation "].Absolute.Estimate; math.Abs(got-app-cpu) > 1e-9 {
			t.Errorf("several: %t: of everybody %g s are added, of which %g by the app; want %g more", several, got, app, cpu)
		}
		if got := by["memory_peak "].Absolute.Estimate - by["memory_peak app"].Absolute.Estimate; math.Abs(got-memory) > 1 {
			t.Errorf("several: %t: beside the app %g bytes are added, want %g", several, got, memory)
		}
		for who, v := range map[string][2]float64{"sidecar of app": {100e-6, 40e6}, "sidecar of cart": {50e-6, 20e6}, "app of cart": {7e-6, 10e6}} {
			c, m := by["cpu_per_operation "+who], by["memory_peak "+who]
			if several && (math.Abs(float64(c.Value)-v[0]) > 1e-9 || math.Abs(float64(m.Value)-v[1]) > 1) {
				t.Errorf("%s: %g s and %g bytes, want %v", who, c.Value, m.Value, v)
			}
		}
		if one := by["cpu_per_operation sidecar of cart"]; several && (one.Verdict.Kind != "" || one.Absolute.Low == nil) {
			t.Errorf("a part of a role has a verdict, or no interval: %+v", one)
		}
		sidecar := by["memory_peak sidecar"]
		if sidecar.Baseline != 0 || sidecar.Relative != nil || sidecar.Verdict.Kind != finding.Costs {
			t.Errorf("a sidecar that the baseline does not have: %+v", sidecar)
		}
		if sink, told := by["memory_peak sink"]; told {
			t.Errorf("memory of the harness: %+v", sink)
		}
	}
}

// serving is a scene with so many services, to the third of which tracing adds 100 µs an operation, and nothing to the others.
func serving(services int) scene {
	s := twoVariants()
	s.noise, s.variants[1].adds = 0, 0
	s.change = func(r *record.Record) {
		for i := 1; i < services; i++ {
			cpu := 10e-6 * float64(i)
			if i == 2 && r.Variant == "otel" {
				cpu += 100e-6
			}
			r.Phases[0].Usage = append(r.Phases[0].Usage, record.Usage{
				Process: fmt.Sprint("s", i), Role: role.App, Seconds: window + drain, CPUSeconds: cpu * float64(r.Phases[0].Load.Started),
			})
		}
	}
	return s
}

// What tracing adds to one service of several is found there and nowhere else; short tables name five, and the others are told
// together. Nothing else gets another verdict by that.
func TestServices(t *testing.T) {
	alone := get(t, analyse(t, serving(1).input()), "json", "otel", "cpu_per_operation")
	for services, want := range map[int][]string{
		1: nil,
		3: {"s2", "app", "s1"},
		6: {"s2", "app", "s1", "s3", "s4", "s5"},
		9: {"s2", "app", "s1", "s3", "s4", "s5", "s6", "s7", "s8", ""},
	} {
		doc := analyse(t, serving(services).input())
		var got []string
		var named, rest float64
		for i, c := range doc.Services {
			got = append(got, c.Service)
			added := 0.0
			if c.Service == "s2" {
				added = 100e-6
			}
			if c.Absolute == nil || c.Absolute.Low == nil || math.Abs(c.Absolute.Estimate-added) > 1e-9 || !slices.Equal(c.Roles, []string{"app"}) {
				t.Errorf("of %d services %s: %+v, want %g s more", services, c.Service, c, added)
			}
			switch {
			case c.Service == "":
				if rest = float64(c.Value); c.Others != 4 {
					t.Errorf("%d others are told together, want 4", c.Others)
				}
			case i < 5 || services < 9:
				named += float64(c.Value)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %d services there is %q, want %q", services, got, want)
		}
		all := get(t, doc, "json", "otel", "cpu_per_operation")
		if services > 1 && math.Abs(named+rest-float64(all.Value)) > 1e-9 {
			t.Errorf("%d services: those named use %g s and the others %g, and all together %g", services, named, rest, all.Value)
		}
		if all.Verdict.Claims != alone.Verdict.Claims {
			t.Errorf("%d services: the headline is corrected for %d claims, and alone for %d", services, all.Verdict.Claims, alone.Verdict.Claims)
		}
		for _, f := range doc.Findings {
			if f.Service != "" && (f.Verdict.Kind != "" || services < 2 || f.Role == "app" && f.Service != "s2" && math.Abs(f.Absolute.Estimate) > 1e-9) {
				t.Errorf("of %d services %s of %s: %+v", services, f.Metric, f.Charged(), f)
			}
		}
	}
}

// A service is told with what stands beside it, and so is what stands alone.
func TestServicesWithSidecars(t *testing.T) {
	want := map[string]float64{"app": 100e-6, "cart": 50e-6, "hub": 20e-6}
	s := meshed(true)
	s.variants[1].adds = 0
	doc := analyse(t, s.input())
	for _, c := range doc.Services {
		if math.Abs(c.Absolute.Estimate-want[c.Service]) > 1e-9 {
			t.Errorf("%s: %g s are added, want %g", c.Service, c.Absolute.Estimate, want[c.Service])
		}
		delete(want, c.Service)
	}
	if len(want) > 0 || !slices.Equal(doc.Services[0].Roles, []string{"app", "sidecar"}) {
		t.Errorf("%v is not told, and the first has the roles %v", want, doc.Services[0].Roles)
	}
}

// Services of a variant that cannot hold the rate have values and no difference, as CPU per operation has.
func TestServicesOverloaded(t *testing.T) {
	s := serving(3)
	change := s.change
	s.change = func(r *record.Record) {
		if change(r); r.Variant == "otel" {
			l := &r.Phases[0].Load
			l.Started, l.Completed = l.Started/2, l.Completed/2
		}
	}
	for _, c := range analyse(t, s.input()).Services {
		if c.Absolute != nil || c.Value == 0 {
			t.Errorf("%+v", c)
		}
	}
}

// What is less than zero beside what the process uses idle cannot be told from nothing: it is unknown, and not a figure.
func TestServicesBelowIdle(t *testing.T) {
	s := serving(3)
	change := s.change
	s.change = func(r *record.Record) {
		change(r)
		for i, u := range r.Phases[0].Usage {
			if u.Process == "s1" {
				r.Phases[0].Usage[i].CPUSeconds = -1e-3
			}
		}
	}
	for _, c := range analyse(t, s.input()).Services {
		if known := c.Baseline.Known() && c.Value.Known(); known != (c.Service != "s1") {
			t.Errorf("%+v", c)
		}
	}
}

// Who calls whom is that of the graph, of a mix on average.
func TestCalls(t *testing.T) {
	s := serving(3)
	s.design = func(e *config.Experiment) {
		e.Workload.Graph = analysis.CallsOf{
			"home": {{From: "front", To: "cart"}: 2, {From: "front", To: "cart-2"}: 2}, "bare": {{From: "front", To: "ads"}: 1},
		}
		e.Operations = []program.Operation{{Name: "json", Mix: []program.Share{
			{Operation: program.Operation{Name: "home"}, Weight: 3}, {Operation: program.Operation{Name: "bare"}, Weight: 1},
		}}}
	}
	want := []finding.Call{
		{Operation: "json", From: "front", To: "ads", Low: 0.25, High: 0.25},
		{Operation: "json", From: "front", To: "cart", Low: 1.5, High: 1.5},
		{Operation: "json", From: "front", To: "cart-2", Low: 1.5, High: 1.5},
	}
	if got := analyse(t, s.input()).Calls; !slices.Equal(got, want) {
		t.Errorf("the calls are %+v, want %+v", got, want)
	}
}

// Of a program alone nothing is told by service, and memory of the sum alone.
func TestChargedToTheProgramAlone(t *testing.T) {
	for _, f := range analyse(t, twoVariants().input()).Findings {
		if f.Service != "" || f.Role != "" && f.Metric != "cpu_per_operation" {
			t.Errorf("%s is told of %s", f.Metric, f.Charged())
		}
	}
}

// A variant on a part of the processes does not make the spans of one on all, and costs the cost of a part.
func TestOnAPart(t *testing.T) {
	all := config.Variant{Name: "all", Tracer: &program.Tracer{Name: "otel-go"}}
	one := all
	one.On = []string{"cart"}
	if config.SameSpans(all, one) || !config.SameSpans(one, one) {
		t.Error("a variant on one process makes the spans of all")
	}
	s := twoVariants()
	s.design = func(e *config.Experiment) {
		e.Workload.Processes = []program.Process{{Name: "cart", Traced: true}, {Name: "shop", Traced: true}}
		e.Variants[1].On = []string{"cart"}
	}
	v := analyse(t, s.input()).Experiment.Variants[1]
	if !v.Partial || !slices.Equal(v.On, []string{"cart"}) || v.Description != "on cart" {
		t.Errorf("%+v", v)
	}
}

// Operations that do nothing: what tracing adds to them is an amount, in the summary, the
// verdict, the doubts and the precision.

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

// What a cost is, and when it is found.

func TestAddedCPUIsFound(t *testing.T) {
	doc := analyse(t, twoVariants().input())
	f := get(t, doc, "json", "otel", "cpu_per_operation")
	if f.Absolute.Low == nil || *f.Absolute.Low > 30e-6 || *f.Absolute.High < 30e-6 {
		t.Errorf("30 µs are outside %s", finding.FormatInterval(*f.Absolute, f.Unit, false))
	}
	if *f.Relative.Low > 0.6 || *f.Relative.High < 0.6 {
		t.Errorf("60 %% are outside %s", finding.FormatInterval(*f.Relative, f.Unit, true))
	}
	if f.Verdict.Kind != finding.Costs || !f.Headline || f.Blocks != 10 || len(f.Samples) != 10 {
		t.Errorf("finding %+v", f)
	}
	if math.Abs(float64(f.Baseline)-50e-6) > 5e-6 {
		t.Errorf("baseline %v, want about 50 µs", f.Baseline)
	}
	app, _ := look(doc, "json", "otel", "none", "cpu_per_operation", "app")
	if app.Headline || app.Value != f.Value {
		t.Errorf("app alone %v, everything %v: load and sink must not be charged", app.Value, f.Value)
	}
	if sink, ok := look(doc, "json", "otel", "none", "cpu_per_operation", "sink"); !ok || sink.Verdict.Kind != finding.None || sink.Relative != nil {
		t.Errorf("the sink is shown apart, without verdict, absolute only: %+v", sink)
	}
}

func TestTheSameTwiceCostsNothing(t *testing.T) {
	s := twoVariants()
	s.variants[1] = actor{name: "again", tracer: "none"}
	doc := analyse(t, s.input())
	if f := get(t, doc, "json", "again", "cpu_per_operation"); f.Verdict.Kind != finding.NoDifference || *f.Verdict.Bound > 0.05 {
		t.Errorf("verdict %+v", f.Verdict)
	}
	if _, ok := look(doc, "json", "again", "none", "export_bytes_per_operation", ""); ok {
		t.Error("a metric that is zero on both sides is shown")
	}
}

func TestAgainst(t *testing.T) {
	s := twoVariants()
	s.variants = append(s.variants, actor{name: "more", tracer: "otel-go", against: "otel", adds: 50e-6, spans: 5})
	doc := analyse(t, s.input())
	f, ok := look(doc, "json", "more", "otel", "cpu_per_operation", "")
	if !ok || f.Headline || *f.Absolute.Low > 20e-6 || *f.Absolute.High < 20e-6 {
		t.Errorf("20 µs over otel: %+v", f)
	}
	if f.Verdict.Claims != 3 {
		t.Errorf("%d claims, want 3", f.Verdict.Claims)
	}
}

func TestPerSpan(t *testing.T) {
	f := get(t, analyse(t, twoVariants().input()), "json", "otel", "cpu_per_span")
	if *f.Absolute.Low > 10e-6 || *f.Absolute.High < 10e-6 || f.Relative != nil {
		t.Errorf("30 µs over 3 spans: %+v", f.Absolute)
	}
	s := twoVariants()
	s.change = func(r *record.Record) { r.Phases[0].Sink.Spans -= r.Phases[0].Sink.Spans / 20 }
	if _, ok := look(analyse(t, s.input()), "json", "otel", "none", "cpu_per_span", ""); ok {
		t.Error("a cost per span although 5 % were lost")
	}
}

// Of a mix of operations that make one span and nine, a quarter the latter, an operation makes three on average: the cost of a
// span is what was added over these, and not between what it is over one and over nine.
func TestPerSpanOfAMix(t *testing.T) {
	s := twoVariants()
	s.plan = func(p *config.Plan) {
		p.Operations = []program.Operation{{Name: "json", Mix: []program.Share{{Operation: program.Operation{Name: "read"}}, {Operation: program.Operation{Name: "buy"}}}}}
		if p.Variant == "otel" {
			p.Spans = map[string]program.Number{"read": {Low: 1, High: 1}, "buy": {Low: 9, High: 9}, "json": {Low: 1, High: 9}}
		}
	}
	s.change = func(r *record.Record) {
		for _, l := range []*record.Load{&r.Phases[0].Load, &r.Phases[0].Warmup} {
			buys := l.Started / 4
			l.Parts = []record.Part{{Operation: "read", Started: l.Started - buys, Completed: l.Started - buys}, {Operation: "buy", Started: buys, Completed: buys}}
		}
	}
	f := get(t, analyse(t, s.input()), "json", "otel", "cpu_per_span")
	if *f.Absolute.Low > 10e-6 || *f.Absolute.High < 10e-6 || *f.Absolute.High > 12e-6 {
		t.Errorf("30 µs over 3 spans: %g to %g", *f.Absolute.Low, *f.Absolute.High)
	}
}

// Operations that failed may have made no spans: a span then costs what was added over those that were made for sure, to
// what was added over all.
func TestPerSpanWhereSomeMayNotBeMade(t *testing.T) {
	sure := get(t, analyse(t, twoVariants().input()), "json", "otel", "cpu_per_span")
	s := twoVariants()
	failing(2000, 6000)(&s)
	f := get(t, analyse(t, s.input()), "json", "otel", "cpu_per_span")
	if *f.Absolute.High < 1.2**sure.Absolute.High || *f.Absolute.Low > *sure.Absolute.High {
		t.Errorf("%g to %g, and %g to %g where all were made", *f.Absolute.Low, *f.Absolute.High, *sure.Absolute.Low, *sure.Absolute.High)
	}
}

// A tracer that throws spans away looks cheap, and what is compared with it dear.
func TestPerSpanAgainstALossyTracer(t *testing.T) {
	for share, shown := range map[uint64]bool{1000000: true, 20: false} {
		s := twoVariants()
		s.variants = append(s.variants, actor{name: "more", tracer: "otel-go", against: "otel", adds: 50e-6, spans: 5})
		s.change = onlyRuns("otel", func(r *record.Record) { r.Phases[0].Sink.Spans -= r.Phases[0].Sink.Spans / share })
		doc := analyse(t, s.input())
		if _, ok := look(doc, "json", "more", "otel", "cpu_per_span", ""); ok != shown {
			t.Errorf("1 of %d spans of otel lost: a cost per span of more against it: %v", share, ok)
		}
		if _, ok := look(doc, "json", "more", "none", "cpu_per_span", ""); !ok {
			t.Error("none exports nothing, and loses nothing")
		}
	}
}

func TestHeadline(t *testing.T) {
	in := twoVariants().input()
	for n, want := range map[int]string{0: "", 1: "", 4: "CPU per operation otel: json +", 20: "CPU per operation otel: json +"} {
		got := analysis.Headline(in.Experiment, in.Records[:n])
		if !strings.HasPrefix(got, want) || (want == "") != (got == "") || strings.Contains(got, "(") != (n == 20) {
			t.Errorf("after %d runs: %q", n, got)
		}
	}
}

// A tracer that keeps so many traces a time makes none to all of an operation's spans: the
// middle of that is no number to divide by.
func TestNoCostPerSpanOfARation(t *testing.T) {
	for low, want := range map[float64]bool{0: false, 3: true} {
		s := twoVariants()
		s.plan = func(p *config.Plan) {
			if p.Variant == "otel" {
				p.Spans["json"] = program.Number{Low: low, High: 3}
			}
		}
		if f, has := look(analyse(t, s.input()), "json", "otel", "none", "cpu_per_span", ""); has != want {
			t.Errorf("from %g to 3 spans: %v %g", low, has, f.Value)
		}
	}
}
