package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/noise"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/selfcheck"
)

func TestInterferenceInWords(t *testing.T) {
	place := process.Placement{App: []int{3}, Harness: []int{0, 1}}
	none := noise.Change{Estimate: 0.001, Low: -0.002, High: 0.004}
	for name, test := range map[string]struct {
		cpu, wall    noise.Change
		status, word string
	}{
		"apart":         {none, none, "ok", ""},
		"a shared core": {noise.Change{Estimate: 0.6, Low: 0.5, High: 0.7}, noise.Change{Estimate: 0.6, Low: 0.5, High: 0.7}, "bad", "core of its own"},
		"a shared cache": {noise.Change{Estimate: 0.1, Low: 0.08, High: 0.12}, noise.Change{Estimate: 0.1, Low: 0.08, High: 0.12},
			"note", "share a core, a cache"},
		"somebody else": {none, noise.Change{Estimate: 0.5, Low: 0.2, High: 0.9}, "note", "stop what else runs"},
		"too noisy":     {noise.Change{Estimate: 0.02, Low: -0.1, High: 0.2}, none, "note", "too noisy to tell"},
	} {
		c := interference(noise.Slowdown{Work: "memory", CPU: test.cpu, Wall: test.wall}, place)
		if c.Status != test.status || !strings.Contains(c.Advice, test.word) || (test.word == "") != (c.Advice == "") {
			t.Errorf("%s: %+v", name, c)
		}
		if !strings.Contains(c.Says, "beside work on CPU 1") || !strings.Contains(c.Name, "CPU 3") {
			t.Errorf("%s: it does not say which CPUs: %+v", name, c)
		}
	}
}

func TestDoctorFits(t *testing.T) {
	checks := []check{
		{Name: "machine", Status: "ok", Says: strings.Repeat("word ", 40)},
		{Name: "CPU 1, memory", Status: "note", Says: "short", Advice: strings.Repeat("advice ", 30)},
	}
	var b bytes.Buffer
	floor := []selfcheck.Floor{{Metric: "cpu_per_operation", Unit: "s", Typical: 60e-6, Blocks: 12, Here: 0.02, Few: 0.02, Many: 0.01}}
	if err := printDoctor(&b, doctorResult{Checks: checks, Noise: floor}); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"→ advice", "CPU per operation", "2.0 %", "in 30 blocks"} {
		if !strings.Contains(b.String(), word) {
			t.Errorf("it does not say %q:\n%s", word, b.String())
		}
	}
}

// Without Go, the noise is measured on the service that tracetax brings along.
func TestNoiseWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	e, err := noiseExperiment()
	if err != nil {
		t.Fatal(err)
	}
	if e.Workload.Name != "hello" || len(e.Needs()) != 0 || len(e.Variants) != 2 || e.Variants[1].Name != selfcheck.Again {
		t.Errorf("workload %s, needs %v, variants %+v", e.Workload.Name, e.Needs(), e.Variants)
	}
	if run := e.Workload.Processes[0].Run; run[1] != "agent" || run[2] != "hello" {
		t.Errorf("it runs %v", run)
	}
	for _, v := range e.Variants {
		if v.Tracer.Name != config.NoTracer {
			t.Errorf("%s has the tracer %s", v.Name, v.Tracer.Name)
		}
	}
}
