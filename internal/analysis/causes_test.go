package analysis_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
)

// profiledScene is one in which the tracer serialises for 40 %, reads the clock for 30 % and does what nobody knows for 30 % of
// what it adds, which is 30 of 80 µs.
func profiledScene() scene {
	s := twoVariants()
	s.change = func(r *record.Record) {
		p := &r.Phases[0]
		one := record.Profile{Process: "app", Profiler: "perf", Samples: 8000, Unit: "samples", Program: 4500, Runtime: 100, Unseen: 400}
		if r.Variant == "otel" {
			one.Tracing, one.Tracer = 3000, 3000
			one.Tasks, one.Stages = map[string]int64{"serialising": 1200, "time": 900}, map[string]int64{"export": 1200, "instrumentation": 1800}
			one.Unruled = []record.Frame{{Name: "something", Amount: 900}}
		}
		p.Profiled = []record.Profiled{{Of: record.ForCPU, Load: p.Load, Usage: p.Usage, DrainSeconds: p.DrainSeconds, Profiles: []record.Profile{one}, Sink: p.Sink}}
		r.Life = r.Life.Plus(p.Sink)
	}
	return s
}

// In each block the causes add up to the difference, by tasks and by stages.
func TestCausesAddUp(t *testing.T) {
	doc := analyse(t, profiledScene().input())
	whole := get(t, doc, "json", "otel", metric.CPUPerOperation)
	rest := []string{metric.CPUProgram, metric.CPURuntime, metric.CPUUnseen, metric.CPUBesides}
	for name, axis := range map[string][]string{"tasks": metric.Causes(metric.Task), "stages": metric.Causes(metric.Stage), "all of tracing": {metric.CPUTracing}} {
		for i, sample := range whole.Samples {
			base, value := 0.0, 0.0
			for _, cause := range append(axis, rest...) {
				if f, is := look(doc, "json", "otel", "none", cause, ""); is { // where both sides have nothing there is none
					base, value = base+f.Samples[i].Baseline, value+f.Samples[i].Value
				}
			}
			if math.Abs(base-sample.Baseline) > 1e-12 || math.Abs(value-sample.Value) > 1e-12 {
				t.Errorf("block %d: by %s %g and %g, of %g and %g", sample.Block, name, base, value, sample.Baseline, sample.Value)
			}
		}
	}
	serialising := get(t, doc, "json", "otel", "cpu_task_serialising")
	if got := serialising.Absolute.Estimate; math.Abs(got-0.15*float64(whole.Value)) > 0.01*float64(whole.Value) || !serialising.Amount {
		t.Errorf("serialising adds %g of %g; 1,200 of 8,000 samples are of it", got, whole.Value)
	}
	if len(doc.Causes) != 1 || doc.Causes[0].Tracing != 30000 || len(doc.Causes[0].Reasons) != 0 || math.Abs(doc.Causes[0].Unruled[0].Share-0.3) > 1e-9 {
		t.Errorf("causes rest on %+v", doc.Causes)
	}
	if added := doc.Causes[0].Added; added == nil || math.Abs(added.Estimate) > 1e-12 || doc.Causes[0].AddedMuch {
		t.Errorf("profiling added %+v: the stretch was as dear as the window", added)
	}
}

// What the profiles stand for adds up to what the operations of their runs used, and none is told of causes without amounts.
func TestProfilesStandForTheWindow(t *testing.T) {
	s := profiledScene()
	change := s.change
	s.change = func(r *record.Record) {
		change(r)
		r.Phases[0].Profiled[0].Profiles[0].File = fmt.Sprintf("profiles/%d-%s.pb.gz", r.Block, r.Variant)
	}
	doc := analyse(t, s.input())
	whole, program := get(t, doc, "json", "otel", metric.CPUPerOperation), get(t, doc, "json", "otel", metric.CPUProgram)
	for _, side := range []struct {
		variant string
		of      func(finding.Sample) float64
		seen    float64 // share of the samples that is the program's
	}{{"none", func(s finding.Sample) float64 { return s.Baseline }, 4500. / 4600}, {"otel", func(s finding.Sample) float64 { return s.Value }, 4500. / 7600}} {
		found := 0
		for _, p := range doc.Profiles {
			i := slices.IndexFunc(whole.Samples, func(s finding.Sample) bool { return s.Block == p.Block })
			if p.Variant != side.variant || i < 0 {
				continue
			}
			found++
			if want := side.of(whole.Samples[i]); math.Abs(p.PerOperation-want) > 1e-12 {
				t.Errorf("block %d, %s: the samples stand for %g, want %g", p.Block, p.Variant, p.PerOperation, want)
			}
			if got, want := p.PerOperation*(1-p.Unseen)*side.seen, side.of(program.Samples[i]); math.Abs(got-want) > 1e-12 {
				t.Errorf("block %d, %s: those of the program stand for %g, want %g", p.Block, p.Variant, got, want)
			}
			if want := fmt.Sprintf("profiles/%d-%s.pb.gz", p.Block, p.Variant); p.File != want || p.Operation != "json" || p.Process != "app" {
				t.Errorf("%+v, want %s", p, want)
			}
		}
		if found != len(whole.Samples) || found == 0 {
			t.Errorf("%d profiles of %s, want %d", found, side.variant, len(whole.Samples))
		}
	}
	if doc := analyse(t, profiledScene().input()); len(doc.Profiles) != 0 {
		t.Errorf("profiles without files: %+v", doc.Profiles)
	}
}

// A baseline that no sample was taken of has its CPU where nobody saw it, and not in the program.
func TestCausesOfNoSample(t *testing.T) {
	s := profiledScene()
	change := s.change
	s.change = func(r *record.Record) {
		change(r)
		if r.Variant == "none" {
			r.Phases[0].Profiled[0].Profiles[0] = record.Profile{Process: "app", Profiler: "perf", Unit: "samples"}
		}
	}
	doc := analyse(t, s.input())
	if f := get(t, doc, "json", "otel", metric.CPUUnseen); f.Baseline <= 0 {
		t.Errorf("of the baseline %g s are not seen", f.Baseline)
	}
	if f := get(t, doc, "json", "otel", metric.CPUProgram); f.Baseline != 0 {
		t.Errorf("of the baseline %g s are the program's", f.Baseline)
	}
}

// Causes are corrected for each other alone: what else has a verdict is as without them.
func TestCausesHaveAFamily(t *testing.T) {
	with, without := analyse(t, profiledScene().input()), analyse(t, twoVariants().input())
	for _, f := range without.Findings {
		g, is := look(with, f.Operation, f.Variant, f.Against, f.Metric, f.Role)
		if !is || g.Verdict.Claims != f.Verdict.Claims {
			t.Errorf("%s is corrected for %d claims beside causes, and for %d without", f.Metric, g.Verdict.Claims, f.Verdict.Claims)
		}
	}
}

// What says nothing gives no figures, and the cost stays.
func TestNoCauses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*record.Profiled)
		code   finding.Code
	}{
		"few samples": {func(p *record.Profiled) { p.Profiles[0].Tracing = min(p.Profiles[0].Tracing, 49) }, finding.WhyFewSamples},
		"no profile":  {func(p *record.Profiled) { p.Profiles[0] = record.Profile{Process: "app", Failure: "perf: it ended"} }, finding.WhyNoProfile},
		"bad answers": {func(p *record.Profiled) { p.Failure = "too many operations failed" }, finding.WhyNoProfile},
	} {
		s := profiledScene()
		change := s.change
		s.change = func(r *record.Record) {
			if change(r); r.Variant == "otel" {
				test.change(&r.Phases[0].Profiled[0])
			}
		}
		doc := analyse(t, s.input())
		if len(doc.Causes) != 1 || len(doc.Causes[0].Reasons) != 1 || doc.Causes[0].Reasons[0].Code != test.code {
			t.Errorf("%s: %+v", name, doc.Causes)
		}
		for _, axis := range []metric.Axis{metric.Task, metric.Stage, metric.Program} {
			for _, cause := range metric.Causes(axis) {
				if _, is := look(doc, "json", "otel", "none", cause, ""); is {
					t.Errorf("%s: %s has a figure", name, cause)
				}
			}
		}
		get(t, doc, "json", "otel", metric.CPUPerOperation)
	}
	for name, rules := range map[finding.Code]map[string]*profile.Rules{
		finding.WhyNoRules: {"none": nil}, finding.WhyFewSamples: {"otel": profile.Compile()},
	} {
		s := profiledScene()
		change := s.change
		s.change = func(r *record.Record) {
			if change(r); r.Variant == "otel" {
				r.Phases[0].Profiled[0].Profiles[0].Tracing = min(r.Phases[0].Profiled[0].Profiles[0].Tracing, 49)
			}
		}
		in := s.input()
		in.Rules = rules
		if got := analyse(t, in).Causes[0].Reasons; len(got) != 1 || got[0].Code != name {
			t.Errorf("%s: %+v", name, got)
		}
		in.Experiment.Variants[1].Tracer = &program.Tracer{Name: program.NoTracer}
		if got := analyse(t, in).Causes[0].Reasons; len(got) != 1 || got[0].Code != finding.WhyFewSamples {
			t.Errorf("%s, without a tracer that rules could be for: %+v", name, got)
		}
	}
	if doc := analyse(t, twoVariants().input()); doc.Causes != nil {
		t.Errorf("nothing was profiled, and causes are %+v", doc.Causes)
	}
}

// Where nobody knows what operations use, because a program also works without load, no share of that is a cause, and the reason
// says so. What is allocated is no share of it.
func TestCausesOfTheRestless(t *testing.T) {
	s := profiledScene()
	change := s.change
	s.change = func(r *record.Record) {
		change(r)
		r.Harness.Order = "windows"
		r.Start.Idle, r.Stop.Idle = idle(0.06), idle(0.06)
		p := &r.Phases[0]
		p.PausedSeconds = 3 * window
		for _, of := range []string{record.ForWall, record.ForAlloc} {
			one := record.Profile{Process: "app", Profiler: "async-profiler", IntervalSeconds: 1, Samples: 800, Unit: map[string]string{record.ForWall: "samples", record.ForAlloc: "bytes"}[of], Program: 300}
			if r.Variant == "otel" {
				r.Start.Idle = idle(0.9)
				one.Tracing, one.Tracer, one.Tasks = 500, 500, map[string]int64{"queue": 500}
			}
			p.Profiled = append(p.Profiled, record.Profiled{Of: of, Load: p.Load, Sink: p.Sink, Profiles: []record.Profile{one}})
			r.Life = r.Life.Plus(p.Sink)
		}
	}
	doc := analyse(t, s.input())
	if len(doc.Causes) != 1 || len(doc.Causes[0].Reasons) != 1 || doc.Causes[0].Reasons[0].Code != finding.WhyRestless || doc.Causes[0].WaitsLow {
		t.Errorf("%+v", doc.Causes)
	}
	for name, want := range map[string]bool{"cpu_task_time": false, "wait_task_queue": false, "alloc_task_queue": true} {
		if _, is := look(doc, "json", "otel", "none", name, ""); is != want {
			t.Errorf("%s has a figure: %t", name, is)
		}
	}
}

// Where a variant cannot hold the rate, its operations are another work, and so is each part of what they use; not what they
// allocate.
func TestCausesOfTheOverloaded(t *testing.T) {
	s := profiledScene()
	change := s.change
	s.change = func(r *record.Record) {
		if change(r); r.Variant == "otel" {
			r.Phases[0].Load.WallSeconds = 2 * window
		}
		p, one := &r.Phases[0], record.Profile{Process: "app", Profiler: "async-profiler", Samples: 800, Unit: "bytes", Program: 300}
		if r.Variant == "otel" {
			one.Tracing, one.Tracer, one.Tasks = 500, 500, map[string]int64{"queue": 500}
		}
		p.Profiled = append(p.Profiled, record.Profiled{Of: record.ForAlloc, Load: p.Load, Sink: p.Sink, Profiles: []record.Profile{one}})
		r.Life = r.Life.Plus(p.Sink)
	}
	doc := analyse(t, s.input())
	for name, want := range map[string]finding.Kind{metric.CPUPerOperation: finding.CannotTell, "cpu_task_serialising": finding.CannotTell, metric.CPUProgram: finding.CannotTell, "alloc_task_queue": finding.Costs} {
		if v := get(t, doc, "json", "otel", name).Verdict; v.Kind != want {
			t.Errorf("%s: %s", name, v.Text)
		}
	}
}

// An operation that is dearer under the profiler by over a fifth of what tracing adds is marked.
func TestProfilingAdds(t *testing.T) {
	s := profiledScene()
	change := s.change
	s.change = func(r *record.Record) {
		change(r)
		again := &r.Phases[0].Profiled[0]
		again.Usage = append([]record.Usage(nil), again.Usage...)
		again.Usage[0].CPUSeconds += 10e-6 * float64(again.Load.Started)
	}
	c := analyse(t, s.input()).Causes[0]
	if c.Added == nil || math.Abs(c.Added.Estimate-10e-6) > 1e-9 || !c.AddedMuch {
		t.Errorf("profiling added %+v, much: %t; it added 10 µs to what tracing makes dearer by 30", c.Added, c.AddedMuch)
	}
}

// The spans of a stretch under a profiler are accounted for.
func TestProfiledSpansAreDue(t *testing.T) {
	for _, l := range analyse(t, profiledScene().input()).Ledgers {
		if l.Variant == "otel" && l.Operation == "json" && (l.LostMost != 0 || l.Operations != 2*10*10_000) {
			t.Errorf("of %d operations, of which half were made under a profiler, up to %.3g of the spans were lost", l.Operations, l.LostMost)
		}
	}
}

// How long callers take or wait is told where enough samples of tracing were taken in their threads, and not by those of CPU.
func TestWaits(t *testing.T) {
	for samples, want := range map[int64]bool{49: false, 60: true, 62: false, 64: true, 66: false, 68: true} { // of ten blocks
		s := profiledScene()
		change := s.change
		s.change = func(r *record.Record) {
			change(r)
			p := &r.Phases[0]
			if samples == 62 && r.Variant == "otel" { // callers use more CPU than they are seen to take
				p.Profiled[0].Profiles[0].Program, p.Profiled[0].Profiles[0].Tracer, p.Profiled[0].Profiles[0].Caller = 1500, 6000, 6000
			}
			one := record.Profile{Process: "app", Profiler: "py-spy", IntervalSeconds: 5e-3, Samples: 4000, Unit: "samples", Program: 3000}
			if r.Variant == "otel" {
				one.Tracing, one.Tracer, one.Tasks = samples, samples, map[string]int64{"queue": samples / 2}
			} else if samples == 64 { // the other variant takes more, by the clock and of CPU
				one.Tracing, one.Tracer, one.Tasks = 9000, 9000, map[string]int64{"queue": 60 + samples/2}
				p.Profiled[0].Profiles[0].Tracer, p.Profiled[0].Profiles[0].Caller = 9000, 9000
			}
			p.Load.Latency = spread(int(p.Load.Completed), 0.1)
			load := p.Load
			switch {
			case samples == 66 && r.Variant == "none": // the profiler makes the program slow
				load.Latency = spread(int(load.Completed), 1.0)
			case samples == 68 && r.Variant == "none": // or one that does nothing by itself
				p.Load.Latency, load.Latency = spread(int(load.Completed), 0.001), spread(int(load.Completed), 0.01)
			}
			p.Profiled = append(p.Profiled, record.Profiled{Of: record.ForWall, Load: load, Sink: p.Sink, Profiles: []record.Profile{one}})
			r.Life = r.Life.Plus(p.Sink)
		}
		doc := analyse(t, s.input())
		if slow := doc.Causes[0].WaitsSlower; (slow > finding.MostSlower) != (samples == 66) || slow < 0.99 {
			t.Errorf("%d samples a block: an operation took %g times as long", samples, slow)
		}
		f, is := look(doc, "json", "otel", "none", "wait_task_queue", "")
		if is != want || samples == 60 && math.Abs(f.Absolute.Estimate-30*5e-3/10_000) > 1e-9 {
			t.Errorf("%d samples a block: %t, %+v", samples, is, f.Absolute)
		}
		if _, is := look(doc, "json", "otel", "none", "cpu_task_time", ""); !is || doc.Causes[0].Waits != 10*samples {
			t.Errorf("%d samples a block: of CPU %t, of waiting %d", samples, is, doc.Causes[0].Waits)
		}
	}
}

// steppedProfiles is a tracer that is instrumented and no more, in whose profile so many of 3,000 samples are of export.
func steppedProfiles(export int64) scene {
	s := profiledScene()
	change := s.change
	s.change = func(r *record.Record) {
		if change(r); r.Variant == "otel" {
			r.Phases[0].Profiled[0].Profiles[0].Stages = map[string]int64{"export": export, "instrumentation": 3000 - export}
		}
	}
	s.design = func(e *config.Experiment) {
		e.Variants[1].Tracer = &program.Tracer{Name: "otel-go", Settings: []program.Setting{{Name: "sdk", Kind: "choice", Choices: map[string]program.Choice{"off": {Steps: []string{"instrumentation"}}}}}}
		e.Variants[1].Settings = map[string]string{"sdk": "off"}
	}
	return s
}

// What steps of tracing add stands beside what profiles see of it, and where the two differ that is told.
func TestStepsBesideProfiles(t *testing.T) {
	for export, want := range map[int64]bool{1200: true, 100: false} {
		doc := analyse(t, steppedProfiles(export).input())
		if len(doc.Increments) != 1 {
			t.Fatalf("%+v", doc.Increments)
		}
		i := doc.Increments[0]
		if i.Profiled == nil || math.Abs(i.Profiled.Estimate/(float64(3000-export)*1e-8)-1) > 0.05 || len(i.Stages) != 3 || i.Disagree != want {
			t.Errorf("%d samples of export: %+v, by profiles %+v", export, i, i.Profiled)
		}
		if told := warned(doc, "causes-disagree"); told != want {
			t.Errorf("%d samples of export: warned is %t", export, told)
		}
	}
}

// A start is timed in some blocks and under a profiler in others, and neither has figures of the other.
func TestStarts(t *testing.T) {
	s := twoVariants()
	s.blocks = 12
	s.change = func(r *record.Record) {
		r.Start.ReadySeconds, r.Start.FirstOperationSeconds = 1, 0.1
		if r.Block%2 == 1 {
			return
		}
		r.Start.ReadySeconds = 5
		r.Cold = &record.Cold{Seconds: 5.1, Profilers: []string{"async-profiler"}, Parts: map[string]float64{"loading-program": 3, "runtime": 1, "beside": 9}}
		if r.Variant == "otel" {
			r.Cold.Seconds, r.Cold.Parts["set-up"] = 6.1, 0.75
		}
	}
	doc := analyse(t, s.input())
	for name, want := range map[string]struct{ base, value float64 }{
		metric.StartupTime: {1, 1}, metric.StartName("set-up"): {0, 0.75}, metric.StartName("loading-program"): {3, 3}, metric.StartName("rest"): {1.1, 1.35}, metric.StartName(""): {5.1, 6.1},
	} {
		f := get(t, doc, "", "otel", name)
		if f.Blocks != 6 || math.Abs(float64(f.Baseline)-want.base) > 1e-9 || math.Abs(float64(f.Value)-want.value) > 1e-9 {
			t.Errorf("%s is %g and %g in %d blocks, want %+v", name, f.Baseline, f.Value, f.Blocks, want)
		}
	}
	if len(doc.Causes) != 1 || doc.Causes[0].Operation != "" || len(doc.Causes[0].Profilers) != 1 || len(doc.Causes[0].Reasons) != 0 {
		t.Errorf("%+v", doc.Causes)
	}
	change := s.change
	s.change = func(r *record.Record) {
		if change(r); r.Cold != nil {
			r.Cold.Parts["program"] = 1.2
		}
	}
	doc = analyse(t, s.input())
	if f, is := look(doc, "", "otel", "none", metric.StartName("rest"), ""); is {
		t.Errorf("the parts of none take 5.2 of 5.1 s, and the rest is %g s", f.Baseline)
	}
	if f := get(t, doc, "", "otel", metric.StartName("beside")); f.Baseline != 9 {
		t.Errorf("%g s are beside the start", f.Baseline)
	}
	s.change = func(r *record.Record) {
		if change(r); r.Cold != nil && r.Variant == "otel" {
			r.Cold.Parts, r.Cold.Failure = nil, "app: it told none"
		}
	}
	doc = analyse(t, s.input())
	if _, is := look(doc, "", "otel", "none", metric.StartName("set-up"), ""); is || len(doc.Causes) != 1 || len(doc.Causes[0].Reasons) != 1 || doc.Causes[0].Reasons[0].Code != finding.WhyNoProfile {
		t.Errorf("without a profile: %t, %+v", is, doc.Causes)
	}
}
