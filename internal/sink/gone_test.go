package sink

import (
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
)

// A sink that is gone treats connections as was ordered, and ends whoever holds on to it.
func TestGone(t *testing.T) {
	const request = "POST /v1/traces HTTP/1.1\r\nHost: sink\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n"
	for _, how := range []string{Away, Silent, Resetting} {
		t.Run(how, func(t *testing.T) {
			s := start(t, Config{Gone: how})
			c, err := net.Dial("tcp", s.Addresses()[protocol.OTLPHTTP])
			if how == Away {
				if !errors.Is(err, syscall.ECONNREFUSED) {
					t.Fatalf("connecting: %v, want it refused", err)
				}
				if _, err := net.Listen("tcp", s.Addresses()[protocol.OTLPHTTP]); err == nil {
					t.Error("somebody else got the address")
				}
				return
			}
			if how == Resetting && errors.Is(err, syscall.ECONNRESET) {
				return // it was reset before anything was written
			}
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, writing := io.WriteString(c, request)
			if how == Resetting {
				if _, err := c.Read(make([]byte, 1)); !errors.Is(errors.Join(writing, err), syscall.ECONNRESET) {
					t.Errorf("writing: %v, reading: %v; want a reset", writing, err)
				}
				return
			}
			if err := c.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			var late net.Error
			if _, err := c.Read(make([]byte, 1)); writing != nil || !errors.As(err, &late) || !late.Timeout() {
				t.Errorf("writing: %v, reading: %v; want no answer", writing, err)
			}
			if n := s.Snapshot(); n.Counts.Requests != 0 {
				t.Errorf("it counted %+v", n.Counts)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if _, err := c.Read(make([]byte, 1)); err == nil {
				t.Error("the connection outlives the sink")
			}
		})
	}
	if _, err := Start(Config{Listen: protocol.Addresses{protocol.OTLPHTTP: "127.0.0.1:0"}, Gone: "lost"}); err == nil {
		t.Error("a sink starts that is gone in an unknown way")
	}
}

// A connection that was accepted while the sink closed does not outlive it.
func TestGoneHoldsNothingOnceClosed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	u := &unserved{Listener: l}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	u.hold(accepted)
	if err := c.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("reading: %v, want its end", err)
	}
}
