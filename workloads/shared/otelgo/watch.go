// What the SDK says of spans that it lost, as one line at the end.
package otelgo

import (
	"context"
	"fmt"
	"log"
	"strings"
	"sync/atomic"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/trace"
)

// watch remembers the SDK's count of spans dropped for want of room in the
// queue, and counts the spans of failed exports. The count is in the SDK's debug
// log, once an export; a drop is always followed by the export of the queue
// that was full, so after the last export it is complete.
type watch struct {
	dropped atomic.Int64
	failed  atomic.Int64
}

func installWatch() *watch {
	w := &watch{}
	otel.SetLogger(logr.New(logSink{w}))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Print("tracing: ", err) }))
	return w
}

func (w *watch) report() string {
	return fmt.Sprintf("tracing: stopped, %d spans dropped, %d spans in failed exports", w.dropped.Load(), w.failed.Load())
}

// watchedExporter counts the spans of each export that fails.
type watchedExporter struct {
	trace.SpanExporter
	watch *watch
}

func (e watchedExporter) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err != nil && !partialSuccess(err) {
		e.watch.failed.Add(int64(len(spans)))
	}
	return err
}

// partialSuccess reports whether the receiver took the export and refused some
// of its spans. The receiver counts those. The error's type is internal to the
// exporters, so its text has to do.
func partialSuccess(err error) bool { return strings.Contains(err.Error(), "OTLP partial success") }

// logSink takes the SDK's internal log: warnings and errors are printed, the
// count of dropped spans is kept, and the rest is left out.
type logSink struct{ watch *watch }

// The verbosity of the SDK's messages (go.opentelemetry.io/otel/internal/global).
const (
	warnings = 1
	debug    = 8
)

func (logSink) Init(logr.RuntimeInfo) {}

func (logSink) Enabled(level int) bool { return level <= warnings || level == debug }

func (s logSink) Info(level int, message string, pairs ...any) {
	if level <= warnings {
		log.Print("tracing: ", message, pairs)
		return
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] != "total_dropped" {
			continue
		}
		if total, ok := pairs[i+1].(uint32); ok {
			s.watch.dropped.Store(int64(total))
		}
	}
}

func (logSink) Error(err error, message string, pairs ...any) {
	log.Print("tracing: ", message, ": ", err, pairs)
}

func (s logSink) WithValues(...any) logr.LogSink { return s }

func (s logSink) WithName(string) logr.LogSink { return s }
