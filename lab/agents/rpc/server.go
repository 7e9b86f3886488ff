// Package rpc serves the gRPC services of tracing agents: calls whose messages stay
// the bytes that came, counted one by one as they come, and answered with what keeps
// an agent content. It must not know what a message means; the packages of the
// protocols tell it that, a Method for each method.
package rpc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
	"google.golang.org/protobuf/encoding/protowire"
)

// Limits bound what a sender can make a receiver hold, and for how long.
type Limits struct {
	Body   int64         // bytes of one message, decompressed
	Header time.Duration // time for a connection's handshake
	Late   time.Duration // a fault asked for: wait so long before the answer that ends a call
}

// Method is what is done with the messages of a method, and what answers them. The
// zero value takes what comes and answers with one empty message at the end, which is
// right for a unary call and for a stream of the client's.
type Method struct {
	Count  func(*tally.Batch, []byte) error // counts a message; nil where it holds nothing that is counted
	Answer []byte                           // the message that ends the call
	Echo   bool                             // each message is sent back, and none ends the call
	Silent bool                             // the stream is held open, and nothing is sent

	ServiceKey string // in the call's metadata: what the sender's service is called; "" where messages say it
}

const (
	maxMessage = 4 << 20 // bytes: what gRPC servers take if nobody says otherwise, the agents' own among them
	maxHeader  = 64 << 10
	maxStreams = 256 // calls at a time, all connections together: an agent has up to six open as long as it lives
	readBuffer = 128 << 10
	window     = 1 << 20 // bytes that a stream may have sent and nobody has read
)

// Server serves the methods of one protocol. It is safe for concurrent use.
type Server struct {
	total    *tally.Total
	protocol string
	methods  map[string]Method
	server   *grpc.Server
	late     time.Duration
	open     atomic.Int64
}

// New returns a server of the methods, whose names are /package.Service/Method. It
// counts in total, under the name of the protocol.
func New(total *tally.Total, protocol string, limits Limits, methods map[string]Method) *Server {
	s := &Server{total: total, protocol: protocol, methods: methods, late: limits.Late}
	s.server = grpc.NewServer(
		grpc.ForceServerCodecV2(wire.RawCodec{}),
		grpc.UnknownServiceHandler(s.handle),
		grpc.MaxRecvMsgSize(int(min(limits.Body, maxMessage))),
		grpc.MaxHeaderListSize(maxHeader),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.ConnectionTimeout(limits.Header),
		grpc.InitialWindowSize(window),
		grpc.InitialConnWindowSize(window),
		grpc.InTapHandle(s.admit),
		grpc.StatsHandler(wire.Watch{Total: total}),
		grpc.ReadBufferSize(readBuffer),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}),
	)
	return s
}

// Serve serves the connections of l until Close.
func (s *Server) Serve(l net.Listener) error {
	// Told to stop before it began to serve, gRPC calls it an error.
	if err := s.server.Serve(l); !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil
}

// Close ends the server at once, cutting off the calls under way.
func (s *Server) Close() error {
	s.server.Stop()
	return nil
}

// admit rejects calls above maxStreams.
func (s *Server) admit(ctx context.Context, _ *tap.Info) (context.Context, error) {
	if s.open.Add(1) > maxStreams {
		s.open.Add(-1)
		return ctx, s.refuse(status.Errorf(codes.ResourceExhausted, "the sink serves %d calls at a time; send again", maxStreams))
	}
	context.AfterFunc(ctx, func() { s.open.Add(-1) })
	return ctx, nil
}

// handle serves one call.
func (s *Server) handle(_ any, stream grpc.ServerStream) error {
	name, _ := grpc.MethodFromServerStream(stream)
	method, known := s.methods[name]
	if !known {
		err := wire.NoMethod(name, s.protocol)
		if wire.Bears(name) {
			return s.refuse(err)
		}
		return err
	}
	if err := s.drain(stream, method); err != nil || method.Echo || method.Silent {
		return err
	}
	wire.Linger(stream.Context(), s.late)
	return stream.SendMsg(&wire.Message{Out: method.Answer})
}

// drain takes the messages of a call until its sender ends it. The call is counted as
// a request when its first message comes: many a stream stays open until the end.
func (s *Server) drain(stream grpc.ServerStream, method Method) error {
	service := serviceOf(stream, method.ServiceKey)
	for first := true; ; first = false {
		m := wire.Message{Pool: mem.DefaultBufferPool()}
		if err := stream.RecvMsg(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return s.broken(err)
		}
		err := s.take(&m, method, service, first)
		if err == nil && method.Echo {
			err = stream.SendMsg(&wire.Message{Out: bytes.Clone(m.Body())}) // which is written in gRPC's own time
		}
		m.Free()
		if err != nil {
			return err
		}
	}
}

// broken counts a call whose messages cannot be read, if that is its sender's fault: too
// large, or not gRPC. gRPC itself has told the sender. One that went away or gave up, as
// agents do at their end, did nothing wrong.
func (s *Server) broken(err error) error {
	switch status.Code(err) {
	case codes.ResourceExhausted, codes.Internal, codes.InvalidArgument, codes.Unimplemented:
		return s.refuse(err)
	}
	return err
}

// refuse counts a call that is refused with err.
func (s *Server) refuse(err error) error {
	s.total.Refuse(wire.Why(err))
	return err
}

// take counts one message.
func (s *Server) take(m *wire.Message, method Method, service []byte, first bool) error {
	s.total.Arrived()
	defer s.total.Finished()
	batch := s.total.Batch()
	if method.Count != nil {
		if err := method.Count(batch, m.Body()); err != nil {
			s.total.Discard(batch)
			return s.refuse(status.Error(codes.InvalidArgument, fmt.Sprintf("reading a message of %s: %v", s.protocol, err)))
		}
	}
	if method.ServiceKey != "" {
		batch.Service(service, batch.Spans)
	}
	if first {
		s.total.Merge(batch, s.protocol, m.Wire)
	} else {
		s.total.Part(batch, m.Wire)
	}
	return nil
}

func serviceOf(stream grpc.ServerStream, key string) []byte {
	if values := metadata.ValueFromIncomingContext(stream.Context(), key); key != "" && len(values) > 0 {
		return []byte(values[0])
	}
	return nil
}

// Walking through the fields of a message.

// Fields iterates over the fields of one message:
//
//	for f := rpc.Walk(message); f.Next(); { … }
//
// A message that is cut off or broken ends the loop with Err set.
type Fields struct {
	fields wire.Fields

	Bytes []byte // value of a field with a length; it is part of the message
	Value uint64 // value of a varint or of a fixed64
	Err   error
}

// Walk returns the fields of a message.
func Walk(message []byte) Fields { return Fields{fields: wire.Fields{Rest: message}} }

// Check reads a message to its end, and returns why it is none.
func Check(message []byte) error {
	f := Walk(message)
	for f.Next() {
	}
	return f.Err
}

// Next reads one field; false at the end or at an error.
func (f *Fields) Next() bool {
	before := f.fields.Rest
	if !f.fields.Next() {
		f.Err = f.fields.Err
		return false
	}
	f.Bytes, f.Value = f.fields.Bytes, f.fields.Value
	if protowire.Type(f.fields.Tag&7) == protowire.Fixed64Type {
		f.Value = binary.LittleEndian.Uint64(before[len(before)-len(f.fields.Rest)-8:])
	}
	return true
}

// Is reports whether the field has that number and a value with a length.
func (f *Fields) Is(number uint64) bool { return f.fields.Tag == wire.BytesTag(number) }

// Varint reports whether the field has that number and is a varint.
func (f *Fields) Varint(number uint64) bool { return f.fields.Tag == wire.VarintTag(number) }

// Fixed64 reports whether the field has that number and is a fixed64.
func (f *Fields) Fixed64(number uint64) bool { return f.fields.Tag == wire.Fixed64Tag(number) }
