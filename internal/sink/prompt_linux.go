// This file has the kernel acknowledge at once what a sender sent, so the interface of
// this machine alone does not slow senders down.

package sink

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// promptly returns l with connections that acknowledge what they read.
//
// Linux puts an acknowledgement off by up to 40 ms, in case an answer can take it along. A
// sender that leaves Nagle's algorithm on, as OkHttp does in the Java agents, does not send a
// segment that is not full before the last is acknowledged: a header, and then the body. On a
// network a segment holds 1,460 bytes, so most of an export goes out all the same; on
// loopback it holds 64 KB, and every export would wait.
func promptly(l net.Listener) net.Listener { return promptListener{l} }

type promptListener struct{ net.Listener }

// Accept accepts a connection. One whose socket cannot be reached stays as it is.
func (l promptListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	with, ok := c.(syscall.Conn)
	if !ok {
		return c, nil
	}
	raw, err := with.SyscallConn()
	if err != nil {
		return c, nil
	}
	return promptConn{c, raw}, nil
}

type promptConn struct {
	net.Conn
	raw syscall.RawConn
}

// Read reads, and acknowledges what has come so far.
func (c promptConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		_ = c.raw.Control(acknowledge) // fails on a connection that has been closed, as the next Read will tell
	}
	return n, err
}

// acknowledge sends an acknowledgement that is put off. The option does not last: the kernel
// goes back to putting them off.
func acknowledge(fd uintptr) {
	_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1) // what cannot be hurried comes late
}
