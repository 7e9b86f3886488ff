// This file walks the requests of all signals in OTLP/JSON: lowerCamelCase names,
// ids in hexadecimal digits, unknown members ignored.
package otlp

import (
	"strings"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

// walkTracesJSON counts an ExportTraceServiceRequest.
func walkTracesJSON(b *tally.Batch, body []byte) error {
	w := traceWalker{jsonReader: newJSONReader(body), batch: b}
	return w.document(w.only("resourceSpans", func() error {
		return w.array(w.resourceSpans)
	}))
}

// only returns a member function that reads the member of that name with read
// and ignores all others.
func (r *jsonReader) only(wanted string, read func() error) func([]byte) error {
	return func(name []byte) error {
		if string(name) == wanted {
			return read()
		}
		return r.skip()
	}
}

// traceWalker holds what is known of the resource and the span that are being read.
type traceWalker struct {
	*jsonReader
	batch *tally.Batch

	service []byte // service.name of the resource
	found   bool

	trace        [16]byte
	span, parent [8]byte
	name         []byte
}

func (w *traceWalker) resourceSpans() error {
	before := w.batch.Spans
	w.service, w.found = w.service[:0], false
	err := w.object(func(name []byte) error {
		switch string(name) {
		case "resource":
			return w.object(w.only("attributes", func() error { return w.array(w.attribute) }))
		case "scopeSpans":
			return w.objects(w.only("spans", func() error { return w.array(w.oneSpan) }))
		}
		return w.skip()
	})
	w.batch.Service(w.service, w.batch.Spans-before)
	return err
}

// attribute reads an attribute of the resource, in search of service.name.
func (w *traceWalker) attribute() error {
	var isName, isText bool
	var value []byte
	err := w.object(func(name []byte) error {
		switch string(name) {
		case "key":
			key, err := w.text()
			isName = string(key) == serviceNameKey
			return err
		case "value":
			return w.object(w.only("stringValue", func() error {
				text, err := w.text()
				value, isText = append(value[:0], text...), text != nil
				return err
			}))
		}
		return w.skip()
	})
	if isName && isText && !w.found {
		w.service, w.found = append(w.service, value...), true
	}
	return err
}

func (w *traceWalker) oneSpan() error {
	var span tally.Span
	w.name = w.name[:0]
	err := w.object(func(name []byte) error {
		switch string(name) {
		case "traceId":
			return w.id(&span.Trace, w.trace[:])
		case "spanId":
			return w.id(&span.ID, w.span[:])
		case "parentSpanId":
			return w.id(&span.Parent, w.parent[:])
		case "name":
			text, err := w.text()
			w.name = append(w.name[:0], text...)
			return err
		case "kind":
			var err error
			span.Kind, err = w.kind()
			return err
		}
		return w.skip()
	})
	if err != nil {
		return err
	}
	span.Name = w.name
	w.batch.Span(&span)
	return nil
}

func (w *traceWalker) id(id *[]byte, room []byte) error {
	digits, err := w.text()
	if err == nil {
		*id = decodeID(room, digits)
	}
	return err
}

// kind reads a span's kind: a number, or as some senders write it, its name.
func (w *traceWalker) kind() (tally.Kind, error) {
	n, text, ok, err := w.number()
	if err != nil {
		return tally.Unspecified, err
	}
	if ok {
		return tally.KindOf(int32(max(-1, min(n, 1<<30)))), nil
	}
	kind, _ := tally.KindNamed(strings.ToLower(strings.TrimPrefix(string(text), "SPAN_KIND_")))
	return kind, nil
}

// walkLogsJSON counts the log records of an ExportLogsServiceRequest.
func walkLogsJSON(b *tally.Batch, body []byte) error {
	r := newJSONReader(body)
	record := func() error {
		b.Logs++
		return r.object(func([]byte) error { return r.skip() })
	}
	return r.document(r.path("resourceLogs", r.path("scopeLogs", r.only("logRecords", func() error {
		return r.array(record)
	}))))
}

// walkMetricsJSON counts the data points of an ExportMetricsServiceRequest.
func walkMetricsJSON(b *tally.Batch, body []byte) error {
	r := newJSONReader(body)
	point := func() error {
		b.Metrics++
		return r.object(func([]byte) error { return r.skip() })
	}
	points := r.only("dataPoints", func() error { return r.array(point) })
	metric := func(name []byte) error {
		switch string(name) {
		case "gauge", "sum", "histogram", "exponentialHistogram", "summary":
			return r.object(points)
		}
		return r.skip()
	}
	return r.document(r.path("resourceMetrics", r.path("scopeMetrics", r.path("metrics", metric))))
}

// path returns a member function that reads the member of that name as an array
// of objects, each with inner.
func (r *jsonReader) path(name string, inner func([]byte) error) func([]byte) error {
	return r.only(name, func() error { return r.objects(inner) })
}
