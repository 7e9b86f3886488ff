//go:build synthetic && spans

// Spans whose cost comes late: a span is kept until no request has come for a while, or for a
// fixed time. Then CPU time is burnt for each, and they are sent, by OpenTelemetry's own exporter.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
	"otelgo"
)

// perExport is how many spans are sent together. It is so few that between two exports no
// more time passes than a receiver waits for the next.
const perExport = 100

// deferred is a span processor that works for spans after the requests.
type deferred struct {
	exporter trace.SpanExporter
	provider *trace.TracerProvider
	tracer   api.Tracer
	flush    time.Duration // thread CPU time per span, when it is sent
	delay    time.Duration // until spans are sent
	steady   bool          // whether that is from the first span that is kept, and not from the last

	mu     sync.Mutex
	kept   []trace.ReadOnlySpan
	last   time.Time // when the span was kept that the delay counts from
	waits  bool      // a timer runs, or the first span is on its way
	opened bool      // that span has been kept

	sending sync.Mutex // one flush at a time; it guards what follows
	burnt   time.Duration
	sent    int // spans
	failed  int // spans
	errs    []error
}

func startSpans(ctx context.Context) (spans, error) {
	d := &deferred{}
	var err error
	if d.flush, err = durationOf("SYNTHETIC_FLUSH"); err != nil {
		return nil, err
	}
	if d.delay, err = durationOf("SYNTHETIC_DELAY"); err != nil {
		return nil, err
	}
	d.steady = os.Getenv("SYNTHETIC_FLUSHES") == "steady"
	if d.exporter, err = otelgo.NewExporter(ctx); err != nil {
		return nil, err
	}
	if d.exporter == nil {
		return nil, errors.New("OTEL_TRACES_EXPORTER is none: there is nobody to send spans to")
	}
	d.provider = trace.NewTracerProvider(trace.WithSpanProcessor(d), trace.WithSampler(trace.AlwaysSample()))
	d.tracer = d.provider.Tracer("synthetic")
	return d, nil
}

// make makes a span; nothing is in it.
func (d *deferred) make(ctx context.Context) {
	_, span := d.tracer.Start(ctx, "request")
	span.End()
}

// OnStart does nothing.
func (d *deferred) OnStart(context.Context, trace.ReadWriteSpan) {}

// OnEnd keeps the span. The first one of the process is sent at once, so the
// exporter has its connection before anything is measured.
func (d *deferred) OnEnd(span trace.ReadOnlySpan) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = append(d.kept, span)
	if !d.waits || !d.steady {
		d.last = time.Now()
	}
	if d.waits {
		return
	}
	d.waits = true
	wait := d.delay
	if !d.opened {
		d.opened, wait = true, 0
		d.last = time.Time{}
	}
	time.AfterFunc(wait, d.due)
}

// due sends what is kept, if the delay is over; otherwise it waits for the rest of that.
func (d *deferred) due() {
	d.mu.Lock()
	rest := d.delay - time.Since(d.last)
	if rest > 0 {
		time.AfterFunc(rest, d.due)
	} else {
		d.waits = false
	}
	d.mu.Unlock()
	if rest <= 0 {
		d.send(context.Background())
	}
}

// send burns for what is kept, and exports it. A failed export is counted, and told of in
// the end.
func (d *deferred) send(ctx context.Context) {
	d.sending.Lock()
	defer d.sending.Unlock()
	d.mu.Lock()
	kept := d.kept
	d.kept = nil
	d.mu.Unlock()
	for some := range slices.Chunk(kept, perExport) {
		if d.flush > 0 {
			d.burnt += burn(d.flush * time.Duration(len(some)))
		}
		if err := d.exporter.ExportSpans(ctx, some); err != nil {
			d.failed += len(some)
			d.errs = append(d.errs, err)
			continue
		}
		d.sent += len(some)
	}
}

// ForceFlush sends what is kept.
func (d *deferred) ForceFlush(ctx context.Context) error {
	d.send(ctx)
	return nil
}

// Shutdown sends what is kept, and closes the exporter.
func (d *deferred) Shutdown(ctx context.Context) error {
	return errors.Join(d.ForceFlush(ctx), d.exporter.Shutdown(ctx))
}

// stop ends the exports, and says what was done.
func (d *deferred) stop(ctx context.Context) (said string, err error) {
	err = d.provider.Shutdown(ctx)
	d.sending.Lock()
	defer d.sending.Unlock()
	if err = errors.Join(append(d.errs, err)...); err != nil {
		err = fmt.Errorf("exporting spans: %w", err)
	}
	return fmt.Sprintf(", flushed %d spans, burnt %d ns at that, %d spans in failed exports", d.sent, d.burnt.Nanoseconds(), d.failed), err
}
