package keep

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// body is a request in protobuf with one span.
func body(t testing.TB) []byte {
	t.Helper()
	name := &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: "shop"}}
	id, span := []byte("\x5b\x8e\xff\xf7\x98\x03\x81\x03\xd2\x69\xb6\x33\x81\x3f\xc6\x0c"), []byte("\xee\xe1\x9b\x7e\xc3\xc1\xb1\x74")
	out, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{
		Resource: &resource.Resource{Attributes: []*common.KeyValue{{Key: "service.name", Value: name}}},
		ScopeSpans: []*trace.ScopeSpans{{Spans: []*trace.Span{{
			TraceId: id, SpanId: span, Name: "GET /", Kind: trace.Span_SPAN_KIND_SERVER, StartTimeUnixNano: 1_790_000_000_000_000_000,
			Links: []*trace.Span_Link{{TraceId: id, SpanId: span}}, Status: &trace.Status{Code: trace.Status_STATUS_CODE_ERROR},
		}}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Protobuf and JSON become lines of OTLP's JSON: ids in base 16, kinds as numbers, 64 bits as texts.
func TestLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "traces.jsonl")
	k, err := New(file)
	if err != nil {
		t.Fatal(err)
	}
	sent := body(t)
	k.Take(sent, false, 1)
	clear(sent) // it is the caller's again
	k.Take([]byte("{\n \"resourceSpans\": []\n}"), true, 2)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if got := k.Counts(); got != (Counts{Kept: 3}) {
		t.Errorf("counts %+v, want 3 kept", got)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[
{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"GET /","kind":2,"startTimeUnixNano":"1790000000000000000",
"links":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174"}],"status":{"code":2}}]}]}]}`
	lines := strings.Split(string(text), "\n")
	if len(lines) != 3 || lines[1] != `{"resourceSpans":[]}` || lines[2] != "" {
		t.Fatalf("lines %q", lines)
	}
	var got, wanted any
	if err := json.Unmarshal([]byte(lines[0]), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What cannot be written is counted, and Close tells why.
func TestUnwritten(t *testing.T) {
	k, err := New(filepath.Join(t.TempDir(), "traces.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	k.mu.Lock()
	k.bytes = mostWaiting
	k.mu.Unlock()
	k.Take(body(t), false, 5) // more than may wait
	if got := k.Counts(); got != (Counts{Lost: 5}) {
		t.Errorf("counts %+v, want 5 lost", got)
	}
	k.mu.Lock()
	k.bytes = 0
	k.mu.Unlock()
	if err := k.file.Close(); err != nil {
		t.Fatal(err)
	}
	k.Take(body(t), false, 7)
	if err := k.Close(); err == nil || !strings.Contains(err.Error(), "file already closed") {
		t.Errorf("the error is %v, want that of the file", err)
	}
	k.Take(body(t), false, 1) // after its end
	if got := k.Counts(); got.Waiting != 0 || got.Kept != 0 || got.Lost != 13 || got.Error == "" {
		t.Errorf("counts %+v, want 13 lost, and why", got)
	}
}

// BenchmarkLine writes one request as JSON.
func BenchmarkLine(b *testing.B) {
	sent := body(b)
	for b.Loop() {
		if _, err := asJSON(sent); err != nil {
			b.Fatal(err)
		}
	}
}
