// The connections of an event loop: opened when needed, kept between tasks.

package load

import (
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// conn is one connection and the operation under way on it.
type conn struct {
	fd     int
	slot   int32  // index in loop.conns
	age    uint32 // tells events of this connection from those of the slot's former ones
	server *server
	up     bool // the connection is established
	used   bool // it has carried a whole response
	place  int  // index in server.idle; -1 while busy

	op         *operation
	intended   time.Duration
	deadline   time.Duration
	out        []byte // of the request, still to be written
	began      bool   // some of the request has been written on this connection
	counted    bool   // the operation has been counted as started
	resent     bool   // this is the operation's second connection
	tried      int    // addresses of the server that failed for this operation
	response   response
	prev, next *conn // in loop.busy
}

// server is a target with its connections; it outlives the tasks.
type server struct {
	addrs []netip.AddrPort
	first int     // index of the address that last worked
	idle  []*conn // a stack, so that few connections do most of the work; nil where one was closed
}

// server returns the server of a target, known from a task before or not.
func (l *loop) server(t target) *server {
	s, ok := l.servers[t.address]
	if !ok {
		s = &server{}
		l.servers[t.address] = s
	}
	s.addrs, s.first = t.addrs, 0
	return s
}

// obtain returns a free connection to s, a new one if need be; nil if as many
// are busy as may be open.
func (l *loop) obtain(s *server) (*conn, error) {
	if c := s.pop(); c != nil {
		return c, nil
	}
	if l.open >= l.most && !l.closeIdle() {
		return nil, nil
	}
	return l.connect(s, s.addrs[s.first])
}

func (s *server) pop() *conn {
	for n := len(s.idle); n > 0; n = len(s.idle) {
		c := s.idle[n-1]
		s.idle = s.idle[:n-1]
		if c != nil {
			c.place = -1
			return c
		}
	}
	return nil
}

// connect opens a connection without waiting for it to be established.
func (l *loop) connect(s *server, addr netip.AddrPort) (*conn, error) {
	fd, err := openSocket(addr)
	if err != nil {
		return nil, err
	}
	c := l.take(fd)
	c.server = s
	const events = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP
	if err := l.poll.add(fd, events, c.slot, c.age); err != nil {
		l.close(c)
		return nil, err
	}
	return c, nil
}

// take puts a new connection in a free slot.
func (l *loop) take(fd int) *conn {
	l.open++
	if n := len(l.free); n > 0 {
		c := l.conns[l.free[n-1]]
		l.free = l.free[:n-1]
		*c = conn{fd: fd, slot: c.slot, age: c.age + 1, place: -1, response: response{line: c.response.line[:0]}}
		return c
	}
	c := &conn{fd: fd, slot: int32(len(l.conns)), place: -1}
	l.conns = append(l.conns, c)
	return c
}

// close closes a connection that carries no operation any more.
func (l *loop) close(c *conn) {
	if c.place >= 0 {
		c.server.idle[c.place] = nil
	}
	// The kernel takes the socket out of the epoll set; an error could change nothing.
	_ = unix.Close(c.fd)
	c.fd, c.place = -1, -1
	l.open--
	l.free = append(l.free, c.slot)
}

// keep puts a connection aside for the next operation.
func (l *loop) keep(c *conn) {
	c.place = len(c.server.idle)
	c.server.idle = append(c.server.idle, c)
}

// closeIdle closes some idle connection, false if there is none.
func (l *loop) closeIdle() bool {
	for _, s := range l.servers {
		if c := s.pop(); c != nil {
			l.close(c)
			return true
		}
	}
	return false
}

// trim closes idle connections until no more than may be are open.
func (l *loop) trim() {
	for l.open > l.most && l.closeIdle() {
	}
}
