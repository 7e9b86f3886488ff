// This file walks the requests of all signals in OTLP/JSON: lowerCamelCase names,
// ids in hexadecimal digits, unknown members ignored.

package otlp

import (
	"encoding/hex"
	"strings"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

// walkTracesJSON counts an ExportTraceServiceRequest.
func walkTracesJSON(b *tally.Batch, body []byte) error {
	w := traceWalker{JSON: wire.NewJSON(body), batch: b}
	return w.Document(w.Only("resourceSpans", func() error {
		return w.Array(w.resourceSpans)
	}))
}

// traceWalker holds what is known of the resource and the span that are being read.
type traceWalker struct {
	*wire.JSON
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
	err := w.Object(func(name []byte) error {
		switch string(name) {
		case "resource":
			return w.Object(w.Only("attributes", func() error { return w.Array(w.attribute) }))
		case "scopeSpans":
			return w.Objects(w.Only("spans", func() error { return w.Array(w.oneSpan) }))
		}
		return w.Skip()
	})
	w.batch.Service(w.service, w.batch.Spans-before)
	return err
}

// attribute reads an attribute of the resource, in search of service.name.
func (w *traceWalker) attribute() error {
	var isName, isText bool
	var value []byte
	err := w.Object(func(name []byte) error {
		switch string(name) {
		case "key":
			key, err := w.Text()
			isName = string(key) == serviceNameKey
			return err
		case "value":
			return w.Object(w.Only("stringValue", func() error {
				text, err := w.Text()
				value, isText = append(value[:0], text...), text != nil
				return err
			}))
		}
		return w.Skip()
	})
	if isName && isText && !w.found {
		w.service, w.found = append(w.service, value...), true
	}
	return err
}

func (w *traceWalker) oneSpan() error {
	var span tally.Span
	w.name = w.name[:0]
	err := w.Object(func(name []byte) error {
		switch string(name) {
		case "traceId":
			return w.id(&span.Trace, w.trace[:])
		case "spanId":
			return w.id(&span.ID, w.span[:])
		case "parentSpanId":
			return w.id(&span.Parent, w.parent[:])
		case "name":
			text, err := w.Text()
			w.name = append(w.name[:0], text...)
			return err
		case "kind":
			var err error
			span.Kind, err = w.kind()
			return err
		}
		return w.Skip()
	})
	if err != nil {
		return err
	}
	span.Name = w.name
	w.batch.Span(&span)
	return nil
}

func (w *traceWalker) id(id *[]byte, room []byte) error {
	digits, err := w.Text()
	if err == nil {
		*id = decodeID(room, digits)
	}
	return err
}

// kind reads a span's kind: a number, or as some senders write it, its name.
func (w *traceWalker) kind() (tally.Kind, error) {
	n, text, ok, err := w.Number()
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
	r := wire.NewJSON(body)
	record := func() error {
		b.Logs++
		return r.Object(func([]byte) error { return r.Skip() })
	}
	return r.Document(r.Path("resourceLogs", r.Path("scopeLogs", r.Only("logRecords", func() error {
		return r.Array(record)
	}))))
}

// walkMetricsJSON counts the data points of an ExportMetricsServiceRequest.
func walkMetricsJSON(b *tally.Batch, body []byte) error {
	r := wire.NewJSON(body)
	point := func() error {
		b.Metrics++
		return r.Object(func([]byte) error { return r.Skip() })
	}
	points := r.Only("dataPoints", func() error { return r.Array(point) })
	metric := func(name []byte) error {
		switch string(name) {
		case "gauge", "sum", "histogram", "exponentialHistogram", "summary":
			return r.Object(points)
		}
		return r.Skip()
	}
	return r.Document(r.Path("resourceMetrics", r.Path("scopeMetrics", r.Path("metrics", metric))))
}

// badID has a length that no id has, so its span is refused.
var badID = []byte{0}

// decodeID decodes an id from hexadecimal digits into room; badID if it can't be.
func decodeID(room, digits []byte) []byte {
	if len(digits) > 2*len(room) {
		return badID
	}
	n, err := hex.Decode(room, digits)
	if err != nil {
		return badID
	}
	return room[:n]
}
