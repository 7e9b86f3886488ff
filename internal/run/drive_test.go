// Runs of self-driving workloads.

package run_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/load/drivetest"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run"
)

// programs are what runs here start, besides the service.
var programs = map[string]func(args []string) error{
	"driven": driven, "database": database, "check": check, "relay": relayed, "front": front, "level": level, "workers": workers, "worker": worker,
}

// fewHeld are the spans that the program holds back where it holds few.
const fewHeld = 64

// driven is self-driving: an operation is calls in one another, each with a span
// by the real SDK where there is a sink. Its fault is its third argument.
func driven(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	provider := trace.NewTracerProvider()
	if sink := args[1]; sink != "" {
		exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithInsecure(), otlptracegrpc.WithEndpoint(sink))
		if err != nil {
			return err
		}
		hold := 50 * time.Millisecond
		batch := 512
		if strings.HasPrefix(args[2], "holds") { // until a batch is full, which it never is here
			hold = time.Hour
		}
		if args[2] == "holds-few" { // one is, in the middle of a calibration
			batch = fewHeld
		}
		provider = trace.NewTracerProvider(trace.WithBatcher(maybeDeferring(exporter), trace.WithBatchTimeout(hold), trace.WithMaxQueueSize(1<<16), trace.WithMaxExportBatchSize(batch)))
	}
	tracer := provider.Tracer("driven")
	var call func(ctx context.Context, depth int)
	call = func(ctx context.Context, depth int) {
		ctx, span := tracer.Start(ctx, "call")
		defer span.End()
		if depth > 1 {
			call(ctx, depth-1)
		}
	}
	work := func(depth int) {
		call(context.Background(), depth)
		if us := os.Getenv("BURNS"); us != "" {
			burn(us)
		}
		if d, err := time.ParseDuration(os.Getenv("SLEEPS")); err == nil {
			time.Sleep(d)
		}
	}
	program := drivetest.Program{Call: work, Late: time.Minute} // however busy the machine is
	spoil(&program, args[2])
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		return err
	}
	return errors.Join(program.Serve(ctx, l), provider.Shutdown(context.Background()))
}

// spoil makes a program go wrong, once its measured window begins.
func spoil(program *drivetest.Program, fault string) {
	window := false
	see := func(line string) bool {
		window = window || strings.Contains(line, "calls=500 ")
		return window
	}
	switch fault {
	case "nonsense":
		program.Answer = func(line string) (string, bool) { return "HTTP/1.1 400 Bad Request", see(line) && line == "run" }
	case "dies":
		program.Die = func(line string) {
			if see(line) && line == "run" {
				os.Stdout.WriteString("it was too much for me\n")
				os.Exit(7)
			}
		}
	case "fewer":
		program.Die = func(line string) { see(line) }
		program.Spoil = func(_ string, all []int64) []int64 {
			if window {
				return all[1:]
			}
			return all
		}
	case "tells":
		program.Die = func(line string) { os.Stdout.WriteString("ordered: " + line + "\n") }
	case "fails":
		program.Answer = func(line string) (string, bool) {
			return "done started=500 failed=20 wall_ns=1000000000", see(line) && line == "run"
		}
	}
}

// drivenRequest is a short run of the program at two depths.
func drivenRequest(t *testing.T, kind record.Kind, fault string) (*run.Conductor, run.Request) {
	t.Helper()
	conductor, q := request(t, kind, "")
	conductor.Results = t.TempDir()
	q.Plan.Driver, q.Plan.Says = program.SelfDriving, nil
	q.Plan.Processes[0].Run = []string{self, "driven", "127.0.0.1:{port}", "{sink.otlp.grpc}", fault}
	q.First = program.Operation{Name: "call", Drive: map[string]string{"depth": "3"}}
	l := config.Load{Calls: 500, Duration: 20 * time.Second, Warmup: 50 * time.Millisecond, Idle: 50 * time.Millisecond, Rate: 2000}
	q.Load, q.FirstParameter, q.Phases = l, map[string]string{"depth": "3"}, nil
	for _, depth := range []string{"2", "5"} {
		one := l
		one.Depth = int(depth[0] - '0')
		q.Phases = append(q.Phases, run.PhaseRequest{Operation: q.First, Load: one, Parameter: map[string]string{"depth": depth}})
	}
	q.Spans = map[string]program.Number{"call, depth 2": {Low: 2, High: 2}, "call, depth 5": {Low: 5, High: 5}}
	return conductor, q
}

func TestDrivenRun(t *testing.T) {
	t.Parallel()
	conductor, q := drivenRequest(t, record.Measured, "")
	q.Samples = "otel-1"
	r := made(t, conductor, q)
	if r.Start.Sink.Spans != 3 || r.Start.FirstOperationSeconds <= 0 || r.Start.FirstParameter["depth"] != "3" {
		t.Errorf("start: %+v", r.Start)
	}
	for i, depth := range []uint64{2, 5} {
		p := r.Phases[i]
		if p.Load.Started != 500 || p.Load.Intended != 500 || p.Sink.Spans != 500*depth || p.WarmupSink.Spans != p.Warmup.Started*depth || !p.Quiet {
			t.Errorf("depth %d: %d operations made %d spans, %d in the warm-up %d", depth, p.Load.Started, p.Sink.Spans, p.Warmup.Started, p.WarmupSink.Spans)
		}
		d := p.Load.Driven
		if d.Depth != int(depth) || d.Threads != 1 || d.CallSeconds <= 0 || d.CallSeconds > p.Load.WallSeconds || d.HeapLive == nil {
			t.Errorf("it says of itself: %+v", d)
		}
		for what, h := range map[string]record.Histogram{"durations": p.Load.Latency, "lags": p.Load.Lag} {
			if decoded, err := h.Decode(); err != nil || decoded.TotalCount() != 500 {
				t.Errorf("%s: %d, %v; want 500", what, decoded.TotalCount(), err)
			}
		}
		if p.OfferedRate != 2000 || p.Connections != 0 {
			t.Errorf("rate %g, connections %d", p.OfferedRate, p.Connections)
		}
		roles := map[role.Role]float64{}
		for _, u := range p.Usage {
			roles[u.Role] += u.CPUSeconds
		}
		if _, load := roles["load"]; load || roles["app"] <= 0 || roles["sink"] <= 0 {
			t.Errorf("charged: %v", roles)
		}
		if want := "samples/otel-1-call-depth-" + p.Parameter["depth"] + ".csv.gz"; d.Samples != want {
			t.Errorf("samples are in %q, want %q", d.Samples, want)
		}
		if rows := countRows(t, filepath.Join(conductor.Results, d.Samples)); rows != 500 {
			t.Errorf("%d rows in %s", rows, d.Samples)
		}
	}
	if r.Stop.Killed || r.Life.Spans != r.Start.Sink.Spans+r.Phases[0].WarmupSink.Spans+r.Phases[0].Sink.Spans+r.Phases[1].WarmupSink.Spans+r.Phases[1].Sink.Spans {
		t.Errorf("%d spans in all, stopped: %+v", r.Life.Spans, r.Stop)
	}
}

func countRows(t *testing.T, path string) int {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, lines := 0, bufio.NewScanner(plain)
	for lines.Scan() {
		if text := lines.Text(); !strings.HasPrefix(text, "0;") || strings.Count(text, ";") != 3 {
			t.Fatalf("row %q", text)
		}
		rows++
	}
	return rows
}

// What an operation makes is learnt at each depth, from a tracer too that sends
// nothing before it ends.
func TestDrivenCalibration(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]string{"sends": "", "holds back": "holds", "sends full buffers": "holds-few"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calibrated(t, fault)
		})
	}
}

func calibrated(t *testing.T, fault string) {
	conductor, q := drivenRequest(t, record.Calibration, fault)
	r := made(t, conductor, q)
	if len(r.Phases) != 2 {
		t.Fatalf("%d phases", len(r.Phases))
	}
	for i, depth := range []uint64{2, 5} {
		p := r.Phases[i]
		if p.Load.Started != 20 || p.Sink.Spans != 20*depth || p.Parameter["depth"] != q.Phases[i].Parameter["depth"] {
			t.Errorf("depth %d: %d operations made %d spans, %v", depth, p.Load.Started, p.Sink.Spans, p.Parameter)
		}
	}
}

// Rates are searched for by orders.
func TestDrivenSearch(t *testing.T) {
	t.Parallel()
	conductor, q := drivenRequest(t, record.Measured, "")
	q.Phases = q.Phases[:1]
	q.Phases[0].Load.Duration = 300 * time.Millisecond
	q.Phases[0].Search = given{goal(config.RateSearch{Goal: config.GoalLossless}), []float64{500, 1000}}
	r := made(t, conductor, q)
	c := r.Phases[0].Capacity
	for i, want := range []float64{150, 300} {
		p := c.Probes[i]
		if p.Rate*p.Load.WallSeconds == 0 || p.Load.Intended == 0 || p.Expected != 2*float64(p.Load.Completed) || p.Lost != 0 || p.Load.Driven == nil {
			t.Errorf("probe %d: %+v; about %g operations", i, p, want)
		}
	}
	addsUp(t, r)
}

// A program that goes wrong fails the run, in words that say how.
func TestDrivenProgramsThatGoWrong(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"nonsense": `making operation call: telling the workload "run": it answered "HTTP/1.1 400 Bad Request"; want done`,
		"dies":     "process app ended (exit status 7)",
		"fewer":    "thread 0 has 499 durations and 500 lags",
		"fails":    "of 500 that the workload made, 20 failed",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			conductor, q := drivenRequest(t, record.Measured, fault)
			r, err := conductor.Run(t.Context(), q)
			if err != nil || !r.Failed() || !strings.Contains(r.Failure.Message, want) {
				t.Errorf("%v, failure %+v; want %q", err, r.Failure, want)
			}
		})
	}
}

// made is a run that must go well.
func made(t *testing.T, conductor *run.Conductor, q run.Request) record.Record {
	t.Helper()
	r, err := conductor.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed() {
		t.Fatalf("failed at %s: %s %q", r.Failure.Stage, r.Failure.Message, r.Failure.Log)
	}
	return r
}
