package scouter

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

// serve runs a receiver until the test ends, and returns where it listens.
func serve(t *testing.T, r *Receiver) (overTCP, overUDP string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve(l, packets) }()
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String(), packets.LocalAddr().String()
}

func dial(t *testing.T, network, address string) net.Conn {
	t.Helper()
	c, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func write(t *testing.T, c net.Conn, b []byte) {
	t.Helper()
	if _, err := c.Write(b); err != nil {
		t.Fatal(err)
	}
}

func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func TestReceiver(t *testing.T) {
	total := tally.New(tally.Config{Checking: true, MaxSpans: 1000})
	r := New(total, Limits{Body: 1 << 20, Header: 10 * time.Second})
	overTCP, overUDP := serve(t, r)
	agent := dial(t, "udp", overUDP)
	for _, d := range captured(t) {
		write(t, agent, d)
	}
	await(t, "44 spans", func() bool { return total.Counts().Spans == 44 })
	write(t, agent, []byte("hello"))
	await(t, "a refusal", func() bool { return total.Counts().Malformed == 1 && r.Fault() != nil })
	if err := r.Fault(); !strings.Contains(err.Error(), errDatagram.Error()) {
		t.Errorf("the reason is %v", err)
	}
	write(t, dial(t, "tcp", overTCP), []byte{0xCA, 0xFE, 0x10, 0x02, 1, 2, 3, 4})
	await(t, "the connection", func() bool { return total.Counts().Requests == uint64(len(captured(t)))+1 })
	stranger := dial(t, "tcp", overTCP)
	write(t, stranger, []byte("GET / HTTP/1.1\r\n\r\n"))
	if _, err := stranger.Read(make([]byte, 1)); err == nil {
		t.Error("a stranger's connection goes on")
	}
	if c := total.Counts(); c.Malformed != 2 || c.Protocols[protocol] != c.Requests {
		t.Errorf("counted %+v", c)
	}
}

// Told to stop before it began to serve, it does not serve.
func TestClosedBefore(t *testing.T) {
	r := New(tally.New(tally.Config{}), Limits{Body: 1 << 20, Header: time.Second})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Serve(l, packets); err != nil {
		t.Error(err)
	}
}

// A step that stands for ten calls is one span, into which nine are merged; where it is thrown away they are in no count
// either. More calls than a step can stand for are no number of calls.
func TestStepOfManyCalls(t *testing.T) {
	const manyCalls = 11 // its form begins with a hash and the number of calls
	ten := []byte{1, 5, 1, 10, 1, 1, 1, 1}
	for lose, want := range map[float64]uint64{0: 9, 1: 0} {
		total := tally.New(tally.Config{Lose: lose})
		batch := total.Batch()
		if !step(batch, []byte("12345678"), manyCalls, &reader{rest: ten}) {
			t.Fatal("it is malformed")
		}
		total.Merge(batch, protocol, 0)
		if c := total.Counts(); c.Merged != want || c.Spans+c.Thrown != 1 {
			t.Errorf("losing %g: %d merged, want %d; %d spans, %d thrown away", lose, c.Merged, want, c.Spans, c.Thrown)
		}
	}
	total := tally.New(tally.Config{})
	batch := total.Batch()
	defer total.Discard(batch)
	if step(batch, []byte("12345678"), manyCalls, &reader{rest: []byte{1, 5, 8, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 1, 1}}) {
		t.Errorf("so many calls are taken: %d merged", batch.Merged)
	}
}
