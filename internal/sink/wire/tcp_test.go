package wire

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// failing is a listener whose first connection cannot be accepted.
type failing struct {
	net.Listener
	with error
}

func (f *failing) Accept() (net.Conn, error) {
	if err := f.with; err != nil {
		f.with = nil
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: err}
	}
	return f.Listener.Accept()
}

// What goes away by itself, such as that no more files can be open, does not end the server; anything else does.
func TestServesAfterATemporaryError(t *testing.T) {
	for _, c := range []struct {
		with error
		ends bool
	}{{syscall.EMFILE, false}, {syscall.ECONNABORTED, false}, {syscall.EINVAL, true}} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		handled, ended := make(chan struct{}, 1), make(chan error, 1)
		s := &TCP{Handle: func(net.Conn) { handled <- struct{}{} }}
		go func() { ended <- s.Serve(&failing{l, c.with}) }()
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-handled:
			if c.ends {
				t.Errorf("after %v it goes on", c.with)
			}
		case err := <-ended:
			if !c.ends || !errors.Is(err, c.with) {
				t.Errorf("%v ends it with %v", c.with, err)
			}
		}
		if err := errors.Join(conn.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	}
}
