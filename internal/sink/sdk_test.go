// This file lets OpenTelemetry's own SDK send to the sink, over every protocol
// that it has, and compares what it sent with what was counted.

package sink

import (
	"context"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// everyProtocol lists the SDK's exporters, and what the sink calls them.
var everyProtocol = []struct {
	name, protocol string
	exporter       func(protocol.Addresses) otlptrace.Client
}{
	{"grpc", "otlp/grpc", func(a protocol.Addresses) otlptrace.Client {
		return otlptracegrpc.NewClient(otlptracegrpc.WithEndpoint(a[protocol.OTLPGRPC]), otlptracegrpc.WithInsecure())
	}},
	{"grpc gzip", "otlp/grpc", func(a protocol.Addresses) otlptrace.Client {
		return otlptracegrpc.NewClient(otlptracegrpc.WithEndpoint(a[protocol.OTLPGRPC]), otlptracegrpc.WithInsecure(), otlptracegrpc.WithCompressor("gzip"))
	}},
	{"http", "otlp/http+protobuf", func(a protocol.Addresses) otlptrace.Client {
		return otlptracehttp.NewClient(otlptracehttp.WithEndpoint(a[protocol.OTLPHTTP]), otlptracehttp.WithInsecure())
	}},
	{"http gzip", "otlp/http+protobuf", func(a protocol.Addresses) otlptrace.Client {
		return otlptracehttp.NewClient(otlptracehttp.WithEndpoint(a[protocol.OTLPHTTP]), otlptracehttp.WithInsecure(), otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
	}},
}

// both are free ports for OTLP over gRPC and HTTP.
func both() protocol.Addresses {
	return protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0", protocol.OTLPHTTP: "127.0.0.1:0"}
}

func start(t testing.TB, cfg Config) *Server {
	t.Helper()
	listen := both()
	maps.Copy(listen, cfg.Listen)
	cfg.Listen = listen
	s, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func exporter(t testing.TB, client otlptrace.Client) *otlptrace.Exporter {
	t.Helper()
	e, err := otlptrace.New(context.Background(), client)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Shutdown(context.Background()) })
	return e
}

// makeTraces makes n traces of a server span with a client and an internal child,
// the client with a consumer below it, and returns them in the order of their ends.
func makeTraces(t testing.TB, n int) []sdk.ReadOnlySpan {
	t.Helper()
	memory := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(memory),
		sdk.WithResource(resource.NewSchemaless(attribute.String("host.name", "h"), attribute.String("service.name", "shop"))))
	tracer := provider.Tracer("test")
	for range n {
		ctx, root := tracer.Start(context.Background(), "GET /", trace.WithSpanKind(trace.SpanKindServer))
		callCtx, call := tracer.Start(ctx, "call", trace.WithSpanKind(trace.SpanKindClient))
		_, work := tracer.Start(callCtx, "work", trace.WithSpanKind(trace.SpanKindConsumer))
		_, local := tracer.Start(ctx, "local")
		local.SetAttributes(attribute.Int("n", n), attribute.String("text", strings.Repeat("x", 100)))
		for _, s := range []trace.Span{local, work, call, root} {
			s.End()
		}
	}
	return memory.GetSpans().Snapshots()
}

// countsOf are the counts that n of makeTraces' traces should give in one request.
func countsOf(n uint64, protocol string) record.Counts {
	return record.Counts{
		Requests: 1, Spans: 4 * n, Roots: n, Traces: n, Checking: true,
		Services:  map[string]uint64{"shop": 4 * n},
		RootNames: map[string]uint64{"GET /": n},
		Shapes:    record.Shapes{"GET /": {4: int64(n)}},
		Kinds:     map[string]uint64{"server": n, "client": n, "consumer": n, "internal": n},
		Protocols: map[string]uint64{protocol: 1},
	}
}

var notBytes = cmpopts.IgnoreFields(record.Counts{}, "Bytes")

func TestSDKCountsAgree(t *testing.T) {
	const n = 25
	for _, p := range everyProtocol {
		t.Run(p.name, func(t *testing.T) {
			s := start(t, Config{Checking: true})
			e := exporter(t, p.exporter(s.Addresses()))
			spans := makeTraces(t, n)
			export(t, e, spans)
			got := s.Snapshot()
			if diff := cmp.Diff(countsOf(n, p.protocol), got.Counts, notBytes); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if got.InFlight != 0 {
				t.Errorf("%d requests in flight", got.InFlight)
			}

			export(t, e, spans)
			twice := s.Snapshot().Counts
			if twice.Spans != 8*n || twice.Duplicate != 4*n || twice.Traces != n || twice.Orphans != 0 {
				t.Errorf("sent twice: spans %d, duplicates %d, traces %d, orphans %d", twice.Spans, twice.Duplicate, twice.Traces, twice.Orphans)
			}
			if twice.Bytes != 2*got.Counts.Bytes || (got.Counts.Bytes < 8000) != strings.HasSuffix(p.name, "gzip") {
				t.Errorf("bytes: %d, then %d", got.Counts.Bytes, twice.Bytes)
			}
		})
	}
}

func export(t testing.TB, e *otlptrace.Exporter, spans []sdk.ReadOnlySpan) {
	t.Helper()
	if err := e.ExportSpans(context.Background(), spans); err != nil {
		t.Fatal(err)
	}
}

func TestSDKOrphans(t *testing.T) {
	s := start(t, Config{Checking: true})
	e := exporter(t, everyProtocol[0].exporter(s.Addresses()))
	spans := makeTraces(t, 1) // local, work, call, root
	for i, want := range []uint64{1, 2, 2, 0} {
		export(t, e, spans[i:i+1])
		if got := s.Snapshot().Counts.Orphans; got != want {
			t.Errorf("after %q: %d orphans, want %d", spans[i].Name(), got, want)
		}
	}
}

func TestSDKEviction(t *testing.T) {
	s := start(t, Config{Checking: true, MaxSpans: 40})
	e := exporter(t, everyProtocol[2].exporter(s.Addresses()))
	export(t, e, makeTraces(t, 25))
	c := s.Snapshot().Counts
	if c.Spans != 100 || c.Evicted != 60 || c.Duplicate != 0 || c.Orphans != 0 || c.Traces != 25 {
		t.Errorf("spans %d, evicted %d, duplicates %d, orphans %d, traces %d", c.Spans, c.Evicted, c.Duplicate, c.Orphans, c.Traces)
	}
}

func TestSDKSeesPartialSuccess(t *testing.T) {
	for _, p := range everyProtocol {
		t.Run(p.name, func(t *testing.T) {
			s := start(t, Config{})
			e := exporter(t, p.exporter(s.Addresses()))
			invalid := tracetest.SpanStubs{{Name: "no ids"}, {Name: "none here"}}.Snapshots()
			err := e.ExportSpans(context.Background(), append(invalid, makeTraces(t, 1)...))
			if err == nil || !strings.Contains(err.Error(), "2 invalid spans") || !strings.Contains(err.Error(), "trace id") {
				t.Errorf("the SDK says %v", err)
			}
			if c := s.Snapshot().Counts; c.Spans != 4 || c.Rejected != 2 || c.Malformed != 0 {
				t.Errorf("spans %d, rejected %d, malformed %d", c.Spans, c.Rejected, c.Malformed)
			}
		})
	}
}

func TestManySendersAtOnce(t *testing.T) {
	const senders, requests, traces = 3, 8, 5
	s := start(t, Config{Checking: true, MaxRequests: 2})
	var all sync.WaitGroup
	for _, p := range everyProtocol {
		for range senders {
			e := exporter(t, p.exporter(s.Addresses()))
			all.Go(func() {
				for range requests {
					if err := e.ExportSpans(context.Background(), makeTraces(t, traces)); err != nil {
						t.Error(err)
					}
					s.Snapshot()
				}
			})
		}
	}
	all.Wait()
	want := countsOf(uint64(len(everyProtocol)*senders*requests*traces), "")
	want.Requests = uint64(len(everyProtocol) * senders * requests)
	want.Protocols = map[string]uint64{"otlp/grpc": want.Requests / 2, "otlp/http+protobuf": want.Requests / 2}
	if diff := cmp.Diff(want, s.Snapshot().Counts, notBytes); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}
