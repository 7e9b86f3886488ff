package run

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

func TestEnvironment(t *testing.T) {
	shell := []string{"PLAIN=kept", "REPLACED=old", "JAVA_TOOL_OPTIONS=-Xmx1g {x}", "NODE_OPTIONS=--inspect"}
	p := spec.Process{
		Env:     map[string]string{"REPLACED": "new", "OTEL_SERVICE_NAME": "{process}", "JAVA_TOOL_OPTIONS": "-javaagent:x", "NODE_OPTIONS": "--require x"},
		Inherit: []string{"JAVA_TOOL_OPTIONS"},
	}
	env, err := environment(shell, p, map[string]string{"process": "app"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"PLAIN=kept", "JAVA_TOOL_OPTIONS=-Xmx1g {x} -javaagent:x", "NODE_OPTIONS=--require x", "OTEL_SERVICE_NAME=app", "REPLACED=new"}
	if !slices.Equal(env, want) {
		t.Errorf("%q, want %q", env, want)
	}
}

func TestExports(t *testing.T) {
	at := func(args []string, env map[string]string, silent bool) *spec.Plan {
		return &spec.Plan{Processes: []spec.Process{{Run: args, Env: env}}, Silent: silent}
	}
	for name, test := range map[string]struct {
		plan *spec.Plan
		want bool
	}{
		"nothing":      {at([]string{"app"}, nil, false), false},
		"argument":     {at([]string{"app", "--to={sink.otlp.http}"}, nil, false), true},
		"environment":  {at(nil, map[string]string{"TO": "http://{sink.otlp.grpc}"}, false), true},
		"silent by it": {at(nil, map[string]string{"TO": "{sink.otlp.grpc}"}, true), false},
		"template":     {&spec.Plan{Templates: map[string]string{"agent.config": "collector={sink.pinpoint.host}"}}, true},
	} {
		if got := Exports(test.plan); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

func TestAwaited(t *testing.T) {
	known := map[string]spec.Number{"one": {Low: 1, High: 1}, "varies": {Low: 1, High: 3}}
	for name, test := range map[string]struct {
		operation string
		sampling  float64
		want      float64
	}{
		"all sampled":       {"one", 1, 50},
		"none sampled":      {"one", 0, -1},
		"sampled by chance": {"one", 0.5, -1},
		"varying":           {"varies", 1, -1},
		"unknown":           {"other", 1, -1},
	} {
		s := &stage{request: Request{Plan: &spec.Plan{Sampling: test.sampling}, Spans: known}}
		if got := s.awaited(test.operation, 50); got != test.want {
			t.Errorf("%s: %g, want %g", name, got, test.want)
		}
	}
}

// A drain does not end on spans of other work, nor where more may come.
func TestAllCame(t *testing.T) {
	s := &stage{request: Request{Roots: map[string]int{"GET /": 3}}}
	for name, test := range map[string]struct {
		shapes record.Shapes
		want   bool
	}{
		"all":                              {record.Shapes{"GET /": {3: 10}}, true},
		"one is missing":                   {record.Shapes{"GET /": {3: 9, 2: 1}}, false},
		"one is missing beside a timer's":  {record.Shapes{"GET /": {3: 9, 2: 1}, "tick": {1: 5}}, false},
		"all, beside a timer's":            {record.Shapes{"GET /": {3: 10}, "tick": {1: 5}}, true},
		"as many, of operations that vary": {record.Shapes{"GET /": {3: 8, 2: 1, 4: 1}}, false},
	} {
		c := record.Counts{Checking: true, Spans: uint64(test.shapes.Spans()), Shapes: test.shapes}
		if got := s.allCame(c, 30); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

func TestFixedPort(t *testing.T) {
	for ready, want := range map[string]int{
		"http://127.0.0.1:8080/health": 8080, "tcp://localhost:5432": 5432, "http://[::1]:80/": 80,
		"http://127.0.0.1:{port}/": 0, "log:http://127.0.0.1:8080/": 0, "http://elsewhere:8080/": 0, "": 0, "http://127.0.0.1/": 0,
	} {
		port, fixed := fixedPort(ready)
		if fixed != (want != 0) || fixed && port != want {
			t.Errorf("%q: %d, %t; want %d", ready, port, fixed, want)
		}
	}
}

// A port that somebody has is found before anything is run.
func TestFreePorts(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	plan := &spec.Plan{Processes: []spec.Process{{Name: "app", Ready: "http://" + taken.Addr().String() + "/"}}}
	if err := freePorts(plan); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("error %v, want that the port is in use", err)
	}
}

// What a killed tracetax left is removed; what a living one has stays.
func TestScratch(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(os.TempDir(), scratchName+strconv.Itoa(ended.Process.Pid)+"-1")
	living := filepath.Join(os.TempDir(), scratchName+strconv.Itoa(os.Getppid())+"-1")
	foreign := filepath.Join(os.TempDir(), scratchName+"of-somebody")
	for _, dir := range []string{dead, living, foreign} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	made, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	for dir, there := range map[string]bool{dead: false, living: true, foreign: true, made: true} {
		if _, err := os.Stat(dir); (err == nil) != there {
			t.Errorf("%s: there is %t, want %t", dir, !there, there)
		}
	}
}
