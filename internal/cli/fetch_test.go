package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/cli/console"
)

// fetch runs the command with a cache of the test's own, and workloads beside the built-in ones.
func fetch(t *testing.T, files map[string]string, args ...string) (status int, out, errOut string) {
	t.Helper()
	catalog := t.TempDir()
	for name, text := range files {
		name = filepath.Join(catalog, "workloads", name, "workload.yaml")
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(catalogVariable, catalog)
	t.Setenv(artifact.Variable, t.TempDir())
	var o, e bytes.Buffer
	status = Main(append([]string{"fetch"}, args...), strings.NewReader(""), &o, &e)
	return status, o.String(), e.String()
}

// workload has a build of its own for two tracers, one of which has settings.
func workload(command string) string {
	return `
build:
  default: {run: [[sh, -c, "` + command + `"]]}
  otel-go: {run: [[sh, -c, "` + command + ` with otel"]]}
processes: [{name: app, run: ["{build}/program", "{port}"]}]
operations: {get: GET /}
`
}

func TestFetchBuildsForEveryTracer(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	files := map[string]string{"shop": workload("echo built >> " + log + "; echo")}
	status, out, errOut := fetch(t, files, "shop", "none")
	if status != console.Fine || out != "shop: ready\nnone: ready\n" {
		t.Errorf("status %d, output %q, errors %q", status, out, errOut)
	}
	built, err := os.ReadFile(log)
	if err != nil || string(built) != "built\nbuilt\n" {
		t.Errorf("builds: %q, %v, want two", built, err)
	}
	if !strings.Contains(errOut, "workload shop for otel-go: building the program with sh\n") {
		t.Errorf("progress %q does not say what is built", errOut)
	}
}

func TestFetchGoesOnAfterAFailure(t *testing.T) {
	files := map[string]string{"broken": workload("echo line 3: no such thing >&2; exit 1; "), "whole": workload("true")}
	status, out, errOut := fetch(t, files, "broken", "whole")
	if status != console.Failed || out != "whole: ready\n" {
		t.Errorf("status %d, output %q", status, out)
	}
	for _, want := range []string{"broken: ", "line 3: no such thing"} {
		if !strings.Contains(errOut, want) {
			t.Errorf("errors %q do not say %q", errOut, want)
		}
	}
}

func TestFetchOfWhatCannotRunHere(t *testing.T) {
	needy := "needs: [{command: no-such-runtime, install: ask the vendor}]\n" + workload("true")
	status, _, errOut := fetch(t, map[string]string{"needy": needy}, "needy")
	if status != console.Failed || !strings.Contains(errOut, "needy cannot run here: no-such-runtime is not installed, or not on the PATH: ask the vendor") {
		t.Errorf("status %d, errors %q", status, errOut)
	}
}

// An experiment is fetched as a whole, and what of it cannot run here is passed over.
func TestFetchExperiment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	text := "workload: shop\nvariants: {none: , otel-go: , odd: {tracer: inspectit-java}}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	status, out, errOut := fetch(t, map[string]string{"shop": workload("echo building")}, file)
	if status != console.Fine || out != file+": ready\n" || !strings.Contains(errOut, "workload shop for otel-go: building the program with sh\n") || !strings.Contains(errOut, "odd on shop: passed over: ") {
		t.Errorf("status %d, output %q, errors %q", status, out, errOut)
	}
}

// The name of an experiment may be like that of a workload, as functions is like functions/node.
func TestFetchExperimentNamedLikeAWorkload(t *testing.T) {
	if _, err := (fetcher{catalog: BuiltIn()}).thing("functions"); err != nil {
		t.Error(err)
	}
}

func TestFetchWrongUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "say --all"},
		{[]string{"--all", "none"}, "say --all"},
		{[]string{"helo/go"}, `did you mean the workload "hello/go"?`},
		{[]string{"otel-jav"}, `did you mean the tracer "otel-java"?`},
		{[]string{"postgresql"}, "postgresql is a service without a program to build"},
		{[]string{"no-such-file.yaml"}, "no such file"},
	} {
		if status, _, errOut := fetch(t, nil, test.args...); status != console.Usage || !strings.Contains(errOut, test.want) {
			t.Errorf("fetch %v: status %d, errors %q", test.args, status, errOut)
		}
	}
}
