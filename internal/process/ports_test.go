package process

import (
	"io"
	"net"
	"testing"
)

// A port on which connections have just ended is not taken, as long as nobody listens.
func TestPortTakenByTheEnd(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if PortTaken(port) == nil {
		t.Error("a port that a program listens on is said to be free")
	}
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil { // whose end waits for a minute, since it ends first
		t.Fatal(err)
	}
	if _, err := io.ReadAll(client); err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if tryBind(port, false) == nil {
		t.Fatal("the connection has left nothing behind on its port, so that nothing is tested")
	}
	if err := PortTaken(port); err != nil {
		t.Errorf("after its listener has ended: %v", err)
	}
}
