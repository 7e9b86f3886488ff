package cli

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/selfcheck"
	"github.com/tracetax/tracetax/internal/session"
)

var update = flag.Bool("update", false, "write the expected output in the scripts again")

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "agent" { // what tests start that call Main themselves
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	testscript.Main(m, map[string]func(){
		"tracetax": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScript runs the scripts in testdata/script, each a story of the command
// line: 'exec tracetax …' runs it, 'status N' wants that exit status. Adding a
// script is adding a file.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			// For scripts that take everything else off the PATH.
			path, err := exec.LookPath("tracetax")
			env.Setenv("TRACETAX", path)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
		},
	})
}

// exits runs a program and checks its exit status: exits N PROGRAM ARGS…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var ended *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	case err != nil:
		ts.Fatalf("running %s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("%s ended with status %d, want %d", args[1], got, want)
	}
}

// Variants that lack the same are told in one line; a whole workload has no variant to name.
func TestLacks(t *testing.T) {
	got := lacks([]session.Lack{
		{Variant: "a", Missing: []string{"no such registry"}}, {Variant: "b", Missing: []string{"java is not installed", "nor is mvn"}},
		{Variant: "c", Missing: []string{"no such registry"}},
	})
	want := []string{", and is left out: a, c: no such registry", ", and is left out: b: java is not installed; nor is mvn"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := lacks([]session.Lack{{Workload: "w", Missing: []string{"go is not installed"}}}), []string{": go is not installed"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A variant that was named and of which no run succeeded is a failure, others are not.
func TestAllFailed(t *testing.T) {
	doc := &finding.Document{Results: "results", Runs: finding.Runs{Variants: []finding.VariantRuns{
		{Variant: "none", Good: 2}, {Variant: "mine", Failed: 4}, {Variant: "other", Failed: 4}, {Variant: "some", Good: 1, Failed: 3},
	}}}
	got := allFailed(doc, []string{"none", "mine", "some"})
	if len(got) != 1 || !strings.HasPrefix(got[0].Error(), "variant mine failed in every run") {
		t.Errorf("%v", got)
	}
	if got := allFailed(doc, nil); got != nil {
		t.Errorf("none was named: %v", got)
	}
}

// A sink whose port is taken names the flags that give it another.
func TestSinkPortTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var out, stderr bytes.Buffer
	status := Main([]string{"sink", "--otlp-grpc", "", "--otlp-http", l.Addr().String()}, strings.NewReader(""), &out, &stderr)
	if status != console.Failed || !strings.HasPrefix(stderr.String(), "tracetax: starting the sink: ") || !strings.Contains(stderr.String(), "--otlp-http") {
		t.Errorf("status %d: %s", status, stderr.String())
	}
}

// Some that cannot run here are no failure; runs of which nothing can be concluded are.
func TestConclude(t *testing.T) {
	unready := omission{what: "workload a", err: &prepare.UnreadyError{Variant: "none", Reason: errors.New("no java")}}
	final := omission{what: "workload b", err: fmt.Errorf("later: %w", new(experiment.FinalError))}
	for name, test := range map[string]struct {
		worst, ran int
		left       []omission
		status     int // −1: an error without a status
	}{
		"all ran":           {console.Fine, 2, nil, console.Fine},
		"over budget":       {console.OverBudget, 1, nil, console.OverBudget},
		"one cannot run":    {console.Fine, 1, []omission{unready}, console.Fine},
		"a variant cannot":  {console.Fine, 1, []omission{{what: "variant x"}}, console.Fine},
		"one of no use":     {console.OverBudget, 1, []omission{final}, console.Failed},
		"none can run":      {console.Fine, 0, []omission{unready, unready}, -1},
		"over, one cannot ": {console.Inconclusive, 1, []omission{unready}, console.Inconclusive},
	} {
		err := conclude(test.worst, test.ran, test.left)
		var status *console.StatusError
		got := console.Fine
		if errors.As(err, &status) {
			got = status.Code
		} else if err != nil {
			got = -1
		}
		if got != test.status {
			t.Errorf("%s: %v, want status %d", name, err, test.status)
		}
	}
}

func TestInterferenceInWords(t *testing.T) {
	place := process.Placement{App: []int{3}, Harness: []int{0, 1}}
	none := machine.Change{Estimate: 0.001, Low: -0.002, High: 0.004}
	for name, test := range map[string]struct {
		cpu, wall    machine.Change
		status, word string
	}{
		"apart":         {none, none, "ok", ""},
		"a shared core": {machine.Change{Estimate: 0.6, Low: 0.5, High: 0.7}, machine.Change{Estimate: 0.6, Low: 0.5, High: 0.7}, "bad", "whole core"},
		"a shared cache": {machine.Change{Estimate: 0.1, Low: 0.08, High: 0.12}, machine.Change{Estimate: 0.1, Low: 0.08, High: 0.12},
			"note", "share a core, a cache"},
		"somebody else": {none, machine.Change{Estimate: 0.5, Low: 0.2, High: 0.9}, "note", "stop what else runs"},
		"too noisy":     {machine.Change{Estimate: 0.02, Low: -0.1, High: 0.2}, none, "note", "too noisy to tell"},
	} {
		c := interference(machine.Slowdown{Work: "memory", CPU: test.cpu, Wall: test.wall}, place)
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
		if v.Tracer.Name != program.NoTracer {
			t.Errorf("%s has the tracer %s", v.Name, v.Tracer.Name)
		}
	}
}
