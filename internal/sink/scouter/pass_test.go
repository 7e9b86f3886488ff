package scouter

import (
	"io"
	"net"
	"testing"
	"time"

	names "github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink/forward"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

// passing returns a receiver that passes on to address, over TCP and UDP.
func passing(t *testing.T, total *tally.Total, address string) *Receiver {
	t.Helper()
	target, err := forward.Target(names.Scouter, address)
	if err != nil {
		t.Fatal(err)
	}
	backend, err := forward.Collect(target)
	if err != nil {
		t.Fatal(err)
	}
	r := New(total, Limits{Body: 1 << 20, Header: 10 * time.Second})
	r.PassOn(backend)
	return r
}

// The server gets every datagram as it came, and on an agent's connection the two talk.
func TestPassOn(t *testing.T) {
	backend := tally.New(tally.Config{Checking: true, MaxSpans: 1000})
	_, packets := serve(t, New(backend, Limits{Body: 1 << 20, Header: 10 * time.Second}))
	total := tally.New(tally.Config{Checking: true, MaxSpans: 1000})
	_, overUDP := serve(t, passing(t, total, packets))
	agent := dial(t, "udp", overUDP)
	write(t, agent, []byte("hello"))
	for _, d := range captured(t) {
		write(t, agent, d)
	}
	all := uint64(len(captured(t)))
	await(t, "all datagrams, here and there", func() bool { return total.Counts().Requests == all && backend.Counts().Requests == all })
	c, b := total.Counts(), backend.Counts()
	if c.Forwarded != 44 || c.Refused != 0 || b.Spans != 44 || b.Malformed != 1 || b.Bytes != c.Bytes {
		t.Errorf("counted %+v, and there %+v", c, b)
	}
}

func TestPassOnConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	overTCP, _ := serve(t, passing(t, tally.New(tally.Config{}), l.Addr().String()))
	agent := dial(t, "tcp", overTCP)
	hello := string([]byte{0xCA, 0xFE, 0x10, 0x02, 1, 2, 3, 4})
	write(t, agent, []byte(hello+"agent"))
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	read(t, server, hello+"agent")
	write(t, server, []byte("server"))
	read(t, agent, "server")
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := agent.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the server has ended the connection, and the agent sees %v", err)
	}
}

func read(t *testing.T, c net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Fatalf("read %q, %v; want %q", got, err, want)
	}
}

// Where nobody listens nothing is told as forwarded, and a connection ends at once.
func TestPassOnToNobody(t *testing.T) {
	total := tally.New(tally.Config{Checking: true, MaxSpans: 1000})
	overTCP, overUDP := serve(t, passing(t, total, nobody(t)))
	agent := dial(t, "udp", overUDP)
	for _, d := range captured(t) {
		write(t, agent, d)
	}
	await(t, "44 spans", func() bool { return total.Counts().Spans == 44 })
	if c := total.Counts(); c.Refused != 44 || c.Forwarded != 0 {
		t.Errorf("counted %+v", c)
	}
	connection := dial(t, "tcp", overTCP)
	write(t, connection, []byte{0xCA, 0xFE, 0x10, 0x02, 1, 2, 3, 4})
	if _, err := connection.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the agent's connection: %v", err)
	}
}

// nobody is an address on which nobody listens, over neither TCP nor UDP.
func nobody(t *testing.T) string {
	t.Helper()
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := packets.Close(); err != nil {
		t.Fatal(err)
	}
	return packets.LocalAddr().String()
}
