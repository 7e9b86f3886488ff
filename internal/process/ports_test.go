package process

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
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

// takePort is another tracetax that is given a port, if it is free, and has not started its program yet.
func takePort(args []string) error {
	port, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	got, err := freeOf([]int{port}, 1)
	fmt.Println(len(got), err)
	if err == nil {
		select {}
	}
	return nil
}

// A port that was given out is given to nobody else, also before its program listens: not here, nor by another tracetax
// until that has ended.
func TestPortsAreReserved(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ports are reserved on Linux only")
	}
	candidates := portsOutside(ephemeral())
	own, err := FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := freeOf(own, 1); err == nil {
		t.Errorf("port %v was given out twice", again)
	}
	other := func(port int) (*exec.Cmd, string) {
		cmd := exec.Command(os.Args[0], strconv.Itoa(port))
		cmd.Env = append(os.Environ(), "TEST_PROGRAM=reserve")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return cmd, line
	}
	if _, said := other(own[0]); said[0] != '0' {
		t.Errorf("another tracetax was given port %d too: %s", own[0], said)
	}
	var theirs *exec.Cmd
	var port int
	for _, port = range candidates { // one that is free
		cmd, said := other(port)
		if said[0] == '1' {
			theirs = cmd
			break
		}
	}
	if again, err := freeOf([]int{port}, 1); err == nil {
		t.Errorf("port %v, which another tracetax has been given, was given out", again)
	}
	if err := theirs.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Wait() // it was killed
	if _, err := freeOf([]int{port}, 1); err != nil {
		t.Errorf("after the other tracetax has ended: %v", err)
	}
}

// Old reservations are given up, so that a long experiment does not run out of files.
func TestReservationsAreBounded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ports are reserved on Linux only")
	}
	r := reservations{most: 2}
	t.Cleanup(func() {
		for _, mark := range r.held {
			_ = mark.Close() // a name without a file
		}
	})
	port := func(i int) int { return -3*os.Getpid() - i } // which no program has, and no other test
	for i := range 3 {
		if !r.take(port(i)) {
			t.Fatalf("port %d is taken", port(i))
		}
	}
	if len(r.held) != 2 || !r.take(port(0)) || r.take(port(2)) {
		t.Errorf("%d are held; the oldest must be free, and the last not", len(r.held))
	}
}
