// The connections of protocols that are neither HTTP nor gRPC.

package wire

import (
	"errors"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"
)

// passing are the errors of an accept that go away by themselves and do not affect the next connection.
var passing = []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED}

// pause is the wait after one of them.
const pause = 5 * time.Millisecond

// TCP is a server that hands each connection to Handle, in a goroutine of its own, and closes it
// when Handle returns. It is safe for concurrent use.
type TCP struct {
	Handle func(net.Conn)

	mu      sync.Mutex
	closed  bool
	open    map[net.Conn]struct{}
	l       net.Listener
	serving sync.WaitGroup
}

// Serve serves the connections of l until Close. It may be called once.
func (s *TCP) Serve(l net.Listener) error {
	if !s.listen(l) {
		return l.Close()
	}
	for {
		c, err := l.Accept()
		if err != nil {
			switch {
			case s.isClosed() && errors.Is(err, net.ErrClosed):
				return nil
			case slices.ContainsFunc(passing, func(e error) bool { return errors.Is(err, e) }):
				time.Sleep(pause) // no event announces room
				continue
			}
			return err
		}
		if !s.add(c) {
			return nil
		}
	}
}

func (s *TCP) listen(l net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.l = l
	s.open = make(map[net.Conn]struct{})
	return !s.closed
}

func (s *TCP) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// add starts to handle a connection; false if the server is closed.
func (s *TCP) add(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = c.Close() // nobody has used it
		return false
	}
	s.open[c] = struct{}{}
	s.serving.Go(func() {
		s.Handle(c)
		s.mu.Lock()
		delete(s.open, c)
		s.mu.Unlock()
		_ = c.Close() // or Close has done it
	})
	return true
}

// Close ends the server and its connections at once, and returns when all are handled.
func (s *TCP) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	var err error
	if s.l != nil && first {
		err = s.l.Close()
	}
	for c := range s.open {
		_ = c.Close() // wakes up its handler, which finds that out
	}
	s.mu.Unlock()
	s.serving.Wait()
	return err
}
