// What each step of tracing adds, and who leaves steps, traces or spans out.

package analysis_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// stepped is a tracer whose setting says which steps are left.
func stepped() scene {
	s := calls(map[string]call{
		"a-off": {perSpan: 20e-9}, "b-probe": {perSpan: 100e-9}, "c-full": {perSpan: 300e-9}, "d-http": {perSpan: 400e-9},
	}, 10)
	before := s.design
	s.design = func(e *config.Experiment) {
		before(e)
		tracer := &program.Tracer{Name: "otel-java", Settings: []program.Setting{{Name: "mode", Kind: "choice", Choices: map[string]program.Choice{
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
	if !strings.Contains(doc.Summary, "c-full") || !strings.Contains(doc.Summary, "d-http") || strings.Contains(doc.Summary, "b-probe") {
		t.Error(doc.Summary)
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

// What a step adds is told with what was lost beside it, or may have been: unknown is not none.
func TestIncrementsOfWhatMayHaveLostSpans(t *testing.T) {
	for name, c := range map[string]struct {
		spans program.Number
		want  finding.Code
	}{
		"all came": {program.Number{Low: 10, High: 10}, ""}, "it varies": {program.Number{Low: 9, High: 14}, finding.NoteMayBeLossy}, "some are lost": {program.Number{Low: 12, High: 12}, finding.NoteLossy},
		"none came": {program.Number{Low: 10, High: 10}, finding.WhyUntraced},
	} {
		s := stepped()
		if c.want == finding.WhyUntraced {
			s.also(onlyRuns("c-full", func(r *record.Record) { r.Phases[0].Sink = record.Counts{Checking: true} }))
		}
		before := s.plan
		s.plan = func(p *config.Plan) {
			before(p)
			if p.Variant == "c-full" {
				p.Spans = map[string]program.Number{"json": c.spans}
			}
		}
		n := 0
		for _, i := range analyse(t, s.input()).Increments {
			if i.Variant == "c-full" {
				n++
				if note, _ := told(i.Notes, c.want); c.want == "" && len(i.Notes) > 0 || c.want != "" && note.Variant != "c-full" {
					t.Errorf("%s: %+v", name, i.Notes)
				}
			}
		}
		if n == 0 {
			t.Errorf("%s: no increment", name)
		}
	}
}

// What adds no step to the variant that it names is held against what that one is: both add the
// same steps to the same.
func TestIncrementsFollowWhatIsNamed(t *testing.T) {
	s := stepped()
	before := s.design
	s.design = func(e *config.Experiment) {
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
	s.design = func(e *config.Experiment) {
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
	s.design = func(e *config.Experiment) {
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
	s.design = func(e *config.Experiment) {
		before(e)
		for i := range e.Variants[1:] {
			e.Variants[i+1].Settings = map[string]string{"mode": "full"}
		}
	}
	if doc := analyse(t, s.input()); len(doc.Increments) > 0 {
		t.Errorf("%+v", doc.Increments)
	}
}

// Who keeps a share of the traces, or some a second, leaves some out on purpose; who does not
// tell its steps leaves out nothing.
func TestWhoLeavesOutTraces(t *testing.T) {
	s := calls(map[string]call{"plain": {perSpan: 90e-9}, "sampled": {perSpan: 90e-9}, "rationed": {perSpan: 90e-9}, "few": {perSpan: 90e-9}, "all": {perSpan: 90e-9}}, 10)
	in := s.input()
	in.Plans["sampled"].Sampling = 0.05
	tracer := &program.Tracer{Name: "scout-java", Settings: []program.Setting{{Name: "mode", Choices: map[string]program.Choice{"rationed": {Rationed: true}, "few": {Partial: true}, "all": {}}}}}
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

// Synthetic searches, sweeps and pilots, on top of the scene's records.

// wobble is noise of one run, the same for the same run.
func wobble(r *record.Record, what string, deviation float64) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, r.Variant, r.Block, what)
	return math.Exp(deviation * rand.New(rand.NewPCG(h.Sum64(), 1)).NormFloat64())
}

// capacities is a scene whose phases are searches; rate is what they find.
func capacities(rate map[string]float64) scene {
	s := twoVariants()
	s.design = func(e *config.Experiment) {
		e.Load.Rate = 0
		e.Load.Capacity = &config.RateSearch{Goal: config.GoalCPU, CPU: 0.75}
	}
	s.change = func(r *record.Record) {
		for i := range r.Phases {
			p := &r.Phases[i]
			found := rate[r.Variant] * wobble(r, p.Operation, 0.01)
			p.Capacity = &record.Search{
				Goal: "cpu", Target: 0.75, Method: "fit", Outcome: record.Found, Rate: found, Passing: found, Failing: 1.05 * found,
				Binding: "quota", Linear: true, Base: 0.02, Demand: 0.73 / found, Seconds: 12,
			}
			for _, share := range []float64{0.3, 0.6, 1} {
				p.Capacity.Probes = append(p.Capacity.Probes, record.Probe{
					Purpose: "probe", Rate: share * found, Utilisation: 0.02 + 0.73*share, Passed: true, Held: true,
				})
			}
			p.Capacity.Probes[2].Purpose, p.OfferedRate = "verify", found
		}
	}
	return s
}

// also adds to what a scene changes.
func (s *scene) also(change func(*record.Record)) {
	before := s.change
	s.change = func(r *record.Record) {
		if before != nil {
			before(r)
		}
		change(r)
	}
}

// search changes the searches of one variant.
func search(variant string, change func(*record.Record, *record.Search)) func(*record.Record) {
	return func(r *record.Record) {
		for i := range r.Phases {
			if c := r.Phases[i].Capacity; c != nil && r.Variant == variant {
				change(r, c)
			}
		}
	}
}

// swept makes of each phase one for every level.
func swept(s scene, parameter string, levels []float64, shape func(r *record.Record, p *record.Phase, x float64)) scene {
	s.also(func(r *record.Record) {
		var all []record.Phase
		for _, p := range r.Phases {
			for _, x := range levels {
				one := p
				one.Parameter = map[string]string{parameter: fmt.Sprint(x)}
				one.Usage = append([]record.Usage(nil), p.Usage...)
				shape(r, &one, x)
				all = append(all, one)
			}
		}
		r.Phases = all
	})
	return s
}

// connections is a closed loop over levels whose throughput grows to a most.
func connections(noise float64, most float64, levels ...float64) scene {
	s := swept(twoVariants(), "connections", levels, func(r *record.Record, p *record.Phase, x float64) {
		p.OfferedRate, p.Connections = 0, int(x)
		rate := 100 * math.Min(x, most) * wobble(r, fmt.Sprint(x), noise)
		if r.Variant == "otel" {
			rate *= 0.8
		}
		n := uint64(rate * window)
		p.Load = record.Load{WallSeconds: window, Started: n, Completed: n}
		p.Usage[0].CPUSeconds *= float64(n) / (500 * window)
		p.Sink = record.Counts{Checking: true}
		if r.Variant == "otel" {
			p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = 3*n, n, n
		}
	})
	s.design = func(e *config.Experiment) {
		e.Load.Rate = 0
		for _, x := range levels {
			e.Load.Levels = append(e.Load.Levels, int(x))
		}
	}
	return s
}

// rates is an open loop over several rates.
func rates(levels ...float64) scene {
	s := twoVariants()
	s.latencies = true
	s.design = func(e *config.Experiment) { e.Load.Rate, e.Load.Rates = 0, levels }
	return swept(s, "rate", levels, func(r *record.Record, p *record.Phase, x float64) {
		n := uint64(x * window)
		share := float64(n) / float64(p.Load.Started)
		p.OfferedRate = x
		p.Load.Intended, p.Load.Started, p.Load.Completed = n, n, n
		p.Usage[0].CPUSeconds = (p.Usage[0].CPUSeconds-idling*drain)*share*wobble(r, fmt.Sprint(x), 0.005) + idling*drain
		p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = uint64(float64(p.Sink.Spans)*share), uint64(float64(p.Sink.Roots)*share), uint64(float64(p.Sink.Traces)*share)
	})
}

// pilot is what a pilot of a variant left.
func pilot(variant string, outcome record.Outcome, rate float64) record.Record {
	return record.Record{Schema: record.Schema, Kind: record.Pilot, Variant: variant, Phases: []record.Phase{{
		Operation: "json", Capacity: &record.Search{Goal: "cpu", Target: 0.75, Outcome: outcome, Rate: rate, Passing: rate},
	}}}
}
