// What each step of tracing adds, and who leaves steps, traces or spans out.

package analysis_test

import (
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
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
		tracer := &config.Tracer{Name: "otel-java", Settings: []config.Setting{{Name: "mode", Kind: "choice", Choices: map[string]config.Choice{
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
	if !strings.Contains(doc.FullSummary, "c-full") || !strings.Contains(doc.FullSummary, "d-http") || strings.Contains(doc.FullSummary, "b-probe") {
		t.Error(doc.FullSummary)
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
		spans config.Number
		want  finding.Code
	}{
		"all came": {config.Number{Low: 10, High: 10}, ""}, "it varies": {config.Number{Low: 9, High: 14}, finding.NoteMayBeLossy}, "some are lost": {config.Number{Low: 12, High: 12}, finding.NoteLossy},
		"none came": {config.Number{Low: 10, High: 10}, finding.WhyUntraced},
	} {
		s := stepped()
		if c.want == finding.WhyUntraced {
			s.also(onlyRuns("c-full", func(r *record.Record) { r.Phases[0].Sink = record.Counts{Checking: true} }))
		}
		before := s.plan
		s.plan = func(p *config.Plan) {
			before(p)
			if p.Variant == "c-full" {
				p.Spans = map[string]config.Number{"json": c.spans}
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
	tracer := &config.Tracer{Name: "scout-java", Settings: []config.Setting{{Name: "mode", Choices: map[string]config.Choice{"rationed": {Rationed: true}, "few": {Partial: true}, "all": {}}}}}
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
