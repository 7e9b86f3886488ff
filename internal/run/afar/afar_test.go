package afar_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/build"
	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/run/afar"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// TestMain makes the test binary serve as the tracetax that conducts, runs the agents, and is the service under test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "agent" {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// conductor is a conductor in a process of its own, driven over pipes.
func conductor(t *testing.T, folder string, pods afar.Pods) (*afar.Client, *exec.Cmd) {
	t.Helper()
	c := exec.Command(os.Args[0], "agent", "conduct")
	c.Stderr = os.Stderr
	c.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return afar.NewClient(t.Context(), in, out, folder, pods), c
}

// shop is a small experiment on this machine: the service that tracetax has in it, without and with tracing.
func shop(t *testing.T) *config.Experiment {
	t.Helper()
	return shopOf(t, fmt.Sprintf(`run: [%q, agent, hello, --listen, "127.0.0.1:{port}"]`, os.Args[0]), "")
}

func shopOf(t *testing.T, process, more string) *config.Experiment {
	t.Helper()
	text := fmt.Sprintf(`
workload:
  processes: [{name: shop, %s, patience: 10s}]
  operations: {json: GET /json}
variants:
  none:
  traced:
    tracer: none
    env: {OTEL_TRACES_EXPORTER: otlp, OTEL_EXPORTER_OTLP_ENDPOINT: "http://{sink.otlp.grpc}", OTEL_BSP_SCHEDULE_DELAY: "100"}
load: {rate: 100/s, duration: 1s, warmup: 200ms, idle: 200ms}
design: {blocks: 1}
%s
`, process, more)
	e, err := config.ParseExperiment("shop.yaml", t.TempDir(), []byte(text), cli.BuiltIn())
	if err != nil {
		t.Fatal(err)
	}
	return e[0]
}

// requestOf is a request for one run of an experiment's first variant.
func requestOf(t *testing.T, e *config.Experiment) run.Request {
	t.Helper()
	p, err := prepare.Variant(t.Context(), nil, nil, e, e.Variants[0], io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return run.Request{
		Kind: record.Measured, Name: "one", Plan: p.Plan, Folders: p.Folders, First: p.Plan.Operations[0], Load: e.Load,
		Phases: []run.PhaseRequest{{Operation: p.Plan.Operations[0], Load: e.Load}},
	}
}

// keeper keeps records in memory.
type keeper struct{}

func (keeper) Append(record.Record) error { return nil }

// made makes an experiment's runs by a runner.
func made(t *testing.T, e *config.Experiment, by experiment.Runner) []record.Record {
	t.Helper()
	loop := experiment.Loop{Experiment: e, Runner: by, Keeper: keeper{}, GoOn: true}
	for _, v := range e.Variants {
		p, err := prepare.Variant(t.Context(), nil, nil, e, v, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		loop.Variants = append(loop.Variants, experiment.Prepared{Variant: v, Plan: p.Plan, Calibration: p.Calibration, Folders: p.Folders})
	}
	history, err := loop.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return history
}

// shape is what of a record does not depend on when, where and how fast it was made.
func shape(r record.Record) map[string]any {
	out := map[string]any{
		"kind": r.Kind, "variant": r.Variant, "block": r.Block, "failure": r.Failure, "life": r.Life.Spans, "source": r.Harness.Accounting, "order": r.Harness.Order,
	}
	for _, p := range r.Phases {
		var used []string
		for _, u := range p.Usage {
			used = append(used, fmt.Sprintf("%s %s %s %t", u.Process, u.Role, u.Source, u.CPUSeconds > 0))
		}
		out["phase "+p.Operation] = []any{p.Load.Started, p.Load.Completed, p.Sink.Spans, used, len(p.Windows)}
	}
	return out
}

// The same experiment gives the same, made by a conductor over pipes and in this process; its logs come over.
func TestSameAsHere(t *testing.T) {
	e := shop(t)
	here, there := t.TempDir(), t.TempDir()
	local := &run.Conductor{Self: []string{os.Args[0]}, Logs: filepath.Join(here, "logs"), Results: here}
	local.Unplaced()
	client, process := conductor(t, there, nil)
	if _, err := client.Setup(t.Context(), afar.Setup{Build: build.Version()}); err != nil {
		t.Fatal(err)
	}
	want, got := made(t, e, local), made(t, e, client)
	if len(want) != len(got) || len(got) < 3 {
		t.Fatalf("%d runs here and %d there", len(want), len(got))
	}
	for i := range want {
		if diff := cmp.Diff(shape(want[i]), shape(got[i])); diff != "" {
			t.Errorf("run %d, here (-) and there (+):\n%s", i, diff)
		}
		if got[i].Failed() {
			t.Errorf("run %d failed: %v", i, got[i].Failure)
		}
	}
	if diff := cmp.Diff(files(t, here), files(t, there)); diff != "" {
		t.Errorf("files here (-) and there (+):\n%s", diff)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if err := process.Wait(); err != nil {
		t.Errorf("the conductor ended with %v", err)
	}
}

func files(t *testing.T, folder string) []string {
	t.Helper()
	var out []string
	for _, path := range glob(t, folder) {
		name, _, _ := strings.Cut(strings.TrimPrefix(path, folder), ".log")
		out = append(out, name)
	}
	return out
}

func glob(t *testing.T, folder string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "logs", "*", "*.log"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no logs in %s: %v", folder, err)
	}
	return all
}

// A conductor ends when nothing is heard of the experiment's side, and leaves nothing; and at once when its stream ends.
func TestEndsWithoutSignsOfLife(t *testing.T) {
	in, _, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	err = afar.Serve(t.Context(), afar.Options{Folder: t.TempDir(), Silence: 50 * time.Millisecond}, in, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "nothing was heard") {
		t.Errorf("silence: %v", err)
	}
	if err := afar.Serve(t.Context(), afar.Options{Folder: t.TempDir()}, strings.NewReader(""), io.Discard); err != nil {
		t.Errorf("the end of the stream: %v", err)
	}
}

// A run under way ends when it is given up, and can be made again: its files are then those of the second time alone.
func TestGivenUp(t *testing.T) {
	e, folder := shop(t), t.TempDir()
	e.Load.Duration = time.Minute
	client, _ := conductor(t, folder, nil)
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	q := requestOf(t, e)
	time.AfterFunc(500*time.Millisecond, cancel)
	if _, err := client.Run(ctx, q); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	for _, path := range glob(t, folder) {
		if err := os.WriteFile(path, []byte("left over"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	q.Load.Duration, q.Phases[0].Load.Duration = 200*time.Millisecond, 200*time.Millisecond
	r, err := client.Run(t.Context(), q)
	if err != nil || r.Failed() || r.Phases[0].Load.Completed == 0 {
		t.Errorf("the next run: %+v, %v", r.Failure, err)
	}
	for _, path := range glob(t, folder) {
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "left over") {
			t.Errorf("%s: %v, %q", path, err, text)
		}
	}
}

func TestOtherBuilds(t *testing.T) {
	client, _ := conductor(t, t.TempDir(), nil)
	defer client.Close()
	if _, err := client.Setup(t.Context(), afar.Setup{Build: "v9"}); err == nil || !strings.Contains(err.Error(), "both have to be one build") {
		t.Errorf("a conductor of another build: %v", err)
	}
}

// All that a request may hold travels: nothing is hidden from the encoding but what Unfit and Client refuse or leave out.
func TestRequestsTravel(t *testing.T) {
	refused := []string{"fs.FS", "run.Searcher", "*profile.Rules"}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type, string)
	walk = func(of reflect.Type, path string) {
		if slices.Contains(refused, of.String()) {
			return
		}
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			walk(of.Elem(), path)
		case reflect.Map:
			walk(of.Key(), path)
			walk(of.Elem(), path)
		case reflect.Interface, reflect.Func, reflect.Chan:
			t.Errorf("%s is %s, and does not travel", path, of)
		case reflect.Struct:
			if seen[of] || of == reflect.TypeFor[time.Time]() {
				return
			}
			seen[of] = true
			for i := range of.NumField() {
				f := of.Field(i)
				if !f.IsExported() && f.Name != "_" && f.Name != "twice" {
					t.Errorf("%s.%s does not travel", path, f.Name)
				}
				walk(f.Type, path+"."+f.Name)
			}
		}
	}
	walk(reflect.TypeFor[run.Request](), "Request")
}
