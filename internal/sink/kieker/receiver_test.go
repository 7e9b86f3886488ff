package kieker

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

// serve runs a receiver until the test ends, and returns where.
func serve(t *testing.T, r *Receiver) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve(l) }()
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func send(t *testing.T, address string, stream []byte) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := c.Write(stream); err != nil {
		t.Fatal(err)
	}
	return c
}

// await waits until the condition holds.
func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// Spans are counted while the connection is open, and of several connections together.
func TestReceiver(t *testing.T) {
	total := tally.New(tally.Config{Checking: true, MaxSpans: 1000})
	r := New(total, Limits{Body: 1 << 20})
	address := serve(t, r)
	send(t, address, captured(t))
	await(t, "13 spans", func() bool { return total.Counts().Spans == 13 })
	await(t, "nothing under way", func() bool { return total.InFlight() == 0 })
	checkCaptured(t, total.Counts())
	second := send(t, address, captured(t)[:900])
	await(t, "another 9", func() bool { return total.Counts().Spans == 13+9 })
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	await(t, "the cut one", func() bool { return total.Counts().Malformed == 1 })
	if c := total.Counts(); c.Requests != 2 || c.Protocols[protocol] != 2 || c.Duplicate != 9 {
		t.Errorf("counted %+v", c)
	}
	await(t, "the reason", func() bool { return r.Fault() != nil })
	if err := r.Fault(); !strings.Contains(err.Error(), errCut.Error()) {
		t.Errorf("the reason is %v", err)
	}
}

// A connection whose registry is beyond the limit is ended; its memory is free again.
func TestRegistryLimit(t *testing.T) {
	total := tally.New(tally.Config{})
	r := New(total, Limits{Body: 4096})
	address := serve(t, r)
	c := send(t, address, entered(1, strings.Repeat("x", 5000)))
	await(t, "the refusal", func() bool { return total.Counts().Malformed == 1 })
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection goes on")
	}
	await(t, "memory", func() bool { return r.held.Load() == 0 })
	send(t, address, captured(t))
	await(t, "13 spans", func() bool { return total.Counts().Spans == 13 })
}
