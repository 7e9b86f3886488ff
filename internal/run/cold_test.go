package run_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// coldExporter takes long over its first export, as a runtime does that has never run
// that code.
type coldExporter struct {
	trace.SpanExporter
	once sync.Once
}

func (c *coldExporter) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	c.once.Do(func() { time.Sleep(1500 * time.Millisecond) })
	return c.SpanExporter.ExportSpans(ctx, spans)
}

// maybeCold is the exporter, cold if the test says so.
func maybeCold(e trace.SpanExporter) trace.SpanExporter {
	if os.Getenv("COLD") == "" {
		return e
	}
	return &coldExporter{SpanExporter: e}
}

// pooled makes the service open a pool for the first operation of a kind: 40 traces besides the operation's own.
func pooled(mux *http.ServeMux, tracer api.Tracer) {
	var once sync.Once
	span := func(name string) {
		_, span := tracer.Start(context.Background(), name)
		span.End()
	}
	mux.HandleFunc("GET /pool", func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() {
			for range 40 {
				span("connect")
			}
		})
		span("query")
		fmt.Fprint(w, "done")
	})
}

// What the first operation of a kind makes and no other is no part of what an operation makes.
func TestColdOperation(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Calibration, "/work")
	q.Phases = append(q.Phases, run.PhaseRequest{Operation: program.Operation{Name: "pool", Method: "GET", URL: "/pool"}, Load: work})
	r := made(t, conductor, q)
	pool := r.Phases[1]
	if pool.Sink.Spans != pool.Load.Started || r.Phases[0].Sink.Spans != 2*r.Phases[0].Load.Started {
		t.Errorf("%d operations made %d spans, want 1 each", pool.Load.Started, pool.Sink.Spans)
	}
	if r.Start.OnceSink == nil || r.Start.OnceSink.Spans != 41 || !slices.Equal(r.Start.Once, []string{"pool"}) || r.Start.Sink.Spans != 43 {
		t.Errorf("the first of %v made %+v, the start %d spans; want 41, 43", r.Start.Once, r.Start.OnceSink, r.Start.Sink.Spans)
	}
}

// What the first operation made is not taken for spans of those after it, however long
// the tracer's first export takes.
func TestColdTracer(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Calibration, "/work")
	q.Plan.Processes[0].Env = map[string]string{"COLD": "1"}
	r := made(t, conductor, q)
	if first, slow := r.Start.Sink.Spans, r.Phases[0].Sink.Spans; first != 2 || slow != 2*r.Phases[0].Load.Started {
		t.Errorf("%d spans of the start and %d of %d operations, want 2 each", first, slow, r.Phases[0].Load.Started)
	}
}
