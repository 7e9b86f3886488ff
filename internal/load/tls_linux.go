// TLS between a connection's socket and its session, by crypto/tls. The handshake
// needs a connection that blocks, so a goroutine makes it over buffers that the
// loop fills and empties; the loop goes on meanwhile. Afterwards records are read
// and written by the loop itself: a read that finds no whole record says so with
// a temporary error, which crypto/tls lets one try again.

package load

import (
	"crypto/tls"
	"io"
	"sync"

	"golang.org/x/sys/unix"
)

// tlsLayer is the TLS of one connection.
type tlsLayer struct {
	conn *tls.Conn
	pipe *pipe
}

// shakeHands begins the handshake.
func (l *loop) shakeHands(c *conn) {
	p := &pipe{shaking: true}
	p.news.L = &p.mu
	slot, age := c.slot, c.age
	p.tell = func() { l.mail.put(letter{slot, age}, l.wakeup) }
	c.tls = &tlsLayer{conn: tls.Client(p, c.server.tls), pipe: p}
	secured := c.tls.conn
	l.handshakes.Go(func() { p.finish(secured.Handshake()) })
}

// shook moves on a connection whose handshake has news.
func (l *loop) shook(c *conn) {
	out, done, err := c.tls.pipe.collect(l.buf[:0])
	l.push(c, out)
	switch {
	case c.err != nil:
		l.broken(c, c.err)
	case err != nil:
		l.broken(c, tlsError(err))
	case done && c.server.grpc && c.tls.conn.ConnectionState().NegotiatedProtocol != alpnHTTP2:
		l.broken(c, errNoHTTP2)
	case done:
		if l.greet(c) {
			l.took(c, nil, false) // what came with the end of the handshake
		}
	}
}

// seal sends b as records on c.
func (t *tlsLayer) seal(l *loop, c *conn, b []byte) {
	if t.pipe.out == nil {
		t.pipe.out = l.buffer()
	}
	// Cannot fail: the pipe takes everything, and what broke the connection
	// before is found when reading.
	_, _ = t.conn.Write(b)
	t.flush(l, c)
}

// flush sends what crypto/tls has put out.
func (t *tlsLayer) flush(l *loop, c *conn) {
	l.push(c, t.pipe.out)
	l.put(t.pipe.out)
	t.pipe.out = nil
}

// open decrypts b, and hands what comes of it to c's session.
func (t *tlsLayer) open(l *loop, c *conn, b []byte, hup bool) error {
	if t.pipe.give(b) {
		return nil
	}
	for age := c.age; ; {
		n, err := t.conn.Read(l.plain)
		if n > 0 {
			if err := c.session.feed(l, l.plain[:n], hup || err != nil); err != nil || !c.is(age) {
				return err
			}
		}
		switch {
		case err == nil:
			continue
		case err == errNoRecord:
			t.flush(l, c) // an answer to a change of keys
			return nil
		case err == io.EOF:
			return c.session.end(l)
		}
		return tlsError(err)
	}
}

// close ends a handshake under way.
func (t *tlsLayer) close() { t.pipe.shut() }

// letter names a connection.
type letter struct {
	slot int32
	age  uint32
}

// mailbox holds word of handshakes for the loop.
type mailbox struct {
	mu      sync.Mutex
	letters []letter
}

// put leaves a letter and wakes the loop by its eventfd.
func (m *mailbox) put(a letter, wakeup int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.letters = append(m.letters, a)
	// Fails only when the counter would overflow, and then it wakes all the same.
	_, _ = unix.Write(wakeup, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

// take appends the letters to b.
func (m *mailbox) take(b []letter) []letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	b = append(b, m.letters...)
	m.letters = m.letters[:0]
	return b
}
