package config

import (
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
)

// Who decides which traces are sampled: the load generator where samplers follow it, and the requests reach them.
func TestWhoDecidesOnSampling(t *testing.T) {
	const sink = "env.TO={sink.otlp.http},"
	undeclared := []string{"x:" + sink + "env.A=b", "x:" + sink + "env.OTEL_TRACES_SAMPLER=traceidratio,env.OTEL_TRACES_SAMPLER_ARG=half"} // of which nobody says what they sample
	for variant, want := range map[string]struct {
		share   float64
		follows bool
	}{
		"x:tracer=otel-python,sampling=10%": {.1, true},
		"x:tracer=otel-python":              {1, true},
		"x:tracer=otel-python,sampling=10%,env.OTEL_TRACES_SAMPLER=traceidratio":                        {.1, false},
		"x:tracer=otel-python,env.OTEL_TRACES_SAMPLER_ARG=0.25":                                         {.25, true},
		"x:tracer=elastic-python,sampling=10%":                                                          {.1, false},
		"x:" + sink + "env.OTEL_TRACES_SAMPLER=parentbased_traceidratio,env.OTEL_TRACES_SAMPLER_ARG=.5": {.5, true},
		"x:" + sink + "env.OTEL_TRACES_SAMPLER=traceidratio,env.OTEL_TRACES_SAMPLER_ARG=0.5":            {.5, false},
		"x:" + sink + "env.OTEL_TRACES_SAMPLER=traceidratio,env.OTEL_TRACES_SAMPLER_ARG=half":           {1, false},
		"x:" + sink + "env.OTEL_TRACES_SAMPLER=always_off":                                              {0, false},
		"x:" + sink + "env.A=b": {1, false},
		"x:env.OTEL_TRACES_SAMPLER=traceidratio,env.OTEL_TRACES_SAMPLER_ARG=0.5": {1, false}, // nothing is sent anywhere
	} {
		e, err := FromFlags(Flags{Command: []string{"python3", "x.py", "{port}"}, Sets: Sets{{Path: "workload.language", Value: "python"}}, Ops: []string{"GET /"}, Variants: []string{"none", variant}}, builtIn())
		if err != nil {
			t.Fatalf("%s: %v", variant, err)
		}
		p, err := e.Plan(e.Variants[1])
		if err != nil || p.Sampling != want.share || p.Follows != want.follows || p.Undeclared != slices.Contains(undeclared, variant) {
			t.Errorf("%s: share %v, follows %t, undeclared %t (%v), want %+v", variant, p.Sampling, p.Follows, p.Undeclared, err, want)
		}
	}
}

// A process that is not traced hands no decision on, and a self-driving program is asked by nobody.
func TestWhoHearsNoDecision(t *testing.T) {
	e, err := FromFlags(Flags{Command: []string{"python3", "x.py", "{port}"}, Sets: Sets{{Path: "workload.language", Value: "python"}}, Ops: []string{"GET /"}, Variants: []string{"none", "x:tracer=otel-python,sampling=10%"}}, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	own := *e.Workload
	own.Driver = program.SelfDriving
	behind := *e.Workload
	behind.Processes = append([]program.Process{{Name: "front", Role: "app", Traced: true, Run: []string{"front"}}}, behind.Processes...)
	for name, w := range map[string]*program.Workload{"self-driving": &own, "behind what is not traced": &behind} {
		changed, v := *e, e.Variants[1]
		changed.Workload = w
		if w == &behind {
			v.On = []string{e.Workload.Processes[0].Name}
		}
		if p, err := changed.Plan(v); err != nil || p.Follows {
			t.Errorf("%s: follows %t (%v)", name, p.Follows, err)
		}
	}
}

// Envoy takes its share of what its caller decided to sample: asked to sample a tenth, it would take a hundredth.
func TestWhoDrawsOfWhatIsAsked(t *testing.T) {
	for _, tracer := range []string{"otel-envoy", "zipkin-envoy"} {
		e, err := FromFlags(Flags{Command: []string{"envoy", "-c", "x.yaml", "{port}"}, Sets: Sets{{Path: "workload.language", Value: "envoy"}}, Ops: []string{"GET /"}, Variants: []string{"none", "x:tracer=" + tracer + ",sampling=10%"}}, builtIn())
		if err != nil {
			t.Fatalf("%s: %v", tracer, err)
		}
		if p, err := e.Plan(e.Variants[1]); err != nil || !p.Draws || p.Follows {
			t.Errorf("%s: draws %t, follows %t (%v)", tracer, p.Draws, p.Follows, err)
		}
	}
}
