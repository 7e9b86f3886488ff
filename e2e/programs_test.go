// Programs that nobody here wrote, with the libraries that their users have: the tracers
// that are attached from outside have to find something to trace in them.

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/artifact"
	programconfig "github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// installed is the folder of the packages that a lock beside it pins, in the cache.
func installed(t *testing.T, language string, a programconfig.Artifact, programs ...string) string {
	t.Helper()
	need(t, programs...)
	store, err := artifact.Open("")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := store.Artifact(t.Context(), os.DirFS(filepath.Join("testdata", language)), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// tracedProgram runs a program once without tracing and once with the tracer, and returns
// the result and the libraries that the tracer instrumented.
func tracedProgram(t *testing.T, tracer, path string, env []string, program ...string) (finding.Document, []string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, slices.Concat([]string{
		"run", "--op", "op=GET " + path, "--variant", "none", "--variant", "otel:tracer=" + tracer + ",delay=200ms", "--ready", path, "--set", "workload.processes.0.patience=120s",
		"--rate", "20", "--set", "load.warmup=0s", "--duration", "1s", "--blocks", "1", "--set", "design.order=woven", "--json", "--out", out, "--",
	}, program)...)
	c.Env = append(c.Env, env...)
	doc := document(t, c.exit(t, 0))
	for _, r := range records(t, out) {
		if named := r.Tracer.Instrumented; r.Variant == "none" && named != nil {
			t.Errorf("something is instrumented without a tracer: %v", named)
		}
		if r.Kind == record.Measured && r.Variant == "none" && r.Life.Spans > 0 {
			t.Errorf("%d spans came without a tracer", r.Life.Spans)
		}
	}
	if delivered := entry(ledger(t, doc, "op", "otel"), "delivered"); delivered <= 0 {
		t.Errorf("%d spans were delivered", delivered)
	}
	return doc, doc.Experiment.Variants[1].Instrumented
}

// instrumented complains where a library is missing.
func instrumented(t *testing.T, got []string, want ...string) {
	t.Helper()
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("%s is not instrumented, only %v", name, got)
		}
	}
}

// complete complains where an operation did not make so many spans each time, or one is missing.
// That the number is exact is not asked for: on a busy machine spans of the start may come late.
func complete(t *testing.T, doc finding.Document, spans int64) {
	t.Helper()
	l := ledger(t, doc, "op", "otel")
	if want := spans * int64(l.Operations); l.Operations == 0 || entry(l, "expected") != want || entry(l, "delivered") != want {
		t.Errorf("%d operations of %d spans each, and the ledger says %+v", l.Operations, spans, l.Entries)
	}
}

var pythonPrograms = programconfig.Artifact{Python: "requirements.txt"}

func TestDatasette(t *testing.T) {
	more(t, "others' programs")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	dir := installed(t, "python", pythonPrograms, "python3")
	_, names := tracedProgram(t, "otel-python", "/", []string{"PYTHONPATH=" + dir}, "python3", "-m", "datasette", "-p", "{port}")
	instrumented(t, names, "sqlite3", "jinja2", "httpx")
}

func TestFastAPI(t *testing.T) {
	more(t, "others' programs")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	dir := installed(t, "python", pythonPrograms, "python3")
	doc, names := tracedProgram(t, "otel-python", "/items", []string{"PYTHONPATH=" + dir}, "python3", "-m", "uvicorn", "--app-dir", filepath.Join(dir, "files"), "--port", "{port}", "shop:app")
	instrumented(t, names, "fastapi", "sqlite3")
	// The request, what is sent of the answer (its head, its body), and the statement.
	complete(t, doc, 4)
}

func TestDjango(t *testing.T) {
	more(t, "others' programs")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	dir := installed(t, "python", pythonPrograms, "python3")
	doc, names := tracedProgram(t, "otel-python", "/items", []string{"PYTHONPATH=" + dir}, "python3", "-m", "uvicorn", "--app-dir", filepath.Join(dir, "files"), "--port", "{port}", "django_shop:app")
	instrumented(t, names, "django")
	complete(t, doc, 1)
}

func TestExpress(t *testing.T) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	dir := installed(t, "node", programconfig.Artifact{NPM: "package-lock.json"}, "node", "npm")
	_, names := tracedProgram(t, "otel-node", "/items", nil, "node", filepath.Join(dir, "files", "shop.js"), "{port}")
	if !slices.Contains(names, "express") || !slices.Contains(names, "http") || slices.Contains(names, "pg") {
		t.Errorf("instrumented are %v", names)
	}
}

// A program without any library has nothing of the third parties' instrumented, though the
// tracer brings some for itself, and of the standard library what it imports.
func TestOnlyWhatTheProgramHas(t *testing.T) {
	more(t, "others' programs")
	t.Parallel() // it looks at what happens, not at times
	need(t, "python3")
	store, err := artifact.Open("")
	if err != nil {
		t.Fatal(err)
	}
	tracer, err := store.Python(t.Context(), os.DirFS("../tracers/otel-python"), "requirements.txt", nil)
	if err != nil {
		t.Fatal(err)
	}
	venv := t.TempDir()
	execute(t, venv, "python3", "-m", "venv", "--without-pip", venv)
	for code, want := range map[string][]string{
		"pass":                             {"threading"},
		"import sqlite3":                   {"sqlite3", "threading"},
		"import sqlite3.dbapi2":            {"sqlite3", "threading"},
		"import urllib.request":            {"threading", "urllib"},
		"import requests, urllib3, sys":    {"threading", "urllib"}, // the tracer's own, by chance; they import urllib
		"import sys; sys.stderr = None":    {"threading"},
		"from sqlite3 import dbapi2 as db": {"sqlite3", "threading"},
	} {
		c := exec.CommandContext(t.Context(), "sh", filepath.Join(tracer, "files", "attach.sh"), tracer, "python3", "-c", code)
		c.Env = append(os.Environ(), "PATH="+filepath.Join(venv, "bin")+":"+os.Getenv("PATH"), "OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=none", "OTEL_LOGS_EXPORTER=none")
		said, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", code, err, said)
			continue
		}
		var got []string
		for line := range strings.Lines(string(said)) {
			if name, found := strings.CutPrefix(strings.TrimSpace(line), "tracetax: instrumented "); found {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v\n%s", code, got, want, said)
		}
	}
}

// A program in .NET, traced from outside.

// needDotnet leaves a test out without .NET, which TRACETAX_REQUIRE_DOTNET=1 asks for, unlike other languages apart.
func needDotnet(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("dotnet"); err != nil {
		if os.Getenv("TRACETAX_REQUIRE_DOTNET") == "1" {
			t.Fatal(err)
		}
		t.Skip("dotnet is not here, and not every machine that checks has to have it")
	}
}

// tiersDotnet runs the three tiers in ASP.NET Core.
func tiersDotnet(t *testing.T, operations, variants string) finding.Document {
	t.Helper()
	needDotnet(t)
	return document(t, tracetax(t, "run", "--json", write(t, `
workload: tiers/aspnet
operations: `+operations+`
variants:
  none:
`+variants+`
load: {rate: 20/s, warmup: 0s, warmup_all: 0s, duration: 1s, idle: 50ms}
design: {blocks: 1, order: windows} # cold code needs more CPU than three variants can have at once
`)).exit(t, 0))
}

// Three tiers make five spans a request, all of which come; with hardly a queue as many are missing as the SDK says.
func TestDotnet(t *testing.T) {
	t.Parallel() // it asks for counts, not for times
	doc := tiersDotnet(t, "[small]", `  otel: {tracer: otel, settings: {delay: 100ms}}
  few: {tracer: otel, settings: {queue: 1, batch: 1, delay: 100ms}}`)
	fiveSpans(t, doc, "small", "otel")
	l := ledger(t, doc, "(run)", "few")
	dropped := entry(l, "dropped")
	if dropped <= 0 || entry(l, "delivered")+dropped != entry(l, "expected") || entry(l, "unaccounted") > 0 {
		t.Errorf("with a queue of one span: %+v", l)
	}
}

// Every operation makes them, whatever the protocol; large is left out, for cold code and a busy machine do not hold its rate.
func TestDotnetProtocols(t *testing.T) {
	more(t, ".NET")
	t.Parallel()
	operations := []string{"small", "factorial", "pi", "matrix", "fails"}
	doc := tiersDotnet(t, "[small, factorial, pi, matrix, fails]", `  http: {tracer: otel, settings: {delay: 100ms, protocol: http/protobuf}}
  zipkin: {tracer: otel, settings: {delay: 100ms, export: zipkin}}
  simple: {tracer: otel, settings: {processor: simple}}`)
	for _, operation := range operations {
		for _, variant := range []string{"http", "zipkin", "simple"} {
			fiveSpans(t, doc, operation, variant)
		}
	}
}

func fiveSpans(t *testing.T, doc finding.Document, operation, variant string) {
	t.Helper()
	l := ledger(t, doc, operation, variant)
	if want := 5 * int64(l.Operations); l.Operations == 0 || !l.Exact || entry(l, "expected") != want || entry(l, "delivered") != want {
		t.Errorf("%s with %s: %+v, want five spans for each of %d operations", operation, variant, l, l.Operations)
	}
}

// Of the traces with an error all three tiers keep theirs, whatever the processor and the exporter; the others they leave out
// by their own word.
func TestDotnetKeepsErrors(t *testing.T) {
	more(t, "sampling")
	t.Parallel()
	out := filepath.Join(t.TempDir(), "results")
	needDotnet(t)
	doc := document(t, tracetax(t, "run", "--json", write(t, `
workload: tiers/aspnet
operations: [fails]
variants:
  none:
  process: {tracer: otel, settings: {delay: 100ms, keep: errors}}
  each: {tracer: otel, settings: {processor: simple, keep: errors, export: zipkin}}
load: {rate: 20/s, warmup: 0s, warmup_all: 0s, duration: 4s, idle: 50ms}
design: {blocks: 1, order: windows}
`), "--out", out).exit(t, 0))
	keepsErrors(t, doc, out, "process", "each")
}

// A program that brings its own OpenTelemetry needs no hook: with one every span comes twice, and that is told.
func TestDotnetWithItsOwn(t *testing.T) {
	more(t, ".NET")
	t.Parallel()
	needDotnet(t)
	program := filepath.Join(installed(t, "dotnet", programconfig.Artifact{NuGet: "projects"}), "own", "own.dll")
	doc := document(t, tracetax(t, "run", "--json", "--op", "op=GET /", "--variant", "none", "--variant", "own:tracer=otel-dotnet,attach=own,delay=100ms",
		"--variant", "both:tracer=otel-dotnet,attach=hook,delay=100ms",
		"--rate", "20", "--set", "load.warmup=0s", "--duration", "1s", "--blocks", "1", "--set", "design.order=woven", "--set", "workload.processes.0.patience=120s",
		"--", "dotnet", program, "--urls", "http://127.0.0.1:{port}").exit(t, 0))
	if l := ledger(t, doc, "op", "own"); l.Operations == 0 || entry(l, "delivered") != int64(l.Operations) || entry(l, "duplicated") > 0 {
		t.Errorf("with its own alone: %+v", l)
	}
	l := ledger(t, doc, "op", "both")
	if entry(l, "duplicated") < int64(l.Operations) || !slices.ContainsFunc(doc.Warnings, func(w finding.Warning) bool { return w.Code == "duplicates" }) {
		t.Errorf("with the hook on top: %+v, and the warnings are %+v", l, doc.Warnings)
	}
}
