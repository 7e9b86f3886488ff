// This file lists the protocols that a sink can speak, and makes their receivers.
package sink

import (
	"errors"
	"fmt"
	"net"
	"net/http"

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

// protocol is one that a sink can speak.
type protocol struct {
	name    string // for people
	forward string // how Config.Forward calls it; "" where it cannot be passed on
	address func(*Addresses) *string
	make    func(*Server, Config) (receiver, error)
}

// protocols lists all of them.
var protocols = []protocol{
	{"OTLP over gRPC", forward.OTLPGRPC, func(a *Addresses) *string { return &a.OTLPGRPC }, otlpGRPC},
	{"OTLP over HTTP", forward.OTLPHTTP, func(a *Addresses) *string { return &a.OTLPHTTP }, overHTTP(forward.OTLPHTTP, func(s *Server) wire.Counter { return otlp.On(s.intake).Counter() })},
	{"Zipkin", forward.Zipkin, func(a *Addresses) *string { return &a.Zipkin }, overHTTP(forward.Zipkin, func(s *Server) wire.Counter { return zipkin.New(s.intake) })},
	{"Elastic APM", forward.Elastic, func(a *Addresses) *string { return &a.Elastic }, overHTTP(forward.Elastic, func(s *Server) wire.Counter { return elastic.New(s.intake) })},
	{"Datadog", forward.Datadog, func(a *Addresses) *string { return &a.Datadog }, overHTTP(forward.Datadog, func(s *Server) wire.Counter { return datadog.New(s.intake) })},
	{"Kieker", "", func(a *Addresses) *string { return &a.Kieker }, func(s *Server, c Config) (receiver, error) {
		return kieker.New(s.total, kieker.Limits{Body: c.MaxBody}), nil
	}},
	{"SkyWalking", forward.SkyWalking, func(a *Addresses) *string { return &a.SkyWalking }, skyWalking},
	{"Pinpoint", "", func(a *Addresses) *string { return &a.Pinpoint }, func(s *Server, c Config) (receiver, error) {
		return pinpoint.New(s.total, c.rpc()), nil
	}},
	{"Glowroot", "", func(a *Addresses) *string { return &a.Glowroot }, func(s *Server, c Config) (receiver, error) {
		return glowroot.New(s.total, c.rpc()), nil
	}},
}

func (c Config) rpc() rpc.Limits { return rpc.Limits{Body: c.MaxBody, Header: c.HeaderTimeout} }

// overHTTP makes a receiver over HTTP, which counts or counts and passes on.
func overHTTP(name string, counter func(*Server) wire.Counter) func(*Server, Config) (receiver, error) {
	return func(s *Server, c Config) (receiver, error) {
		handler := s.intake.Handler(counter(s))
		if address, ok := c.Forward[name]; ok {
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
	backend, err := c.dial(forward.OTLPGRPC)
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
	backend, err := c.dial(forward.SkyWalking)
	if err != nil {
		return nil, err
	}
	if backend != nil {
		r.PassOn(backend)
	}
	return r, nil
}

// dial returns what passes a protocol over gRPC on; nil where nothing is to be.
func (c Config) dial(name string) (*forward.GRPC, error) {
	address, ok := c.Forward[name]
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
	if c.Scouter == "" {
		return nil
	}
	l, packets, err := s.listenTwice(c.Scouter, c.MaxConnections)
	if err != nil {
		return err
	}
	s.addresses.Scouter = l.Addr().String()
	r := scouter.New(s.total, scouter.Limits{Body: c.MaxBody, Header: c.HeaderTimeout})
	if address, ok := c.Forward[forward.Scouter]; ok {
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
	target, err := forward.Target(forward.Scouter, address)
	if err != nil {
		return nil, err
	}
	return forward.Collect(target)
}

func (s *Server) listenTwice(address string, connections int) (net.Listener, net.PacketConn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, nil, fmt.Errorf("listening for Scouter: %w", err)
	}
	for attempt := 1; ; attempt++ {
		l, err := s.listen(address, "Scouter", connections)
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
