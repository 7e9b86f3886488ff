package inspect

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"slices"
	"testing"
)

// A connection is told by the other end of whoever opened it, in both versions of IP; whoever takes it has it open too.
func TestSockets(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", "[::1]:0"} {
		listener, err := net.Listen("tcp", at)
		if err != nil {
			t.Logf("%s: %v: not tried", at, err) // a machine without IPv6
			continue
		}
		defer listener.Close()
		address := listener.Addr().(*net.TCPAddr).AddrPort()
		conn, err := net.Dial("tcp", address.String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		taken, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
		got := new(Tables).Of([]int{os.Getpid()})
		if !slices.Contains(got.Listening, address) {
			t.Errorf("listening at %v, without %v", got.Listening, address)
		}
		if !connected(got, address) {
			t.Errorf("connected to %v, without %v", got.Connected, address)
		}
		if incoming := conn.LocalAddr().(*net.TCPAddr).AddrPort(); connected(got, incoming) {
			t.Errorf("%v, which was taken, is among those that were opened: %v", incoming, got.Connected)
		}
	}
}

func connected(s Sockets, to netip.AddrPort) bool {
	return slices.ContainsFunc(s.Connected, func(c Connection) bool { return c.Remote == to })
}

// Tables are of one moment, whoever is asked about: what is opened later is not in them.
func TestTablesAreReadOnce(t *testing.T) {
	var tables Tables
	tables.Of([]int{os.Getpid()}) // may be none
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	address := listener.Addr().(*net.TCPAddr).AddrPort()
	if got := tables.Of([]int{os.Getpid()}); slices.Contains(got.Listening, address) {
		t.Errorf("%v was read again", address)
	}
	if got := new(Tables).Of([]int{os.Getpid()}); !slices.Contains(got.Listening, address) {
		t.Errorf("%v is not in a later table", address)
	}
}

func TestEnd(t *testing.T) {
	for text, want := range map[string]string{"0100007F:10DE": "127.0.0.1:4318", "0000000000000000FFFF00000100007F:10DD": "127.0.0.1:4317"} {
		if got, ok := end(text); !ok || binary.NativeEndian.Uint16([]byte{1, 0}) == 1 && got != netip.MustParseAddrPort(want) {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
	for _, text := range []string{"local_address", "", "0100:10DE", "0100007F:", "0100007F:123456"} {
		if got, ok := end(text); ok {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}
