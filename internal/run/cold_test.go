package run_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/tracetax/tracetax/internal/record"
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
