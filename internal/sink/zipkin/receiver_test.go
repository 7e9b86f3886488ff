package zipkin

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	zipkin "github.com/openzipkin/zipkin-go"
	"github.com/openzipkin/zipkin-go/model"
	"github.com/openzipkin/zipkin-go/propagation/b3"
	"github.com/openzipkin/zipkin-go/proto/zipkin_proto3"
	"github.com/openzipkin/zipkin-go/reporter"
	client "github.com/openzipkin/zipkin-go/reporter/http"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

func serve(t *testing.T) (*tally.Total, string) {
	t.Helper()
	total := tally.New(tally.Config{Checking: true, MaxSpans: 10_000})
	in := wire.NewIntake(total, wire.Limits{Body: 1 << 20, Requests: 4, Header: time.Minute, Request: time.Minute}, 0)
	server := httptest.NewServer(in.Handler(New(in)))
	t.Cleanup(server.Close)
	return total, server.URL
}

// Zipkin's own Go library sends, in both formats: requests between two services whose
// client's and server's spans share their ids, with a local span below.
func TestClientCountsAgree(t *testing.T) {
	for protocol, serializer := range map[string]reporter.SpanSerializer{
		overJSON: reporter.JSONSerializer{}, overProtobuf: zipkin_proto3.SpanSerializer{},
	} {
		t.Run(protocol, func(t *testing.T) {
			const n = 30
			total, url := serve(t)
			r := client.NewReporter(url+spansPath, client.Serializer(serializer))
			front, back := tracer(t, r, "front"), tracer(t, r, "back")
			for range n {
				call := front.StartSpan("call", zipkin.Kind(model.Client))
				headers := b3.Map{}
				if err := headers.Inject()(call.Context()); err != nil {
					t.Fatal(err)
				}
				server := back.StartSpan("get /", zipkin.Kind(model.Server), zipkin.Parent(back.Extract(headers.Extract)))
				back.StartSpan("work", zipkin.Parent(server.Context())).Finish()
				server.Finish()
				call.Finish()
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			want := record.Counts{
				Spans: 3 * n, Roots: n, Traces: n, Checking: true,
				Services:  map[string]uint64{"front": n, "back": 2 * n},
				RootNames: map[string]uint64{"call": n},
				Shapes:    record.Shapes{"call": {3: n}},
				Kinds:     map[string]uint64{"client": n, "server": n, "unspecified": n},
			}
			got := total.Counts()
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(record.Counts{}, "Bytes", "Requests", "Protocols")); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if got.Requests == 0 || got.Protocols[protocol] != got.Requests {
				t.Errorf("requests %d, by protocol %v", got.Requests, got.Protocols)
			}
		})
	}
}

func tracer(t *testing.T, r reporter.Reporter, service string) *zipkin.Tracer {
	t.Helper()
	endpoint, err := zipkin.NewEndpoint(service, "127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	made, err := zipkin.NewTracer(r, zipkin.WithLocalEndpoint(endpoint), zipkin.WithSharedSpans(true))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func zipped(t *testing.T, body string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(body)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAnswers(t *testing.T) {
	const span = `{"traceId":"1","id":"2","name":"a","kind":"SERVER"}`
	total, url := serve(t)
	tests := []struct {
		name, method, path, contentType, encoding, body string
		status                                          int
		spans                                           uint64
	}{
		{"one span", "POST", spansPath, "application/json", "", "[" + span + "]", 202, 1},
		{"no type is JSON", "POST", spansPath, "", "", "[" + span + "]", 202, 1},
		{"gzip", "POST", spansPath, "application/json", "gzip", zipped(t, "["+span+","+span+"]"), 202, 2},
		{"none", "POST", spansPath, "application/json", "", "[]", 202, 0},
		{"empty", "POST", spansPath, "application/json", "", "", 400, 0},
		{"null", "POST", spansPath, "application/json", "", "null", 400, 0},
		{"one of two invalid", "POST", spansPath, "application/json", "", "[" + span + `,{"traceId":"1"}]`, 400, 0},
		{"cut off", "POST", spansPath, "application/json", "", "[" + span, 400, 0},
		{"protobuf that is none", "POST", spansPath, "application/x-protobuf", "", "[" + span + "]", 400, 0},
		{"not gzip", "POST", spansPath, "application/json", "gzip", "[]", 400, 0},
		{"encoding", "POST", spansPath, "application/json", "br", "[]", 415, 0},
		{"first API", "POST", "/api/v1/spans", "application/json", "", "[]", 404, 0},
		{"method", "PUT", spansPath, "application/json", "", "[]", 405, 0},
		{"large", "POST", spansPath, "application/json", "", "[" + strings.Repeat(" ", 2<<20) + "]", 413, 0},
		{"health", "GET", "/health", "", "", "", 200, 0},
	}
	var malformed, requests, spans uint64
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), test.method, url+test.path, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", test.contentType)
			r.Header.Set("Content-Encoding", test.encoding)
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != test.status {
				t.Errorf("status %d, want %d", response.StatusCode, test.status)
			}
			if spans += test.spans; test.status < 300 {
				requests++
			} else {
				malformed++
			}
			if c := total.Counts(); c.Spans != spans || c.Requests != requests || c.Malformed != malformed || c.Rejected != 0 {
				t.Errorf("spans %d, requests %d, malformed %d, rejected %d; want %d, %d, %d, 0", c.Spans, c.Requests, c.Malformed, c.Rejected, spans, requests, malformed)
			}
		})
	}
}

func TestSpans(t *testing.T) {
	tests := []struct{ body, want string }{
		{`{"traceId":"463ac35c9f6413ad48485a3953bb6124","id":"a2fb4a1d1a96d312","parentId":"0020000000000001"}`, ""},
		{`{"traceId":"48485a3953bb6124","id":"1","parentId":null,"name":null,"kind":null,"shared":null,"localEndpoint":null}`, "root"},
		{`{"traceId":"48485a3953bb6124","id":"1","parentId":"0000000000000000"}`, "root"},
		{`{"traceId":"48485a3953bb6124","id":"1","parentId":"1"}`, "root"},
		{`{"traceId":"48485a3953bb6124","id":"1","shared":true}`, ""},
		{`{"id":"1"}`, badTrace},
		{`{"traceId":"","id":"1"}`, badTrace},
		{`{"traceId":"0","id":"1"}`, badTrace},
		{`{"traceId":"g","id":"1"}`, badTrace},
		{`{"traceId":"1463ac35c9f6413ad48485a3953bb6124","id":"1"}`, badTrace},
		{`{"traceId":"1"}`, badSpan},
		{`{"traceId":"1","id":"12345678901234567"}`, badSpan},
		{`{"traceId":"1","id":"1","parentId":"x"}`, badParent},
	}
	for _, test := range tests {
		total := tally.New(tally.Config{})
		b := total.Batch()
		if err := walkJSON(b, fmt.Appendf(nil, "[%s]", test.body)); err != nil {
			t.Errorf("%s: %v", test.body, err)
		}
		invalid := test.want == badTrace || test.want == badSpan || test.want == badParent
		if (b.Reason != "") != invalid || invalid && b.Reason != test.want {
			t.Errorf("%s: reason %q, want %q", test.body, b.Reason, test.want)
		}
		total.Merge(b, "p", 0)
		if c := total.Counts(); (c.Roots == 1) != (test.want == "root") {
			t.Errorf("%s: %d roots", test.body, c.Roots)
		}
	}
}

// FuzzJSON: what is counted as valid is JSON, of as many spans as it is an array of.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`[{"traceId":"1","id":"2","parentId":"3","name":"a\n","kind":"CLIENT","shared":true,"localEndpoint":{"serviceName":"s"},"tags":{"a":"b"}}]`))
	f.Add([]byte(`[null,{"traceId":"463ac35c9f6413ad48485a3953bb6124","id":"a2fb4a1d1a96d312"}]`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		b := tally.New(tally.Config{Checking: true, MaxSpans: 10}).Batch()
		err := walkJSON(b, body)
		if err != nil {
			if !errors.Is(err, wire.ErrJSON) {
				t.Errorf("error of another kind: %v", err)
			}
			return
		}
		var spans []any
		if err := json.Unmarshal(body, &spans); err != nil {
			t.Fatalf("accepted %q: %v", body, err)
		}
		if got := b.Spans + b.Rejected; got != uint64(len(spans)) {
			t.Errorf("%d spans, want %d", got, len(spans))
		}
	})
}

// FuzzProtobuf: what Zipkin's own library reads is counted alike.
func FuzzProtobuf(f *testing.F) {
	parent := model.ID(3)
	body, err := (zipkin_proto3.SpanSerializer{}).Serialize([]*model.SpanModel{
		{SpanContext: model.SpanContext{TraceID: model.TraceID{High: 1, Low: 2}, ID: 2, ParentID: &parent}, Name: "a", Kind: model.Server, Shared: true,
			LocalEndpoint: &model.Endpoint{ServiceName: "s"}, Tags: map[string]string{"a": "b"}},
		{SpanContext: model.SpanContext{TraceID: model.TraceID{Low: 2}, ID: 4}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		b := tally.New(tally.Config{Checking: true, MaxSpans: 10}).Batch()
		err := walkProtobuf(b, body)
		if err != nil && !errors.Is(err, wire.ErrProtobuf) {
			t.Errorf("error of another kind: %v", err)
		}
		spans, libraryErr := zipkin_proto3.ParseSpans(body, false)
		if libraryErr != nil || err != nil {
			return
		}
		if got := b.Spans + b.Rejected; got != uint64(len(spans)) {
			t.Errorf("%d spans, the library reads %d", got, len(spans))
		}
	})
}
