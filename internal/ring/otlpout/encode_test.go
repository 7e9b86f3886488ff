package otlpout

import (
	"cmp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/ring"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

func stringOf(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func intOf(key string, value int64) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value}}}
}

// asMessage makes the request that the encoder should write, with the proto package.
func asMessage(attributes []*common.KeyValue, spans []ring.Span) *collector.ExportTraceServiceRequest {
	var scopes []*trace.ScopeSpans
	for _, s := range spans {
		name := cmp.Or(s.Method.Class, "tracetax-java")
		if len(scopes) == 0 || scopes[len(scopes)-1].Scope.Name != name {
			scopes = append(scopes, &trace.ScopeSpans{Scope: &common.InstrumentationScope{Name: name}})
		}
		one := &trace.Span{
			TraceId: s.Trace[:], SpanId: s.ID[:], Name: s.Method.SpanName(), Kind: trace.Span_SPAN_KIND_INTERNAL,
			StartTimeUnixNano: uint64(s.Start), EndTimeUnixNano: uint64(s.End),
			Attributes: []*common.KeyValue{intOf("thread.id", int64(s.Thread))},
		}
		if s.Parent != [8]byte{} {
			one.ParentSpanId = s.Parent[:]
		}
		if s.Unfinished {
			one.Attributes = append(one.Attributes, &common.KeyValue{
				Key: "tracetax.unfinished", Value: &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: true}},
			})
		}
		last := scopes[len(scopes)-1]
		last.Spans = append(last.Spans, one)
	}
	return &collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{
		Resource: &resource.Resource{Attributes: attributes}, ScopeSpans: scopes,
	}}}
}

func someSpans(n int) []ring.Span {
	methods := []*ring.Method{
		{Number: 0, Class: "com.acme.Cart", Name: "add"}, {Number: 9, Class: "Bare", Name: "<init>"}, {Number: 2, Name: "lambda$0"},
		{Number: 3, Class: "a." + strings.Repeat("x", 2040), Name: strings.Repeat("ü", 1024)},
	}
	var out []ring.Span
	for i := range n {
		s := ring.Span{Method: methods[i/2%len(methods)], Start: 1_700_000_000_000_000_000 + int64(i), End: 1_700_000_000_000_000_100 + int64(i)}
		s.Thread = []uint64{1, 0, 1 << 40, 300}[i/3%4]
		s.Trace[0], s.Trace[15], s.ID[7], s.Unfinished = 1, byte(i), byte(i+1), i%7 == 3
		if i%3 > 0 {
			s.Parent[0] = byte(i)
		}
		out = append(out, s)
	}
	return out
}

// The encoder writes OpenTelemetry's own messages.
func TestEncode(t *testing.T) {
	p := &ring.Program{
		Service: "shop", PID: 4711, Runtime: "OpenJDK 17.0.15",
		Resource: map[string]string{"service.name": "other", "deployment.environment": "te\xffst"},
	}
	spans := someSpans(200)
	e := newEncoder(p, "v1")
	data := e.begin(nil)
	data = e.append(data, spans[:3])
	data = e.append(data, spans[3:])
	e.finish(data)
	var got collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := asMessage([]*common.KeyValue{
		stringOf("deployment.environment", "te\uFFFDst"), stringOf("process.runtime.description", "OpenJDK 17.0.15"),
		stringOf("process.runtime.name", "OpenJDK"), stringOf("process.runtime.version", "17.0.15"), stringOf("service.name", "shop"),
		stringOf("telemetry.sdk.language", "java"), stringOf("telemetry.sdk.name", "tracetax"), stringOf("telemetry.sdk.version", "v1"),
		intOf("process.pid", 4711),
	}, spans)
	if diff := gocmp.Diff(want, &got, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{"add": "Cart.add", "<init>": "Bare.<init>", "lambda$0": "lambda$0"} {
		for _, s := range spans {
			if got := s.Method.SpanName(); s.Method.Name == name && got != want {
				t.Errorf("%s is called %s, want %s", name, got, want)
			}
		}
	}
}

// A program without a name has the one that OpenTelemetry gives it, or that of its resource.
func TestServiceName(t *testing.T) {
	for want, p := range map[string]*ring.Program{
		"unknown_service:java": {}, "of the resource": {Resource: map[string]string{"service.name": "of the resource"}},
	} {
		e := newEncoder(p, "v1")
		data := e.begin(nil)
		e.finish(data)
		var got collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		for _, a := range got.ResourceSpans[0].Resource.Attributes {
			if a.Key == "service.name" && a.Value.GetStringValue() != want {
				t.Errorf("the service is %q, want %q", a.Value.GetStringValue(), want)
			}
		}
	}
}

// BenchmarkEncode and BenchmarkMarshal encode a span: with this encoder, and with the proto package.
func BenchmarkEncode(b *testing.B) {
	e := newEncoder(&ring.Program{}, "v1")
	spans := benchSpans()
	var data []byte
	b.ReportAllocs()
	for done := 0; done < b.N; done += len(spans) {
		if len(data) > mostRequest || data == nil {
			data = e.begin(data[:0])
		}
		data = e.append(data, spans)
	}
}

func BenchmarkMarshal(b *testing.B) {
	spans := benchSpans()
	var data []byte
	b.ReportAllocs()
	for done := 0; done < b.N; done += len(spans) {
		var err error
		if data, err = (proto.MarshalOptions{}).MarshalAppend(data[:0], asMessage(nil, spans)); err != nil {
			b.Fatal(err)
		}
	}
}

func benchSpans() []ring.Span {
	spans := someSpans(256)
	for i := range spans {
		spans[i].Method, spans[i].Thread, spans[i].Unfinished = &ring.Method{Class: "com.acme.Cart", Name: "add"}, 21, false
	}
	return spans
}
