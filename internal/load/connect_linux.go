// A connection from the moment when it is asked of the kernel until calls can be
// made on it: TCP, TLS, and what the protocol says first.

package load

import "golang.org/x/sys/unix"

// connected deals with the first news of a connection, and reports whether it is
// established.
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
	if c.server.tls != nil {
		l.shakeHands(c)
		return true
	}
	return l.greet(c)
}

// greet has the session begin, and reports whether the connection is still there.
func (l *loop) greet(c *conn) bool {
	age := c.age
	c.session.greet(l)
	l.settle(c)
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
