// This file makes the receivers of the protocols in the table.

package sink

import (
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink/datadog"
	"github.com/tracetax/tracetax/internal/sink/elastic"
	"github.com/tracetax/tracetax/internal/sink/glowroot"
	"github.com/tracetax/tracetax/internal/sink/kieker"
	"github.com/tracetax/tracetax/internal/sink/otlp"
	"github.com/tracetax/tracetax/internal/sink/pinpoint"
	"github.com/tracetax/tracetax/internal/sink/rpc"
	"github.com/tracetax/tracetax/internal/sink/scouter"
	"github.com/tracetax/tracetax/internal/sink/skywalking"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"github.com/tracetax/tracetax/internal/sink/zipkin"
	"google.golang.org/grpc"
)

// receiver serves a protocol. Serve returns nil after Close, also if that came before.
type receiver interface {
	Serve(net.Listener) error
	Close() error
}

// makers make the receiver of each protocol, but for Scouter's, which listens twice.
var makers = map[protocol.Name]func(*Server, Config) receiver{
	protocol.OTLPGRPC:   func(s *Server, _ Config) receiver { return grpcReceiver{otlp.On(s.intake).GRPC()} },
	protocol.OTLPHTTP:   func(s *Server, _ Config) receiver { return s.overHTTP(otlp.On(s.intake).Counter()) },
	protocol.Zipkin:     func(s *Server, _ Config) receiver { return s.overHTTP(zipkin.New(s.intake)) },
	protocol.Elastic:    func(s *Server, _ Config) receiver { return s.overHTTP(elastic.New(s.intake)) },
	protocol.Datadog:    func(s *Server, _ Config) receiver { return s.overHTTP(datadog.New(s.intake)) },
	protocol.Kieker:     func(s *Server, c Config) receiver { return kieker.New(s.total, kieker.Limits{Body: c.MaxBody}) },
	protocol.SkyWalking: func(s *Server, c Config) receiver { return skywalking.New(s.total, c.rpc()) },
	protocol.Pinpoint:   func(s *Server, c Config) receiver { return pinpoint.New(s.total, c.rpc()) },
	protocol.Glowroot:   func(s *Server, c Config) receiver { return glowroot.New(s.total, c.rpc()) },
}

func (c Config) rpc() rpc.Limits {
	return rpc.Limits{Body: c.MaxBody, Header: c.HeaderTimeout, Late: c.Late}
}

func (s *Server) overHTTP(counter wire.Counter) receiver {
	return httpReceiver{s.intake.HTTP(s.intake.Handler(counter))}
}

type httpReceiver struct{ *http.Server }

// Serve serves until Close.
func (r httpReceiver) Serve(l net.Listener) error {
	if err := r.Server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

type grpcReceiver struct{ *grpc.Server }

// Serve serves until Close.
func (r grpcReceiver) Serve(l net.Listener) error {
	// Told to stop before it began to serve, gRPC calls it an error.
	if err := r.Server.Serve(l); !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil
}

// Close cuts off what is under way.
func (r grpcReceiver) Close() error {
	r.Stop()
	return nil
}

// pairAttempts is how often two ports of one number are looked for.
const pairAttempts = 20

// startScouter listens for TCP and for UDP on ports of one number.
func (s *Server) startScouter(c Config) error {
	if c.Listen[protocol.Scouter] == "" {
		return nil
	}
	l, packets, err := s.listenTwice(c.Listen[protocol.Scouter], c)
	if err != nil {
		return err
	}
	s.addresses[protocol.Scouter] = l.Addr().String()
	r := scouter.New(s.total, scouter.Limits{Body: c.MaxBody, Header: c.HeaderTimeout})
	s.serve("Scouter", func() error { return r.Serve(l, packets) }, r.Close)
	return nil
}

func (s *Server) listenTwice(address string, c Config) (net.Listener, net.PacketConn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, nil, fmt.Errorf("listening for Scouter: %w", err)
	}
	for attempt := 1; ; attempt++ {
		l, err := s.listen(address, "Scouter", c)
		if err != nil {
			return nil, nil, err
		}
		_, got, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			return nil, nil, errors.Join(err, l.Close())
		}
		packets, err := net.ListenPacket("udp", net.JoinHostPort(host, got))
		if err == nil {
			return l, packets, nil
		}
		if err = errors.Join(err, l.Close()); port != "0" || attempt == pairAttempts {
			return nil, nil, fmt.Errorf("listening for Scouter's packets on %s (choose another address, or port 0 for a free one): %w", address, err)
		}
	}
}
