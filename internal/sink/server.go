// This file runs the receivers in this process.

package sink

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink/keep"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"golang.org/x/net/netutil"
	"golang.org/x/sys/unix"
)

// Server is a running sink. It is safe for concurrent use.
type Server struct {
	total     *tally.Total
	intake    *wire.Intake
	keeper    *keep.Keeper // nil: spans are not kept
	addresses protocol.Addresses
	stops     []func() error
	serving   sync.WaitGroup
	closing   sync.Once
	accepted  atomic.Uint64 // connections

	mu     sync.Mutex
	failed []error // receivers that ended by themselves
}

// Start listens on the configured addresses and serves them until Close.
func Start(c Config) (*Server, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	s := &Server{total: tally.New(c.tally())}
	s.intake = wire.NewIntake(s.total, c.limits(), c.Late)
	if c.Keep != "" {
		keeper, err := keep.New(c.Keep)
		if err != nil {
			return nil, err
		}
		s.keeper, s.intake.Keep = keeper, keeper.Take
	}
	if err := s.start(c); err != nil {
		err = errors.Join(err, s.Close())
		if s.keeper != nil {
			err = errors.Join(err, os.Remove(c.Keep)) // or else the next try finds it there
		}
		return nil, err
	}
	return s, nil
}

func (s *Server) start(c Config) error {
	s.addresses = protocol.Addresses{}
	for _, row := range protocol.Table {
		address := c.Listen[row.Name]
		if address == "" {
			continue
		}
		if row.Folder {
			r, err := readers[row.Name](s.total, address)
			if err != nil {
				return err
			}
			s.addresses[row.Name] = address
			s.serve(row.Title, r.Serve, r.Close)
			continue
		}
		l, packets, err := s.listen(address, row, c)
		if err != nil {
			return err
		}
		s.addresses[row.Name] = l.Addr().String()
		r := makers[row.Name](s, c, packets)
		s.serve(row.Title, func() error { return r.Serve(l) }, r.Close)
	}
	return nil
}

// portAttempts bounds the tries for a port that is free for TCP and for UDP.
const portAttempts = 20

// listen listens for TCP, and for UDP on a port of the same number where packets come there too.
func (s *Server) listen(address string, row protocol.Row, c Config) (net.Listener, net.PacketConn, error) {
	const advice = "choose another address, or port 0 for a free one"
	for attempt := 1; ; attempt++ {
		l, err := listenTCP(address, c.Gone)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("listening for %s on %s (%s): %w", row.Title, address, advice, err)
		case c.Gone != "":
			return gone(l, c.Gone), nil, nil
		case !row.Packets:
			return s.limited(l, c), nil, nil
		}
		packets, err := net.ListenPacket("udp", l.Addr().String())
		if err == nil {
			return s.limited(l, c), packets, nil
		}
		if err = errors.Join(err, l.Close()); !strings.HasSuffix(address, ":0") || attempt == portAttempts {
			return nil, nil, fmt.Errorf("listening for the packets of %s on %s (%s): %w", row.Title, address, advice, err)
		}
	}
}

// limited counts and bounds the connections of a listener.
func (s *Server) limited(l net.Listener, c Config) net.Listener {
	return netutil.LimitListener(unsecured{promptly(counting{l, &s.accepted}), s.total}, c.MaxConnections)
}

// unsecured counts the connections that begin with TLS, which no receiver speaks: what they bear is refused.
type unsecured struct {
	net.Listener
	total *tally.Total
}

// Accept waits for the next connection.
func (u unsecured) Accept() (net.Conn, error) {
	conn, err := u.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &unsecuredConn{Conn: conn, total: u.total}, nil
}

type unsecuredConn struct {
	net.Conn
	total *tally.Total
	begun bool
}

// handshake is the begin of TLS: a record of that type, of version 3.
var handshake = []byte{0x16, 3}

// Read reads, and looks at the first bytes. It is never called twice at a time, as what reads a protocol is one.
func (c *unsecuredConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.begun {
		c.begun = true
		if bytes.HasPrefix(p[:n], handshake) {
			c.total.Refuse("a connection began with TLS, which the sink does not speak")
		}
	}
	return n, err
}

func listenTCP(address, gone string) (net.Listener, error) {
	if gone == Away {
		return reserve(address)
	}
	return net.Listen("tcp", address)
}

// counting counts the connections that a listener accepts.
type counting struct {
	net.Listener
	accepted *atomic.Uint64
}

// Accept waits for the next connection.
func (c counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.accepted.Add(1)
	}
	return conn, err
}

// serve runs a receiver until stop is called.
func (s *Server) serve(name string, run, stop func() error) {
	s.stops = append(s.stops, stop)
	s.serving.Go(func() {
		if err := run(); err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.failed = append(s.failed, fmt.Errorf("serving %s: %w", name, err))
		}
	})
}

// Addresses returns where the sink listens.
func (s *Server) Addresses() protocol.Addresses { return s.addresses }

// Snapshot returns what was counted so far.
func (s *Server) Snapshot() Snapshot {
	// Quiet is read before the counts: what it calls finished is counted.
	since, inFlight := s.total.Since(), s.total.InFlight()
	out := Snapshot{Counts: s.total.Counts(), Since: since, InFlight: inFlight, Connections: s.accepted.Load()}
	if s.keeper != nil {
		kept := s.keeper.Counts()
		out.Kept = &kept
	}
	return out
}

// Close ends the sink at once, cutting off requests under way, and writes what it keeps. It returns the
// errors of receivers that had ended before, and of what could not be kept.
func (s *Server) Close() error {
	s.closing.Do(func() {
		for _, stop := range s.stops {
			if err := stop(); err != nil {
				s.mu.Lock()
				s.failed = append(s.failed, err)
				s.mu.Unlock()
			}
		}
		s.serving.Wait()
		if s.keeper != nil {
			if err := s.keeper.Close(); err != nil {
				s.mu.Lock()
				s.failed = append(s.failed, err)
				s.mu.Unlock()
			}
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.failed...)
}

// This file has listeners behind which nobody receives, by order.

// How a sink may be no receiver at all.
const (
	Away      = "away"      // its address refuses connections
	Silent    = "silent"    // connections are accepted, and never read
	Resetting = "resetting" // connections are accepted, and reset at once
)

// gone returns a listener that hands out no connection until it is closed.
func gone(l net.Listener, how string) net.Listener {
	return &unserved{Listener: l, reset: how == Resetting}
}

type unserved struct {
	net.Listener
	reset bool

	mu     sync.Mutex
	held   []net.Conn
	closed bool
}

// Accept resets or holds every connection, hands out none, and returns when the listener is closed.
func (u *unserved) Accept() (net.Conn, error) {
	for {
		c, err := u.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if !u.reset {
			u.hold(c)
			continue
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // or else the connection is closed in order
		}
		_ = c.Close()
	}
}

// hold keeps a connection until the listener is closed, which it may be by now.
func (u *unserved) hold(c net.Conn) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		_ = c.Close() // nobody has used it
		return
	}
	u.held = append(u.held, c)
}

// Close ends what was held too.
func (u *unserved) Close() error {
	err := u.Listener.Close()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for _, c := range u.held {
		_ = c.Close() // nobody has used it
	}
	u.held = nil
	return err
}

// reserved is an address without a listener that no other program can get.
type reserved struct {
	socket  int
	address net.Addr
	closed  chan struct{}
	once    sync.Once
}

// reserve binds a socket, and leaves it at that: the kernel refuses connections to it.
func reserve(address string) (net.Listener, error) {
	at, err := net.ResolveTCPAddr("tcp4", address)
	if err != nil {
		return nil, err
	}
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(socket)
	local := &unix.SockaddrInet4{Port: at.Port}
	copy(local.Addr[:], at.IP.To4())
	if err := unix.Bind(socket, local); err != nil {
		return nil, errors.Join(err, unix.Close(socket))
	}
	got, err := unix.Getsockname(socket)
	if err != nil {
		return nil, errors.Join(err, unix.Close(socket))
	}
	bound, ok := got.(*unix.SockaddrInet4)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the kernel names %T as its address", got), unix.Close(socket))
	}
	return &reserved{socket: socket, address: &net.TCPAddr{IP: bound.Addr[:], Port: bound.Port}, closed: make(chan struct{})}, nil
}

// Accept returns when the listener is closed.
func (r *reserved) Accept() (net.Conn, error) {
	<-r.closed
	return nil, net.ErrClosed
}

// Close gives the address back.
func (r *reserved) Close() error {
	err := net.ErrClosed
	r.once.Do(func() {
		close(r.closed)
		err = unix.Close(r.socket)
	})
	return err
}

// Addr is the address that is kept.
func (r *reserved) Addr() net.Addr { return r.address }
