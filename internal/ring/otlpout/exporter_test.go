package otlpout

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/ring"
	"github.com/tracetax/tracetax/internal/ring/ringtest"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// backEnd counts the spans that it is sent, and answers as its fields ask.
type backEnd struct {
	collector.UnimplementedTraceServiceServer
	mu      sync.Mutex
	spans   map[string]int // by service
	header  string
	coding  string        // Content-Encoding or grpc-encoding of the last request
	fails   []int         // statuses, or codes, of the next answers
	reject  int64         // of each request
	blocked chan struct{} // where it is not nil, answers wait for it
}

func (b *backEnd) take(r *collector.ExportTraceServiceRequest, header string) (int, *collector.ExportTraceServiceResponse) {
	if b.blocked != nil {
		<-b.blocked
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.fails) > 0 {
		f := b.fails[0]
		b.fails = b.fails[1:]
		return f, nil
	}
	if b.spans == nil {
		b.spans = map[string]int{}
	}
	b.header = header
	for _, rs := range r.ResourceSpans {
		for _, a := range rs.Resource.Attributes {
			if a.Key == "service.name" {
				for _, scope := range rs.ScopeSpans {
					b.spans[a.Value.GetStringValue()] += len(scope.Spans)
				}
			}
		}
	}
	var out collector.ExportTraceServiceResponse
	if b.reject > 0 {
		out.PartialSuccess = &collector.ExportTracePartialSuccess{RejectedSpans: b.reject, ErrorMessage: "too old"}
	}
	return 0, &out
}

func (b *backEnd) got(service string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spans[service]
}

// TagRPC lets HandleRPC see each request.
func (b *backEnd) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC notes how a request is compressed.
func (b *backEnd) HandleRPC(_ context.Context, s stats.RPCStats) {
	if in, ok := s.(*stats.InHeader); ok {
		b.note(in.Compression)
	}
}

// TagConn does nothing.
func (b *backEnd) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn does nothing.
func (b *backEnd) HandleConn(context.Context, stats.ConnStats) {}

func (b *backEnd) note(coding string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.coding = coding
}

func (b *backEnd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.note(r.Header.Get("Content-Encoding"))
	from := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		from = unpacked
	}
	body, err := io.ReadAll(from)
	var in collector.ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(body, &in) != nil || r.URL.Path != "/v1/traces" ||
		r.Header.Get("Content-Type") != "application/x-protobuf" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	failed, out := b.take(&in, r.Header.Get("Key"))
	if failed > 0 {
		w.WriteHeader(failed)
		return
	}
	text, _ := proto.Marshal(out)
	_, _ = w.Write(text)
}

func (b *backEnd) Export(ctx context.Context, r *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	failed, out := b.take(r, strings.Join(md.Get("key"), ""))
	if failed > 0 {
		return nil, status.Error(codes.Code(failed), "by order")
	}
	return out, nil
}

// over serves a back end by both transports.
func over(t *testing.T, b *backEnd, each func(t *testing.T, o Options)) {
	web := httptest.NewServer(b)
	t.Cleanup(web.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer(grpc.StatsHandler(b))
	collector.RegisterTraceServiceServer(g, b)
	go func() { _ = g.Serve(l) }()
	t.Cleanup(g.Stop)
	none := func(string) string { return "" }
	for name, addresses := range map[string][2]string{"http": {web.URL, ""}, "grpc": {"", "http://" + l.Addr().String()}} {
		t.Run(name, func(t *testing.T) {
			o, err := Where(addresses[0], addresses[1], none)
			if err != nil {
				t.Fatal(err)
			}
			o.Headers = map[string]string{"key": "secret"}
			b.spans = nil
			each(t, o)
		})
	}
}

func newExporter(t *testing.T, ctx context.Context, o Options) *Exporter {
	t.Helper()
	e, err := New(ctx, o, "v1")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// All spans arrive, of each program; before they do, they are not settled.
func TestDeliver(t *testing.T) {
	b := &backEnd{}
	over(t, b, func(t *testing.T, o Options) {
		e := newExporter(t, t.Context(), o)
		shop, cart := &ring.Program{Service: "shop"}, &ring.Program{Service: "cart"}
		spans := someSpans(1000)
		for range 30 {
			must(t, e.Take(shop, spans))
			must(t, e.Take(cart, spans[:10]))
		}
		if got := e.Settled(cart); got != 0 {
			t.Errorf("%d spans are settled that were not sent", got)
		}
		must(t, e.Flush())
		if e.Settled(shop) != 30_000 || e.Settled(cart) != 300 || b.got("shop") != 30_000 || b.got("cart") != 300 {
			t.Errorf("settled %d and %d, arrived %v", e.Settled(shop), e.Settled(cart), b.spans)
		}
		if e.Forget(shop); len(e.streams) != 1 {
			t.Error("a program is kept that is done with")
		}
		c := e.Counts()
		if c.Delivered != 30_300 || c.Lost != 0 || c.Requests < 8 || b.header != "secret" {
			t.Errorf("%+v, header %q", c, b.header)
		}
		must(t, e.Close())
	})
}

// Requests are compressed where that was asked for, and not else.
func TestCompression(t *testing.T) {
	b := &backEnd{}
	over(t, b, func(t *testing.T, o Options) {
		for _, o.Gzip = range []bool{true, false} {
			b.spans = nil
			e := newExporter(t, t.Context(), o)
			must(t, e.Take(&ring.Program{Service: "shop"}, someSpans(1000)))
			must(t, e.Flush())
			must(t, e.Close())
			want := map[bool]string{true: "gzip"}[o.Gzip]
			if c := e.Counts(); c.Delivered != 1000 || b.got("shop") != 1000 || b.coding != want {
				t.Errorf("gzip %v: %+v, arrived %v, encoded as %q", o.Gzip, c, b.spans, b.coding)
			}
		}
	})
}

// A back end that is not ready is asked again.
func TestRetries(t *testing.T) {
	b := &backEnd{}
	over(t, b, func(t *testing.T, o Options) {
		b.fails = []int{429, 503, 502}
		if o.GRPC {
			b.fails = []int{int(codes.Unavailable), int(codes.Aborted), int(codes.DeadlineExceeded)}
		}
		e := newExporter(t, t.Context(), o)
		must(t, e.Take(&ring.Program{Service: "shop"}, someSpans(10)))
		must(t, e.Flush())
		if c := e.Counts(); c.Delivered != 10 || c.Retries != 3 || b.got("shop") != 10 || c.Failure == nil {
			t.Errorf("%+v, arrived %v", c, b.spans)
		}
		must(t, e.Close())
	})
}

// What a back end refuses for good is lost, and said.
func TestRefused(t *testing.T) {
	b := &backEnd{}
	over(t, b, func(t *testing.T, o Options) {
		b.fails = []int{400}
		if o.GRPC {
			b.fails = []int{int(codes.InvalidArgument)}
		}
		e := newExporter(t, t.Context(), o)
		p := &ring.Program{Service: "shop"}
		must(t, e.Take(p, someSpans(10)))
		must(t, e.Flush())
		if c := e.Counts(); c.Lost != 10 || c.Retries != 0 || c.Failure == nil || e.Settled(p) != 10 {
			t.Errorf("%+v", c)
		}
		must(t, e.Close())
	})
}

// A partial success is counted as one.
func TestPartialSuccess(t *testing.T) {
	b := &backEnd{reject: 3}
	over(t, b, func(t *testing.T, o Options) {
		e := newExporter(t, t.Context(), o)
		must(t, e.Take(&ring.Program{Service: "shop"}, someSpans(10)))
		must(t, e.Flush())
		if c := e.Counts(); c.Delivered != 7 || c.Rejected != 3 || !strings.Contains(c.Failure.Error(), "too old") {
			t.Errorf("%+v", c)
		}
		must(t, e.Close())
	})
}

// While the back end does not answer, Take blocks: a bounded number of bytes is held. When the exporter ends, what it holds is lost.
func TestBlocks(t *testing.T) {
	b := &backEnd{blocked: make(chan struct{})}
	over(t, b, func(t *testing.T, o Options) {
		ctx, cancel := context.WithCancel(t.Context())
		e := newExporter(t, ctx, o)
		p := &ring.Program{Service: "shop"}
		var taken atomic.Uint64
		ended := make(chan error)
		go func() {
			for {
				if err := e.Take(p, someSpans(1000)); err != nil {
					ended <- err
					return
				}
				taken.Add(1000)
			}
		}()
		for last := uint64(0); ; last = taken.Load() { // until no more is taken for a while
			select {
			case err := <-ended:
				t.Fatal(err)
			case <-time.After(300 * time.Millisecond):
			}
			if now := taken.Load(); now > 0 && now == last {
				break
			}
		}
		if got := e.Settled(p); got != 0 {
			t.Errorf("%d spans are settled", got)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Take ended with %v", err)
		}
		must(t, e.Close())
		if c := e.Counts(); c.Lost < taken.Load() || c.Lost > 40_000 || c.Delivered != 0 {
			t.Errorf("%+v of %d", c, taken.Load())
		}
	})
	close(b.blocked)
}

// Addresses and the environment are read as OpenTelemetry's exporters read them.
func TestWhere(t *testing.T) {
	for _, c := range []struct {
		http, grpc, env string
		want, wrong     string
	}{
		{http: "http://127.0.0.1:4318", want: "http http://127.0.0.1:4318/v1/traces 10s"},
		{http: "127.0.0.1:4318", want: "http http://127.0.0.1:4318/v1/traces 10s"},
		{http: "https://c.example/x/v1/traces", want: "http https://c.example/x/v1/traces 10s"},
		{grpc: "127.0.0.1:4317", env: "PROTOCOL=http/json", want: "grpc http://127.0.0.1:4317 10s"},
		{env: "ENDPOINT=http://c:1/base TIMEOUT=250 HEADERS=a=b%20c,D=e", want: "http http://c:1/base/v1/traces 250ms a=b c d=e"},
		{env: "ENDPOINT=http://c:1 TRACES_ENDPOINT=http://d:2/as-is", want: "http http://d:2/as-is 10s"},
		{env: "ENDPOINT=https://c:1 PROTOCOL=grpc", want: "grpc https://c:1 10s"},
		{env: "ENDPOINT=http://c:1 COMPRESSION=gzip", want: "http http://c:1/v1/traces 10s gzip"},
		{env: "ENDPOINT=http://c:1 COMPRESSION=gzip TRACES_COMPRESSION=none", want: "http http://c:1/v1/traces 10s"},
		{grpc: "c:1", env: "TRACES_COMPRESSION=gzip", want: "grpc http://c:1 10s gzip"},
		{env: "ENDPOINT=http://c:1 COMPRESSION=zstd", wrong: "knows gzip and none"},
		{wrong: ErrNowhere.Error()},
		{http: "a:1", grpc: "b:1", wrong: "not both"},
		{http: "ftp://a", wrong: "no address of an OTLP receiver"},
		{env: "ENDPOINT=http://c:1 PROTOCOL=http/json", wrong: "speaks http/protobuf and grpc"},
		{env: "ENDPOINT=http://c:1 TIMEOUT=soon", wrong: "milliseconds"},
		{env: "ENDPOINT=http://c:1 HEADERS=secret", wrong: "not key=value"},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			key, value, _ := strings.Cut(pair, "=")
			env["OTEL_EXPORTER_OTLP_"+key] = value
		}
		o, err := Where(c.http, c.grpc, func(name string) string { return env[name] })
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		got := map[bool]string{true: "grpc ", false: "http "}[o.GRPC]
		if err == nil {
			got += o.Endpoint.String() + " " + o.Timeout.String()
		}
		if o.Gzip {
			got += " gzip"
		}
		for _, key := range []string{"a", "d"} {
			if v := o.Headers[key]; v != "" {
				got += " " + key + "=" + v
			}
		}
		if err != nil || got != c.want {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

// discard is a sender that takes all.
type discard struct{}

func (discard) send(context.Context, []byte) (answer, error) { return answer{}, nil }
func (discard) close() error                                 { return nil }

// BenchmarkReadAndEncode reads rings, puts spans together and encodes them: an operation is a span.
func BenchmarkReadAndEncode(b *testing.B) {
	e := &Exporter{ctx: context.Background(), version: "v1", send: discard{}, queue: make(chan *request), streams: map[*ring.Program]*stream{}}
	e.idle = sync.NewCond(&e.mu)
	e.working.Go(e.work)
	ringtest.BenchmarkCalls(b, e, func(folder string, e *Exporter) (func() error, func() error, error) {
		r, err := ring.Open(folder)
		if err != nil {
			return nil, nil, err
		}
		return func() error { _, err := r.Pass(e); return err }, func() error { return errors.Join(e.Flush(), e.Close(), r.Close()) }, nil
	})
}

// BenchmarkReadAndPost sends them too, to a server that reads and forgets.
func BenchmarkReadAndPost(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	b.Cleanup(server.Close)
	o, err := Where(server.URL, "", func(string) string { return "" })
	if err != nil {
		b.Fatal(err)
	}
	e, err := New(context.Background(), o, "v1")
	if err != nil {
		b.Fatal(err)
	}
	ringtest.BenchmarkCalls(b, e, func(folder string, e *Exporter) (func() error, func() error, error) {
		r, err := ring.Open(filepath.Clean(folder))
		if err != nil {
			return nil, nil, err
		}
		return func() error { _, err := r.Pass(e); return err }, func() error { return errors.Join(e.Flush(), e.Close(), r.Close()) }, nil
	})
}
