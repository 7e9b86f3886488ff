//go:build linux

// Unary calls to the real gRPC server.

package engine

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// unary answers one call.
type unary func(ctx context.Context, in *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error)

// grpcServer serves handle as /test.Echo/Say.
func grpcServer(t *testing.T, handle unary, options ...grpc.ServerOption) (string, *grpc.Server) {
	t.Helper()
	s := grpc.NewServer(options...)
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: "test.Echo",
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Say", Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			in := &wrapperspb.BytesValue{}
			if err := decode(in); err != nil {
				return nil, err
			}
			return handle(ctx, in)
		}}},
	}, struct{}{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String(), s
}

func echo(_ context.Context, in *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error) {
	return in, nil
}

func say(t *testing.T, address string, size int) load.Request {
	t.Helper()
	b, err := proto.Marshal(wrapperspb.Bytes(bytes.Repeat([]byte{7}, size)))
	if err != nil {
		t.Fatal(err)
	}
	return load.Request{Address: address, GRPC: true, Path: "/test.Echo/Say", Body: b}
}

func newTestGenerator(t *testing.T) *Generator {
	t.Helper()
	g, err := NewGenerator()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

func TestUnaryCalls(t *testing.T) {
	var seen atomic.Int64
	handle := func(ctx context.Context, in *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		if len(in.Value) != 10 || len(md["x-token"]) != 1 || md["x-token"][0] != "abc" || md[":authority"][0] != "shop.test" {
			return nil, status.Errorf(codes.InvalidArgument, "not as sent: %v", md)
		}
		seen.Add(1)
		return in, nil
	}
	addr, _ := grpcServer(t, handle)
	op := say(t, addr, 10)
	op.Headers, op.Host = []load.Header{{Name: "X-Token", Value: "abc"}}, "shop.test"
	for _, task := range []load.Task{
		{Connections: 3, Count: 300},
		{Connections: 3, Streams: 20, Count: 3000},
		{Connections: 5, Streams: 4, Threads: 2, Count: 1000},
		{Rate: 3000, Connections: 2, Streams: 50, Count: 1500},
		{Rate: 3000, Connections: 4, Count: 1500},
	} {
		task.Operations = []load.Request{op}
		g := newTestGenerator(t)
		for range 2 {
			seen.Store(0)
			l := do(t, g, task)
			if uint64(seen.Load()) != task.Count || l.Completed != task.Count || l.Started != task.Count {
				t.Errorf("%+v: %d of %d completed, the server saw %d, errors %v", task, l.Completed, task.Count, seen.Load(), l.Errors)
			}
			if l.Connected > uint64(task.Connections) {
				t.Errorf("%d connections opened, at most %d may be", l.Connected, task.Connections)
			}
		}
	}
}

// As many calls are under way at a time as were asked for, over so many connections.
func TestStreamsAreKeptBusy(t *testing.T) {
	var now, most atomic.Int64
	enough := make(chan struct{})
	addr, _ := grpcServer(t, func(_ context.Context, in *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error) {
		n := now.Add(1)
		defer now.Add(-1)
		if most.Store(max(most.Load(), n)); n == 12 {
			close(enough)
		}
		<-enough
		return in, nil
	})
	l := do(t, newTestGenerator(t), load.Task{Operations: []load.Request{say(t, addr, 1)}, Connections: 3, Streams: 4, Count: 12})
	if l.Completed != 12 || l.Connected != 3 || most.Load() != 12 {
		t.Errorf("%d completed over %d connections, %d at a time; want 12 over 3 at once", l.Completed, l.Connected, most.Load())
	}
}

// A server that takes fewer calls at a time than asked for gets no more.
func TestServersLimitOfStreams(t *testing.T) {
	addr, _ := grpcServer(t, echo, grpc.MaxConcurrentStreams(3))
	l := do(t, newTestGenerator(t), load.Task{Operations: []load.Request{say(t, addr, 1)}, Connections: 1, Streams: 50, Count: 500})
	if l.Completed != 500 || l.Resent != 0 {
		t.Errorf("%d of 500 completed, %d sent twice, errors %v", l.Completed, l.Resent, l.Errors)
	}
}

func TestStatuses(t *testing.T) {
	addr, _ := grpcServer(t, func(_ context.Context, in *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error) {
		return nil, status.Error(codes.Code(in.Value[0]), "as asked for: ä\n")
	})
	plain := httpServer(t, func(http.ResponseWriter, *http.Request) {})
	closes := rawServer(t, func(_ int, _ net.Conn, r *bufio.Reader) {
		_, _ = r.Discard(len(http2.ClientPreface) + 9 + 2*6 + 9 + 4) // all that a client says first
	})
	for _, c := range []struct {
		address, path, kind string
		code                byte
	}{
		{addr, "/test.Echo/Say", "grpc: UNAVAILABLE", 14},
		{addr, "/test.Echo/Say", "grpc: UNAUTHENTICATED", 16},
		{addr, "/test.Echo/Say", "grpc: CANCELLED", 1},
		{addr, "/test.Echo/Say", "grpc: UNKNOWN", 77},
		{addr, "/test.Echo/Nothing", "grpc: UNIMPLEMENTED", 0},
		{plain, "/test.Echo/Say", "bad response: not HTTP/2", 0},
		{closes, "/test.Echo/Say", "connection closed before the response", 0},
		{closedAddress(t), "/test.Echo/Say", "connection refused", 0},
	} {
		b, err := proto.Marshal(wrapperspb.Bytes([]byte{c.code}))
		if err != nil {
			t.Fatal(err)
		}
		op := load.Request{Address: c.address, GRPC: true, Path: c.path, Body: b}
		l := do(t, newTestGenerator(t), load.Task{Operations: []load.Request{op}, Connections: 2, Streams: 2, Count: 20})
		if l.Errors[c.kind] != 20 {
			t.Errorf("%s status %d: %v, want %q", c.path, c.code, l.Errors, c.kind)
		}
	}
}

// Messages larger than every window and frame, both ways.
func TestBigMessages(t *testing.T) {
	addr, _ := grpcServer(t, func(_ context.Context, in *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error) {
		if len(bytes.TrimLeft(in.Value, "\x07")) > 0 {
			return nil, status.Error(codes.DataLoss, "changed on the way")
		}
		return in, nil
	}, grpc.MaxRecvMsgSize(64<<20), grpc.InitialWindowSize(1<<16), grpc.InitialConnWindowSize(1<<17))
	l := do(t, newTestGenerator(t), load.Task{Operations: []load.Request{say(t, addr, 5<<20), say(t, addr, 100)}, Connections: 2, Streams: 3, Count: 30})
	if l.Completed != 30 || l.BytesSent < 5<<20 || l.BytesReceived < 5<<20 {
		t.Errorf("%d of 30 completed, %d bytes out, %d in, errors %v", l.Completed, l.BytesSent, l.BytesReceived, l.Errors)
	}
}

func TestBigHeaders(t *testing.T) {
	addr, _ := grpcServer(t, echo, grpc.MaxHeaderListSize(1<<20))
	op := say(t, addr, 1)
	op.Headers = []load.Header{{Name: "x-big", Value: strings.Repeat("b", 60<<10)}}
	if l := do(t, newTestGenerator(t), load.Task{Operations: []load.Request{op}, Streams: 2, Count: 10}); l.Completed != 10 {
		t.Errorf("%d of 10 completed, errors %v", l.Completed, l.Errors)
	}
}

// A server that goes away when it is done loses no call: those it will not look at
// are made elsewhere.
func TestGoAway(t *testing.T) {
	addr, _ := grpcServer(t, echo, grpc.KeepaliveParams(keepalive.ServerParameters{
		MaxConnectionAge: 20 * time.Millisecond, MaxConnectionAgeGrace: time.Minute,
	}))
	for _, task := range []load.Task{
		{Connections: 2, Streams: 8, Duration: 400 * time.Millisecond},
		{Rate: 2000, Connections: 2, Streams: 8, Duration: 400 * time.Millisecond},
	} {
		task.Operations = []load.Request{say(t, addr, 1)}
		l := do(t, newTestGenerator(t), task)
		if l.Completed != l.Intended || l.Connected < 5 {
			t.Errorf("%d of %d completed over %d connections, errors %v", l.Completed, l.Intended, l.Connected, l.Errors)
		}
	}
}

// A graceful stop waits for the calls under way and refuses later ones.
func TestGracefulStop(t *testing.T) {
	reached, proceed := make(chan struct{}, 10), make(chan struct{})
	addr, server := grpcServer(t, func(_ context.Context, in *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error) {
		reached <- struct{}{}
		<-proceed
		return in, nil
	})
	go func() {
		for range 4 {
			<-reached
		}
		time.AfterFunc(20*time.Millisecond, func() { close(proceed) }) // the stop has begun by then, or not: both are to do
		server.GracefulStop()
	}()
	l := do(t, newTestGenerator(t), load.Task{Operations: []load.Request{say(t, addr, 1)}, Connections: 1, Streams: 4, Count: 4})
	if l.Completed != 4 {
		t.Errorf("%d of 4 completed, errors %v", l.Completed, l.Errors)
	}
}

// A call given up leaves the connection to the others, and the server hears of it.
func TestCallsTimeOutAlone(t *testing.T) {
	var n atomic.Int64
	cancelled := make(chan struct{}, 100)
	addr, _ := grpcServer(t, func(ctx context.Context, in *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error) {
		if n.Add(1)%4 == 0 {
			<-ctx.Done()
			cancelled <- struct{}{}
		}
		return in, nil
	})
	l := do(t, newTestGenerator(t), load.Task{Operations: []load.Request{say(t, addr, 1)}, Streams: 4, Count: 40, Timeout: 100 * time.Millisecond})
	if l.TimedOut != 10 || l.Completed != 30 || l.Connected != 1 {
		t.Errorf("%d timed out, %d completed over %d connections; want 10, 30, 1; errors %v", l.TimedOut, l.Completed, l.Connected, l.Errors)
	}
	for i := range 10 {
		select {
		case <-cancelled:
		case <-time.After(10 * time.Second):
			t.Fatalf("the server heard of %d calls given up, not of 10", i)
		}
	}
}

func TestGRPCOverTLS(t *testing.T) {
	web, ca := tlsServer(t, func(http.ResponseWriter, *http.Request) {}, nil)
	onlyHTTP1, onlyHTTP1CA := tlsServer(t, func(http.ResponseWriter, *http.Request) {}, func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} })
	pair := borrowed(t) // the one that web has
	addr, _ := grpcServer(t, echo, grpc.Creds(credentials.NewServerTLSFromCert(&pair)))
	for _, c := range []struct {
		address, ca, kind string
	}{
		{addr, ca, ""},
		{addr, "", "tls: certificate signed by an unknown authority"},
		{web, ca, "bad response: not gRPC"}, // it answers over HTTP/2
		{onlyHTTP1, onlyHTTP1CA, errNoProtocol.Error()},
	} {
		op := say(t, c.address, 30<<10)
		op.TLS = &load.TLS{CA: c.ca}
		l := do(t, newTestGenerator(t), load.Task{Operations: []load.Request{op}, Connections: 2, Streams: 5, Count: 20})
		if c.kind == "" && l.Completed != 20 || c.kind != "" && l.Errors[c.kind] != 20 {
			t.Errorf("%+v: %d completed, errors %v", c, l.Completed, l.Errors)
		}
	}
}

// A server that stops for a second is seen by all that were due in that second,
// also where they share a connection.
func TestGRPCServerThatStops(t *testing.T) {
	s := &stopping{begin: 200 * time.Millisecond, start: time.Now(), over: make(chan struct{})}
	addr, _ := grpcServer(t, func(_ context.Context, in *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error) {
		s.serve(nil, nil)
		return in, nil
	})
	const rate = 200
	l := do(t, newTestGenerator(t), load.Task{
		Operations: []load.Request{say(t, addr, 1)}, Rate: rate, Connections: 2, Streams: 10, Duration: 1500 * time.Millisecond,
	})
	latency := decode(t, l.Latency)
	long := above(latency, int64(500*time.Millisecond))
	if latency.Max() < int64(950*time.Millisecond) || long < rate*45/100 || long > rate {
		t.Errorf("longest latency %v, %d over 0.5 s; want at least 0.95 s, about %d", time.Duration(latency.Max()), long, rate/2)
	}
	if late := above(decode(t, l.Lag), int64(500*time.Millisecond)); late > long/2 {
		t.Errorf("%d lags over 0.5 s: the server's stop is charged to the generator", late)
	}
}
