// This file counts with OpenTelemetry's own generated types, as the reference that
// the walkers are compared with.

package otlp

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/tally"
	collectorlogs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// referenceTraces counts a decoded request.
func referenceTraces(b *tally.Batch, request *collectortrace.ExportTraceServiceRequest) {
	for _, rs := range request.GetResourceSpans() {
		before := b.Spans
		for _, ss := range rs.GetScopeSpans() {
			for _, s := range ss.GetSpans() {
				b.Span(&tally.Span{
					Trace:  s.GetTraceId(),
					ID:     s.GetSpanId(),
					Parent: s.GetParentSpanId(),
					Name:   []byte(s.GetName()),
					Kind:   referenceKind(s.GetKind()),
				})
			}
		}
		b.Service([]byte(referenceService(rs.GetResource())), b.Spans-before)
	}
}

func referenceKind(k trace.Span_SpanKind) tally.Kind {
	name := strings.ToLower(strings.TrimPrefix(k.String(), "SPAN_KIND_"))
	kind, _ := tally.KindNamed(name)
	return kind
}

func referenceService(r *resource.Resource) string {
	for _, a := range r.GetAttributes() {
		if s, ok := a.GetValue().GetValue().(*common.AnyValue_StringValue); ok && a.GetKey() == serviceNameKey {
			return s.StringValue
		}
	}
	return ""
}

func referenceMetrics(b *tally.Batch, request *collectormetrics.ExportMetricsServiceRequest) {
	for _, rm := range request.GetResourceMetrics() {
		for _, sm := range rm.GetScopeMetrics() {
			for _, m := range sm.GetMetrics() {
				b.Metrics += referencePoints(m)
			}
		}
	}
}

func referencePoints(m *metrics.Metric) uint64 {
	switch data := m.GetData().(type) {
	case *metrics.Metric_Gauge:
		return uint64(len(data.Gauge.GetDataPoints()))
	case *metrics.Metric_Sum:
		return uint64(len(data.Sum.GetDataPoints()))
	case *metrics.Metric_Histogram:
		return uint64(len(data.Histogram.GetDataPoints()))
	case *metrics.Metric_ExponentialHistogram:
		return uint64(len(data.ExponentialHistogram.GetDataPoints()))
	case *metrics.Metric_Summary:
		return uint64(len(data.Summary.GetDataPoints()))
	}
	return 0
}

func referenceLogs(b *tally.Batch, request *collectorlogs.ExportLogsServiceRequest) {
	for _, rl := range request.GetResourceLogs() {
		for _, sl := range rl.GetScopeLogs() {
			b.Logs += uint64(len(sl.GetLogRecords()))
		}
	}
}

// counted returns what a Total in checking mode counts of one request.
func counted(count func(*tally.Batch) error) (record.Counts, error) {
	total := tally.New(tally.Config{Checking: true, MaxSpans: 10_000})
	b := total.Batch()
	if err := count(b); err != nil {
		total.Discard(b)
		return record.Counts{}, err
	}
	total.Merge(b, "p", 0)
	return total.Counts(), nil
}

// compare fails the test where walk and the reference count differently.
func compare(t *testing.T, body []byte, walk func(*tally.Batch, []byte) error, reference func(*tally.Batch)) {
	t.Helper()
	got, err := counted(func(b *tally.Batch) error { return walk(b, body) })
	if err != nil {
		t.Fatalf("valid body refused: %v\n%x", err, body)
	}
	want, err := counted(func(b *tally.Batch) error { reference(b); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("counts differ from the reference (-want +got):\n%s\n%s", diff, body)
	}
}

// sample is a request with everything in it that is counted, and more.
func sample() *collectortrace.ExportTraceServiceRequest {
	return &collectortrace.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{
		{
			Resource: &resource.Resource{Attributes: []*common.KeyValue{text("host.name", "h"), text(serviceNameKey, "shop")}},
			ScopeSpans: []*trace.ScopeSpans{{
				Scope: &common.InstrumentationScope{Name: "scope"},
				Spans: []*trace.Span{
					{TraceId: id(16, 1), SpanId: id(8, 1), Name: "GET /", Kind: trace.Span_SPAN_KIND_SERVER, StartTimeUnixNano: 1, EndTimeUnixNano: 2, Flags: 257},
					{TraceId: id(16, 1), SpanId: id(8, 2), ParentSpanId: id(8, 1), Name: "SELECT", Kind: trace.Span_SPAN_KIND_CLIENT,
						Attributes: []*common.KeyValue{text("db.system", "postgresql")}, Events: []*trace.Span_Event{{Name: "e"}}, TraceState: "a=b"},
					{TraceId: id(16, 1), SpanId: id(8, 2), ParentSpanId: id(8, 1), Name: "SELECT", Kind: 77},
					{TraceId: id(16, 2), SpanId: id(8, 3), ParentSpanId: id(8, 9), Name: "orphan", Status: &trace.Status{Message: "m", Code: 2}},
					{TraceId: id(15, 2), SpanId: id(8, 3), Name: "short"},
					{TraceId: id(16, 0), SpanId: id(8, 3), Name: "zero"},
				},
			}},
		},
		{
			Resource:   &resource.Resource{Attributes: []*common.KeyValue{{Key: serviceNameKey, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: 3}}}}},
			ScopeSpans: []*trace.ScopeSpans{{Spans: []*trace.Span{{TraceId: id(16, 3), SpanId: id(8, 4), Kind: trace.Span_SPAN_KIND_INTERNAL, Name: "name \"quoted\" ü"}}}, {}},
		},
		{},
	}}
}

func text(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

// id returns an id of n bytes, all of them b.
func id(n int, b byte) []byte {
	i := make([]byte, n)
	for j := range i {
		i[j] = b
	}
	return i
}

func encoded(t testing.TB, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sampleJSON writes a request as OTLP/JSON.
func sampleJSON(request *collectortrace.ExportTraceServiceRequest) []byte {
	type object = map[string]any
	var resources []object
	for _, rs := range request.GetResourceSpans() {
		var scopes []object
		for _, ss := range rs.GetScopeSpans() {
			var spans []object
			for _, s := range ss.GetSpans() {
				spans = append(spans, object{
					"name": s.GetName(), "kind": int(s.GetKind()), "unknown": []any{object{"a": nil}, 1.5},
					"traceId": hex.EncodeToString(s.GetTraceId()), "spanId": strings.ToUpper(hex.EncodeToString(s.GetSpanId())),
					"parentSpanId": hex.EncodeToString(s.GetParentSpanId()), "startTimeUnixNano": "1544712660000000000",
				})
			}
			scopes = append(scopes, object{"scope": object{"name": "x"}, "spans": spans})
		}
		resources = append(resources, object{"scopeSpans": scopes, "resource": object{"attributes": attributesJSON(rs.GetResource())}})
	}
	return encode(object{"resourceSpans": resources})
}

func attributesJSON(r *resource.Resource) (attributes []map[string]any) {
	for _, a := range r.GetAttributes() {
		value := map[string]any{"intValue": "7"}
		if s, ok := a.GetValue().GetValue().(*common.AnyValue_StringValue); ok {
			value = map[string]any{"stringValue": s.StringValue}
		}
		attributes = append(attributes, map[string]any{"key": a.GetKey(), "value": value})
	}
	return attributes
}
