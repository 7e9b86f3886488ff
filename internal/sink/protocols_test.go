package sink

import (
	"errors"
	"net"
	"testing"

	"github.com/tracetax/tracetax/internal/protocol"
)

// Every protocol of the table has a receiver, can be asked for alone, on a free port, and is ended by Close.
func TestEveryProtocolAlone(t *testing.T) {
	for _, row := range protocol.Table {
		if (makers[row.Name] == nil) != (row.Name == protocol.Scouter) {
			t.Errorf("%s has no receiver, or one that is never made", row.Name)
		}
		t.Run(string(row.Name), func(t *testing.T) {
			s, err := Start(Config{Listen: protocol.Addresses{row.Name: "127.0.0.1:0"}})
			if err != nil {
				t.Fatal(err)
			}
			address := s.Addresses()[row.Name]
			if len(s.Addresses()) != 1 || address == "" {
				t.Errorf("%s alone is served at %v", row.Name, s.Addresses())
			}
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(conn.Close(), s.Close()); err != nil {
				t.Error(err)
			}
			again, err := net.Listen("tcp", address)
			if err != nil {
				t.Fatalf("the address is not free after Close: %v", err)
			}
			_ = again.Close()
		})
	}
}

// Scouter's packets and its connections come to ports of one number.
func TestScouterHasBothPorts(t *testing.T) {
	s, err := Start(Config{Listen: protocol.Addresses{protocol.Scouter: "127.0.0.1:0"}})
	if err != nil {
		t.Fatal(err)
	}
	packets, err := net.ListenPacket("udp", s.Addresses()[protocol.Scouter])
	if err == nil {
		_ = packets.Close()
		t.Error("nobody listens for packets")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if packets, err = net.ListenPacket("udp", s.Addresses()[protocol.Scouter]); err != nil {
		t.Fatal(err)
	}
	_ = packets.Close()
}

// A taken address is an error that names the protocol, and leaves nothing behind.
func TestTakenAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := Start(Config{Listen: protocol.Addresses{protocol.Zipkin: "127.0.0.1:0", protocol.Datadog: l.Addr().String()}}); err == nil {
		t.Error("it started")
	}
}
