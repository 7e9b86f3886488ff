package sink

import (
	"errors"
	"net"
	"reflect"
	"testing"
)

// Every protocol can be asked for alone, on a free port, and is ended by Close.
func TestEveryProtocolAlone(t *testing.T) {
	fields := reflect.TypeFor[Addresses]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		t.Run(name, func(t *testing.T) {
			var cfg Config
			reflect.ValueOf(&cfg).Elem().FieldByName(name).SetString("127.0.0.1:0")
			s, err := Start(cfg)
			if err != nil {
				t.Fatal(err)
			}
			addresses := reflect.ValueOf(s.Addresses())
			for j := range fields.NumField() {
				if address := addresses.Field(j).String(); (address != "") != (i == j) {
					t.Errorf("%s is at %q", fields.Field(j).Name, address)
				}
			}
			address := addresses.Field(i).String()
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
	s, err := Start(Config{Scouter: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	packets, err := net.ListenPacket("udp", s.Addresses().Scouter)
	if err == nil {
		_ = packets.Close()
		t.Error("nobody listens for packets")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if packets, err = net.ListenPacket("udp", s.Addresses().Scouter); err != nil {
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
	if _, err := Start(Config{Zipkin: "127.0.0.1:0", Datadog: l.Addr().String()}); err == nil {
		t.Error("it started")
	}
}
