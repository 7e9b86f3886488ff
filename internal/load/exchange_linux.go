// One operation on one connection: request out, response in, and what can go
// wrong in between.

package load

import (
	"time"

	"golang.org/x/sys/unix"
)

// begin sends the operation w, if a connection can be had for it: one that has
// been free since the given time.
func (l *loop) begin(w wait, freed time.Duration) bool {
	op := &l.plan.ops[w.op]
	s := l.targets[op.target]
	c, err := l.obtain(s)
	if c == nil && err == nil {
		return false
	}
	l.tally.late(w.noticed - w.at + l.now - freed)
	if err != nil {
		l.refuse(kindOf(err), l.now)
		return true
	}
	c.intended, c.deadline = w.at, l.plan.deadline(w.at)
	c.counted, c.resent, c.tried = false, false, 0
	l.send(c, op)
	return true
}

// send begins to write the request of op on c.
func (l *loop) send(c *conn, op *operation) {
	c.op, c.out, c.began = op, op.wire, false
	c.response.reset(op.head)
	l.busy.add(c)
	l.write(c)
}

// write writes what the socket takes. While the connection is not established
// that is nothing.
func (l *loop) write(c *conn) {
	n, errno := write(c.fd, c.out)
	switch {
	case errno == unix.EAGAIN || errno == unix.EINTR:
		return
	case errno != 0 && !c.up:
		l.connectFailed(c, errno)
		return
	case errno != 0:
		l.broken(c, errno)
		return
	}
	if !c.up {
		c.up = true
		l.tally.connected++
	}
	if !c.counted {
		c.counted = true
		l.tally.started++
	}
	c.began = true
	c.out = c.out[n:]
	l.tally.sent += uint64(n)
}

// read reads what there is. hup says that the server has closed its side, so
// that no further event will announce the end.
func (l *loop) read(c *conn, hup bool) {
	for {
		n, errno := read(c.fd, l.buf)
		switch {
		case errno == unix.EAGAIN:
			return
		case errno == unix.EINTR:
			continue
		case errno != 0:
			l.broken(c, errno)
			return
		case n == 0:
			l.ended(c)
			return
		}
		l.tally.received += uint64(n)
		if l.took(c, l.buf[:n], hup) || n < len(l.buf) && !hup {
			return
		}
	}
}

// took hands b to the response and reports whether c is done with.
func (l *loop) took(c *conn, b []byte, hup bool) bool {
	if c.op == nil { // bytes that nobody asked for
		l.close(c)
		return true
	}
	n, err := c.response.feed(b)
	if err != nil {
		l.fail(c, err)
		return true
	}
	if !c.response.done() {
		return false
	}
	l.answered(c, c.response.keep && n == len(b) && len(c.out) == 0 && !hup)
	return true
}

// answered ends the operation on c with its whole response.
func (l *loop) answered(c *conn, keep bool) {
	now := l.clock()
	status := c.response.status
	switch {
	case now >= c.deadline:
		l.tally.timeOut(c.intended, now)
	case c.op.expects(status):
		l.tally.complete(c.intended, now)
	default:
		l.tally.fail(statusKind(status), now)
	}
	l.feeder.answered()
	c.used = true
	l.release(c, keep, now)
}

// ended deals with the server's having closed the connection.
func (l *loop) ended(c *conn) {
	if c.op == nil {
		l.close(c)
		return
	}
	if err := c.response.end(); err != nil {
		l.broken(c, err)
		return
	}
	l.answered(c, false)
}

// broken deals with a connection that cannot go on.
func (l *loop) broken(c *conn, err error) {
	if c.op == nil {
		l.close(c)
		return
	}
	stale := c.used && c.response.fresh() && !c.resent && (c.op.resend || !c.began)
	if !stale {
		l.fail(c, err)
		return
	}
	if c.began {
		l.tally.resent++
	}
	l.again(c, err)
}

// connectFailed tries the server's next address, if there is one.
func (l *loop) connectFailed(c *conn, err error) {
	if c.tried++; c.tried >= len(c.server.addrs) {
		l.feeder.refused(l.now)
		l.fail(c, err)
		return
	}
	c.server.first = (c.server.first + 1) % len(c.server.addrs)
	l.again(c, err)
}

// again moves the operation on c to a new connection, because of err.
func (l *loop) again(c *conn, err error) {
	old := *c
	l.busy.remove(c)
	c.op = nil
	l.close(c)
	c, connectErr := l.connect(old.server, old.server.addrs[old.server.first])
	if connectErr != nil {
		l.refuse(kindOf(connectErr), l.clock())
		return
	}
	c.intended, c.deadline = old.intended, old.deadline
	c.counted, c.tried = old.counted, old.tried
	c.resent = old.resent || old.used
	l.send(c, old.op)
}

// refuse fails an operation for which no connection could be opened.
func (l *loop) refuse(kind string, now time.Duration) {
	l.feeder.refused(now)
	l.tally.fail(kind, now)
}

// fail ends the operation on c with err, and the connection with it.
func (l *loop) fail(c *conn, err error) {
	now := l.clock()
	l.tally.fail(kindOf(err), now)
	l.release(c, false, now)
}

// release frees c from its operation.
func (l *loop) release(c *conn, keep bool, now time.Duration) {
	l.busy.remove(c)
	c.op, c.out = nil, nil
	l.freed = now
	if keep {
		l.keep(c)
		return
	}
	l.close(c)
}

// serve sends the operations that wait for a connection, as far as there are
// connections free.
func (l *loop) serve() {
	for !l.waiting.empty() && l.begin(*l.waiting.first(), l.freed) {
		l.waiting.pop()
		l.clock()
	}
}
