package rpc

import (
	"context"
	"errors"
	"io"
	"net/url"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/sink/forward"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// dialThrough runs a server that passes everything on to the one that conn leads to, and
// returns a client of it.
func dialThrough(t *testing.T, total *tally.Total, conn *grpc.ClientConn, limits Limits) *grpc.ClientConn {
	t.Helper()
	backend, err := forward.Dial(&url.URL{Scheme: "http", Host: conn.Target()})
	if err != nil {
		t.Fatal(err)
	}
	s := New(total, "test", limits, methods)
	s.PassOn(backend)
	return connect(t, s)
}

// A stream reaches the backend message by message, with its metadata, and both count the same;
// what the backend has accepted is known when it has ended.
func TestPassStream(t *testing.T) {
	behind, total := tally.New(tally.Config{}), tally.New(tally.Config{})
	conn := dialThrough(t, total, dial(t, behind, limits), limits)
	stream := open(t, metadata.AppendToOutgoingContext(t.Context(), "app", "shop"), conn, "/p.S/Take")
	for i := range 3 {
		if err := stream.SendMsg(text("name")); err != nil {
			t.Fatal(err)
		}
		await(t, "the span at the backend", func() bool { return behind.Counts().Spans == uint64(i+1) })
	}
	if c := total.Counts(); c.Spans != 3 || c.Forwarded != 0 || c.Refused != 0 {
		t.Errorf("while it is open: %+v", c)
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
	for name, c := range map[string]*tally.Total{"in front": total, "behind": behind} {
		if c := c.Counts(); c.Requests != 1 || c.Bytes != 18 || c.Services["shop"] != 3 || c.Malformed != 0 {
			t.Errorf("%s: counted %+v", name, c)
		}
	}
	await(t, "what was accepted", func() bool { return total.Counts().Forwarded == 3 })
	await(t, "nothing under way", func() bool { return total.InFlight() == 0 })
}

// The backend's answers come back, and those of a method that only it knows.
func TestPassAnswers(t *testing.T) {
	total := tally.New(tally.Config{})
	conn := dialThrough(t, total, dial(t, tally.New(tally.Config{}), limits), limits)
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
}

// A backend that ends a call while the sender waits is heard at once, and what it had not ended
// well is refused.
func TestPassEndOfTheBackend(t *testing.T) {
	total := tally.New(tally.Config{})
	conn := dialThrough(t, total, dial(t, tally.New(tally.Config{}), limits), limits)
	stream := open(t, t.Context(), conn, "/p.S/Bad")
	if err := stream.SendMsg(text("x")); err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(text("")); status.Code(err) != codes.InvalidArgument {
		t.Errorf("the sender hears %v", err)
	}
	await(t, "nothing under way", func() bool { return total.InFlight() == 0 })
	if c := total.Counts(); c.Malformed != 1 || c.Forwarded != 0 {
		t.Errorf("counted %+v", c)
	}
}

// Spans of a message that was seen to have been sent only after the backend had ended the call share its fate.
func TestFateThatIsDecidedFirst(t *testing.T) {
	for _, accepted := range []bool{true, false} {
		var f fate
		if tell, _ := f.add(3); tell {
			t.Error("spans of a call that has not ended are told")
		}
		if waited := f.decide(accepted); waited != 3 {
			t.Errorf("%d spans waited, want 3", waited)
		}
		if tell, was := f.add(2); !tell || was != accepted {
			t.Errorf("after an end that is accepted: %t, spans are told: %t, accepted: %t", accepted, tell, was)
		}
	}
}

// What the backend refuses is told to the sender and counted as refused, and so is what does
// not reach it: a call that its sender gave up, a message that is too large, no backend.
func TestPassRefused(t *testing.T) {
	behind, total := tally.New(tally.Config{}), tally.New(tally.Config{})
	backend := dial(t, behind, Limits{Body: 100, Header: limits.Header})
	conn := dialThrough(t, total, backend, limits)
	if err := conn.Invoke(t.Context(), "/p.S/Take", text(string(make([]byte, 200))), text("")); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("too large for the backend: %v", err)
	}
	await(t, "the refused span", func() bool { return total.Counts().Refused == 1 })
	if err := conn.Invoke(t.Context(), "/p.S/Other", text("x"), text("")); status.Code(err) != codes.Unimplemented {
		t.Errorf("a method that the backend has not: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stream := open(t, ctx, conn, "/p.S/Take")
	if err := stream.SendMsg(text("x")); err != nil {
		t.Fatal(err)
	}
	await(t, "the span", func() bool { return behind.Counts().Spans == 1 })
	cancel()
	await(t, "what was given up", func() bool { return total.Counts().Refused == 2 })

	alone := tally.New(tally.Config{})
	nobody, err := grpc.NewClient("127.0.0.1:1", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer nobody.Close()
	conn = dialThrough(t, alone, nobody, limits)
	if err := conn.Invoke(t.Context(), "/p.S/Take", text("x"), text("")); status.Code(err) != codes.Unavailable {
		t.Errorf("no backend: %v", err)
	}
	await(t, "the span without a backend", func() bool { c := alone.Counts(); return c.Spans == 1 && c.Refused == 1 })
	if c := total.Counts(); c.Forwarded != 0 {
		t.Errorf("accepted: %+v", c)
	}
}

// All messages that have come are counted, also where there is no backend: they are refused.
func TestPassWithoutABackend(t *testing.T) {
	nobody, err := grpc.NewClient("127.0.0.1:1", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer nobody.Close()
	defer func(before time.Duration) { leftover = before }(leftover)
	leftover = time.Minute // however busy the machine is
	total := tally.New(tally.Config{})
	stream := open(t, t.Context(), dialThrough(t, total, nobody, limits), "/p.S/Take")
	for range 3 {
		if err := stream.SendMsg(text("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(text("")); status.Code(err) != codes.Unavailable {
		t.Errorf("the sender hears %v", err)
	}
	if c := total.Counts(); c.Spans != 3 || c.Refused != 3 || c.Forwarded != 0 {
		t.Errorf("counted %+v", c)
	}
}
