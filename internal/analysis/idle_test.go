package analysis_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/compare"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

// idle is what the app used idle, as a record has it.
func idle(rate float64) []record.Usage {
	const seconds = 1
	return []record.Usage{{Process: "app", Role: "app", Seconds: seconds, CPUSeconds: rate * seconds}}
}

// What a program did to start, or never stopped doing, is not taken for what it uses idle: not taken off, and not of one
// side of a comparison alone. Where both readings agree, both count.
func TestIdleIsTakenOffOnlyWhereItIsKnown(t *testing.T) {
	const adds, operations = 30e-6, window * 500
	no := false
	for name, c := range map[string]struct {
		change func(*record.Record)
		code   finding.Code
		off    float64 // CPU seconds per operation that are taken off of both
	}{
		"only one reading": {func(*record.Record) {}, "", idling},
		"the same twice":   {func(r *record.Record) { r.Stop.Idle = idle(idling) }, "", idling},
		"the mean of both": {func(r *record.Record) { r.Start.Idle, r.Stop.Idle = idle(idling), idle(2*idling) }, "", 1.5 * idling},
		"it still started": {onlyRuns("otel", func(r *record.Record) { r.Start.Idle, r.Stop.Idle = idle(0.3), idle(idling) }), "idle-differs", 0},
		"it goes on":       {onlyRuns("otel", func(r *record.Record) { r.Stop.Idle = idle(0.3) }), "idle-differs", 0},
		"once of many": {onlyRuns("otel", func(r *record.Record) {
			r.Stop.Idle = idle(idling)
			if r.Block == 3 {
				r.Stop.Idle = idle(0.3)
			}
		}), "", math.NaN()},
		"never calm": {onlyRuns("otel", func(r *record.Record) { r.Start.IdleSteady = &no }), "idle-unknown", 0},
		"not read":   {onlyRuns("otel", func(r *record.Record) { r.Start.Idle, r.Start.IdleSeconds = nil, 0 }), "idle-unknown", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := twoVariants()
			s.noise = 0
			s.blocks, s.change = 8, c.change
			doc := analyse(t, s.input())
			for _, code := range []finding.Code{"idle-differs", "idle-unknown"} {
				if got := warned(doc, string(code)); got != (code == c.code) {
					t.Errorf("warning %s: %t", code, got)
				}
			}
			f := get(t, doc, "json", "otel", "cpu_per_operation")
			if math.IsNaN(c.off) {
				return
			}
			want := 50e-6 + (idling-c.off)*drain/operations // of the baseline, in which the weather of each block is
			if got := float64(f.Value - f.Baseline); math.Abs(got/adds-1) > 0.1 || math.Abs(float64(f.Baseline)/want-1) > 0.1 {
				t.Errorf("%g are added to %g, want %g to %g", got, f.Baseline, adds, want)
			}
		})
	}
}

// While others had the load a program used what it uses idle, for longer than it had the load itself: nothing is no answer
// there, even where the two readings differ, or the first is none.
func TestIdleInTurns(t *testing.T) {
	const rate, paused = 0.06, 3 * window // of both, whatever was read
	no := false
	for name, c := range map[string]struct {
		read    func(*record.Record)
		code    finding.Code
		unknown bool // what its operations cost
	}{
		"the same twice":   {func(r *record.Record) { r.Start.Idle, r.Stop.Idle = idle(rate), idle(rate) }, "", false},
		"they differ":      {func(r *record.Record) { r.Start.Idle, r.Stop.Idle = idle(rate+0.005), idle(rate-0.005) }, "idle-differs", false},
		"it still started": {func(r *record.Record) { r.Start.Idle, r.Stop.Idle = idle(rate+0.3), idle(rate) }, "idle-differs", true},
		"never calm before": {func(r *record.Record) {
			r.Start.Idle, r.Start.IdleSteady, r.Stop.Idle = idle(0.9), &no, idle(rate)
		}, "idle-unknown", false},
	} {
		s := twoVariants()
		s.noise, s.blocks = 0, 8
		s.change = func(r *record.Record) {
			r.Harness.Order = "windows"
			p := &r.Phases[0]
			for i := range p.Usage {
				if u := &p.Usage[i]; u.Role == "app" {
					u.CPUSeconds += rate*(paused+drain) - idling*drain
				}
				p.Usage[i].Seconds += paused
			}
			p.PausedSeconds = paused
			r.Start.Idle, r.Stop.Idle = idle(rate), idle(rate)
			if r.Variant == "otel" {
				c.read(r)
			}
		}
		doc := analyse(t, s.input())
		for _, code := range []finding.Code{"idle-differs", "idle-unknown"} {
			if got := warned(doc, string(code)); got != (code == c.code) {
				t.Errorf("%s: warning %s: %t", name, code, got)
			}
		}
		f := get(t, doc, "json", "otel", "cpu_per_operation")
		if c.unknown {
			if f.Relative != nil || f.Absolute != nil || f.Blocks > 0 || f.Verdict.Kind != finding.CannotTell || f.Verdict.Reason().Code != finding.WhyRestless {
				t.Errorf("%s: %+v is told of what is unknown", name, f)
			}
			if f.Value.Known() || math.Abs(float64(f.Baseline)/50e-6-1) > 0.1 { // only otel's is unknown
				t.Errorf("%s: baseline %g, value %g", name, f.Baseline, f.Value)
			}
			continue
		}
		if math.Abs(float64(f.Baseline)/50e-6-1) > 0.1 || math.Abs(float64(f.Value-f.Baseline)/30e-6-1) > 0.1 {
			t.Errorf("%s: %g are added to %g, want 30e-6 to 50e-6", name, f.Value-f.Baseline, f.Baseline)
		}
	}
}

// resting has both programs alternate, and operations cost more after a rest by a share.
func resting(more float64) func(*record.Record) {
	return func(r *record.Record) {
		r.Harness.Order = "windows"
		const rounds = 20
		p := &r.Phases[0]
		cpu := p.Usage[0].CPUSeconds - idling*drain
		p.Windows, p.Usage[0].CPUSeconds = nil, idling*drain
		chance := rand.New(rand.NewPCG(uint64(r.Block), uint64(len(r.Variant))))
		for round := range rounds {
			first := round%2 == 0 // none otel, otel none, …
			place, after := 2*round, round > 0
			if (r.Variant == "none") != first {
				place, after = 2*round+1, false
			}
			one := cpu / rounds * math.Exp(0.1*chance.NormFloat64())
			if !after {
				one *= 1 + more
			}
			p.Usage[0].CPUSeconds += one
			p.Windows = append(p.Windows, record.Window{Place: place, Operations: p.Load.Completed / rounds, CPUSeconds: one})
		}
	}
}

// Where the first operations after a rest cost more, alternating windows tell of a rested program: what is added to both makes
// a difference look smaller.
func TestProgramsThatRest(t *testing.T) {
	for more, want := range map[float64]bool{0: false, 0.01: false, 0.3: true, -0.2: true} {
		s := twoVariants()
		s.latencies = true
		s.budget = cpuBudget(10)
		s.also(resting(more))
		doc := analyse(t, s.input())
		if got := warned(doc, "rested"); got != want {
			t.Errorf("%g more after a rest: warning rested: %t", more, got)
		}
		for _, name := range []string{"cpu_per_operation", "latency_p50"} {
			v := get(t, doc, "json", "otel", name).Verdict
			if withheld := v.Kind == finding.CannotTell && v.Reason().Code == finding.WhyRested; withheld != want {
				t.Errorf("%g more after a rest: %s: %s", more, name, v.Text)
			}
		}
	}
	s := twoVariants() // an operation had its load at once, and in turn for latency alone; another one had no room
	s.latencies, s.order, s.operations["work"] = true, append(s.order, "work"), 400e-6
	s.also(resting(0.3))
	s.also(func(r *record.Record) {
		p := &r.Phases[0]
		r.Harness.Order = "paired"
		r.Phases[1].Windows, p.Timed, p.Windows = []record.Window{{Place: 0}}, &record.Timed{Load: p.Load, Windows: p.Windows}, nil
	})
	doc := analyse(t, s.input())
	for name, want := range map[string]bool{"cpu_per_operation": false, "latency_p50": true} {
		v := get(t, doc, "json", "otel", name).Verdict
		if withheld := v.Kind == finding.CannotTell && v.Reason().Code == finding.WhyRested; withheld != want {
			t.Errorf("latency alone is of rested programs: %s: %s", name, v.Text)
		}
	}
	wrong := 0
	for seed := range uint64(200) {
		s := twoVariants()
		s.seed = seed
		s.also(resting(0))
		s.also(func(r *record.Record) { // windows of other noise in each experiment
			chance := rand.New(rand.NewPCG(seed, uint64(r.Block*10+len(r.Variant))))
			for i := range r.Phases[0].Windows {
				r.Phases[0].Windows[i].CPUSeconds *= math.Exp(0.15 * chance.NormFloat64())
			}
		})
		if warned(analyse(t, s.input()), "rested") {
			wrong++
		}
	}
	if wrong > 4 {
		t.Errorf("%d of 200 experiments in which rest costs nothing are said to be rested", wrong)
	}
}

// again is an experiment in which both variants are the same program.
func again(operations ...string) scene {
	s := twoVariants()
	s.order, s.operations = operations, map[string]float64{}
	for _, name := range operations {
		s.operations[name] = 50e-6
	}
	s.variants[1] = actor{name: "otel", tracer: "none"}
	s.latencies = true
	return s
}

// claimsACost lists the findings that say that there is a difference.
func claimsACost(doc *finding.Document) []string {
	var out []string
	for _, f := range doc.Findings {
		if slices.Contains([]finding.Kind{finding.Costs, finding.Saves, finding.Over}, f.Verdict.Kind) {
			out = append(out, f.Operation+" "+f.Metric+" "+f.Role+": "+f.Verdict.Text)
		}
	}
	return out
}

// A program that holds 10 MB while it works and 15 MB when it rests costs nothing more because
// its drains are longer, in any metric.
func TestAForcedDrainCostsNothing(t *testing.T) {
	s := again("json")
	const forced, works, rests = 1.5, 10e6, 15e6
	s.change = func(r *record.Record) {
		p := &r.Phases[0]
		wobbling := wobble(r, "memory", 0.005)
		if r.Variant == "otel" {
			p.DrainSeconds += forced
			for i := range p.Usage {
				p.Usage[i].Seconds += forced
			}
			p.Usage[0].CPUSeconds += idling * forced
		}
		// What an older tracetax wrote down: the mean until the last span had come.
		p.Usage[0].MemoryMean = uint64((works*window + rests*p.DrainSeconds) / (window + p.DrainSeconds) * wobbling)
		p.Usage[0].MemoryPeak = uint64(rests * wobbling)
		r.Memory[0].Steady, r.Memory[0].Peak = uint64(works*wobbling), uint64(rests*wobbling)
	}
	doc := analyse(t, s.input())
	if claimed := claimsACost(doc); len(claimed) > 0 {
		t.Errorf("the same program again, with longer drains: %q", claimed)
	}
	for metric, want := range map[string]float64{metric.MemoryMean: works, metric.MemoryPeak: rests} {
		if f := get(t, doc, "", "otel", metric); f.Verdict.Kind != finding.NoDifference || math.Abs(float64(f.Value)/want-1) > 0.01 {
			t.Errorf("%s is %g, want %g: %+v", metric, f.Value, want, f.Verdict)
		}
	}
}

// A process holds less in its first phase than after it. Which operation came first is nothing
// that an operation costs.
func TestOrderOfPhasesCostsNoMemory(t *testing.T) {
	s := again("json", "work")
	s.change = func(r *record.Record) {
		first := 0
		if r.Variant == "otel" {
			first = 1
		}
		for i := range r.Phases {
			r.Phases[i].Usage[0].MemoryMean, r.Phases[i].Usage[0].MemoryPeak = 12e6, 12e6
		}
		r.Phases[first].Usage[0].MemoryMean, r.Phases[first].Usage[0].MemoryPeak = 6e6, 6e6
		r.Phases[first].Position, r.Phases[1-first].Position = 0, 1
	}
	doc := analyse(t, s.input())
	if claimed := claimsACost(doc); len(claimed) > 0 {
		t.Errorf("the same program again, in another order: %q", claimed)
	}
	for _, f := range doc.Findings {
		if finding.IsOfLoad(f.Metric) && f.Operation != "" {
			t.Errorf("%s of %s: memory is of the run", f.Metric, f.Operation)
		}
	}
}

// A budget on memory is one claim a variant, held against the run; where the run did less work
// on any of its operations it is not kept.
func TestMemoryBudget(t *testing.T) {
	grown := func(share float64) func(*record.Record) {
		return onlyRuns("otel", func(r *record.Record) { r.Memory[0].Peak = uint64(float64(r.Memory[0].Peak) * (1 + share)) })
	}
	lost := onlyRuns("otel", func(r *record.Record) {
		p, n := &r.Phases[1], uint64(0)
		p.Sink.Spans, n = p.Sink.Spans*9/10, p.Sink.Spans/10
		r.Tracer.Dropped = &n
	})
	for name, c := range map[string]struct {
		change func(*record.Record)
		search bool
		want   finding.Kind
	}{
		"little more":           {change: grown(0.02), want: finding.Within},
		"much more":             {change: grown(0.30), want: finding.Over},
		"spans were lost":       {change: lost, want: finding.CannotTell},
		"an older tracetax":     {change: func(r *record.Record) { r.Memory = nil }, want: finding.CannotTell},
		"of one it is unknown":  {change: func(r *record.Record) { r.Memory[0].Peak = 0 }, want: finding.CannotTell},
		"each at its own rates": {search: true, want: finding.CannotTell},
	} {
		s := twoVariants()
		s.order, s.operations["work"] = []string{"json", "work"}, 50e-6
		s.change = c.change
		if c.search {
			s = capacities(map[string]float64{"none": 2450, "otel": 1520})
		}
		s.budget = []config.Limit{{Metric: metric.MemoryPeak, Value: 0.1}}
		held := 0
		for _, f := range analyse(t, s.input()).Findings {
			if f.Metric != metric.MemoryPeak {
				continue
			}
			held++
			if f.Operation != "" || f.Verdict.Kind != c.want || f.Verdict.Budget == nil {
				t.Errorf("%s: on %q %+v", name, f.Operation, f.Verdict)
			}
		}
		if held != 1 {
			t.Errorf("%s: %d claims on the budget, want 1", name, held)
		}
	}
}

// Where a variant could not hold the rate on any operation, the run was not at the same load.
func TestMemoryAtAnotherRate(t *testing.T) {
	s := twoVariants()
	s.order, s.operations["work"] = []string{"json", "work"}, 50e-6
	s.change = onlyRuns("otel", func(r *record.Record) { r.Phases[1].Load.WallSeconds = 30 })
	doc := analyse(t, s.input())
	if f := get(t, doc, "", "otel", metric.MemoryMean); f.Note == metric.Must(metric.MemoryMean).Note {
		t.Errorf("nothing is said of the rate: %q", f.Note)
	}
	if f := get(t, doc, "", "otel", "startup_time"); f.Note != "" {
		t.Errorf("the start has nothing to do with the rate: %q", f.Note)
	}
}

// Idle CPU is over the time that was read, not over what was asked for.
func TestIdleOverWhatWasRead(t *testing.T) {
	s := twoVariants()
	s.change = onlyRuns("otel", func(r *record.Record) {
		r.Start.Idle[0].Seconds, r.Start.Idle[0].CPUSeconds = 2.5, 2.5*idling
		r.Start.Idle = append(r.Start.Idle, record.Usage{Process: "sidecar", Role: "sidecar", Seconds: 2.4, CPUSeconds: 2.4 * idling})
	})
	f := get(t, analyse(t, s.input()), "", "otel", "idle_cpu")
	if math.Abs(float64(f.Baseline)/idling-1) > 1e-9 || math.Abs(float64(f.Value)/(2*idling)-1) > 1e-9 {
		t.Errorf("%g and %g, want %g and %g", f.Baseline, f.Value, idling, 2*idling)
	}
	s.change = onlyRuns("otel", func(r *record.Record) { r.Start.Idle[0].Seconds = 0 })
	if f, has := look(analyse(t, s.input()), "", "otel", "none", "idle_cpu", ""); has {
		t.Errorf("of no time there is %g", f.Value)
	}
}

// Where it is only known between which ends the number of spans lies, so is what one costs: the
// interval covers what it is at either end.
func TestPerSpanOfAnUnsureNumber(t *testing.T) {
	at := func(low, high float64) finding.Finding {
		s := twoVariants()
		s.plan = func(p *config.Plan) {
			for name := range p.Spans {
				p.Spans[name] = program.Number{Low: low, High: high}
			}
		}
		f, _ := look(analyse(t, s.input()), "json", "otel", "none", metric.CPUPerSpan, "")
		return f
	}
	few, unsure := at(3, 3), at(3, 4)
	if few.Absolute == nil || unsure.Absolute == nil {
		t.Fatalf("%+v, %+v", few.Absolute, unsure.Absolute)
	}
	low, high := *few.Absolute.Low*3/4, *few.Absolute.High // of 4 spans, and of 3
	if math.Abs(*unsure.Absolute.Low/low-1) > 1e-9 || math.Abs(*unsure.Absolute.High/high-1) > 1e-9 {
		t.Errorf("%g to %g, want %g to %g", *unsure.Absolute.Low, *unsure.Absolute.High, low, high)
	}
	if unsure.Samples[0].ValueWithin == nil || few.Samples[0].ValueWithin != nil {
		t.Errorf("samples %+v and %+v", unsure.Samples[0], few.Samples[0])
	}
	if none := at(0, 3); none.Absolute != nil {
		t.Errorf("where it may be that no span is added, one costs %+v", none.Absolute)
	}
}

// What came after patience with the end of a run was over is in no count.
func TestNeverQuietAtTheEnd(t *testing.T) {
	s := twoVariants()
	s.change = onlyRuns("otel", func(r *record.Record) { r.Stop.Unquiet = r.Block == 3 })
	doc := analyse(t, s.input())
	if !warned(doc, "never-quiet") {
		t.Errorf("warnings %+v", doc.Warnings)
	}
	for _, l := range doc.Ledgers {
		if l.Variant == "otel" && (l.Operation == "json" || l.Operation == ledger.All) && l.Exact {
			t.Errorf("the ledger of %s is called exact", l.Operation)
		}
	}
}

// A result that lost more spans on any of its operations than the one before saves no memory, and
// keeps no budget on it.
func TestCompareMemoryOfLessWork(t *testing.T) {
	before, after := shop(1, 12, calm).result(t, "before"), shop(2, 12, calm).result(t, "after")
	budget := []config.Limit{{Metric: metric.MemoryPeak, Value: 0.5}}
	for name, c := range map[string]struct {
		lossy []finding.Lossy
		want  finding.Kind
	}{
		"all came":     {nil, finding.Within},
		"on one, lost": {[]finding.Lossy{{Variant: "otel", Operation: "work", LostShare: 0.3}}, finding.CannotTell},
	} {
		after.Lossy = c.lossy
		doc := compared(t, compare.Input{Base: before, News: []*finding.Document{after}, Budget: budget})
		if v := changeIn(t, doc, 0, "", "otel", metric.MemoryPeak).Verdict; v.Kind != c.want || v.Budget == nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
