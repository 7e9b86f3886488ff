// Package otlp receives the OpenTelemetry protocol over gRPC and over HTTP
// (protobuf and JSON), walks the bodies where they lie, without building objects
// of them, and counts what they hold in a tally. It must not know the workload or
// what was expected.
package otlp

// This file walks trace requests in protobuf. The field numbers are those of
// opentelemetry/proto/collector/trace/v1 and trace/v1; unknown fields are passed
// over, and what protobuf allows (fields in any order, messages in pieces) counts
// as it would if the message were decoded.

import (
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"google.golang.org/protobuf/encoding/protowire"
)

const serviceNameKey = "service.name"

// walkTraces counts an ExportTraceServiceRequest.
func walkTraces(b *tally.Batch, body []byte) error {
	f := wire.Fields{Rest: body}
	for f.Next() {
		if f.Tag != wire.BytesTag(1) { // resource_spans
			continue
		}
		if err := walkResourceSpans(b, f.Bytes); err != nil {
			return err
		}
	}
	return f.Err
}

func walkResourceSpans(b *tally.Batch, message []byte) error {
	before := b.Spans
	var service serviceName
	f := wire.Fields{Rest: message}
	for f.Next() {
		var err error
		switch f.Tag {
		case wire.BytesTag(1): // resource
			err = service.walkResource(f.Bytes)
		case wire.BytesTag(2): // scope_spans
			err = walkScopeSpans(b, f.Bytes)
		}
		if err != nil {
			return err
		}
	}
	b.Service(service.name, b.Spans-before)
	return f.Err
}

func walkScopeSpans(b *tally.Batch, message []byte) error {
	f := wire.Fields{Rest: message}
	for f.Next() {
		if f.Tag != wire.BytesTag(2) { // spans
			continue
		}
		if err := walkSpan(b, f.Bytes); err != nil {
			return err
		}
	}
	return f.Err
}

const attributesTag = 9<<3 | byte(protowire.BytesType)

func walkSpan(b *tally.Batch, message []byte) error {
	var span tally.Span
	f := wire.Fields{Rest: message}
	for f.Next() {
		switch f.Tag {
		case wire.BytesTag(1):
			span.Trace = f.Bytes
		case wire.BytesTag(2):
			span.ID = f.Bytes
		case wire.BytesTag(4):
			span.Parent = f.Bytes
		case wire.BytesTag(5):
			span.Name = f.Bytes
		case wire.VarintTag(6):
			span.Kind = tally.KindOf(int32(f.Value))
		case wire.Fixed64Tag(8): // the end of the span, after which its attributes come
			f.Pass(attributesTag)
		}
	}
	if f.Err != nil {
		return f.Err
	}
	b.Span(&span)
	return nil
}

// serviceName is the first string attribute service.name of a resource.
type serviceName struct {
	name  []byte
	found bool
}

func (s *serviceName) walkResource(message []byte) error {
	f := wire.Fields{Rest: message}
	for f.Next() {
		if f.Tag != wire.BytesTag(1) { // attributes
			continue
		}
		if err := s.walkAttribute(f.Bytes); err != nil {
			return err
		}
	}
	return f.Err
}

func (s *serviceName) walkAttribute(message []byte) error {
	var key []byte
	var value stringValue
	f := wire.Fields{Rest: message}
	for f.Next() {
		switch f.Tag {
		case wire.BytesTag(1):
			key = f.Bytes
		case wire.BytesTag(2):
			if err := value.walk(f.Bytes); err != nil {
				return err
			}
		}
	}
	if f.Err == nil && !s.found && value.set && string(key) == serviceNameKey {
		s.name, s.found = value.text, true
	}
	return f.Err
}

// stringValue is an AnyValue that may be a string. Its fields exclude each
// other: the last one on the wire holds.
type stringValue struct {
	text []byte
	set  bool
}

func (v *stringValue) walk(message []byte) error {
	const boolTag, intTag, doubleTag, indexTag = 2 << 3, 3 << 3, 4<<3 | 1, 8 << 3
	f := wire.Fields{Rest: message}
	for f.Next() {
		switch f.Tag {
		case wire.BytesTag(1):
			v.text, v.set = f.Bytes, true
		case boolTag, intTag, doubleTag, indexTag, wire.BytesTag(5), wire.BytesTag(6), wire.BytesTag(7):
			v.text, v.set = nil, false
		}
	}
	return f.Err
}

// signal is one of the three kinds of telemetry that OTLP carries.
type signal struct {
	name     string // as in the path and in the service's package
	service  string // the service's name within its package
	rejected string // field of the partial success, in JSON
	protobuf func(b *tally.Batch, body []byte) error
	json     func(b *tally.Batch, body []byte) error
}

// signals lists all of them.
var signals = [...]signal{
	{"trace", "TraceService", "rejectedSpans", walkTraces, walkTracesJSON},
	{"metrics", "MetricsService", "rejectedDataPoints", walkMetrics, walkMetricsJSON},
	{"logs", "LogsService", "rejectedLogRecords", walkLogs, walkLogsJSON},
}

// path returns the path of the signal over HTTP.
func (s *signal) path() string {
	if s.name == "trace" {
		return "/v1/traces"
	}
	return "/v1/" + s.name
}

// serviceName is the gRPC service's full name.
func (s *signal) serviceName() string {
	return "opentelemetry.proto.collector." + s.name + ".v1." + s.service
}

// The protocols, as they are named in a record.
const (
	overGRPC     = "otlp/grpc"
	overProtobuf = "otlp/http+protobuf"
	overJSON     = "otlp/http+json"
)

// This file counts metrics and logs in protobuf: data points and log records,
// no more, since they are there to be told apart from spans.

// walkLogs counts the log records of an ExportLogsServiceRequest:
// resource_logs (1), scope_logs (2), log_records (2).
func walkLogs(b *tally.Batch, body []byte) error {
	return descend(body, []uint64{1, 2, 2}, func([]byte) error {
		b.Logs++
		return nil
	})
}

// walkMetrics counts the data points of an ExportMetricsServiceRequest:
// resource_metrics (1), scope_metrics (2), metrics (2).
func walkMetrics(b *tally.Batch, body []byte) error {
	return descend(body, []uint64{1, 2, 2}, func(metric []byte) error {
		n, err := dataPoints(metric)
		b.Metrics += n
		return err
	})
}

// descend calls visit for every message at the end of a path of field numbers.
func descend(message []byte, path []uint64, visit func([]byte) error) error {
	if len(path) == 0 {
		return visit(message)
	}
	f := wire.Fields{Rest: message}
	for f.Next() {
		if f.Tag != wire.BytesTag(path[0]) {
			continue
		}
		if err := descend(f.Bytes, path[1:], visit); err != nil {
			return err
		}
	}
	return f.Err
}

// dataPoints returns the number of data points (1) of a Metric's gauge (5), sum
// (7), histogram (9), exponential histogram (10) or summary (11). They exclude
// each other: the last one on the wire holds.
func dataPoints(metric []byte) (n uint64, err error) {
	var kind uint64
	f := wire.Fields{Rest: metric}
	for f.Next() {
		switch f.Tag {
		case wire.BytesTag(5), wire.BytesTag(7), wire.BytesTag(9), wire.BytesTag(10), wire.BytesTag(11):
		default:
			continue
		}
		if f.Tag != kind {
			kind, n = f.Tag, 0
		}
		err := descend(f.Bytes, []uint64{1}, func([]byte) error {
			n++
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return n, f.Err
}
