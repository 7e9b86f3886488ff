// This file has one sink pass on to another, as to a real backend.

package sink

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/protocol"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
)

// everywhere serves every protocol that can be passed on.
func everywhere(t *testing.T, cfg Config) *Server {
	t.Helper()
	cfg.Listen = protocol.Addresses{}
	for _, r := range protocol.Table {
		if r.Forward && r.Name != protocol.Scouter {
			cfg.Listen[r.Name] = "127.0.0.1:0"
		}
	}
	return start(t, cfg)
}

// between returns a sink that passes everything on to the other one.
func between(t *testing.T, to *Server) *Server {
	t.Helper()
	a := to.Addresses()
	return everywhere(t, Config{Checking: true, Forward: map[string]string{
		"otlp-grpc": "http://" + a[protocol.OTLPGRPC], "otlp-http": "http://" + a[protocol.OTLPHTTP], "zipkin": "http://" + a[protocol.Zipkin],
		"elastic": "http://" + a[protocol.Elastic] + "/", "datadog": "http://" + a[protocol.Datadog], "skywalking": "http://" + a[protocol.SkyWalking],
	}})
}

// The SDK sends through a sink that counts what the one behind it counts, to the byte.
func TestForwardOTLP(t *testing.T) {
	const n = 25
	for _, p := range everyProtocol {
		t.Run(p.name, func(t *testing.T) {
			backend := everywhere(t, Config{Checking: true})
			s := between(t, backend)
			e := exporter(t, p.exporter(s.Addresses()))
			export(t, e, makeTraces(t, n))
			want := countsOf(n, p.protocol)
			want.Bytes = s.Snapshot().Counts.Bytes
			if diff := cmp.Diff(want, backend.Snapshot().Counts); diff != "" {
				t.Errorf("the backend's counts (-want +got):\n%s", diff)
			}
			want.Forwarded = 4 * n
			if diff := cmp.Diff(want, s.Snapshot().Counts); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
}

// A call of SkyWalking's agent reaches the backend, which answers it.
func TestForwardSkyWalking(t *testing.T) {
	backend := everywhere(t, Config{})
	s := between(t, backend)
	conn, err := grpc.NewClient(s.Addresses()[protocol.SkyWalking], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Invoke(t.Context(), "/skywalking.v3.ManagementService/keepAlive", &emptypb.Empty{}, &emptypb.Empty{}); err != nil {
		t.Fatal(err)
	}
	for name, one := range map[string]*Server{"in front": s, "behind": backend} {
		if c := one.Snapshot().Counts; c.Requests != 1 || c.Protocols["skywalking"] != 1 {
			t.Errorf("%s: counted %+v", name, c)
		}
	}
}

// A backend that takes a part, and one that takes nothing: the SDK hears it, and the
// sink counts it.
func TestForwardRefused(t *testing.T) {
	spans := func(n int) (stubs tracetest.SpanStubs) {
		return append(stubs, tracetest.SpanStubsFromReadOnlySpans(makeTraces(t, n))...)
	}
	for _, p := range everyProtocol {
		t.Run(p.name, func(t *testing.T) {
			backend := everywhere(t, Config{MaxBody: 2000})
			s := between(t, backend)
			e := exporter(t, p.exporter(s.Addresses()))
			if err := e.ExportSpans(t.Context(), spans(200).Snapshots()); err == nil {
				t.Error("the SDK saw no error")
			}
			if c := s.Snapshot().Counts; c.Spans != 800 || c.Forwarded != 0 || c.Refused != 800 {
				t.Errorf("spans %d, forwarded %d, refused %d", c.Spans, c.Forwarded, c.Refused)
			}
			invalid := append(spans(1), tracetest.SpanStub{Name: "no ids"})
			if err := e.ExportSpans(t.Context(), invalid.Snapshots()); err == nil || !strings.Contains(err.Error(), "1 invalid spans") {
				t.Errorf("the SDK says %v", err)
			}
			// What both find invalid is not among the spans received, nor among those refused.
			if c := s.Snapshot().Counts; c.Spans != 804 || c.Rejected != 1 || c.Forwarded != 4 || c.Refused != 800 {
				t.Errorf("spans %d, rejected %d, forwarded %d, refused %d", c.Spans, c.Rejected, c.Forwarded, c.Refused)
			}
		})
	}
}

func TestForwardUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s := everywhere(t, Config{Forward: map[string]string{"otlp-grpc": nobody, "otlp-http": nobody}})
	grpcExporter := exporter(t, otlptracegrpc.NewClient(otlptracegrpc.WithEndpoint(s.Addresses()[protocol.OTLPGRPC]), otlptracegrpc.WithInsecure(), otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{})))
	httpExporter := exporter(t, otlptracehttp.NewClient(otlptracehttp.WithEndpoint(s.Addresses()[protocol.OTLPHTTP]), otlptracehttp.WithInsecure(), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{})))
	for i, err := range []error{grpcExporter.ExportSpans(t.Context(), makeTraces(t, 1)), httpExporter.ExportSpans(t.Context(), makeTraces(t, 1))} {
		if err == nil {
			t.Errorf("exporter %d saw no error", i)
		}
	}
	if c := s.Snapshot().Counts; c.Spans != 8 || c.Refused != 8 || c.Malformed != 0 || s.Snapshot().InFlight != 0 {
		t.Errorf("counted %+v", c)
	}
}

const (
	elasticFirst = `{"metadata":{"service":{"name":"shop"}}}` + "\n"
	elasticSpan  = `{"span":{"id":"%016x","trace_id":"0a","parent_id":"01","name":"q","type":"db"}}` + "\n"
)

// A stream is passed on while it is open, compressed as it came.
func TestForwardOpenStream(t *testing.T) {
	backend := everywhere(t, Config{})
	s := between(t, backend)
	body, into := io.Pipe()
	status := make(chan int, 1)
	go func() {
		request, err := http.NewRequest(http.MethodPost, "http://"+s.Addresses()[protocol.Elastic]+"/intake/v2/events", body)
		if err != nil {
			t.Error(err)
		}
		request.Header.Set("Content-Encoding", "deflate")
		status <- statusOf(t, request)
	}()
	z := zlib.NewWriter(into)
	for i := range uint64(3) {
		if i == 0 {
			fmt.Fprint(z, elasticFirst)
		}
		fmt.Fprintf(z, elasticSpan, i+1)
		if err := z.Flush(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool {
			return s.Snapshot().Counts.Spans == i+1 && backend.Snapshot().Counts.Spans == i+1
		})
	}
	if s.Snapshot().Counts.Forwarded != 0 || s.Snapshot().InFlight != 0 {
		t.Error("the stream is not answered yet, and none is in flight")
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := into.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-status; got != http.StatusAccepted {
		t.Errorf("status %d", got)
	}
	if c, b := s.Snapshot().Counts, backend.Snapshot().Counts; c.Forwarded != 3 || c.Refused != 0 || c.Bytes != b.Bytes {
		t.Errorf("forwarded %d, refused %d; bytes %d, the backend's %d", c.Forwarded, c.Refused, c.Bytes, b.Bytes)
	}
}

func statusOf(t *testing.T, request *http.Request) int {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return 0
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	return response.StatusCode
}

// What the sink refuses and the backend refuses are told apart; polls go on as well.
func TestForwardOverHTTP(t *testing.T) {
	backend := everywhere(t, Config{})
	s := between(t, backend)
	a := s.Addresses()
	tests := []struct {
		name, method, url, contentType, body string
		status                               int
	}{
		{"zipkin", "POST", a[protocol.Zipkin] + "/api/v2/spans", jsonType, `[{"traceId":"1","id":"1"}]`, 202},
		{"zipkin, invalid", "POST", a[protocol.Zipkin] + "/api/v2/spans", jsonType, `[{"traceId":"1"}]`, 400},
		{"zipkin, poll", "GET", a[protocol.Zipkin] + "/health", "", "", 200},
		{"elastic", "POST", a[protocol.Elastic] + "/intake/v2/events", "application/x-ndjson", elasticFirst + fmt.Sprintf(elasticSpan, 1), 202},
		{"elastic, poll", "GET", a[protocol.Elastic] + "/", "", "", 200},
		{"datadog", "PUT", a[protocol.Datadog] + "/v0.4/traces", "application/msgpack", "\x90", 200},
		{"large", "POST", a[protocol.Zipkin] + "/api/v2/spans", jsonType, "[" + strings.Repeat(" ", 70<<20) + "]", 413},
	}
	for _, test := range tests {
		request, err := http.NewRequestWithContext(t.Context(), test.method, "http://"+test.url, bytes.NewReader([]byte(test.body)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", test.contentType)
		if got := statusOf(t, request); got != test.status {
			t.Errorf("%s: status %d, want %d", test.name, got, test.status)
		}
	}
	waitFor(t, func() bool { return s.Snapshot().InFlight == 0 })
	c := s.Snapshot().Counts
	if c.Spans != 2 || c.Forwarded != 2 || c.Refused != 0 || c.Malformed != 2 || c.Requests != 5 {
		t.Errorf("counted %+v", c)
	}
	if diff := cmp.Diff(c.Protocols, backend.Snapshot().Counts.Protocols); diff != "" {
		t.Errorf("protocols (-sink +backend):\n%s", diff)
	}
}

func TestForwardIsChecked(t *testing.T) {
	good := Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0", protocol.OTLPHTTP: "127.0.0.1:0"}}
	for name, address := range map[string]string{
		"otlp": "http://127.0.0.1:1", "kieker": "http://127.0.0.1:1", "zipkin": "http://127.0.0.1:1",
		"otlp-http": "127.0.0.1:4318", "otlp-grpc": "http://127.0.0.1:4317/path", "scouter": "127.0.0.1:6100",
	} {
		c := good
		c.Forward = map[string]string{name: address}
		if err := c.Check(); err == nil {
			t.Errorf("%s=%s was not refused", name, address)
		}
	}
	good.Forward = map[string]string{"otlp-http": "https://127.0.0.1:4318/prefix", "otlp-grpc": "http://127.0.0.1:4317"}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	good.Listen[protocol.Scouter] = "127.0.0.1:0"
	for address, fine := range map[string]bool{"127.0.0.1:6100": true, "[::1]:6100": true, "http://127.0.0.1:6100": false, "127.0.0.1": false, ":6100": false, "127.0.0.1:scouter": false} {
		good.Forward = map[string]string{"scouter": address}
		if err := good.Check(); (err == nil) != fine {
			t.Errorf("scouter=%s: %v", address, err)
		}
	}
}

// Late answers wait behind the backend's.
func TestForwardLate(t *testing.T) {
	const late = 30 * time.Millisecond
	backend := everywhere(t, Config{})
	s := everywhere(t, Config{Late: late, Forward: map[string]string{"otlp-http": "http://" + backend.Addresses()[protocol.OTLPHTTP], "otlp-grpc": "http://" + backend.Addresses()[protocol.OTLPGRPC]}})
	for _, p := range everyProtocol {
		begun := time.Now()
		export(t, exporter(t, p.exporter(s.Addresses())), makeTraces(t, 1))
		if took := time.Since(begun); took < late {
			t.Errorf("%s: answered after %v", p.name, took)
		}
	}
}

// This file has a sink pass on to backends that are stuck, break off, or take a part.

// A backend that accepts connections and never reads holds up the requests that it gets, and those of others, no longer than
// a request may take; what is sent to it is counted to its end.
func TestForwardStuckBackend(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const most = 2 // requests whose bodies are read at a time
	s := everywhere(t, Config{RequestTimeout: 5 * time.Second, MaxRequests: most, Forward: map[string]string{"zipkin": "http://" + l.Addr().String()}})
	body := "[" + strings.Repeat(" ", 32<<20) + `{"traceId":"00000000000000aa","id":"00000000000000bb"}]` // more than the kernel holds
	statuses := make(chan int, most)
	for range most {
		go func() {
			request, err := http.NewRequest(http.MethodPost, "http://"+s.Addresses()[protocol.Zipkin]+"/api/v2/spans", strings.NewReader(body))
			if err != nil {
				t.Error(err)
			}
			statuses <- statusOf(t, request)
		}()
	}
	for range most {
		if got := <-statuses; got != http.StatusBadGateway {
			t.Errorf("status %d, want 502", got)
		}
	}
	if at := s.Snapshot(); at.InFlight != 0 || at.Counts.Spans != most || at.Counts.Refused != most || at.Counts.Malformed != 0 {
		t.Errorf("%d requests are still under way; counted %+v", at.InFlight, at.Counts)
	}
	request, err := http.NewRequest(http.MethodPost, "http://"+s.Addresses()[protocol.Datadog]+"/v0.4/traces", strings.NewReader("\x90"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/msgpack")
	if got := statusOf(t, request); got != http.StatusOK {
		t.Errorf("another protocol's request is answered with %d", got)
	}
}

// A partial success is read as the backend means it, also where the sender would take it compressed.
func TestForwardCompressedAnswer(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		var to io.Writer = w
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			to = z
		}
		_, _ = io.WriteString(to, `{"partialSuccess":{"rejectedSpans":"1"}}`)
	}))
	defer backend.Close()
	s := everywhere(t, Config{Forward: map[string]string{"otlp-http": backend.URL}})
	body := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"000000000000000000000000000000aa","spanId":"00000000000000bb"}]}]}]}`
	answer, err := http.Post("http://"+s.Addresses()[protocol.OTLPHTTP]+"/v1/traces", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if c := s.Snapshot().Counts; c.Spans != 1 || c.Forwarded != 0 || c.Refused != 1 {
		t.Errorf("%d spans, %d forwarded, %d refused", c.Spans, c.Forwarded, c.Refused)
	}
}

// An APM server that refuses an event has accepted the valid ones.
func TestForwardElasticPartial(t *testing.T) {
	backend := everywhere(t, Config{})
	s := between(t, backend)
	body := elasticFirst + fmt.Sprintf(elasticSpan, 1) + fmt.Sprintf(elasticSpan, 2) + `{"span":{"id":"3"}}` + "\n"
	answer, err := http.Post("http://"+s.Addresses()[protocol.Elastic]+"/intake/v2/events", "application/x-ndjson", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	c, behind := s.Snapshot().Counts, backend.Snapshot().Counts
	if answer.StatusCode != http.StatusBadRequest || c.Forwarded != 2 || c.Refused != 0 || behind.Spans != 2 {
		t.Errorf("status %d; %d forwarded, %d refused; the server has %d", answer.StatusCode, c.Forwarded, c.Refused, behind.Spans)
	}
}

// Where a request cannot be read to its end, the server's word counts for the spans that were.
func TestForwardElasticCutOff(t *testing.T) {
	for said, forwarded := range map[string]uint64{`{"accepted":0}`: 0, `{"accepted":2}`: 2, `{}`: 0} {
		backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, said)
		}))
		s := everywhere(t, Config{Forward: map[string]string{"elastic": backend.URL}})
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = io.WriteString(z, elasticFirst+fmt.Sprintf(elasticSpan, 1)+fmt.Sprintf(elasticSpan, 2)) // into memory
		if err := z.Flush(); err != nil {                                                              // its end is missing
			t.Fatal(err)
		}
		request, err := http.NewRequest(http.MethodPost, "http://"+s.Addresses()[protocol.Elastic]+"/intake/v2/events", &packed)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-ndjson")
		request.Header.Set("Content-Encoding", "gzip")
		if got := statusOf(t, request); got != http.StatusBadRequest {
			t.Errorf("%s: status %d", said, got)
		}
		if c := s.Snapshot().Counts; c.Spans != 2 || c.Forwarded != forwarded || c.Refused != 2-forwarded {
			t.Errorf("%s: %d spans, %d forwarded, %d refused", said, c.Spans, c.Forwarded, c.Refused)
		}
		backend.Close()
	}
}

// A backend that breaks off in the middle of its answer has not said what it accepted: the sender is told so at once, and
// the spans count as refused, once.
func TestForwardBrokenAnswer(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler) // closes the connection
	}))
	defer backend.Close()
	s := everywhere(t, Config{Checking: true, Forward: map[string]string{"otlp-http": backend.URL}})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	e := exporter(t, otlptracehttp.NewClient(otlptracehttp.WithEndpoint(s.Addresses()[protocol.OTLPHTTP]), otlptracehttp.WithInsecure(), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{})))
	if err := e.ExportSpans(ctx, makeTraces(t, 1)); err == nil || ctx.Err() != nil {
		t.Errorf("the export ends with %v; want what went wrong, before the time-out", err)
	}
	if c := s.Snapshot().Counts; c.Spans != 4 || c.Refused != 4 || c.Forwarded != 0 {
		t.Errorf("counted %+v", c)
	}
	waitFor(t, func() bool { return s.Snapshot().InFlight == 0 })
}
