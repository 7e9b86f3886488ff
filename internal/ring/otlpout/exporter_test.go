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
