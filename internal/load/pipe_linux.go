// The connection that crypto/tls believes it has: two buffers.

package load

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

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

func (noRecord) Error() string   { return "no whole TLS record yet" }
func (noRecord) Timeout() bool   { return true }
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

// finish is told by the handshake's goroutine, as its last act, how that ended.
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

func (p *pipe) Close() error                     { return nil }
func (p *pipe) LocalAddr() net.Addr              { return nowhere{} }
func (p *pipe) RemoteAddr() net.Addr             { return nowhere{} }
func (p *pipe) SetDeadline(time.Time) error      { return os.ErrNoDeadline }
func (p *pipe) SetReadDeadline(time.Time) error  { return os.ErrNoDeadline }
func (p *pipe) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

// nowhere is the address of a pipe.
type nowhere struct{}

func (nowhere) Network() string { return "pipe" }
func (nowhere) String() string  { return "pipe" }
