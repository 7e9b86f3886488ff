package sink

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

const (
	benchSpans   = 512 // spans a request: the batch processor's default
	benchSenders = 4   // connections, each with one request under way
)

// BenchmarkCounting measures a sink process by its own CPU clock while it counts
// spans of 10 attributes and 460 bytes over gRPC. b.N is a number of requests.
func BenchmarkCounting(b *testing.B) { benchmarkGRPC(b, Config{OTLPGRPC: "127.0.0.1:0"}) }

// BenchmarkChecking is the same with the ids looked at; the spans repeat.
func BenchmarkChecking(b *testing.B) {
	benchmarkGRPC(b, Config{OTLPGRPC: "127.0.0.1:0", Checking: true})
}

func benchmarkGRPC(b *testing.B, cfg Config) {
	cmd, r := remote(b, cfg)
	body := benchRequest(b)
	senders := make([]*grpc.ClientConn, benchSenders)
	for i := range senders {
		senders[i] = dialRaw(b, r.Addresses().OTLPGRPC)
		send(b, senders[i], body)
	}
	before := processCPU(b, cmd.Process.Pid)
	b.ResetTimer()
	var sent atomic.Int64
	var all sync.WaitGroup
	for _, conn := range senders {
		all.Go(func() {
			for sent.Add(1) <= int64(b.N) {
				send(b, conn, body)
			}
		})
	}
	all.Wait()
	b.StopTimer()
	spent := processCPU(b, cmd.Process.Pid) - before
	b.ReportMetric(float64(b.N*benchSpans)/spent.Seconds(), "spans/CPU-s")
	b.ReportMetric(float64(len(body))/benchSpans, "bytes/span")
	s, err := r.Snapshot(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	if want := uint64(b.N+benchSenders) * benchSpans; s.Counts.Spans != want {
		b.Fatalf("counted %d spans of %d", s.Counts.Spans, want)
	}
}

// processCPU reads the CPU clock of another process (see clock_getcpuclockid(3)).
func processCPU(b *testing.B, pid int) time.Duration {
	b.Helper()
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// rawClient sends bodies that are encoded already.
type rawClient struct{}

func (rawClient) Name() string { return "proto" }

func (rawClient) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (rawClient) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

func dialRaw(t testing.TB, address string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawClient{})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func send(t testing.TB, conn *grpc.ClientConn, body []byte) {
	var answer []byte
	if err := conn.Invoke(context.Background(), "/opentelemetry.proto.collector.trace.v1.TraceService/Export", &body, &answer); err != nil {
		t.Error(err)
	}
}

func benchRequest(b *testing.B) []byte {
	b.Helper()
	spans := make([]*trace.Span, benchSpans)
	for i := range spans {
		spans[i] = &trace.Span{
			TraceId: fmt.Appendf(nil, "trace %010d", i/8), SpanId: binary.BigEndian.AppendUint64(nil, uint64(i+1)),
			Name: "GET /api/orders/item", Kind: trace.Span_SpanKind(1 + i%5), StartTimeUnixNano: 1, EndTimeUnixNano: 2, Flags: 257,
			Status: &trace.Status{},
		}
		if i%8 > 0 {
			spans[i].ParentSpanId = binary.BigEndian.AppendUint64(nil, uint64(i-i%8+1))
		}
		for a := range 10 {
			spans[i].Attributes = append(spans[i].Attributes, &common.KeyValue{Key: fmt.Sprintf("http.attribute.%d", a),
				Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: "value of 13 b"}}})
		}
	}
	body, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{
		Resource:   &resource.Resource{Attributes: []*common.KeyValue{{Key: "service.name", Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: "shop"}}}}},
		ScopeSpans: []*trace.ScopeSpans{{Spans: spans}},
	}}})
	if err != nil {
		b.Fatal(err)
	}
	return body
}
