// Package sinktest owns what it takes to measure a receiver of OTLP from outside:
// a stream of prepared requests, senders for it, and the clock and memory of the
// receiving process. It must not know which receiver it is.
package sinktest

import (
	"bytes"
	"encoding/binary"
	"fmt"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// RequestSpans is the number of spans of a request: the batch processor's default.
const RequestSpans = 512

const (
	traceSpans = 8          // spans of a trace: a root and its children
	mark       = 0xf00dface // stands in the template for a request's number
)

// Stream makes requests that are all alike but for their ids, of which none is in two
// requests. It is safe for concurrent use.
type Stream struct {
	template []byte
	marks    []int // where in it the number of the request goes, 4 bytes each
}

// NewStream prepares a stream of trace requests in protobuf: RequestSpans spans of 10
// attributes and 460 bytes, in traces of 8.
func NewStream() (*Stream, error) {
	spans := make([]*trace.Span, RequestSpans)
	ids := 0
	for i := range spans {
		spans[i] = span(i)
		ids += 2 + min(1, len(spans[i].GetParentSpanId()))
	}
	template, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{
		Resource:   &resource.Resource{Attributes: []*common.KeyValue{text("service.name", "shop")}},
		ScopeSpans: []*trace.ScopeSpans{{Spans: spans}},
	}}})
	if err != nil {
		return nil, fmt.Errorf("encoding a request: %w", err)
	}
	s := &Stream{template: template, marks: find(template, binary.BigEndian.AppendUint32(nil, mark))}
	if len(s.marks) != ids {
		return nil, fmt.Errorf("encoding a request: %d marks in it for %d ids", len(s.marks), ids)
	}
	return s, nil
}

// Size is the size of every request, in bytes.
func (s *Stream) Size() int { return len(s.template) }

// Request writes the n-th request into room, which it grows as needed.
func (s *Stream) Request(n uint32, room []byte) []byte {
	body := append(room[:0], s.template...)
	for _, at := range s.marks {
		binary.BigEndian.PutUint32(body[at:], n)
	}
	return body
}

// span returns the i-th span of the template.
func span(i int) *trace.Span {
	root := i - i%traceSpans
	s := &trace.Span{
		TraceId: append(spanID(root), "of trace"...), SpanId: spanID(i),
		Name: "GET /api/orders/item", Kind: trace.Span_SpanKind(1 + i%5),
		StartTimeUnixNano: 1, EndTimeUnixNano: 2, Flags: 257, Status: &trace.Status{},
	}
	if i != root {
		s.ParentSpanId = spanID(root)
	}
	for a := range 10 {
		s.Attributes = append(s.Attributes, text(fmt.Sprintf("http.attribute.%d", a), "value of 13 b"))
	}
	return s
}

func spanID(i int) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, mark), uint32(i+1))
}

func text(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

// find returns every place of part in b.
func find(b, part []byte) (places []int) {
	for from := 0; ; {
		i := bytes.Index(b[from:], part)
		if i < 0 {
			return places
		}
		places = append(places, from+i)
		from += i + len(part)
	}
}
