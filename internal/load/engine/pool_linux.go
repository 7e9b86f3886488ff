// The connections of an event loop: opened when needed, kept between tasks.

package engine

import (
	"errors"
	"net/netip"

	"golang.org/x/sys/unix"
)

// conn is one connection with its calls. Parts that only some connections need are behind pointers: an idle one is small.
type conn struct {
	fd      int
	slot    int32  // index in loop.conns
	age     uint32 // tells its events from those of the slot's earlier connections
	server  *server
	addr    netip.AddrPort // of the server
	place   int            // index in server.free; -1 while it takes no more calls
	load    int            // calls on it
	up      bool           // TCP is established
	ready   bool           // calls may be made
	used    bool           // it has carried a whole response
	task    uint32         // the last task of which it has carried a request
	stamped bool           // the kernel reports when bytes come in
	err     error          // of a write; the connection must be closed
	lost    error          // of a write, while the received bytes are still read
	out     []byte         // still to be written
	base    []byte         // out's memory
	queue   callQueue
	http1   http1
}

// server is a target with its connections; it outlives the tasks.
type server struct {
	addrs []netip.AddrPort
	first int     // index of the address that last worked
	free  []*conn // a stack of those that take more calls, so few do most of the work; nil: a closed one
}

// server returns the server of a target, a known one or a new one.
func (l *loop) server(t target) *server {
	s, ok := l.servers[t.key]
	if !ok {
		s = &server{}
		l.servers[t.key] = s
	}
	s.addrs, s.first = t.addrs, 0
	return s
}

// obtain returns a connection to s that takes a call, a new one if need be; nil if the most are open and busy.
func (l *loop) obtain(s *server) (*conn, error) {
	if c := s.pop(); c != nil {
		return c, nil
	}
	if l.open >= l.most && !l.closeIdle() {
		return nil, nil
	}
	return l.reach(s)
}

// reach opens a connection to the address of s that last worked, or to the next one that can be tried.
func (l *loop) reach(s *server) (c *conn, err error) {
	for range s.addrs {
		if c, err = l.connect(s, s.addrs[s.first]); err == nil {
			return c, nil
		}
		s.first = (s.first + 1) % len(s.addrs)
	}
	return nil, err
}

func (s *server) pop() *conn {
	for n := len(s.free); n > 0; n = len(s.free) {
		c := s.free[n-1]
		s.free = s.free[:n-1]
		if c != nil {
			c.place = -1
			return c
		}
	}
	return nil
}

// connect opens a connection without waiting for it to be established.
func (l *loop) connect(s *server, addr netip.AddrPort) (*conn, error) {
	fd, err := openSocket(addr, l.source())
	if err != nil {
		return nil, err
	}
	c := l.take(fd)
	c.server, c.addr = s, addr
	const events = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP
	if err := l.poll.add(fd, events, c.slot, c.age); err != nil {
		l.close(c)
		return nil, err
	}
	return c, nil
}

// source returns the local address for the next connection; the zero address leaves the choice to the system.
func (l *loop) source() netip.Addr {
	sources := l.plan.sources
	if len(sources) == 0 {
		return netip.Addr{}
	}
	l.made++
	return sources[(l.made-1)%len(sources)]
}

// take puts a new connection in a free slot.
func (l *loop) take(fd int) *conn {
	l.open++
	l.opening++
	if n := len(l.free); n > 0 {
		c := l.conns[l.free[n-1]]
		l.free = l.free[:n-1]
		*c = conn{fd: fd, slot: c.slot, age: c.age + 1, place: -1, http1: http1{conn: c, response: response{line: c.http1.response.line[:0]}}}
		return c
	}
	c := &conn{fd: fd, slot: int32(len(l.conns)), place: -1}
	c.http1.conn = c
	l.conns = append(l.conns, c)
	return c
}

// close closes a connection without calls.
func (l *loop) close(c *conn) {
	if c.place >= 0 {
		c.server.free[c.place] = nil
	}
	// The kernel takes the socket out of the epoll set; an error could change nothing.
	_ = unix.Close(c.fd)
	c.fd, c.place = -1, -1
	l.open--
	if !c.ready {
		l.opening--
	}
	l.emptied(c)
	l.free = append(l.free, c.slot)
}

// keep puts a connection aside for the next call, if it takes more.
func (l *loop) keep(c *conn) {
	if c.place >= 0 || c.load > 0 {
		return
	}
	c.place = len(c.server.free)
	c.server.free = append(c.server.free, c)
}

// closeIdle closes some idle connection, false if there is none.
func (l *loop) closeIdle() bool {
	for _, s := range l.servers {
		for i := len(s.free) - 1; i >= 0; i-- {
			if c := s.free[i]; c != nil && c.load == 0 {
				l.close(c)
				return true
			}
		}
	}
	return false
}

// trim closes idle connections down to the most that may be open.
func (l *loop) trim() {
	for l.open > l.most && l.closeIdle() {
	}
}

// A connection from its opening until calls can be made on it.

// connected handles the first news of a connection, and reports whether it is established.
func (l *loop) connected(c *conn) bool {
	errno, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	switch {
	case err != nil:
		l.connectFailed(c, err)
		return false
	case errno != 0:
		l.connectFailed(c, unix.Errno(errno))
		return false
	}
	c.up = true
	l.tally.connected++
	age := c.age
	l.ready(c)
	l.afterSession(c)
	return c.is(age)
}

// ready lets calls be made on c.
func (l *loop) ready(c *conn) {
	if !c.ready {
		c.ready = true
		l.opening--
		l.freed = l.clock()
	}
}

// Connections that end with calls on them: some calls fail, some are repeated on another connection.

// broken handles a connection that cannot go on.
func (l *loop) broken(c *conn, err error) {
	if c.load == 0 {
		l.close(c)
		return
	}
	l.clock()
	if !c.ready {
		l.feeder.Refused(l.now)
	}
	var again *call // a list, by after
	for k := c.popCall(); k != nil; k = c.popCall() {
		if c.isStaleFor(k) {
			if k.began {
				l.tally.resent++
			}
			k.resent = k.resent || c.used
			k.after, again = again, k
			continue
		}
		l.fail(k, c.reason(k, err))
	}
	l.close(c)
	l.restart(again, c.server)
}

// popCall takes some call off c, nil if there is none.
func (c *conn) popCall() *call {
	if k := c.http1.take(); k != nil {
		return k
	}
	return c.queue.pop()
}

// isStaleFor reports whether c broke like a connection that the server closed while it was idle, and k may be repeated on
// another one.
func (c *conn) isStaleFor(k *call) bool {
	return c.used && !k.resent && (!k.began || k.step().resend && c.http1.response.fresh())
}

// reason returns the failure of k when c ends because of err.
func (c *conn) reason(k *call, err error) error {
	if errors.Is(err, errClosedEarly) && k.began && !c.http1.response.fresh() {
		return errCutShort
	}
	return err
}

// restart moves the calls of a closed connection to others.
func (l *loop) restart(calls *call, s *server) {
	for k := calls; k != nil; k = calls {
		calls = k.after
		c, err := l.another(s)
		if err != nil {
			l.unplaced(k, err)
			continue
		}
		l.assign(c, k)
	}
}

// move lets k continue on another connection: the server closes its own between two steps.
func (l *loop) move(k *call) {
	c := k.conn
	c.load--
	k.conn = nil
	l.again.push(k)
	l.close(c)
}

// rerun repeats calls, as many as there are connections.
func (l *loop) rerun() {
	for k := l.again.first; k != nil; k = l.again.first {
		s := l.targets[k.op.target]
		c, err := l.obtain(s)
		if c == nil && err == nil {
			return
		}
		l.again.pop()
		if err != nil {
			l.unplaced(k, err)
			continue
		}
		l.assign(c, k)
	}
}

// unplaced fails k, which got no connection.
func (l *loop) unplaced(k *call, err error) {
	l.refuse(k.step(), err, l.clock())
	l.busy.remove(k)
	l.ended = append(l.ended, k)
}

// another returns a connection for a call that lost its own: no used one, which might be just as stale.
func (l *loop) another(s *server) (*conn, error) {
	if c := s.pop(); c != nil {
		if !c.used {
			return c, nil
		}
		l.keep(c)
	}
	return l.reach(s)
}

// connectFailed tries the server's next address, if there is one.
func (l *loop) connectFailed(c *conn, err error) {
	l.clock()
	s := c.server
	var again *call
	failed := false
	for k := c.popCall(); k != nil; k = c.popCall() {
		if k.tried++; k.tried < len(s.addrs) {
			k.after, again = again, k
			continue
		}
		l.fail(k, err)
		failed = true
	}
	if failed {
		l.feeder.Refused(l.now)
	}
	l.close(c)
	if s.addrs[s.first] == c.addr { // several calls may fail at one address
		s.first = (s.first + 1) % len(s.addrs)
	}
	l.restart(again, s)
}
