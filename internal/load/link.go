// The connections of the goroutine engine.

package load

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"time"
)

// link is one connection.
type link struct {
	conn     net.Conn
	used     bool // it has carried a whole response
	response response
	buf      []byte
}

// obtain returns an idle connection unless a fresh one is asked for, otherwise a new one.
func (w *workers) obtain(ctx context.Context, address string, fresh bool, deadline time.Time, u *use) (*link, error) {
	for !fresh {
		c := w.pop(address)
		if c == nil {
			break
		}
		if err := c.conn.SetDeadline(deadline); err == nil && c.quiet() {
			return c, nil
		}
		c.close()
	}
	d := net.Dialer{Deadline: deadline}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	u.connected++
	c := &link{conn: conn, buf: make([]byte, 16<<10)}
	if err := conn.SetDeadline(deadline); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (w *workers) pop(address string) *link {
	w.mu.Lock()
	defer w.mu.Unlock()
	links := w.idle[address]
	if len(links) == 0 {
		return nil
	}
	c := links[len(links)-1]
	w.idle[address] = links[:len(links)-1]
	return c
}

// put keeps c for the next operation, if it can be used again.
func (w *workers) put(address string, c *link) {
	if !c.response.keep {
		c.close()
		return
	}
	c.used = true
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle[address] = append(w.idle[address], c)
}

// close closes the connection; nothing on it matters any more.
func (c *link) close() { _ = c.conn.Close() }

// quiet reports whether an idle connection is still open, with nothing on it.
func (c *link) quiet() bool {
	s, ok := c.conn.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false
	}
	var b [1]byte
	var peekErr error
	err = raw.Read(func(fd uintptr) bool {
		_, _, peekErr = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
		return true
	})
	return err == nil && (errors.Is(peekErr, syscall.EAGAIN) || errors.Is(peekErr, syscall.EWOULDBLOCK))
}

// exchange sends op and reads the response.
func (c *link) exchange(ctx context.Context, op *operation, u *use) (int, error) {
	forget := context.AfterFunc(ctx, func() {
		// Fails on a closed connection only, which has no reader to wake.
		_ = c.conn.SetDeadline(time.Unix(1, 0))
	})
	defer forget()
	c.response.reset(op.head)
	n, err := c.conn.Write(op.wire)
	u.sent += uint64(n)
	if err != nil {
		return 0, err
	}
	for !c.response.done() {
		if err := c.read(u); err != nil {
			return 0, err
		}
	}
	return c.response.status, nil
}

func (c *link) read(u *use) error {
	n, err := c.conn.Read(c.buf)
	u.received += uint64(n)
	m, bad := c.response.feed(c.buf[:n])
	switch {
	case bad != nil:
		return bad
	case errors.Is(err, io.EOF):
		return c.response.end()
	case m < n:
		c.response.keep = false
	}
	return err
}

// stale reports whether the connection broke as one does that the server closed
// while it was idle, and whether op may then be sent again.
func (c *link) stale(op *operation, sent bool) bool {
	return c.used && c.response.fresh() && (op.resend || !sent)
}
