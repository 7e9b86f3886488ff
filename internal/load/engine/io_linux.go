// Bytes between sockets and HTTP/1.1.

package engine

import "golang.org/x/sys/unix"

// mostSpare is the largest size of a write buffer kept for other connections.
const mostSpare = 64 << 10

// emit writes b on c, and keeps the part that the socket does not take. An error is left in c.err.
func (l *loop) emit(c *conn, b []byte) {
	if len(c.out) == 0 && c.err == nil {
		b = b[l.write(c, b):]
	}
	if len(b) == 0 || c.err != nil {
		return
	}
	if c.base == nil {
		c.base = l.buffer()
	}
	at := len(c.base) - len(c.out) // the begin of the unwritten part
	c.base = append(c.base, b...)
	c.out = c.base[at:]
}

// buffer returns an empty buffer.
func (l *loop) buffer() []byte {
	n := len(l.spare)
	if n == 0 {
		return make([]byte, 0, 4<<10)
	}
	b := l.spare[n-1]
	l.spare = l.spare[:n-1]
	return b
}

// put keeps a buffer for reuse.
func (l *loop) put(b []byte) {
	if b != nil && cap(b) <= mostSpare {
		l.spare = append(l.spare, b[:0])
	}
}

// emptied gives c's write buffer back.
func (l *loop) emptied(c *conn) {
	l.put(c.base)
	c.base, c.out = nil, nil
}

// write writes the part of b that the socket takes, and returns its length.
func (l *loop) write(c *conn, b []byte) int {
	if len(b) == 0 {
		return 0
	}
	n, errno := write(c.fd, b)
	switch {
	case errno == unix.EAGAIN || errno == unix.EINTR:
		return 0
	case errno != 0:
		c.err = errno
		return 0
	}
	l.tally.sent += uint64(n)
	return n
}

// resume continues writing when the socket takes more.
func (l *loop) resume(c *conn) {
	c.out = c.out[l.write(c, c.out):]
	if len(c.out) > 0 {
		return
	}
	l.emptied(c)
}

// read reads all available bytes. hup: the server has closed its side, so no further event will announce the end.
func (l *loop) read(c *conn, hup bool) {
	defer l.unstamp()
	age := c.age
	for {
		n, errno := l.receive(c)
		switch {
		case errno == unix.EAGAIN:
			return
		case errno == unix.EINTR:
			continue
		case errno != 0:
			l.broken(c, errno)
			return
		case n == 0:
			l.closed(c)
			return
		}
		l.tally.received += uint64(n)
		l.took(c, l.buf[:n], hup)
		if !c.is(age) || n < len(l.buf) && !hup {
			return
		}
	}
}

// is reports whether c is still the connection of the given age.
func (c *conn) is(age uint32) bool { return c.fd >= 0 && c.age == age }

// took hands b to the protocol.
func (l *loop) took(c *conn, b []byte, hup bool) {
	age := c.age
	err := c.http1.feed(l, b, hup)
	switch {
	case !c.is(age):
	case err != nil:
		l.broken(c, err)
	default:
		l.afterSession(c)
	}
}

// closed handles the server's close of the connection. After a write error the end of the bytes does not show that a response
// is whole.
func (l *loop) closed(c *conn) {
	if c.lost != nil {
		l.broken(c, c.lost)
		return
	}
	age := c.age
	if err := c.http1.end(l); c.is(age) {
		l.broken(c, err)
	}
}
