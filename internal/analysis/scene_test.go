// Synthetic records: an experiment whose truth is known.

package analysis_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// scene is an experiment with made-up processes.
type scene struct {
	seed       uint64
	blocks     int
	operations map[string]float64 // CPU seconds per operation of the baseline
	order      []string           // of the operations
	variants   []actor            // the first is the baseline
	rate       float64
	noise      float64 // standard deviation of the log of CPU and latency, from run to run
	latencies  bool    // whether there are histograms: they take time
	budget     []config.Limit
	quick      bool
	orders     func(block int) []int    // of the variants in a block; nil: as they are
	change     func(*record.Record)     // last, on every record
	design     func(*config.Experiment) // last, on the experiment
	plan       func(*config.Plan)
	extra      []record.Record // beside the measured runs
	leftOut    []finding.LeftOut
	shadowed   []finding.Shadowed
}

// actor is a variant.
type actor struct {
	name    string
	tracer  string
	against string
	adds    float64 // CPU seconds per operation
	delays  float64 // seconds of latency
	spans   uint64  // per operation
}

func twoVariants() scene {
	return scene{
		seed: 1, blocks: 10, order: []string{"json"}, operations: map[string]float64{"json": 50e-6}, rate: 500, noise: 0.01,
		variants: []actor{{name: "none", tracer: "none"}, {name: "otel", tracer: "otel-go", adds: 30e-6, delays: 40e-6, spans: 3}},
	}
}

const (
	window = 20.0 // seconds
	drain  = 2.0
	idling = 0.001 // CPU seconds per second of an idle app
)

func (s scene) input() analysis.Input {
	e := &config.Experiment{
		Name: "scene", Workload: &program.Workload{Name: "hello/go"},
		Load:   config.Load{Rate: s.rate, Duration: window * time.Second},
		Design: config.Design{Blocks: s.blocks, Seed: s.seed, Quick: s.quick}, Budget: s.budget,
	}
	for _, name := range s.order {
		e.Operations = append(e.Operations, program.Operation{Name: name})
	}
	plans := map[string]*config.Plan{}
	for _, a := range s.variants {
		e.Variants = append(e.Variants, config.Variant{Name: a.name, Tracer: &program.Tracer{Name: a.tracer}, Against: a.against})
		plan := &config.Plan{Variant: a.name, Sampling: 1, Delay: time.Second, Spans: map[string]program.Number{}}
		for _, name := range s.order {
			if a.tracer != "none" {
				plan.Spans[name] = program.Number{Low: float64(a.spans), High: float64(a.spans)}
			}
		}
		if s.plan != nil {
			s.plan(plan)
		}
		plans[a.name] = plan
	}
	if s.design != nil {
		s.design(e)
	}
	return analysis.Input{
		Experiment: e, Plans: plans, Records: append(s.extra, s.records()...), Environment: map[string]any{"cpus": 2.0}, LeftOut: s.leftOut, Shadowed: s.shadowed,
		Results: "tracetax-results/scene", Tool: "test", Now: time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC),
	}
}

func (s scene) records() []record.Record {
	r := rand.New(rand.NewPCG(s.seed, 7))
	var out []record.Record
	for block := 1; block <= s.blocks; block++ {
		weather := math.Exp(0.05 * r.NormFloat64()) // what a block shares
		order := make([]int, len(s.variants))
		for i := range order {
			order[i] = i
		}
		if s.orders != nil {
			order = s.orders(block)
		}
		for position, v := range order {
			a := s.variants[v]
			one := s.run(r, a, weather)
			one.Block, one.Position, one.Attempt = block, position, 1
			if s.change != nil {
				s.change(&one)
			}
			out = append(out, one)
		}
	}
	return out
}

func (s scene) run(r *rand.Rand, a actor, weather float64) record.Record {
	vary := func() float64 { return weather * math.Exp(s.noise*r.NormFloat64()) }
	one := record.Record{
		Schema: record.Schema, Kind: record.Measured, Workload: "hello/go", Variant: a.name,
		Start: record.Start{
			ReadySeconds: 0.1 * vary(), FirstOperationSeconds: 0.001 * vary(), IdleSeconds: 2,
			Idle: []record.Usage{{Process: "app", Role: "app", Seconds: 2, CPUSeconds: 2 * idling}},
		},
		Harness: record.Harness{Seconds: 60, OwnSeconds: 20, Accounting: "cgroup v2", Placement: "cpuset"},
	}
	for i, name := range s.order {
		operations := uint64(s.rate * window)
		cpu := (s.operations[name] + a.adds) * float64(operations) * vary()
		one.Memory = []record.Memory{
			{Process: "app", Role: "app", Steady: uint64(20e6 * vary()), Peak: uint64(25e6 * vary())},
			{Process: "load", Role: "load", Steady: 9e6, Peak: 9e6},
			{Process: "sink", Role: "sink", Steady: 8e6, Peak: 8e6},
		}
		p := record.Phase{
			Operation: name, Position: i, OfferedRate: s.rate, DrainSeconds: drain, Quiet: true,
			Load: record.Load{WallSeconds: window, Intended: operations, Started: operations, Completed: operations},
			Sink: record.Counts{Spans: a.spans * operations, Roots: min(a.spans, 1) * operations, Traces: min(a.spans, 1) * operations,
				Bytes: a.spans * operations * 150, Checking: true},
			Usage: []record.Usage{
				{Process: "app", Role: "app", Seconds: window + drain, CPUSeconds: cpu + idling*drain, ContextSwitches: uint64(40000 * vary())},
				{Process: "load", Role: "load", Seconds: window + drain, CPUSeconds: 1.5 * vary()},
				{Process: "sink", Role: "sink", Seconds: window + drain, CPUSeconds: float64(a.spans) * 0.05 * vary()},
			},
		}
		if s.latencies {
			p.Load.Latency = spread(int(operations), (300e-6+a.delays)*vary())
			p.Load.Lag = spread(int(operations), 3e-6)
		}
		one.Phases = append(one.Phases, p)
		one.Life = one.Life.Plus(p.Sink)
	}
	return one
}

// spread is a histogram of n values, log-normal about a median, in steps.
func spread(n int, median float64) record.Histogram {
	h := record.NewHistogram()
	const steps = 200
	for i := range steps {
		p := (float64(i) + 0.5) / steps
		_ = h.RecordValues(int64(median*math.Exp(0.3*math.Sqrt2*math.Erfinv(2*p-1))*1e9), int64(n/steps))
	}
	encoded, err := record.EncodeHistogram(h)
	if err != nil {
		panic(err)
	}
	return encoded
}

func analyse(t *testing.T, in analysis.Input) *finding.Document {
	t.Helper()
	doc, err := analysis.Analyse(in)
	if err != nil {
		t.Fatal(err)
	}
	if doc.Summary == "" || doc.Summary == doc.Experiment.Workload+": ." {
		t.Errorf("no sentence on top: %q", doc.Summary)
	}
	return doc
}

// get returns a finding against the baseline, over all roles.
func get(t *testing.T, doc *finding.Document, operation, variant, metric string) finding.Finding {
	t.Helper()
	f, ok := look(doc, operation, variant, doc.Experiment.Variants[0].Name, metric, "")
	if !ok {
		t.Fatalf("no finding of %s of %s on %s", metric, variant, operation)
	}
	return f
}

func look(doc *finding.Document, operation, variant, against, metric, role string) (finding.Finding, bool) {
	for _, f := range doc.Findings {
		if f.Operation == operation && f.Variant == variant && f.Against == against && f.Metric == metric && f.Role == role {
			return f, true
		}
	}
	return finding.Finding{}, false
}

// told is the reason of a code among some; false where there is none.
func told(reasons []finding.Reason, code finding.Code) (finding.Reason, bool) {
	i := slices.IndexFunc(reasons, func(r finding.Reason) bool { return r.Code == code })
	if i < 0 {
		return finding.Reason{}, false
	}
	return reasons[i], true
}

func tells(reasons []finding.Reason, code finding.Code) bool {
	_, yes := told(reasons, code)
	return yes
}

func warned(doc *finding.Document, code string) bool {
	for _, w := range doc.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// Synthetic self-driving workloads, on top of the scene's records.

// call is what a variant does in the synthetic method calls.
type call struct {
	perCall float64 // seconds that tracing adds to a call at any depth
	perSpan float64 // seconds that it adds to each call in the depth
	deeper  float64 // seconds that it adds besides to each call deeper than 16
	lost    float64 // share of the spans that its queue drops, and it says so
}

const callSeconds = 20e-9 // of an untraced call, for each in depth

// calls is a self-driving workload, unthrottled, at the depths given.
func calls(variants map[string]call, depths ...int) scene {
	s := twoVariants()
	s.blocks, s.rate = 8, 0
	s.variants = []actor{{name: "none", tracer: "none"}}
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		s.variants = append(s.variants, actor{name: name, tracer: name + "-java"})
	}
	s.design = func(e *config.Experiment) {
		e.Workload.Driver = program.SelfDriving
		e.Load = config.Load{Calls: 2000000, Threads: 1}
		if len(depths) == 1 {
			e.Load.Depth = depths[0]
		} else {
			e.Load.Depths = depths
		}
	}
	s.plan = func(p *config.Plan) { p.Spans = nil }
	s.change = func(r *record.Record) {
		template := r.Phases[0]
		r.Phases = nil
		for _, d := range depths {
			r.Phases = append(r.Phases, variants[r.Variant].phase(r, template, d, len(depths) > 1))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(variants)) {
		for _, d := range depths {
			s.extra = append(s.extra, record.Record{Schema: record.Schema, Kind: record.Calibration, Variant: name, Phases: []record.Phase{{
				Operation: "json", Quiet: true, Load: record.Load{Started: 20, Completed: 20, Driven: &record.Driven{Depth: d}},
				Sink: record.Counts{Spans: 20 * uint64(d), Roots: 20, Traces: 20, Checking: true},
			}}})
		}
	}
	return s
}

// phase is a window of calls at one depth.
func (c call) phase(r *record.Record, template record.Phase, depth int, swept bool) record.Phase {
	const n = 1000000
	p := template
	p.Usage = append([]record.Usage(nil), template.Usage...)
	p.OfferedRate = 0
	if swept {
		p.Parameter = map[string]string{"depth": strconv.Itoa(depth)}
	}
	each := (callSeconds*float64(depth) + c.perCall + c.perSpan*float64(depth) + c.deeper*float64(max(0, depth-16))) * wobble(r, fmt.Sprint("call", depth), 0.01) * wobble(r, "run", 0.02)
	cpu := each * 0.9
	allocated, collections, seconds, heap := uint64(n*50*depth), uint64(40), 0.02, uint64(300e6)
	p.Load = record.Load{
		WallSeconds: each * n, Started: n, Completed: n,
		Driven: &record.Driven{
			Threads: 1, Depth: depth, CallSeconds: each * n, ThreadCPU: pointer(cpu * n), Allocated: &allocated,
			GCCount: &collections, GCSeconds: &seconds, HeapPeak: &heap, HeapLive: &heap,
		},
		Latency: spread(n, each),
		Lag:     spread(n, 0.2), // the program's own: it spoils nothing
	}
	p.Usage[1].CPUSeconds = 0 // nobody asks
	p.Usage[0].Seconds = p.Load.WallSeconds + drain
	p.Usage[0].CPUSeconds = (cpu+0.3*c.perSpan*float64(depth))*n + idling*drain
	p.Sink = record.Counts{Checking: true}
	if c.perSpan > 0 {
		made := uint64(n * depth)
		dropped := uint64(math.Round(c.lost * float64(made)))
		p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = made-dropped, n, n
		all := dropped
		if r.Tracer.Dropped != nil {
			all += *r.Tracer.Dropped
		}
		r.Tracer.Dropped = &all
	}
	return p
}

func pointer(v float64) *float64 { return &v }

// warmingUp is the pilot of a variant whose operation costs a third less from a slice on,
// of so many.
func warmingUp(variant string, at, slices int) record.Record {
	r := record.Record{Kind: record.Pilot, Purpose: record.ForWarmup, Variant: variant, Phases: []record.Phase{{Operation: "json"}}}
	for i := range slices {
		cpu := 0.100 + 0.001*float64(i*7919%13-6)
		if i < at {
			cpu *= 1.5
		}
		r.Phases[0].Progress = append(r.Phases[0].Progress, record.Slice{AskedSeconds: 0.5, WallSeconds: 0.5, Operations: 250, CPUSeconds: cpu})
	}
	return r
}

func TestWarmupText(t *testing.T) {
	for want, pilots := range map[string][]record.Record{
		"9.00 s, found in a pilot: the longest, of otel on json":                  {warmingUp("none", 2, 80), warmingUp("otel", 18, 80)},
		"1.00 s: every variant was steady by then in its pilot":                   {warmingUp("none", 0, 80), warmingUp("otel", 1, 80)},
		"30.0 s, the longest allowed: in a pilot none did not get steady on json": {warmingUp("none", 70, 80), warmingUp("otel", 18, 80)},
		"": nil,
	} {
		s := twoVariants()
		s.extra, s.design = pilots, func(e *config.Experiment) { e.Load.WarmupMost = 30 * time.Second }
		doc := analyse(t, s.input())
		if doc.Experiment.Warmup != want {
			t.Errorf("%q, want %q", doc.Experiment.Warmup, want)
		}
		if warned(doc, "never-steady") != strings.Contains(want, "did not get") {
			t.Errorf("%q: warnings %+v", want, doc.Warnings)
		}
	}
}

// A pilot says nothing where the warm-up was given.
func TestWarmupGiven(t *testing.T) {
	s := twoVariants()
	s.extra = []record.Record{warmingUp("otel", 70, 80)}
	if doc := analyse(t, s.input()); doc.Experiment.Warmup != "" || warned(doc, "never-steady") || warned(doc, "pilot") {
		t.Errorf("%q, %+v", doc.Experiment.Warmup, doc.Warnings)
	}
}
