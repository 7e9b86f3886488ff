package analysis_test

import (
	"math"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
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
			if several && (math.Abs(c.Value-v[0]) > 1e-9 || math.Abs(m.Value-v[1]) > 1) {
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

// Several programs without anything beside them are told by role alone, unless a variant is on some of them.
func TestChargedToSeveralPrograms(t *testing.T) {
	for _, on := range [][]string{nil, {"app"}} {
		s := twoVariants()
		s.change = func(r *record.Record) {
			r.Phases[0].Usage = append(r.Phases[0].Usage, record.Usage{Process: "cart", Role: "app", Seconds: window + drain, CPUSeconds: 1})
		}
		s.design = func(e *config.Experiment) { e.Variants[1].On = on }
		told := 0
		for _, f := range analyse(t, s.input()).Findings {
			if f.Service != "" {
				told++
			}
		}
		if want := 2 * len(on); told != want {
			t.Errorf("on %v: %d findings of services, want %d", on, told, want)
		}
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
	all := config.Variant{Name: "all", Tracer: &config.Tracer{Name: "otel-go"}}
	one := all
	one.On = []string{"cart"}
	if config.SameSpans(all, one) || !config.SameSpans(one, one) {
		t.Error("a variant on one process makes the spans of all")
	}
	s := twoVariants()
	s.design = func(e *config.Experiment) {
		e.Workload.Processes = []config.Process{{Name: "cart", Traced: true}, {Name: "shop", Traced: true}}
		e.Variants[1].On = []string{"cart"}
	}
	v := analyse(t, s.input()).Experiment.Variants[1]
	if !v.Partial || !slices.Equal(v.On, []string{"cart"}) || v.Description != "on cart" {
		t.Errorf("%+v", v)
	}
}
