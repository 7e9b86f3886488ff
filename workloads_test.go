package tracetax_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process/supervisor"
)

// TestMain makes the test binary serve as the keeper of what it builds.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "agent" && os.Args[2] == "keep" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		if err := supervisor.Keep(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// requests is how often each operation is made.
const requests = 64

// TestWorkloadsMakeTheSpansTheyDeclare starts both workloads as they are shipped,
// with each way of tracing, and counts what arrives. All spans are accounted for:
// what arrived and what the tracer admits to have lost is what the workload
// declares, and the spans of a request hang together.
func TestWorkloadsMakeTheSpansTheyDeclare(t *testing.T) {
	deaf, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and answers nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { deaf.Close() }) // when all are done
	for _, test := range []struct {
		name     string
		workload string
		tracer   string
		settings map[string]string
		env      map[string]string
		silent   bool // nothing arrives
		lost     bool // something is lost, and admitted
		metrics  bool // metrics arrive too
		more     bool // beyond the quick set
	}{
		{name: "go none", workload: "hello/go", tracer: "none", silent: true},
		{name: "go grpc", workload: "hello/go", tracer: "otel-go"},
		{name: "go http gzip", workload: "hello/go", tracer: "otel-go", settings: set("protocol", "http/protobuf", "compression", "gzip")},
		{name: "go simple", workload: "hello/go", tracer: "otel-go", settings: set("processor", "simple")},
		{name: "go 0 %", workload: "hello/go", tracer: "otel-go", settings: set("sampling", "0%"), silent: true},
		{name: "go API only", workload: "hello/go", tracer: "otel-go", settings: set("sdk", "off"), silent: true},
		{name: "go without export", workload: "hello/go", tracer: "otel-go", settings: set("export", "none"), silent: true},
		{name: "go queue of 1", workload: "hello/go", tracer: "otel-go", settings: set("queue", "1", "batch", "1"), lost: true},
		{name: "go deaf receiver", workload: "hello/go", tracer: "otel-go", settings: set("timeout", "200ms"),
			env: set("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+deaf.Addr().String()), silent: true, lost: true},

		{name: "go tiers", workload: "tiers/gohttp", tracer: "otel-go"},
		{name: "flask tiers", workload: "tiers/flask", tracer: "otel-python", settings: set("delay", "50ms")},

		{name: "flask none", workload: "hello/flask", tracer: "none", silent: true},
		{name: "flask grpc", workload: "hello/flask", tracer: "otel-python", settings: set("delay", "50ms")},
		{name: "flask at exit", workload: "hello/flask", tracer: "otel-python", settings: set("delay", "60s")},
		{name: "flask http gzip", workload: "hello/flask", tracer: "otel-python", settings: set("protocol", "http/protobuf", "compression", "gzip"), more: true},
		{name: "flask simple", workload: "hello/flask", tracer: "otel-python", settings: set("processor", "simple"), more: true},
		{name: "flask simple http", workload: "hello/flask", tracer: "otel-python", settings: set("processor", "simple", "protocol", "http/protobuf"), more: true},
		{name: "flask agent defaults", workload: "hello/flask", tracer: "otel-python", settings: set("agent-defaults", "on"), metrics: true},
		{name: "flask 0 %", workload: "hello/flask", tracer: "otel-python", settings: set("sampling", "0%"), silent: true, more: true},
		{name: "flask API only", workload: "hello/flask", tracer: "otel-python", settings: set("sdk", "off"), silent: true, more: true},
		{name: "flask without export", workload: "hello/flask", tracer: "otel-python", settings: set("export", "none"), silent: true, more: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // it mostly waits, and asks for counts, not for times
			switch set := os.Getenv("TRACETAX_E2E"); {
			case set == "" && test.name != "go none":
				t.Skip("it downloads packages: set TRACETAX_E2E=1")
			case test.more && set != "all":
				t.Skip("TRACETAX_E2E=all runs it; the quick set has others of its workload")
			}
			plan := planOf(t, test.workload, test.tracer, test.settings, test.env)
			counts, admitted := exercise(t, plan)

			var want uint64
			for _, n := range plan.plan.Spans {
				want += requests * uint64(n.Low)
			}
			switch {
			case test.silent && counts.Spans != 0:
				t.Errorf("%d spans arrived, want none", counts.Spans)
			case test.lost && admitted == 0:
				t.Error("the tracer admits no loss")
			case !test.silent || test.lost:
				if got := counts.Unique() + admitted; got != want {
					t.Errorf("%d spans arrived and %d are admitted lost, in all %d of %d", counts.Unique(), admitted, got, want)
				}
			}
			if test.silent || test.lost {
				return
			}
			if roots := uint64(len(plan.plan.Operations) * requests); counts.Roots != roots || counts.Orphans != 0 {
				t.Errorf("%d roots and %d orphans, want %d and none: the context did not reach every process", counts.Roots, counts.Orphans, roots)
			}
			if others := counts.Metrics + counts.Logs; (others > 0) != test.metrics {
				t.Errorf("%d metrics and %d logs, want any: %v", counts.Metrics, counts.Logs, test.metrics)
			}
			for _, process := range plan.plan.Processes {
				if process.Traced && counts.Services[process.Name] == 0 {
					t.Errorf("none of %s among the spans by service: %v", process.Name, counts.Services)
				}
			}
		})
	}
}

// TestUntracedGoWorkloadDoesNotLinkOpenTelemetry reads the list of modules in the program.
func TestUntracedGoWorkloadDoesNotLinkOpenTelemetry(t *testing.T) {
	p := planOf(t, "hello/go", "none", nil, nil)
	out, err := exec.Command("go", "version", "-m", p.folders["build"]+"/hello").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "path\thello") || strings.Contains(string(out), "opentelemetry") {
		t.Errorf("modules of the program:\n%s", out)
	}
}

func set(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

// prepared is a variant that can be started, and what its placeholders stand for.
type prepared struct {
	plan    *config.Plan
	folders map[string]string
}

// planOf fetches, builds and resolves a variant by way of an experiment file.
func planOf(t *testing.T, workload, tracer string, settings, env map[string]string) prepared {
	t.Helper()
	text := fmt.Sprintf("workload: %s\nvariants:\n  none:\n  it: {tracer: %s, settings: %s, env: %s}\n", workload, tracer, flow(settings), flow(env))
	experiments, err := config.ParseExperiment("test.yaml", ".", []byte(text), program.NewCatalog(tracetax.Files))
	if err != nil {
		t.Fatal(err)
	}
	e := experiments[0]
	v := e.Variants[1]
	if missing := append(artifact.Missing(e.Workload.Needs), artifact.Missing(v.Tracer.Needs)...); len(missing) > 0 {
		if os.Getenv("TRACETAX_REQUIRE_PROGRAMS") == "1" {
			t.Fatal(strings.Join(missing, "; "))
		}
		t.Skip(strings.Join(missing, "; "))
	}
	plan, err := e.Plan(v)
	if err != nil {
		t.Fatal(err)
	}
	store, err := artifact.Open("")
	if err != nil {
		t.Fatal(err)
	}
	p := prepared{plan, map[string]string{}}
	if p.folders["dir"], err = store.Source(t.Context(), e.Workload.Files); err != nil {
		t.Fatal(err)
	}
	if len(plan.Build.Run) > 0 {
		q := artifact.BuildRequest{Files: e.Workload.Files, Commands: plan.Build.Run, Env: plan.Build.Env}
		if p.folders["build"], err = store.Build(t.Context(), q, t.Output()); err != nil {
			t.Fatal(err)
		}
	}
	if file := e.Workload.Artifact.Python; file != "" {
		if p.folders["workload"], err = store.Python(t.Context(), e.Workload.Files, file, nil); err != nil {
			t.Fatal(err)
		}
	}
	if file := v.Tracer.Artifact.Python; file != "" {
		if p.folders["tracer"], err = store.Python(t.Context(), v.Tracer.Files, file, nil); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func flow(m map[string]string) string {
	var pairs []string
	for name, value := range m {
		pairs = append(pairs, fmt.Sprintf("%s: %q", name, value))
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}
