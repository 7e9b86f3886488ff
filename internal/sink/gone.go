// This file has listeners behind which nobody receives, by order.

package sink

import (
	"errors"
	"fmt"
	"net"
	"sync"

	"golang.org/x/sys/unix"
)

// How a sink may be no receiver at all.
const (
	Away      = "away"      // nobody listens at its address: connections are refused
	Silent    = "silent"    // connections are accepted, and never read
	Resetting = "resetting" // connections are accepted, and reset at once
)

// gone returns a listener that hands out no connection until it is closed.
func gone(l net.Listener, how string) net.Listener {
	return &unserved{Listener: l, reset: how == Resetting}
}

type unserved struct {
	net.Listener
	reset bool

	mu     sync.Mutex
	held   []net.Conn
	closed bool
}

// Accept treats every connection as was ordered, and returns when the listener is closed.
func (u *unserved) Accept() (net.Conn, error) {
	for {
		c, err := u.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if !u.reset {
			u.hold(c)
			continue
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // or else the connection is closed in order
		}
		_ = c.Close()
	}
}

// hold keeps a connection until the listener is closed, which it may be by now.
func (u *unserved) hold(c net.Conn) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		_ = c.Close() // nobody has used it
		return
	}
	u.held = append(u.held, c)
}

// Close ends what was held too.
func (u *unserved) Close() error {
	err := u.Listener.Close()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for _, c := range u.held {
		_ = c.Close() // nobody has used it
	}
	u.held = nil
	return err
}

// reserved is an address that nobody else can get, and at which nobody listens.
type reserved struct {
	socket  int
	address net.Addr
	closed  chan struct{}
	once    sync.Once
}

// reserve binds a socket, and leaves it at that: the kernel refuses connections to it.
func reserve(address string) (net.Listener, error) {
	at, err := net.ResolveTCPAddr("tcp4", address)
	if err != nil {
		return nil, err
	}
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(socket)
	local := &unix.SockaddrInet4{Port: at.Port}
	copy(local.Addr[:], at.IP.To4())
	if err := unix.Bind(socket, local); err != nil {
		return nil, errors.Join(err, unix.Close(socket))
	}
	got, err := unix.Getsockname(socket)
	if err != nil {
		return nil, errors.Join(err, unix.Close(socket))
	}
	bound, ok := got.(*unix.SockaddrInet4)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the kernel names %T as its address", got), unix.Close(socket))
	}
	return &reserved{socket: socket, address: &net.TCPAddr{IP: bound.Addr[:], Port: bound.Port}, closed: make(chan struct{})}, nil
}

// Accept returns when the listener is closed.
func (r *reserved) Accept() (net.Conn, error) {
	<-r.closed
	return nil, net.ErrClosed
}

// Close gives the address back.
func (r *reserved) Close() error {
	err := net.ErrClosed
	r.once.Do(func() {
		close(r.closed)
		err = unix.Close(r.socket)
	})
	return err
}

// Addr is the address that is kept.
func (r *reserved) Addr() net.Addr { return r.address }
