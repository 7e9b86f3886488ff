// This file sends to the sink over gRPC what no decent exporter would.

package sink

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
)

const exportMethod = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

func TestGRPCRefusals(t *testing.T) {
	s := start(t, Config{MaxBody: mebibyte})
	conn := dialRaw(t, s.Addresses()[protocol.OTLPGRPC])
	big := make([]byte, 2*mebibyte)
	tests := []struct {
		name, method string
		body         []byte
		options      []grpc.CallOption
		code         codes.Code
		malformed    uint64
	}{
		{"garbage", exportMethod, []byte("garbage"), nil, codes.InvalidArgument, 1},
		{"huge", exportMethod, big, nil, codes.ResourceExhausted, 2},
		{"gzip bomb", exportMethod, big, []grpc.CallOption{grpc.UseCompressor(gzip.Name)}, codes.ResourceExhausted, 3},
		{"wrong method", exportMethod + "All", nil, nil, codes.Unimplemented, 4},
		{"wrong service", "/jaeger.api_v2.CollectorService/PostSpans", nil, nil, codes.Unimplemented, 5},
		{"a health check bears no spans", "/grpc.health.v1.Health/Check", nil, nil, codes.Unimplemented, 5},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var answer []byte
			err := conn.Invoke(t.Context(), test.method, &test.body, &answer, test.options...)
			if status.Code(err) != test.code {
				t.Errorf("error %v, want %v", err, test.code)
			}
			awaitMalformed(t, s, test.malformed)
			if c := s.Snapshot().Counts; c.Malformed != test.malformed || c.Requests != 0 {
				t.Errorf("malformed %d, requests %d", c.Malformed, c.Requests)
			}
		})
	}
}

// awaitMalformed waits until the sink has counted so many malformed requests: gRPC answers some before they are counted.
func awaitMalformed(t *testing.T, s *Server, n uint64) {
	t.Helper()
	for patience := time.Now().Add(10 * time.Second); s.Snapshot().Counts.Malformed < n; {
		if time.Now().After(patience) {
			t.Fatalf("malformed %d, want %d", s.Snapshot().Counts.Malformed, n)
		}
		time.Sleep(time.Millisecond)
	}
}

// A request whose spans come by another one too is answered, and not counted.
func TestCopies(t *testing.T) {
	s := start(t, Config{})
	body, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{
		Spans: []*trace.Span{{Name: "x", TraceId: bytes.Repeat([]byte{1}, 16), SpanId: bytes.Repeat([]byte{1}, 8)}},
	}}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, copied := range []bool{false, true} {
		ctx := t.Context()
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.Addresses()[protocol.OTLPHTTP]+"/v1/traces", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", protobufType)
		if copied {
			ctx = metadata.AppendToOutgoingContext(ctx, protocol.CopyHeader, "true")
			request.Header.Set(protocol.CopyHeader, "true")
		}
		var answer []byte
		if err := dialRaw(t, s.Addresses()[protocol.OTLPGRPC]).Invoke(ctx, exportMethod, &body, &answer); err != nil || len(answer) != 0 {
			t.Errorf("copied %t: answer %x, error %v", copied, answer, err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("copied %t: %s, %v", copied, response.Status, err)
		}
		if c := s.Snapshot().Counts; c.Sum() != 2 || c.Requests != 2 || c.Bytes != uint64(2*len(body)) {
			t.Errorf("copied %t: %d spans in %d requests of %d bytes", copied, c.Sum(), c.Requests, c.Bytes)
		}
	}
}

// What gRPC itself would refuse unseen is counted: a compression that the sink does not know, and TLS.
func TestWhatCannotBeRead(t *testing.T) {
	s := start(t, Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0", protocol.OTLPHTTP: "127.0.0.1:0"}})
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	h2 := &http.Transport{Protocols: &only}
	defer h2.CloseIdleConnections()
	refused := uint64(0)
	counted := func(what string) {
		t.Helper()
		refused++
		awaitMalformed(t, s, refused)
		if c := s.Snapshot().Counts; c.Malformed != refused || c.Spans != 0 {
			t.Errorf("%s: %d refused, want %d; %d spans", what, c.Malformed, refused, c.Spans)
		}
	}
	for _, name := range []protocol.Name{protocol.OTLPGRPC} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Addresses()[name]+exportMethod, bytes.NewReader([]byte{1, 0, 0, 0, 0}))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"}, "Grpc-Encoding": {"lz4"}}
		answer, err := h2.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil || answer.Header.Get("Grpc-Status") != "12" {
			t.Errorf("%s: status %q, %v", name, answer.Header.Get("Grpc-Status"), err)
		}
		counted("lz4 to " + string(name))
	}
	for _, name := range []protocol.Name{protocol.OTLPGRPC, protocol.OTLPHTTP} {
		conn, err := net.Dial("tcp", s.Addresses()[name])
		if err != nil {
			t.Fatal(err)
		}
		if err := tls.Client(conn, &tls.Config{ServerName: "localhost"}).HandshakeContext(t.Context()); err == nil {
			t.Errorf("%s speaks TLS", name)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		counted("TLS to " + string(name))
	}
}

func TestUnixSocketsAreRefusedByName(t *testing.T) {
	if err := (Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "unix:///tmp/otlp.sock"}}).Check(); !errors.Is(err, ErrUnixSocket) {
		t.Errorf("error %v", err)
	}
}

func TestGRPCAnswers(t *testing.T) {
	s := start(t, Config{})
	conn := dialRaw(t, s.Addresses()[protocol.OTLPGRPC])
	body, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: []*trace.Span{{Name: "x"}}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	var answer []byte
	if err := conn.Invoke(t.Context(), exportMethod, &body, &answer); err != nil {
		t.Fatal(err)
	}
	var decoded collector.ExportTraceServiceResponse
	if err := proto.Unmarshal(answer, &decoded); err != nil || decoded.GetPartialSuccess().GetRejectedSpans() != 1 || decoded.GetPartialSuccess().GetErrorMessage() == "" {
		t.Errorf("answer %v, error %v", &decoded, err)
	}
	for _, signal := range []string{"trace.v1.Trace", "metrics.v1.Metrics", "logs.v1.Logs"} {
		empty := []byte{}
		if err := conn.Invoke(t.Context(), "/opentelemetry.proto.collector."+signal+"Service/Export", &empty, &answer); err != nil || len(answer) != 0 {
			t.Errorf("%s: answer %x, error %v", signal, answer, err)
		}
	}
	if c := s.Snapshot().Counts; c.Bytes != uint64(len(body)) || c.Requests != 4 || c.Protocols["otlp/grpc"] != 4 {
		t.Errorf("bytes %d, want %d; requests %d, protocols %v", c.Bytes, len(body), c.Requests, c.Protocols)
	}
}

// A body that is announced as gzip and is not cannot be sent by a gRPC library.
func TestGRPCBrokenGzip(t *testing.T) {
	s := start(t, Config{})
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &protocols}
	defer transport.CloseIdleConnections()
	body := []byte("\x01\x00\x00\x00\x07garbage")
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+s.Addresses()[protocol.OTLPGRPC]+exportMethod, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/grpc")
	r.Header.Set("Grpc-Encoding", "gzip")
	r.Header.Set("TE", "trailers")
	response, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	got := response.Header.Get("Grpc-Status") + response.Trailer.Get("Grpc-Status")
	if got != fmt.Sprint(uint32(codes.Internal)) { // gRPC's word for it
		t.Errorf("grpc-status %q, message %q", got, response.Header.Get("Grpc-Message"))
	}
	awaitMalformed(t, s, 1)
}

func TestGRPCSlowSender(t *testing.T) {
	s := start(t, Config{RequestTimeout: 50 * time.Millisecond})
	conn := dialRaw(t, s.Addresses()[protocol.OTLPGRPC])
	stream, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, exportMethod)
	if err != nil {
		t.Fatal(err)
	}
	// The body is never sent; the server has to end the request.
	var answer []byte
	if err := stream.RecvMsg(&answer); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("error %v", err)
	}
	waitFor(t, func() bool { return s.Snapshot().Counts.Malformed == 1 && s.Snapshot().InFlight == 0 })
}

func TestGRPCSenderGivesUp(t *testing.T) {
	s := start(t, Config{})
	conn := dialRaw(t, s.Addresses()[protocol.OTLPGRPC])
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, exportMethod); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return s.Snapshot().InFlight == 1 })
	cancel()
	waitFor(t, func() bool { return s.Snapshot().InFlight == 0 })
	if c := s.Snapshot().Counts; c.Malformed != 0 || c.Requests != 0 {
		t.Errorf("malformed %d, requests %d", c.Malformed, c.Requests)
	}
}

// waitFor waits until the condition holds; go test's own time-out ends it.
func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	for !condition() {
		time.Sleep(time.Millisecond)
	}
}
