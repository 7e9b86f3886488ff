// This file sends to the sink over HTTP what no decent exporter would.

package sink

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink/sinktest"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
)

const (
	protobufType = "application/x-protobuf"
	jsonType     = "application/json"
	mebibyte     = 1 << 20
)

func post(t *testing.T, s *Server, method, path, contentType, encoding string, body io.Reader) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.Addresses()[protocol.OTLPHTTP]+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	if encoding != "" {
		r.Header.Set("Content-Encoding", encoding)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, answer
}

func zipped(t *testing.T, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHTTPRefusals(t *testing.T) {
	s := start(t, Config{MaxBody: mebibyte})
	big := make([]byte, 2*mebibyte)
	unsized := func(b []byte) io.Reader { return io.MultiReader(bytes.NewReader(b)) } // goes in chunks
	tests := []struct {
		name, method, path, contentType, encoding string
		body                                      io.Reader
		status                                    int
		code                                      codes.Code
	}{
		{"wrong path", "POST", "/v2/traces", protobufType, "", nil, 404, codes.NotFound},
		{"wrong method", "PUT", "/v1/traces", protobufType, "", nil, 405, codes.Unimplemented},
		{"wrong type", "POST", "/v1/traces", "text/plain", "", nil, 415, codes.InvalidArgument},
		{"no type", "POST", "/v1/traces", "", "", nil, 415, codes.InvalidArgument},
		{"wrong encoding", "POST", "/v1/traces", protobufType, "br", nil, 415, codes.InvalidArgument},
		{"garbage", "POST", "/v1/traces", protobufType, "", strings.NewReader("garbage"), 400, codes.InvalidArgument},
		{"garbage in JSON", "POST", "/v1/logs", jsonType, "", strings.NewReader("{{"), 400, codes.InvalidArgument},
		{"not gzip", "POST", "/v1/metrics", jsonType, "gzip", strings.NewReader("{}"), 400, codes.InvalidArgument},
		{"gzip cut off", "POST", "/v1/traces", protobufType, "gzip", bytes.NewReader(zipped(t, big)[:500]), 400, codes.InvalidArgument},
		{"huge", "POST", "/v1/traces", protobufType, "", bytes.NewReader(big), 413, codes.ResourceExhausted},
		{"huge in chunks", "POST", "/v1/traces", jsonType, "", unsized(big), 413, codes.ResourceExhausted},
		{"gzip bomb", "POST", "/v1/traces", jsonType, "gzip", bytes.NewReader(zipped(t, big)), 413, codes.ResourceExhausted},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			response, answer := post(t, s, test.method, test.path, test.contentType, test.encoding, test.body)
			if response.StatusCode != test.status {
				t.Errorf("status %d, want %d", response.StatusCode, test.status)
			}
			checkStatus(t, response, answer, test.contentType, test.code)
			if c := s.Snapshot().Counts; c.Malformed != uint64(i+1) || c.Requests != 0 || c.Bytes != 0 {
				t.Errorf("malformed %d, requests %d, bytes %d", c.Malformed, c.Requests, c.Bytes)
			}
		})
	}
}

// checkStatus wants a google.rpc.Status in the encoding of the request.
func checkStatus(t *testing.T, response *http.Response, answer []byte, requestType string, code codes.Code) {
	t.Helper()
	var got status.Status
	var err error
	if requestType == protobufType {
		err = proto.Unmarshal(answer, &got)
	} else {
		requestType = jsonType
		err = json.Unmarshal(answer, &got)
	}
	if err != nil || got.GetCode() != int32(code) || got.GetMessage() == "" || response.Header.Get("Content-Type") != requestType {
		t.Errorf("status code %d, want %d; message %q, type %q, error %v", got.GetCode(), code, got.GetMessage(), response.Header.Get("Content-Type"), err)
	}
	if response.StatusCode == http.StatusMethodNotAllowed && response.Header.Get("Allow") != "POST" {
		t.Errorf("Allow: %q", response.Header.Get("Allow"))
	}
}

func TestHTTPAnswers(t *testing.T) {
	s := start(t, Config{Checking: true})
	badSpan := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"12","spanId":"0102030405060708"}]}]}]}`
	response, answer := post(t, s, "POST", "/v1/traces", jsonType+"; charset=utf-8", "", strings.NewReader(badSpan))
	var partial struct {
		PartialSuccess struct {
			RejectedSpans string
			ErrorMessage  string
		}
	}
	if err := json.Unmarshal(answer, &partial); err != nil || partial.PartialSuccess.RejectedSpans != "1" || partial.PartialSuccess.ErrorMessage == "" {
		t.Errorf("answer %s, error %v", answer, err)
	}
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != jsonType {
		t.Errorf("status %d, type %q", response.StatusCode, response.Header.Get("Content-Type"))
	}
	body, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: []*trace.Span{{Name: "x"}}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	_, answer = post(t, s, "POST", "/v1/traces", protobufType, "", bytes.NewReader(body))
	var decoded collector.ExportTraceServiceResponse
	if err := proto.Unmarshal(answer, &decoded); err != nil || decoded.GetPartialSuccess().GetRejectedSpans() != 1 {
		t.Errorf("answer %v, error %v", &decoded, err)
	}
	for i, path := range []string{"/v1/traces", "/v1/metrics", "/v1/logs"} {
		encoding := []string{"gzip", "GZIP", "x-gzip"}[i] // whose case means nothing
		if response, answer := post(t, s, "POST", path, jsonType, encoding, bytes.NewReader(zipped(t, []byte("{}")))); response.StatusCode != 200 || string(answer) != "{}" {
			t.Errorf("%s, JSON: status %d, answer %q", path, response.StatusCode, answer)
		}
		if response, answer := post(t, s, "POST", path, protobufType, "identity", nil); response.StatusCode != 200 || len(answer) != 0 {
			t.Errorf("%s, protobuf: status %d, answer %q", path, response.StatusCode, answer)
		}
	}
	c := s.Snapshot().Counts
	if want := uint64(len(badSpan) + len(body) + 3*len(zipped(t, []byte("{}")))); c.Bytes != want {
		t.Errorf("%d bytes, want %d", c.Bytes, want)
	}
	if c.Protocols["otlp/http+json"] != 4 || c.Protocols["otlp/http+protobuf"] != 4 {
		t.Errorf("protocols %v", c.Protocols)
	}
}

// endless is a body without end, which counts how much of it was taken.
type endless struct{ taken int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' ' // space before a JSON value is valid for ever
	}
	e.taken += len(p)
	return len(p), nil
}

func TestHTTPEndlessBody(t *testing.T) {
	s := start(t, Config{MaxBody: mebibyte})
	conn := dialHTTP(t, s)
	fmt.Fprintf(conn, "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
	body := new(endless)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		chunk := make([]byte, 64<<10)
		for {
			n, _ := body.Read(chunk)
			if _, err := fmt.Fprintf(conn, "%x\r\n%s\r\n", n, chunk); err != nil {
				return
			}
		}
	}()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusRequestEntityTooLarge || !response.Close {
		t.Errorf("status %d, closing: %v", response.StatusCode, response.Close)
	}
	<-sent // the server has cut the connection
}

func dialHTTP(t *testing.T, s *Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addresses()[protocol.OTLPHTTP])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestHTTPSlowSenders(t *testing.T) {
	s := start(t, Config{HeaderTimeout: 50 * time.Millisecond, RequestTimeout: 200 * time.Millisecond})
	t.Run("header", func(t *testing.T) {
		conn := dialHTTP(t, s)
		fmt.Fprintf(conn, "POST /v1/tra")
		// Nothing more is sent; the server has to end the connection.
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Error(err)
		}
	})
	t.Run("body", func(t *testing.T) {
		conn := dialHTTP(t, s)
		fmt.Fprintf(conn, "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != http.StatusRequestTimeout {
			t.Errorf("status %d", response.StatusCode)
		}
		if c := s.Snapshot().Counts; c.Malformed != 1 {
			t.Errorf("malformed %d", c.Malformed)
		}
	})
}

func TestInFlight(t *testing.T) {
	s := start(t, Config{})
	conn := dialHTTP(t, s)
	fmt.Fprintf(conn, "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{")
	for s.Snapshot().InFlight != 1 {
		if t.Context().Err() != nil {
			t.Fatal("the request was never in flight")
		}
		time.Sleep(time.Millisecond) // between two looks at the condition
	}
	fmt.Fprint(conn, "}")
	if _, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
		t.Fatal(err)
	}
	for s.Snapshot().InFlight != 0 {
		time.Sleep(time.Millisecond)
	}
	if c := s.Snapshot().Counts; c.Requests != 1 {
		t.Errorf("requests %d", c.Requests)
	}
}

// This file connects over gRPC to send bodies as they are.

func dialRaw(t testing.TB, address string) *grpc.ClientConn {
	t.Helper()
	conn, err := sinktest.Dial(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}
