package sinktest

import (
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// The stream is what docs/sink.md says of it.
func TestStream(t *testing.T) {
	s, err := NewStream()
	if err != nil {
		t.Fatal(err)
	}
	if perSpan := s.Size() / RequestSpans; perSpan < 450 || perSpan > 470 {
		t.Errorf("%d bytes a span", perSpan)
	}
	spans, traces := make(map[string]bool), make(map[string]bool)
	var room []byte
	const requests = 3
	for n := range uint32(requests) {
		room = s.Request(n, room)
		var request collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(room, &request); err != nil {
			t.Fatal(err)
		}
		for _, span := range request.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans() {
			spans[string(span.GetSpanId())] = true
			traces[string(span.GetTraceId())] = true
			if len(span.GetAttributes()) != 10 || len(span.GetTraceId()) != 16 || len(span.GetSpanId()) != 8 {
				t.Fatalf("span %v", span)
			}
			if parent := span.GetParentSpanId(); len(parent) > 0 && !spans[string(parent)] {
				t.Fatalf("no parent of %v", span)
			}
		}
	}
	if len(spans) != requests*RequestSpans || len(traces) != len(spans)/traceSpans {
		t.Errorf("%d different spans in %d traces", len(spans), len(traces))
	}
}
