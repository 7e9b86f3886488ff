package otlp

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/sink/sinktest"
	"github.com/tracetax/tracetax/internal/sink/tally"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// serve runs a receiver's gRPC and HTTP servers and returns their addresses.
func serve(t *testing.T, r *Receiver) (overGRPC, overHTTP string) {
	t.Helper()
	var addresses [2]string
	servers := [2]func(net.Listener) error{}
	g, h := r.GRPC(), r.HTTP()
	servers[0], servers[1] = g.Serve, h.Serve
	for i, server := range servers {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addresses[i] = l.Addr().String()
		go func() { _ = server(l) }() // ends with the test
	}
	t.Cleanup(func() {
		g.Stop()
		_ = h.Close()
	})
	return addresses[0], addresses[1]
}

func exportEmpty(t *testing.T, address string) error {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, err = collector.NewTraceServiceClient(conn).Export(t.Context(), &collector.ExportTraceServiceRequest{})
	return err
}

// With every place taken, a request waits for its time and is then refused; when
// there is a place again, the next one is served.
func TestBusy(t *testing.T) {
	total := tally.New(tally.Config{})
	r := New(total, Limits{Body: 1 << 20, Requests: 1, Header: time.Minute, Request: 50 * time.Millisecond}, 0)
	overGRPC, overHTTP := serve(t, r)
	if !r.Enter(t.Context()) {
		t.Fatal("no place in an idle receiver")
	}
	if err := exportEmpty(t, overGRPC); status.Code(err) != codes.Unavailable {
		t.Errorf("over gRPC: %v", err)
	}
	response, err := http.Post("http://"+overHTTP+"/v1/traces", typeJSON, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("over HTTP: status %d, headers %v", response.StatusCode, response.Header)
	}
	r.Leave()
	if err := exportEmpty(t, overGRPC); err != nil {
		t.Errorf("with a place: %v", err)
	}
	if c := total.Counts(); c.Malformed != 2 || c.Requests != 1 {
		t.Errorf("malformed %d, requests %d", c.Malformed, c.Requests)
	}
}

func TestTooManyRequests(t *testing.T) {
	total := tally.New(tally.Config{})
	r := New(total, Limits{Body: 1 << 20, Requests: 1, Header: time.Minute, Request: time.Minute}, 0)
	overGRPC, _ := serve(t, r)
	r.admitted.Add(maxWaiting)
	if err := exportEmpty(t, overGRPC); status.Code(err) != codes.Unavailable {
		t.Errorf("beyond the limit: %v", err)
	}
	r.admitted.Add(-maxWaiting)
	for range 3 {
		if err := exportEmpty(t, overGRPC); err != nil {
			t.Errorf("below the limit: %v", err)
		}
	}
	for r.admitted.Load() != 0 { // the last request's end is noted after its answer
		time.Sleep(time.Millisecond)
	}
	if c := total.Counts(); c.Malformed != 1 || c.Requests != 3 {
		t.Errorf("malformed %d, requests %d", c.Malformed, c.Requests)
	}
}

// BenchmarkWalk counts the spans of one request, without any receiving.
func BenchmarkWalk(b *testing.B) {
	stream, err := sinktest.NewStream()
	if err != nil {
		b.Fatal(err)
	}
	body := stream.Request(0, nil)
	total := tally.New(tally.Config{})
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		batch := total.Batch()
		if err := walkTraces(batch, body); err != nil {
			b.Fatal(err)
		}
		total.Merge(batch, overGRPC, int64(len(body)))
	}
}
