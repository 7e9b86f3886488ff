// This file serves OTLP over gRPC. The bodies come as raw bytes: a codec of its
// own keeps gRPC from building objects of them.

package otlp

import (
	"context"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // so that compressed bodies are understood
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
)

const (
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
		grpc.ForceServerCodecV2(wire.RawCodec{}),
		grpc.MaxRecvMsgSize(int(r.Limits.Body)),
		grpc.MaxHeaderListSize(wire.MaxHeader),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.ConnectionTimeout(r.Limits.Header),
		grpc.InitialWindowSize(streamWindow),
		grpc.InitialConnWindowSize(connectionWindow),
		grpc.InTapHandle(r.admit),
		grpc.UnknownServiceHandler(r.unknown),
		grpc.StatsHandler(wire.Watch{Total: r.Total}),
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
		r.Total.Refuse()
		return ctx, status.Error(codes.Unavailable, wire.Busy)
	}
	ctx, cancel := context.WithTimeout(ctx, r.Limits.Request)
	context.AfterFunc(ctx, func() {
		cancel()
		r.admitted.Add(-1)
	})
	return ctx, nil
}

// unknown refuses a call of another service, such as of another signal or another protocol.
func (r *Receiver) unknown(_ any, stream grpc.ServerStream) error {
	name, _ := grpc.MethodFromServerStream(stream)
	if wire.Bears(name) {
		r.Total.Refuse()
	}
	return wire.NoMethod(name, "OTLP")
}

// export receives, counts and answers one request.
func (r *Receiver) export(s *signal, stream grpc.ServerStream) error {
	r.Total.Arrived()
	defer r.Total.Finished()
	m := wire.Message{Pool: &r.Bodies}
	defer m.Free()
	counted, err := r.receive(s, stream, &m)
	answer := counted.Body
	if r.passer != nil && m.Body() != nil {
		answer, err = r.pass(stream.Context(), s, &m, counted)
	}
	if err != nil {
		return err
	}
	r.Linger(stream.Context())
	if err := stream.Context().Err(); err != nil { // the sender's patience is over: what comes now is no success
		return status.FromContextError(err).Err()
	}
	return stream.SendMsg(&wire.Message{Out: answer})
}

// receive receives and counts one request, and returns the answer.
func (r *Receiver) receive(s *signal, stream grpc.ServerStream, m *wire.Message) (wire.Answer, error) {
	if !r.Enter(stream.Context()) {
		r.Total.Refuse()
		return wire.Answer{}, status.Error(codes.Unavailable, wire.Busy)
	}
	defer r.Leave()
	if err := stream.RecvMsg(m); err != nil {
		// gRPC itself has told the sender: too large, too slow, or not gzip.
		if status.Code(err) != codes.Canceled { // unless the sender gave it up
			r.Total.Refuse()
		}
		return wire.Answer{}, err
	}
	batch := r.Total.Batch()
	if err := s.protobuf(batch, m.Body()); err != nil {
		r.Total.Discard(batch)
		r.Total.Refuse()
		return wire.Answer{}, status.Error(codes.InvalidArgument, err.Error())
	}
	answer := wire.Answer{Body: answerProtobuf(batch), Spans: batch.Spans, Rejected: batch.Rejected}
	if len(metadata.ValueFromIncomingContext(stream.Context(), protocol.CopyHeader)) > 0 { // what it holds comes by another request too
		r.Total.Discard(batch)
		return answer, nil
	}
	r.Total.Merge(batch, overGRPC, m.Wire)
	return answer, nil
}
