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
	"github.com/tracetax/tracetax/internal/sink/forward"
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
var makers = map[protocol.Name]func(*Server, Config) (receiver, error){
	protocol.OTLPGRPC: otlpGRPC,
	protocol.OTLPHTTP: overHTTP(protocol.OTLPHTTP, func(s *Server) wire.Counter { return otlp.On(s.intake).Counter() }),
	protocol.Zipkin:   overHTTP(protocol.Zipkin, func(s *Server) wire.Counter { return zipkin.New(s.intake) }),
	protocol.Elastic:  overHTTP(protocol.Elastic, func(s *Server) wire.Counter { return elastic.New(s.intake) }),
	protocol.Datadog:  overHTTP(protocol.Datadog, func(s *Server) wire.Counter { return datadog.New(s.intake) }),
	protocol.Kieker: func(s *Server, c Config) (receiver, error) {
		return kieker.New(s.total, kieker.Limits{Body: c.MaxBody}), nil
	},
	protocol.SkyWalking: skyWalking,
	protocol.Pinpoint:   func(s *Server, c Config) (receiver, error) { return pinpoint.New(s.total, c.rpc()), nil },
	protocol.Glowroot:   func(s *Server, c Config) (receiver, error) { return glowroot.New(s.total, c.rpc()), nil },
}

func (c Config) rpc() rpc.Limits {
	return rpc.Limits{Body: c.MaxBody, Header: c.HeaderTimeout, Late: c.Late}
}

// overHTTP makes a receiver over HTTP, which counts or counts and passes on.
func overHTTP(name protocol.Name, counter func(*Server) wire.Counter) func(*Server, Config) (receiver, error) {
	return func(s *Server, c Config) (receiver, error) {
		handler := s.intake.Handler(counter(s))
		if address, ok := c.Forward[string(name)]; ok {
			target, err := forward.Target(name, address)
			if err != nil {
				return nil, err
			}
			handler = forward.HTTP(s.intake, counter(s), target)
		}
		return httpReceiver{s.intake.HTTP(handler)}, nil
	}
}

type httpReceiver struct{ *http.Server }

// Serve serves until Close.
func (r httpReceiver) Serve(l net.Listener) error {
	if err := r.Server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func otlpGRPC(s *Server, c Config) (receiver, error) {
	r := otlp.On(s.intake)
	backend, err := c.dial(protocol.OTLPGRPC)
	if err != nil {
		return nil, err
	}
	if backend != nil {
		r.PassOn(backend)
	}
	return grpcReceiver{Server: r.GRPC(), backend: backend}, nil
}

func skyWalking(s *Server, c Config) (receiver, error) {
	r := skywalking.New(s.total, c.rpc())
	backend, err := c.dial(protocol.SkyWalking)
	if err != nil {
		return nil, err
	}
	if backend != nil {
		r.PassOn(backend)
	}
	return r, nil
}

// dial returns what passes a protocol over gRPC on; nil where nothing is to be.
func (c Config) dial(name protocol.Name) (*forward.GRPC, error) {
	address, ok := c.Forward[string(name)]
	if !ok {
		return nil, nil
	}
	target, err := forward.Target(name, address)
	if err != nil {
		return nil, err
	}
	return forward.Dial(target)
}

type grpcReceiver struct {
	*grpc.Server
	backend *forward.GRPC // nil: nothing is passed on
}

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
	if r.backend == nil {
		return nil
	}
	return r.backend.Close()
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
	if address, ok := c.Forward[string(protocol.Scouter)]; ok {
		backend, err := scouterServer(address)
		if err != nil {
			return errors.Join(err, l.Close(), packets.Close())
		}
		r.PassOn(backend)
	}
	s.serve("Scouter", func() error { return r.Serve(l, packets) }, r.Close)
	return nil
}

func scouterServer(address string) (*forward.Collector, error) {
	target, err := forward.Target(protocol.Scouter, address)
	if err != nil {
		return nil, err
	}
	return forward.Collect(target)
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
