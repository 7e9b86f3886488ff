// This file serves OTLP over gRPC. The bodies come as raw bytes: a codec of its
// own keeps gRPC from building objects of them.
package otlp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // so that compressed bodies are understood
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
)

const (
	maxHeader  = 64 << 10  // bytes of a request's header
	maxStreams = 256       // requests at a time on a connection; more wait at the sender
	readBuffer = 128 << 10 // bytes read from a socket at a time

	// Fixed windows bound what is held of requests that wait to be read; without
	// them gRPC lets each grow to 16 MiB.
	streamWindow     = 256 << 10
	connectionWindow = 1 << 20
	maxWaiting       = 1024 // requests at a time on all connections; more are refused
)

// GRPC returns a server for the OTLP services, to be served and stopped by the
// caller.
func (r *Receiver) GRPC() *grpc.Server {
	server := grpc.NewServer(
		grpc.ForceServerCodecV2(rawCodec{}),
		grpc.MaxRecvMsgSize(int(r.limits.Body)),
		grpc.MaxHeaderListSize(maxHeader),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.ConnectionTimeout(r.limits.Header),
		grpc.InitialWindowSize(streamWindow),
		grpc.InitialConnWindowSize(connectionWindow),
		grpc.InTapHandle(r.admit),
		grpc.StatsHandler(wireSizes{}),
		grpc.ReadBufferSize(readBuffer),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}),
	)
	for i := range signals {
		server.RegisterService(r.service(&signals[i]), nil)
	}
	return server
}

// service describes a signal's service. Export is declared as a stream of one
// message, which is the same on the wire, so that the handler runs before the
// body is read and can make it wait.
func (r *Receiver) service(s *signal) *grpc.ServiceDesc {
	return &grpc.ServiceDesc{
		ServiceName: s.serviceName(),
		Streams: []grpc.StreamDesc{{
			StreamName: "Export",
			Handler:    func(_ any, stream grpc.ServerStream) error { return r.export(s, stream) },
		}},
	}
}

// admit gives every request a deadline of ours, so that a sender that stops in the
// middle of a body does not hold it for ever, and refuses those beyond all measure.
func (r *Receiver) admit(ctx context.Context, _ *tap.Info) (context.Context, error) {
	if r.admitted.Add(1) > maxWaiting {
		r.admitted.Add(-1)
		r.total.Refuse()
		return ctx, status.Error(codes.Unavailable, busy)
	}
	ctx, cancel := context.WithTimeout(ctx, r.limits.Request)
	context.AfterFunc(ctx, func() {
		cancel()
		r.admitted.Add(-1)
	})
	return ctx, nil
}

// export receives, counts and answers one request.
func (r *Receiver) export(s *signal, stream grpc.ServerStream) error {
	r.total.Arrived()
	defer r.total.Finished()
	answer, err := r.receive(s, stream)
	if err != nil {
		return err
	}
	r.linger(stream.Context())
	return stream.SendMsg(&message{answer: answer})
}

// receive receives and counts one request, and returns the answer.
func (r *Receiver) receive(s *signal, stream grpc.ServerStream) ([]byte, error) {
	if !r.enter(stream.Context()) {
		r.total.Refuse()
		return nil, status.Error(codes.Unavailable, busy)
	}
	defer r.leave()
	m := message{pool: &r.bodies}
	defer m.free()
	if err := stream.RecvMsg(&m); err != nil {
		// gRPC itself has told the sender: too large, too slow, or not gzip.
		if status.Code(err) != codes.Canceled { // unless the sender gave it up
			r.total.Refuse()
		}
		return nil, err
	}
	batch := r.total.Batch()
	if err := s.protobuf(batch, m.body()); err != nil {
		r.total.Discard(batch)
		r.total.Refuse()
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	answer := answerProtobuf(batch)
	r.total.Merge(batch, overGRPC, m.wire)
	return answer, nil
}

// message is a body on its way in or out.
type message struct {
	pool   mem.BufferPool // where room for a body in pieces comes from
	in     mem.Buffer
	wire   int64 // size of the body that came in, as it was on the wire
	answer []byte
}

func (m *message) body() []byte {
	if m.in == nil {
		return nil
	}
	return m.in.ReadOnlyData()
}

func (m *message) free() {
	if m.in != nil {
		m.in.Free()
		m.in = nil
	}
}

// rawCodec hands bodies over as they are. It goes by the name of the format that
// they are in, since the name is part of the content type.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(*message)
	if !ok {
		return nil, fmt.Errorf("encoding an answer: unexpected %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(m.answer)}, nil
}

func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(*message)
	if !ok {
		return fmt.Errorf("decoding a body: unexpected %T", v)
	}
	if m.in != nil {
		return errors.New("more than one message in a request")
	}
	m.in = data.MaterializeToBuffer(m.pool)
	return nil
}

// wireSizes notes the size of each body as it was on the wire, which gRPC tells
// nobody but a stats handler.
type wireSizes struct{}

func (wireSizes) HandleRPC(_ context.Context, event stats.RPCStats) {
	in, ok := event.(*stats.InPayload)
	if !ok {
		return
	}
	if m, ok := in.Payload.(*message); ok {
		m.wire = int64(in.CompressedLength)
	}
}

func (wireSizes) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (wireSizes) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (wireSizes) HandleConn(context.Context, stats.ConnStats)                       {}
