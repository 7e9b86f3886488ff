// A service of several workers: processes that take the connections of one port.

package run_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run"
)

// workers listens, and starts so many workers that serve; it ends with them.
func workers(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		return err
	}
	shared, err := l.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	all := make([]*exec.Cmd, n)
	for i := range all {
		all[i] = exec.Command(os.Args[0], "worker", args[1])
		all[i].ExtraFiles, all[i].Stdout, all[i].Stderr = []*os.File{shared}, os.Stdout, os.Stderr
		if err := all[i].Start(); err != nil {
			return err
		}
	}
	if err := errors.Join(shared.Close(), l.Close()); err != nil { // the workers have it
		return err
	}
	<-ctx.Done()
	var errs []error
	for _, one := range all {
		if err := one.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			errs = append(errs, err)
		}
	}
	for _, one := range all {
		errs = append(errs, one.Wait())
	}
	return errors.Join(errs...)
}

// What each worker holds in bytes, and what an operation takes: µs of CPU, and a wait as for a database, so there are several at a time.
const (
	ofWorker = 24 << 20
	inWorker = "500"
	queries  = 20 * time.Millisecond
)

// worker serves a (two spans) and b (three). Its first request makes two more, as of imports and a pool, and its first b another one;
// its first export takes long.
func worker(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	held := make([]byte, ofWorker)
	for i := 0; i < len(held); i += os.Getpagesize() {
		held[i] = 1
	}
	l, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		return err
	}
	exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithInsecure(), otlptracegrpc.WithEndpoint(args[0]))
	if err != nil {
		return err
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(maybeCold(exporter), trace.WithBatchTimeout(holdsBack())))
	tracer, first := provider.Tracer("worker"), sync.Once{}
	serve := func(name string, spans ...string) http.HandlerFunc {
		var own sync.Once
		return func(w http.ResponseWriter, r *http.Request) {
			ctx, root := tracer.Start(chosen(r), name)
			defer root.End()
			span := func(name string) {
				_, span := tracer.Start(ctx, name)
				span.End()
			}
			first.Do(func() { span("import"); span("connect") })
			if name == "b" {
				own.Do(func() { span("prepare") })
			}
			for _, one := range spans {
				span(one)
			}
			burn(inWorker)
			time.Sleep(queries)
			fmt.Fprint(w, held[0])
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /a", serve("a", "query"))
	mux.HandleFunc("GET /b", serve("b", "query", "query"))
	server := &http.Server{Handler: mux}
	go func() {
		<-ctx.Done()
		if err := server.Shutdown(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return provider.Shutdown(context.Background())
}

// However many workers there are, every span is accounted for: what each makes at its first request, which operation that is, is a
// loss of none and makes no number vary. The memory and the CPU of all of them are the app's.
func TestWorkers(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 4} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			made := func(kind record.Kind, spans map[string]program.Number, begun record.Begun) record.Record {
				conductor, q := request(t, kind, "/a")
				q.Name += string(kind)
				q.Plan.Says, q.Spans, q.Begun = nil, spans, begun
				p := &q.Plan.Processes[0]
				p.Run = []string{self, "workers", "127.0.0.1:{port}", "{sink.otlp.grpc}", strconv.Itoa(n)}
				p.Ready, p.Env = "http://127.0.0.1:{port}/a", map[string]string{takes: "1", "COLD": "1"}
				q.First.Name = "a"
				b := program.Operation{Name: "b", Method: "GET", URL: "/b"}
				q.Phases = []run.PhaseRequest{{Operation: b, Load: work}, {Operation: q.First, Load: work}}
				return made(t, conductor, q)
			}
			learnt := ledger.Learn([]record.Record{made(record.Calibration, nil, record.Begun{})}, 1, false)
			for operation, spans := range map[string]float64{"a": 2, "b": 3} {
				if per := learnt[operation]; per.Low != spans || per.High != spans || per.Agreed != 20 {
					t.Errorf("of %s is learnt %+v", operation, per)
				}
			}
			two, three := program.Number{Low: 2, High: 2}, program.Number{Low: 3, High: 3}
			tracing := ledger.Tracing{Sampling: 1, Spans: learnt}
			r := made(record.Measured, map[string]program.Number{"a": two, "b": three, record.ProbeOperation: two}, tracing.Begun())
			if found := r.Start.Workers["app"]; found != n && (found != 0 || n != 1) {
				t.Errorf("workers %v, want %d", r.Start.Workers, n)
			}
			for _, l := range ledger.Account("otel", ledger.AppToSink, []string{"a", "b"}, tracing, []ledger.Run{ledger.FromRecord(&r)}) {
				sure := l.Outcome[0].Code == finding.PageNothingLost && ledger.Spans(l, ledger.Unaccounted) == 0
				if !sure || l.Operation != ledger.Start && (!l.Exact || len(l.Outcome) != 1) {
					t.Errorf("%s: %+v", l.Operation, l)
				}
			}
			for i, m := range r.Memory {
				if m.Role == role.App && m.Peak < uint64(n)*ofWorker {
					t.Errorf("of %d workers %d bytes are counted", n, m.Peak)
				}
				if u := r.Phases[0].Usage[i]; u.Role == role.App && u.CPUSeconds < 0.0005*float64(r.Phases[0].Load.Completed) {
					t.Errorf("of %d operations in %d workers %g s of CPU are counted", r.Phases[0].Load.Completed, n, u.CPUSeconds)
				}
			}
		})
	}
}
