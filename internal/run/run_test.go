package run_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run"
)

// self is the program that the runs of the tests start: this test binary, or one that was built of it without the race
// detector, which would make each of them several times as dear.
var self = cmp.Or(os.Getenv("TRACETAX_TEST_PROGRAM"), os.Args[0])

// TestMain makes the test binary serve as the tracetax that runs the agents, and
// as the service under test; its sink is a service over gRPC.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "agent", "sink":
			os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		case "service":
			if err := service(os.Args[2], os.Args[3]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case "driven", "database", "check", "relay", "front", "level", "workers", "worker":
			if err := programs[os.Args[1]](os.Args[2:]); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	flag.Parse()
	if p := flag.Lookup("test.parallel"); p.Value.String() == p.DefValue {
		if err := flag.Set(p.Name, "6"); err != nil { // they wait for most of their time
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// service answers until it is told to end. With a sink it makes two spans for
// every request, by the real SDK.
func service(address, sink string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	provider := trace.NewTracerProvider()
	if sink != "" {
		exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithInsecure(), otlptracegrpc.WithEndpoint(sink))
		if err != nil {
			return err
		}
		provider = trace.NewTracerProvider(trace.WithBatcher(maybeDeferring(maybeCold(exporter)), trace.WithBatchTimeout(holdsBack())), trace.WithSampler(ownSampler()))
	}
	tracer := provider.Tracer("service")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /work", func(w http.ResponseWriter, r *http.Request) {
		ctx, parent := tracer.Start(chosen(r), "work")
		defer parent.End()
		_, child := tracer.Start(ctx, "part")
		defer child.End()
		worked.Add(1)
		fmt.Fprint(w, "done")
	})
	mux.HandleFunc("GET /counters", counters)
	mux.HandleFunc("GET /die", func(http.ResponseWriter, *http.Request) {
		fmt.Println("dropped 7 spans; good bye, my token is s3cret")
		os.Exit(9)
	})
	mux.HandleFunc("GET /kill/{role}", func(_ http.ResponseWriter, r *http.Request) { kill(r.PathValue("role")) })
	limited(mux, tracer)
	pooled(mux, tracer)
	guarded(mux, tracer)
	holding(mux)
	fmt.Printf("begins on CPUs %s\n", cpus())
	defer func() { fmt.Printf("ends on CPUs %s\n", cpus()) }()
	server := &http.Server{Addr: address, Handler: working(mux)}
	go func() {
		<-ctx.Done()
		if err := server.Shutdown(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	fmt.Println("dropped 7 spans")
	return provider.Shutdown(context.Background())
}

// cpus are those that this process may run on, as the kernel writes them.
func cpus() string {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(word(string(text), "Cpus_allowed_list:"))
}

// request is a short run of the service.
func request(t *testing.T, kind record.Kind, path string) (*run.Conductor, run.Request) {
	t.Helper()
	operation := program.Operation{Name: "work", Method: "GET", URL: path}
	return &run.Conductor{Self: []string{self}, Logs: t.TempDir(), Accounting: "auto"}, run.Request{
		Kind: kind, Name: "001-otel-1-" + strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()), // tests run beside each other
		Plan: &config.Plan{
			Workload: "service", Variant: "otel", Sampling: 1, Delay: 50 * time.Millisecond, Secrets: []string{"s3cret"},
			Processes: []program.Process{{
				Name: "app", Role: "app", Traced: true, Patience: 20 * time.Second,
				Run: []string{self, "service", "127.0.0.1:{port}", "{sink.otlp.grpc}"},
			}},
			Says: []program.Saying{{What: "dropped", Log: `dropped (?P<n>\d+) spans`, Take: "last"}},
		},
		First: operation, Phases: []run.PhaseRequest{{Operation: operation, Load: work}},
		Load:     work,
		Checking: true,
	}
}

// work is the load of every run here.
var work = config.Load{
	Rate: 200, Connections: 8, Arrivals: "constant", Warmup: 200 * time.Millisecond, Duration: 500 * time.Millisecond,
	Timeout: 5 * time.Second, Idle: 100 * time.Millisecond,
}

func conduct(t *testing.T, kind record.Kind, path string) record.Record {
	t.Helper()
	conductor, q := request(t, kind, path)
	r, err := conductor.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMeasuredRun(t *testing.T) {
	t.Parallel()
	r := conduct(t, record.Measured, "/work")
	if r.Failed() {
		t.Fatalf("failed at %s: %s %q", r.Failure.Stage, r.Failure.Message, r.Failure.Log)
	}
	phase := r.Phases[0]
	if phase.Warmup.Completed != 40 || phase.Load.Completed != 100 {
		t.Errorf("operations: %d in the warm-up, %d in the window; want 40, 100", phase.Warmup.Completed, phase.Load.Completed)
	}
	if r.Start.Sink.Spans != 2 || phase.WarmupSink.Spans != 80 || phase.Sink.Spans != 200 || r.Life.Spans != 282 {
		t.Errorf("spans: %d at the start, %d, %d, %d in all; want 2, 80, 200, 282",
			r.Start.Sink.Spans, phase.WarmupSink.Spans, phase.Sink.Spans, r.Life.Spans)
	}
	if r.Life.Roots != 141 || r.Life.Orphans != 0 || !phase.Quiet {
		t.Errorf("roots %d, orphans %d, quiet %t", r.Life.Roots, r.Life.Orphans, phase.Quiet)
	}
	roles := map[role.Role]float64{}
	for _, u := range phase.Usage {
		roles[u.Role] += u.CPUSeconds
	}
	for _, name := range []role.Role{role.App, role.Sink, role.Load} {
		if roles[name] <= 0 {
			t.Errorf("nothing was charged to the %s", name)
		}
	}
	if r.Stop.Unquiet {
		t.Error("the sink is said never to have been quiet")
	}
	if len(r.Start.Idle) != 3 || r.Start.ReadySeconds <= 0 || r.Start.FirstOperationSeconds <= 0 {
		t.Errorf("start: %+v", r.Start)
	}
	if r.Tracer.Dropped == nil || *r.Tracer.Dropped != 7 {
		t.Errorf("the tracer's word is %+v, want 7 dropped", r.Tracer)
	}
}

// A warm-up may be faster than the load: at its own rate, or at what the program answers, and none of its operations is late.
func TestFasterWarmup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path        string
		rate        float64
		least, most uint64
	}{
		{"/work", 200, 200, 400},      // two or more slices of 100 each
		{"/single/20000", 200, 4, 60}, // one thread burns 20 ms for each: 50/s
	} {
		conductor, q := request(t, record.Measured, c.path)
		p := &q.Phases[0]
		p.Load.Rate, p.Load.Warmup, p.Load.WarmupRate = 20, time.Second, c.rate
		r, err := conductor.Run(t.Context(), q)
		if err != nil || r.Failed() {
			t.Fatalf("%s: %v, %+v", c.path, err, r.Failure)
		}
		if w := r.Phases[0].Warmup; w.Completed < c.least || w.Completed > c.most || w.Intended != w.Completed {
			t.Errorf("%s: %d of %d operations in a second at %g/s, want %d to %d", c.path, w.Completed, w.Intended, c.rate, c.least, c.most)
		}
		if got := r.Phases[0].OfferedRate; got != 20 {
			t.Errorf("%s: the load is at %g/s", c.path, got)
		}
	}
}

func TestCalibration(t *testing.T) {
	t.Parallel()
	r := conduct(t, record.Calibration, "/work")
	if r.Failed() {
		t.Fatalf("failed at %s: %s", r.Failure.Stage, r.Failure.Message)
	}
	phase := r.Phases[0]
	if phase.Load.Started == 0 || phase.Sink.Spans != 2*phase.Load.Started || phase.Load.Connected > 1 {
		t.Errorf("%d operations over %d connections made %d spans; want 2 each, one at a time", phase.Load.Started, phase.Load.Connected, phase.Sink.Spans)
	}
}

func TestServiceThatDies(t *testing.T) {
	t.Parallel()
	r := conduct(t, record.Measured, "/die")
	if !r.Failed() {
		t.Fatal("the run is said to be good")
	}
	log := strings.Join(r.Failure.Log, "\n")
	if r.Failure.Process != "app" || !strings.Contains(r.Failure.Message, "9") || !strings.Contains(log, "good bye") {
		t.Errorf("failure %+v", r.Failure)
	}
	if strings.Contains(log, "s3cret") {
		t.Errorf("a secret is in the record: %s", log)
	}
}

// The sink and the generator are not the app's: where one of them dies, the run says so.
func TestAgentThatDies(t *testing.T) {
	for _, role := range []string{"sink", "load"} {
		r := conduct(t, record.Measured, "/kill/"+role)
		if !r.Failed() {
			t.Fatalf("without its %s the run is said to be good", role)
		}
		if r.Failure.Process != "tracetax-"+role || !strings.Contains(r.Failure.Message, "killed by SIGKILL") {
			t.Errorf("of its %s that was killed: %+v", role, r.Failure)
		}
	}
}

// kill ends the agent of that role that this test binary started.
func kill(role string) {
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		panic(err)
	}
	for _, path := range commands {
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(text), self+"\x00agent\x00"+role+"\x00") {
			continue // another process, or one that has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			panic(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			panic(err)
		}
	}
}

func TestLogsHoldNoSecret(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/die")
	if _, err := conductor.Run(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(conductor.Logs + "/" + q.Name + "/app.log")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "my token is [redacted]") {
		t.Errorf("the log says %q", text)
	}
}

func TestWrongAnswersFailTheRun(t *testing.T) {
	t.Parallel()
	r := conduct(t, record.Measured, "/nothing-there")
	if !r.Failed() || !strings.Contains(r.Failure.Message, "status 404") {
		t.Errorf("failure %+v", r.Failure)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	q.Load.Duration = time.Hour
	ctx, cancel := context.WithCancelCause(t.Context())
	because := errors.New("enough")
	timer := time.AfterFunc(time.Second, func() { cancel(because) })
	defer timer.Stop()
	if _, err := conductor.Run(ctx, q); !errors.Is(err, because) {
		t.Errorf("an interrupted run gave %v", err)
	}
}

func TestCommandThatDoesNotExist(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	q.Plan.Processes[0].Run = []string{"no-such-program-anywhere"}
	r, err := conductor.Run(t.Context(), q)
	if err != nil || !r.Failed() || r.Failure.Stage != "start" || !strings.Contains(r.Failure.Message, "no-such-program-anywhere") {
		t.Errorf("%v, %+v", err, r.Failure)
	}
}

// word is what follows name in a line of text.
func word(text, name string) string {
	_, rest, _ := strings.Cut(text, name)
	line, _, _ := strings.Cut(rest, "\n")
	return line
}
