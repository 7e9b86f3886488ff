package run

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
)

func TestLength(t *testing.T) {
	const s = time.Second
	plain := config.Load{Warmup: 2 * s, Duration: 10 * s, Idle: s}
	with := func(c config.RateSearch) config.Load { l := plain; l.Capacity = &c; return l }
	exporting := &config.Plan{Delay: s, Processes: []program.Process{{Run: []string{"{sink.otlp.http}"}}}}
	const start, calm = 700 * time.Millisecond, calmFor
	workers := &config.Plan{Delay: s, Processes: []program.Process{{Run: []string{"uvicorn", "shop:app", "--workers", "2", "{sink.otlp.http}"}}}, Language: "python"}
	login := &config.Plan{Delay: s, Processes: exporting.Processes, Setup: []program.Setup{{}}}
	const interpreted, several = 1700 * time.Millisecond, 2450 * time.Millisecond
	for name, test := range map[string]struct {
		plan   *config.Plan
		load   config.Load
		phases int
		kind   record.Kind
		few    time.Duration
		many   time.Duration
	}{
		"one phase":                   {&config.Plan{}, plain, 1, record.Measured, start + 14*s + 2*calm, start + 14*s + 2*calm},
		"three phases":                {&config.Plan{}, plain, 3, record.Measured, start + 38*s + 6*calm, start + 38*s + 6*calm},
		"exporting":                   {exporting, plain, 1, record.Measured, start + 16600*time.Millisecond, start + 16600*time.Millisecond},
		"through a hop":               {&config.Plan{Delay: s, Passing: 2 * s, Processes: exporting.Processes}, plain, 1, record.Measured, start + 20600*time.Millisecond, start + 20600*time.Millisecond},
		"calibration of what is held": {&config.Plan{Driver: program.SelfDriving, Buffers: 1000}, plain, 2, record.Calibration, start + 3200*time.Millisecond + 2*(start+4200*time.Millisecond), start + 3200*time.Millisecond + 2*(start+4200*time.Millisecond)},
		"a slow tracer":               {&config.Plan{Startup: 6 * s}, plain, 1, record.Measured, start + 20*s + 2*calm, start + 20*s + 2*calm},
		"a pilot":                     {&config.Plan{}, with(config.RateSearch{Goal: config.GoalCPU}), 1, record.Pilot, start + 32*s, start + 142*s},
		"latency":                     {&config.Plan{}, with(config.RateSearch{Goal: config.GoalLatency}), 1, record.Measured, start + 54*s + 6*calm, start + 144*s + 15*calm},
		"lossless, confirmed":         {&config.Plan{}, with(config.RateSearch{Goal: config.GoalLossless, Confirm: 30 * s}), 1, record.Measured, start + 74*s + 6*calm, start + 284*s + 17*calm},
		"lossless, no longer":         {&config.Plan{}, with(config.RateSearch{Goal: config.GoalLossless, Confirm: 5 * s}), 1, record.Measured, start + 54*s + 6*calm, start + 164*s + 17*calm},
		"an interpreter":              {&config.Plan{Language: "python"}, plain, 1, record.Measured, interpreted + 14*s + 2*calm, interpreted + 14*s + 2*calm},
		"a framework of Java":         {&config.Plan{Language: "java"}, plain, 1, record.Measured, 8200*time.Millisecond + 14*s + 2*calm, 8200*time.Millisecond + 14*s + 2*calm},
		"with an agent":               {&config.Plan{Language: "java", Delay: s, Processes: exporting.Processes}, plain, 1, record.Measured, 16200*time.Millisecond + 16600*time.Millisecond, 16200*time.Millisecond + 16600*time.Millisecond},
		"Java that drives itself":     {&config.Plan{Language: "java", Driver: program.SelfDriving}, plain, 1, record.Measured, interpreted + 14*s + 2*calm, interpreted + 14*s + 2*calm},
		"workers":                     {workers, plain, 1, record.Measured, several + 16600*time.Millisecond + 2*cold, several + 16600*time.Millisecond + 2*cold},
		"calibration of workers":      {workers, plain, 1, record.Calibration, several + 3*1400*time.Millisecond + 3*(1900*time.Millisecond+cold) + cold, several + 3*1400*time.Millisecond + 3*(1900*time.Millisecond+cold) + cold},
		"calibration behind a login":  {login, plain, 1, record.Calibration, start + 3*1400*time.Millisecond + 2*1900*time.Millisecond, start + 3*1400*time.Millisecond + 2*1900*time.Millisecond},
		"calibration":                 {exporting, plain, 1, record.Calibration, start + 3*1400*time.Millisecond, start + 3*1400*time.Millisecond},
	} {
		if few, many := Length(test.plan, test.load, test.phases, test.kind, 0); few.All() != test.few || many.All() != test.many {
			t.Errorf("%s: %v to %v, want %v to %v", name, few, many, test.few, test.many)
		}
	}
}

// Each window of a variant that exports ends with its spans, and nobody else has the load meanwhile.
func TestBetween(t *testing.T) {
	exports := []program.Process{{Run: []string{"{sink.otlp.http}"}}}
	const ms = time.Millisecond
	for name, test := range map[string]struct {
		plan *config.Plan
		rate float64
		want time.Duration
	}{
		"nothing is exported":  {&config.Plan{Delay: 200 * ms}, 100, 0},
		"all spans":            {&config.Plan{Delay: 200 * ms, Sampling: 1, Processes: exports}, 100, 10 * (100*ms + poll)},
		"through a hop":        {&config.Plan{Delay: 200 * ms, Passing: 100 * ms, Sampling: 1, Processes: exports}, 100, 10 * (150*ms + poll)},
		"some spans":           {&config.Plan{Delay: 200 * ms, Sampling: 0.1, Processes: exports}, 100, 10 * (200*ms + margin)},
		"a varying number":     {&config.Plan{Delay: 200 * ms, Sampling: 1, Processes: exports, Spans: map[string]program.Number{"a": {Low: 1, High: 3}}}, 100, 10 * (200*ms + margin)},
		"nobody says how long": {&config.Plan{MayDelay: 5000 * ms, Sampling: 1, Processes: exports}, 100, 10 * (2500*ms + poll)},
		"a backend":            {&config.Plan{Delay: 200 * ms, Sampling: 1, To: "jaeger", Processes: exports}, 100, 10 * 200 * ms},
		"calls at a rate":      {&config.Plan{Delay: 200 * ms, Driver: program.SelfDriving}, 100, 0},
		"unthrottled calls":    {&config.Plan{Delay: 200 * ms, Driver: program.SelfDriving}, 0, 10 * (calmAfterPiece + look)},
	} {
		if got := Between(test.plan, config.Load{Rate: test.rate}, 10); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// Windows are by how long a span may wait: as is said, as was seen, or as is usual.
func TestHeld(t *testing.T) {
	exports := []program.Process{{Run: []string{"{sink.otlp.http}"}}}
	const s = time.Second
	own := &config.Plan{MayDelay: 5 * s, Processes: exports}
	seen := []record.Record{{Phases: []record.Phase{{Quiet: true, DrainSeconds: (5*s + margin + s/2).Seconds(), Sink: record.Counts{Spans: 20}}}}}
	for name, test := range map[string]struct {
		plan         *config.Plan
		calibrations []record.Record
		want         time.Duration
	}{
		"as is said":           {&config.Plan{Delay: s, MayDelay: s, Passing: s, Processes: exports}, nil, 2 * s},
		"as is said, and seen": {&config.Plan{Delay: s / 5, MayDelay: s / 5, Processes: exports}, seen, s / 5},
		"as is usual":          {own, nil, 5 * s},
		"as was seen":          {own, seen, s / 2},
		"nothing was seen":     {own, []record.Record{{Phases: []record.Phase{{DrainSeconds: 20, Sink: record.Counts{Spans: 20}}}}}, 5 * s},
		"nothing is exported":  {&config.Plan{MayDelay: 5 * s}, nil, 0},
	} {
		if got := Held(test.plan, test.calibrations); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// All variants are drained for as long as a tracer holds spans back: as its plan says, or clearly longer as calibrations saw.
// These wait for as long as it may hold them back at most, which is no sign that it does.
func TestDrain(t *testing.T) {
	const s = time.Second
	exports := []program.Process{{Run: []string{"{sink.otlp.http}"}}}
	own := &config.Plan{MayDelay: 5 * s, Processes: exports}
	seen := func(last, silence time.Duration) []record.Record {
		return []record.Record{{Phases: []record.Phase{{Quiet: true, DrainSeconds: (last + silence + margin).Seconds(), Sink: record.Counts{Spans: 20}}}}}
	}
	for name, test := range map[string]struct {
		plan         *config.Plan
		calibrations []record.Record
		want         time.Duration
	}{
		"nothing exported":     {&config.Plan{MayDelay: 5 * s}, nil, 0},
		"as the plan says":     {&config.Plan{Delay: s, MayDelay: s, Processes: exports}, seen(s, s), s + poll},
		"nobody says how long": {own, seen(50*time.Millisecond, 5*s), 50*time.Millisecond + poll},
		"longer than said":     {own, seen(3*s, 5*s), 3*s + poll},
		"late when cold":       {&config.Plan{Delay: s, MayDelay: s, Processes: exports}, seen(s+margin, s), s + poll},
		"through a hop":        {&config.Plan{Delay: s, MayDelay: 5 * s, Passing: 2 * s, Processes: exports}, seen(4*s, 5*s), 6*s + poll},
	} {
		if got := Drain(test.plan, test.calibrations); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// A rate of the operation's own does not stand where the phase varies the load.
func TestOperationOfAPhase(t *testing.T) {
	o := program.Operation{Name: "work", Rate: 7}
	for name, test := range map[string]struct {
		phase PhaseRequest
		want  float64
	}{
		"given":    {PhaseRequest{Operation: o}, 7},
		"swept":    {PhaseRequest{Operation: o, Parameter: map[string]string{"rate": "3"}}, 0},
		"relative": {PhaseRequest{Operation: o, Load: config.Load{Relative: &config.Relative{}}}, 0},
	} {
		if got := test.phase.Asked().Rate; got != test.want {
			t.Errorf("%s: %g, want %g", name, got, test.want)
		}
	}
}

func TestLimits(t *testing.T) {
	s := &stage{placement: process.Placement{App: []int{1}, Harness: []int{0}}, request: Request{Plan: &config.Plan{Processes: []program.Process{
		{Name: "a", Role: "app", CPUs: 0.5}, {Name: "b", Role: "app", CPUs: 2}, {Name: "db", Role: "database", CPUs: 0.25}, {Name: "free", Role: "backend"},
	}}}}
	for i, want := range []struct {
		cpu          int
		quota, limit float64
	}{{1, 0.5, 0.5}, {1, 0, 1}, {0, 0.25, 0.25}, {0, 0, 1}} {
		p := s.request.Plan.Processes[i]
		cpus, quota := s.cpusFor(p)
		if cpus[0] != want.cpu || quota != want.quota || s.limitOf(p) != want.limit {
			t.Errorf("%s: CPUs %v, quota %g, limit %g; want %+v", p.Name, cpus, quota, s.limitOf(p), want)
		}
	}
	if got := s.appLimit(); got != 1 {
		t.Errorf("the app may use %g CPUs, want 1: it is bound to one", got)
	}
	s.placement.App = nil
	if _, quota := s.cpusFor(s.request.Plan.Processes[0]); quota != 0.5 {
		t.Errorf("an unbound process has a quota of %g, want 0.5", quota)
	}
}

// Two variants never get the same cgroups, which would be charged, and ended, together.
func TestNamesOfVariantsStay(t *testing.T) {
	for _, name := range []string{"otel", "otel-1.2", "a+b", "a-b", "a_b"} {
		if got := fileName(name); got != name {
			t.Errorf("%q became %q", name, got)
		}
	}
	if got := fileName("GET /x"); got != "GET--x" {
		t.Errorf("an operation became %q", got)
	}
}
