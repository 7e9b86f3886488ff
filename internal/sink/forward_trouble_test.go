// This file has a sink pass on to backends that are stuck, break off, or take a part.

package sink

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
)

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
