package run_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// profiled is a short run of the service, with its operation once more under a profiler.
func profiled(t *testing.T) (*run.Conductor, run.Request) {
	t.Helper()
	c, q := request(t, record.Measured, "/work")
	c.Results = t.TempDir()
	q.Profile = config.Profile{CPU: time.Second}
	q.Causes = profile.Compile(&profile.File{Tracer: []string{"go.opentelemetry.io/otel/*"}, Otherwise: profile.Does{Stage: "instrumentation"}})
	return c, q
}

// What is made under a profiler is in no window, and its spans are in the account of the phase.
func TestProfiled(t *testing.T) {
	if _, err := exec.LookPath("perf"); err != nil {
		if os.Getenv("TRACETAX_REQUIRE_PROGRAMS") == "1" {
			t.Fatal(err)
		}
		t.Skip("perf is not installed: ", err)
	}
	c, q := profiled(t)
	burn := filepath.Join(t.TempDir(), "burn")
	if out, err := exec.Command("go", "build", "-o", burn, "./profiler/testdata/burn").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	q.Plan.Processes[0].Run = []string{burn, "127.0.0.1:{port}"}
	q.Causes = profile.Compile(&profile.File{Tracer: []string{"main.burnLittle"}, Otherwise: profile.Does{Stage: "instrumentation"}})
	r, err := c.Run(t.Context(), q)
	if err != nil || r.Failed() {
		t.Fatalf("%v, %+v", err, r.Failure)
	}
	p := r.Phases[0]
	stretch := p.ProfiledOf(record.ForCPU)
	if stretch == nil || len(stretch.Profiles) != 1 || stretch.Failure != "" || len(p.Profiled) != 1 {
		t.Fatalf("profiled is %+v", stretch)
	}
	if p.Load.Started != 100 || stretch.Load.Started != 200 {
		t.Errorf("the window has %d operations, the stretch %d", p.Load.Started, stretch.Load.Started)
	}
	one := stretch.Profiles[0]
	if one.Failure != "" || one.Profiler != "perf" || one.Samples < 50 || one.Tracing == 0 || one.Tracing >= one.Samples/2 {
		t.Fatalf("the profile is %+v", one)
	}
	if one.Stages["instrumentation"] != one.Tracer || one.Program <= one.Tracer {
		t.Errorf("of the program are %d, and of the tracer %d, by stage %v", one.Program, one.Tracer, one.Stages)
	}
	file, err := os.Open(filepath.Join(c.Results, filepath.FromSlash(one.File)))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if kept, err := profile.Read(profile.Pprof, file); err != nil || kept.Total != one.Program+one.Tracer+one.Runtime {
		t.Errorf("the kept profile has %+v of %d: %v", kept, one.Program+one.Tracer+one.Runtime, err)
	}
}

// A profiler that dies takes the causes with it, and nothing else.
func TestProfilerDies(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "perf"), []byte("#!/bin/sh\necho perf_event_open: not permitted\nexit 255\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	c, q := profiled(t)
	r, err := c.Run(t.Context(), q)
	if err != nil || r.Failed() {
		t.Fatalf("%v, %+v", err, r.Failure)
	}
	stretch := r.Phases[0].ProfiledOf(record.ForCPU)
	if stretch == nil || len(stretch.Profiles) != 1 || !strings.Contains(stretch.Profiles[0].Failure, "not permitted") {
		t.Fatalf("profiled is %+v", stretch)
	}
	if r.Phases[0].Load.Completed == 0 || stretch.Sink.Spans != 2*stretch.Load.Started {
		t.Errorf("the window has %d operations; %d of the stretch made %d spans", r.Phases[0].Load.Completed, stretch.Load.Started, stretch.Sink.Spans)
	}
}
