// TLS between a connection's socket and its session, by crypto/tls. The handshake
// needs a connection that blocks, so a goroutine makes it over buffers that the
// loop fills and empties; the loop goes on meanwhile. Afterwards records are read
// and written by the loop itself: a read that finds no whole record says so with
// a temporary error, which crypto/tls lets one try again.

package engine

import (
	"crypto/tls"
	"io"
	"net"
	"os"
	"sync"
	"time"

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

// The connection that crypto/tls believes it has: two buffers.

// pipe is the net.Conn under a tls.Conn. While the handshake lasts it belongs to
// two goroutines, and mu guards it; then to the loop alone.
type pipe struct {
	mu      sync.Mutex
	news    sync.Cond // in or over has changed
	tell    func()    // has the loop look
	shaking bool      // the loop's: the handshake has not been collected
	over    bool      // no more comes in
	done    bool      // the handshake has ended, with err
	err     error
	in      []byte // from the socket
	out     []byte // for it
}

// errNoRecord says that what has come in is no whole record.
var errNoRecord net.Error = noRecord{}

type noRecord struct{}

func (noRecord) Error() string { return "no whole TLS record yet" }

func (noRecord) Timeout() bool { return true }

func (noRecord) Temporary() bool { return true }

// Read is called by crypto/tls.
func (p *pipe) Read(b []byte) (int, error) {
	if !p.done {
		p.mu.Lock()
		defer p.mu.Unlock()
		for len(p.in) == 0 && !p.over {
			p.news.Wait()
		}
		if len(p.in) == 0 {
			return 0, io.EOF
		}
	} else if len(p.in) == 0 {
		return 0, errNoRecord
	}
	n := copy(b, p.in)
	p.in = p.in[n:]
	return n, nil
}

// Write is called by crypto/tls.
func (p *pipe) Write(b []byte) (int, error) {
	if !p.done {
		p.mu.Lock()
		defer p.mu.Unlock()
		defer p.tell()
	}
	p.out = append(p.out, b...)
	return len(b), nil
}

// finish is the last act of the handshake's goroutine: it reports how that ended.
func (p *pipe) finish(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.err = true, err
	p.tell()
}

// give takes bytes of the socket and reports whether the handshake wants them;
// otherwise they are there to be read, until the next call.
func (p *pipe) give(b []byte) bool {
	if !p.shaking {
		if len(p.in) == 0 {
			p.in = b
		} else {
			p.in = append(p.in, b...)
		}
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.in = append(p.in, b...)
	p.news.Signal()
	return true
}

// collect appends to b what is to be sent, and says whether the handshake has ended.
func (p *pipe) collect(b []byte) (out []byte, done bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out = append(b, p.out...)
	p.out = nil
	p.shaking = !p.done
	return out, p.done, p.err
}

// shut has a handshake under way fail.
func (p *pipe) shut() {
	if !p.shaking {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.news.Signal()
}

func (p *pipe) Close() error { return nil }

func (p *pipe) LocalAddr() net.Addr { return nowhere{} }

func (p *pipe) RemoteAddr() net.Addr { return nowhere{} }

func (p *pipe) SetDeadline(time.Time) error { return os.ErrNoDeadline }

func (p *pipe) SetReadDeadline(time.Time) error { return os.ErrNoDeadline }

func (p *pipe) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

// nowhere is the address of a pipe.
type nowhere struct{}

func (nowhere) Network() string { return "pipe" }

func (nowhere) String() string { return "pipe" }

// Bytes between sockets and sessions, through TLS where a connection has it.

// mostSpare is the size up to which a write buffer is kept for other connections.
const mostSpare = 64 << 10

// emit sends b on c, which is to be encrypted first if the connection is. An error
// is left in c.err.
func (l *loop) emit(c *conn, b []byte) {
	if c.tls != nil {
		c.tls.seal(l, c, b)
		return
	}
	l.push(c, b)
}

// push writes b, or keeps what the socket does not take.
func (l *loop) push(c *conn, b []byte) {
	if len(c.out) == 0 && c.err == nil {
		b = b[l.write(c, b):]
	}
	if len(b) == 0 || c.err != nil {
		return
	}
	if c.base == nil {
		c.base = l.buffer()
	}
	at := len(c.base) - len(c.out) // where what is still to be written begins
	c.base = append(c.base, b...)
	c.out = c.base[at:]
}

// buffer is an empty one.
func (l *loop) buffer() []byte {
	n := len(l.spare)
	if n == 0 {
		return make([]byte, 0, 4<<10)
	}
	b := l.spare[n-1]
	l.spare = l.spare[:n-1]
	return b
}

// put keeps a buffer for another use.
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

// write writes what the socket takes of b and returns how much that was.
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

// resume goes on writing when the socket takes more.
func (l *loop) resume(c *conn) {
	c.out = c.out[l.write(c, c.out):]
	if len(c.out) > 0 {
		return
	}
	l.emptied(c)
	if c.err == nil {
		c.session.flush(l)
	}
}

// read reads what there is. hup says that the server has closed its side, so
// that no further event will announce the end.
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

// is reports whether c is still the connection that it was at the given age.
func (c *conn) is(age uint32) bool { return c.fd >= 0 && c.age == age }

// took hands b to the session.
func (l *loop) took(c *conn, b []byte, hup bool) {
	age := c.age
	var err error
	if c.tls != nil {
		err = c.tls.open(l, c, b, hup)
	} else {
		err = c.session.feed(l, b, hup)
	}
	switch {
	case !c.is(age):
	case err != nil:
		l.broken(c, err)
	default:
		l.afterSession(c)
	}
}

// closed deals with the server's having closed the connection. After an error in writing the end of what came is no sign
// that a response is whole.
func (l *loop) closed(c *conn) {
	if c.lost != nil {
		l.broken(c, c.lost)
		return
	}
	if c.tls != nil && c.tls.pipe.shaking {
		c.tls.pipe.shut() // the handshake says what it failed of
		return
	}
	age := c.age
	if err := c.session.end(l); c.is(age) {
		l.broken(c, err)
	}
}
