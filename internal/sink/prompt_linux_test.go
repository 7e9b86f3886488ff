// Whether what a sender sent is acknowledged when it has been read.

package sink

import (
	"io"
	"net"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const (
	settling = 40 // exchanges after which the kernel puts acknowledgements off: it takes a new connection's first ones for a download's
	asked    = 40 // exchanges that are looked at
)

// A sender's bytes are acknowledged once they were read. On a connection as the kernel has it
// they are not, where an answer was sent to those before.
func TestReadIsAcknowledged(t *testing.T) {
	plain := func(l net.Listener) net.Listener { return l }
	if n := acknowledged(t, plain); n > asked/2 {
		t.Skipf("this kernel acknowledged %d of %d at once by itself: there is nothing to see", n, asked)
	}
	if n := acknowledged(t, promptly); n < asked*3/4 {
		t.Errorf("%d of %d were acknowledged", n, asked)
	}
}

// acknowledged is in how many exchanges a sender's bytes were acknowledged when the receiver
// had read them, and had not answered yet.
func acknowledged(t *testing.T, wrap func(net.Listener) net.Listener) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	sender, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	receiver, err := wrap(l).Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.Close()
	n := 0
	for i := range settling + asked {
		exchange(t, sender, receiver)
		if i >= settling && unacknowledged(t, sender) == 0 {
			n++
		}
		exchange(t, receiver, sender)
	}
	return n
}

func exchange(t *testing.T, from, to net.Conn) {
	t.Helper()
	message := make([]byte, 200)
	if _, err := from.Write(message); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(to, message); err != nil {
		t.Fatal(err)
	}
}

// unacknowledged is how many segments of a sender are not acknowledged.
func unacknowledged(t *testing.T, c net.Conn) (n uint32) {
	t.Helper()
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var info *unix.TCPInfo
	var failed error
	if err := raw.Control(func(fd uintptr) { info, failed = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) }); err != nil {
		t.Fatal(err)
	}
	if failed != nil {
		t.Fatal(failed)
	}
	return info.Unacked
}
