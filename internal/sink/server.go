// This file runs the receivers in this process.
package sink

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/tracetax/tracetax/internal/sink/otlp"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"golang.org/x/net/netutil"
	"google.golang.org/grpc"
)

// Server is a running sink. It is safe for concurrent use.
type Server struct {
	total     *tally.Total
	addresses Addresses
	stops     []func() error
	serving   sync.WaitGroup
	closing   sync.Once

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
	receiver := otlp.New(s.total, c.limits(), c.Late)
	if err := errors.Join(s.startGRPC(c, receiver), s.startHTTP(c, receiver)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) startGRPC(c Config, receiver *otlp.Receiver) error {
	if c.OTLPGRPC == "" {
		return nil
	}
	l, err := listen(c.OTLPGRPC, "OTLP over gRPC", c.MaxConnections)
	if err != nil {
		return err
	}
	s.addresses.OTLPGRPC = l.Addr().String()
	server := receiver.GRPC()
	s.serve(func() error {
		// Told to stop before it began to serve, gRPC calls it an error.
		if err := server.Serve(l); !errors.Is(err, grpc.ErrServerStopped) {
			return err
		}
		return nil
	}, func() error {
		server.Stop()
		return nil
	})
	return nil
}

func (s *Server) startHTTP(c Config, receiver *otlp.Receiver) error {
	if c.OTLPHTTP == "" {
		return nil
	}
	l, err := listen(c.OTLPHTTP, "OTLP over HTTP", c.MaxConnections)
	if err != nil {
		return err
	}
	s.addresses.OTLPHTTP = l.Addr().String()
	server := receiver.HTTP()
	s.serve(func() error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}, server.Close)
	return nil
}

func listen(address, protocol string, connections int) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening for %s on %s (choose another address, or port 0 for a free one): %w", protocol, address, err)
	}
	return netutil.LimitListener(l, connections), nil
}

// serve runs a receiver until stop is called.
func (s *Server) serve(run, stop func() error) {
	s.stops = append(s.stops, stop)
	s.serving.Go(func() {
		if err := run(); err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.failed = append(s.failed, fmt.Errorf("serving: %w", err))
		}
	})
}

// Addresses returns where the sink listens.
func (s *Server) Addresses() Addresses { return s.addresses }

// Snapshot returns what was counted so far.
func (s *Server) Snapshot() Snapshot {
	// Quiet is read before the counts: what it calls finished is counted.
	since, inFlight := s.total.Since(), s.total.InFlight()
	return Snapshot{Counts: s.total.Counts(), Since: since, InFlight: inFlight}
}

// Close ends the sink at once, cutting off requests under way. It returns the
// errors of receivers that had ended before.
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
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.failed...)
}
