package rpc

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// text is a message with one field, a string: easy to make.
func text(s string) *wrapperspb.StringValue { return wrapperspb.String(s) }

// count counts a span for each field.
func count(batch *tally.Batch, m []byte) error {
	f := Walk(m)
	for f.Next() {
		if f.Is(1) {
			batch.Span(&tally.Span{Name: f.Bytes, Loose: true})
		}
	}
	return f.Err
}

var methods = map[string]Method{
	"/p.S/Take":   {Count: count, ServiceKey: "app"},
	"/p.S/Answer": {Answer: []byte{10, 2, 'o', 'k'}},
	"/p.S/Echo":   {Echo: true},
	"/p.S/Silent": {Silent: true},
	"/p.S/Bad":    {Count: func(*tally.Batch, []byte) error { return wire.ErrProtobuf }},
}

// dial runs a server of the methods and returns a client of it.
func dial(t *testing.T, total *tally.Total, limits Limits) *grpc.ClientConn {
	t.Helper()
	return connect(t, New(total, "test", limits, methods))
}

// connect runs a server and returns a client of it.
func connect(t *testing.T, s *Server) *grpc.ClientConn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		if err := errors.Join(s.Close(), <-served); err != nil {
			t.Error(err)
		}
	})
	return conn
}

var limits = Limits{Body: 1 << 20, Header: 10 * time.Second}

func open(t *testing.T, ctx context.Context, conn *grpc.ClientConn, name string) grpc.ClientStream {
	t.Helper()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, name)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// A stream is counted message by message while it is open, and is one request.
func TestStream(t *testing.T) {
	total := tally.New(tally.Config{})
	conn := dial(t, total, limits)
	stream := open(t, metadata.AppendToOutgoingContext(t.Context(), "app", "shop"), conn, "/p.S/Take")
	for i := range 3 {
		if err := stream.SendMsg(text("name")); err != nil {
			t.Fatal(err)
		}
		await(t, "the span", func() bool { return total.Counts().Spans == uint64(i+1) })
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(text("")); err != nil {
		t.Errorf("no answer: %v", err)
	}
	if err := stream.RecvMsg(text("")); !errors.Is(err, io.EOF) {
		t.Errorf("behind the answer: %v", err)
	}
	c := total.Counts()
	if c.Requests != 1 || c.Bytes != 18 || c.Protocols["test"] != 1 || c.Services["shop"] != 3 || c.Malformed != 0 {
		t.Errorf("counted %+v", c)
	}
	await(t, "nothing under way", func() bool { return total.InFlight() == 0 })
}

func TestAnswers(t *testing.T) {
	total := tally.New(tally.Config{})
	conn := dial(t, total, limits)
	answer := text("")
	if err := conn.Invoke(t.Context(), "/p.S/Answer", text("x"), answer); err != nil || answer.GetValue() != "ok" {
		t.Errorf("answer %q, %v", answer.GetValue(), err)
	}
	echo := open(t, t.Context(), conn, "/p.S/Echo")
	for _, ping := range []string{"a", "b"} {
		if err := echo.SendMsg(text(ping)); err != nil {
			t.Fatal(err)
		}
		if err := echo.RecvMsg(answer); err != nil || answer.GetValue() != ping {
			t.Errorf("echo of %q: %q, %v", ping, answer.GetValue(), err)
		}
	}
	silent := open(t, t.Context(), conn, "/p.S/Silent")
	if err := silent.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if err := silent.RecvMsg(answer); !errors.Is(err, io.EOF) {
		t.Errorf("of a silent method: %v", err)
	}
	if c := total.Counts(); c.Requests != 2 || c.Malformed != 0 || c.Spans != 0 {
		t.Errorf("counted %+v", c)
	}
}

func TestRefusals(t *testing.T) {
	total := tally.New(tally.Config{})
	conn := dial(t, total, Limits{Body: 100, Header: time.Second})
	tests := []struct {
		name, method, text string
		want               codes.Code
	}{
		{"unknown method", "/p.S/Other", "x", codes.Unimplemented},
		{"not understood", "/p.S/Bad", "x", codes.InvalidArgument},
		{"too large", "/p.S/Take", string(make([]byte, 200)), codes.ResourceExhausted},
	}
	for i, test := range tests {
		if err := conn.Invoke(t.Context(), test.method, text(test.text), text("")); status.Code(err) != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
		// The sender may hear of it before it is counted.
		await(t, test.name+" is counted", func() bool { return total.Counts().Malformed == uint64(i+1) })
		if c := total.Counts(); c.Spans != 0 || c.Requests != 0 {
			t.Errorf("%s: counted %+v", test.name, c)
		}
	}
}

// Beyond the most calls at a time one is refused; places become free again.
func TestTooManyCalls(t *testing.T) {
	total := tally.New(tally.Config{})
	conn := dial(t, total, limits)
	ctx, cancel := context.WithCancel(t.Context())
	for range maxStreams {
		if err := open(t, ctx, conn, "/p.S/Take").SendMsg(text("x")); err != nil {
			t.Fatal(err)
		}
	}
	await(t, "all calls", func() bool { return total.Counts().Requests == maxStreams })
	other := dialAgain(t, conn)
	if err := other.Invoke(t.Context(), "/p.S/Answer", text("x"), text("")); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("beyond the limit: %v", err)
	}
	cancel()
	await(t, "a free place", func() bool {
		return other.Invoke(t.Context(), "/p.S/Answer", text("x"), text("")) == nil
	})
}

// dialAgain opens another connection to the same server.
func dialAgain(t *testing.T, conn *grpc.ClientConn) *grpc.ClientConn {
	t.Helper()
	other, err := grpc.NewClient(conn.Target(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	return other
}

func FuzzFields(f *testing.F) {
	f.Add([]byte{10, 2, 'o', 'k', 16, 200, 1, 25, 1, 2, 3, 4, 5, 6, 7, 8, 37, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, m []byte) {
		n := 0
		fields := Walk(m)
		for fields.Next() {
			if n++; n > len(m) {
				t.Fatal("more fields than bytes")
			}
		}
	})
}
