// The connections of the goroutine engine.

package load

import (
	"context"
	"crypto/tls"
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
	room     []byte // for a request that differs each time
}

// obtain returns an idle connection unless a fresh one is asked for, otherwise a new one.
func (w *workers) obtain(ctx context.Context, t *target, fresh bool, deadline time.Time, u *use) (*link, error) {
	for !fresh {
		c := w.pop(t.key)
		if c == nil {
			break
		}
		if err := c.conn.SetDeadline(deadline); err == nil && c.quiet() {
			return c, nil
		}
		c.close()
	}
	d := net.Dialer{Deadline: deadline, LocalAddr: w.source()}
	conn, err := d.DialContext(ctx, "tcp", t.address)
	if err != nil {
		return nil, err
	}
	u.connected++
	if t.tls != nil {
		if conn, err = w.secure(ctx, conn, t, deadline); err != nil {
			return nil, err
		}
	}
	c := &link{conn: conn, buf: make([]byte, 16<<10)}
	if err := conn.SetDeadline(deadline); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// source is the local address for the next connection, nil for the system's choice.
func (w *workers) source() net.Addr {
	sources := w.plan.sources
	if len(sources) == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made++
	return &net.TCPAddr{IP: sources[(w.made-1)%len(sources)].AsSlice()}
}

// secure shakes hands on conn.
func (w *workers) secure(ctx context.Context, conn net.Conn, t *target, deadline time.Time) (net.Conn, error) {
	config := t.tls.Clone()
	config.ClientSessionCache = w.cache
	secured := tls.Client(conn, config)
	err := conn.SetDeadline(deadline)
	if err == nil {
		if err = secured.HandshakeContext(ctx); err != nil && !isTimeout(err) && ctx.Err() == nil {
			err = tlsError(err)
		}
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}

func (w *workers) pop(key string) *link {
	w.mu.Lock()
	defer w.mu.Unlock()
	links := w.idle[key]
	if len(links) == 0 {
		return nil
	}
	c := links[len(links)-1]
	w.idle[key] = links[:len(links)-1]
	return c
}

// put keeps c for the next operation, if it can be used again.
func (w *workers) put(key string, c *link) {
	if !c.response.keep {
		c.close()
		return
	}
	c.used = true
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle[key] = append(w.idle[key], c)
}

// close closes the connection; nothing on it matters any more.
func (c *link) close() { _ = c.conn.Close() }

// quiet reports whether an idle connection is still open, with nothing on it.
func (c *link) quiet() bool {
	conn := c.conn
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	s, ok := conn.(syscall.Conn)
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

// exchange sends the step of k and reads the response.
func (c *link) exchange(ctx context.Context, k *walk, nth uint64, u *use) (int, error) {
	forget := context.AfterFunc(ctx, func() {
		// Fails on a closed connection only, which has no reader to wake.
		_ = c.conn.SetDeadline(time.Unix(1, 0))
	})
	defer forget()
	step := k.step()
	c.response.reset(step.head)
	if len(step.takes) > 0 {
		c.response.tape = &tape{}
	}
	var wire []byte
	wire, c.room = k.bytes(nth, c.room)
	n, err := c.conn.Write(wire)
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
