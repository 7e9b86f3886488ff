// This file holds what the receivers over gRPC and HTTP share.

package otlp

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
	"google.golang.org/protobuf/encoding/protowire"
)

// Limits bound what a sender can make a receiver hold, and for how long.
type Limits = wire.Limits

// Receiver counts OTLP requests in a tally.
type Receiver struct {
	*wire.Intake
	admitted atomic.Int64 // gRPC requests whose header has come, and that have not ended
}

// New returns a receiver that counts in total, and answers each request that it has
// accepted so late.
func New(total *tally.Total, limits Limits, late time.Duration) *Receiver {
	return On(wire.NewIntake(total, limits, late))
}

// On returns a receiver that shares its limits and turns with others.
func On(in *wire.Intake) *Receiver { return &Receiver{Intake: in} }

// This file serves OTLP over gRPC. The bodies come as raw bytes: a codec of its
// own keeps gRPC from building objects of them.

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
// message, which is the same on the wire, so the handler runs before the
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

// admit gives every request a deadline of ours, so a sender that stops in the
// middle of a body does not hold it for ever, and rejects requests above maxWaiting.
func (r *Receiver) admit(ctx context.Context, _ *tap.Info) (context.Context, error) {
	if r.admitted.Add(1) > maxWaiting {
		r.admitted.Add(-1)
		return ctx, r.refuse(status.Error(codes.Unavailable, wire.Busy))
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
	err := wire.NoMethod(name, "OTLP")
	if wire.Bears(name) {
		return r.refuse(err)
	}
	return err
}

// refuse counts a request over gRPC that is refused with err.
func (r *Receiver) refuse(err error) error {
	r.Total.Refuse(wire.Why(err))
	return err
}

// export receives, counts and answers one request.
func (r *Receiver) export(s *signal, stream grpc.ServerStream) error {
	r.Total.Arrived()
	defer r.Total.Finished()
	m := wire.Message{Pool: &r.Bodies}
	defer m.Free()
	answer, err := r.receive(s, stream, &m)
	if err != nil {
		return err
	}
	r.Linger(stream.Context())
	if err := stream.Context().Err(); err != nil { // the client's deadline has passed; do not report success
		return status.FromContextError(err).Err()
	}
	return stream.SendMsg(&wire.Message{Out: answer})
}

// receive receives and counts one request, and returns the answer.
func (r *Receiver) receive(s *signal, stream grpc.ServerStream, m *wire.Message) ([]byte, error) {
	if !r.Enter(stream.Context()) {
		return nil, r.refuse(status.Error(codes.Unavailable, wire.Busy))
	}
	defer r.Leave()
	if err := stream.RecvMsg(m); err != nil {
		// gRPC itself has answered: too large, too slow, or not gzip.
		if status.Code(err) != codes.Canceled { // unless the sender gave it up
			return nil, r.refuse(err)
		}
		return nil, err
	}
	batch := r.Total.Batch()
	if err := s.protobuf(batch, m.Body()); err != nil {
		r.Total.Discard(batch)
		return nil, r.refuse(status.Error(codes.InvalidArgument, err.Error()))
	}
	answer := answerProtobuf(batch)
	if len(metadata.ValueFromIncomingContext(stream.Context(), protocol.CopyHeader)) > 0 { // what it holds comes by another request too
		r.Total.Discard(batch)
		return answer, nil
	}
	r.keep(s, batch, m.Body(), false)
	r.Total.Merge(batch, overGRPC, m.Wire)
	return answer, nil
}

// keep passes a request with spans on to whoever keeps them.
func (r *Receiver) keep(s *signal, batch *tally.Batch, body []byte, json bool) {
	if r.Keep != nil && batch.Spans > 0 && s.name == "trace" {
		r.Keep(body, json, batch.Spans)
	}
}

// This file serves OTLP over HTTP.

const (
	typeProtobuf = "application/x-protobuf"
	typeJSON     = "application/json"
)

// HTTP returns a server for the OTLP paths, to be served and closed by the caller.
func (r *Receiver) HTTP() *http.Server { return r.Intake.HTTP(r.Handler(r.Counter())) }

// Counter returns what counts requests over HTTP.
func (r *Receiver) Counter() wire.Counter {
	c := counter{Receiver: r, signals: make(map[string]*signal)}
	for i := range signals {
		c.signals[signals[i].path()] = &signals[i]
	}
	return c
}

type counter struct {
	*Receiver
	signals map[string]*signal // by path
}

// Work reports whether the request is work under way, as all of OTLP are.
func (counter) Work(*http.Request) bool { return true }

// Count reads and counts one request, and returns its answer.
func (c counter) Count(r *http.Request) wire.Answer {
	json, typed := contentType(r)
	s, refused := c.check(r, typed)
	if refused != nil {
		return refuse(refused, json || !typed)
	}
	answer, refused := c.Receive(r, func(body []byte, size int64) wire.Answer {
		return c.count(s, body, size, json, r.Header.Get(protocol.CopyHeader) != "")
	})
	if refused != nil {
		return refuse(refused, json)
	}
	return answer
}

// contentType reports whether the body is JSON, and whether its type is known.
func contentType(r *http.Request) (json, known bool) {
	switch t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); {
	case err != nil:
		return false, false
	case t == typeJSON:
		return true, true
	default:
		return false, t == typeProtobuf
	}
}

// check looks at everything but the body.
func (c counter) check(r *http.Request, typed bool) (*signal, *wire.Refusal) {
	s := c.signals[r.URL.Path]
	switch {
	case s == nil:
		return nil, &wire.Refusal{Status: http.StatusNotFound, Message: "no such path; send to /v1/traces, /v1/metrics or /v1/logs"}
	case r.Method != http.MethodPost:
		return nil, &wire.Refusal{Status: http.StatusMethodNotAllowed, Message: "send with POST"}
	case !typed:
		return nil, &wire.Refusal{Status: http.StatusUnsupportedMediaType, Message: "content-type must be " + typeProtobuf + " or " + typeJSON}
	}
	return s, wire.UnknownEncoding(wire.Encoding(r))
}

// count walks a body and merges what it holds, unless that comes by another request too.
func (c counter) count(s *signal, body []byte, size int64, json, copied bool) wire.Answer {
	batch := c.Total.Batch()
	if err := walk(s, batch, body, json); err != nil {
		c.Total.Discard(batch)
		return refuse(&wire.Refusal{Status: http.StatusBadRequest, Message: err.Error()}, json)
	}
	answer := wire.Answer{Status: http.StatusOK}
	by := overProtobuf
	if json {
		by = overJSON
		answer.Type, answer.Body = typeJSON, answerJSON(s, batch)
	} else {
		answer.Type, answer.Body = typeProtobuf, answerProtobuf(batch)
	}
	if copied {
		c.Total.Discard(batch)
		return answer
	}
	c.keep(s, batch, body, json)
	c.Total.Merge(batch, by, size)
	return answer
}

func walk(s *signal, batch *tally.Batch, body []byte, json bool) error {
	if json {
		return s.json(batch, body)
	}
	return s.protobuf(batch, body)
}

// codeOf is the code of a google.rpc.Status beside a status of HTTP.
var codeOf = map[int]codes.Code{
	http.StatusNotFound:              codes.NotFound,
	http.StatusMethodNotAllowed:      codes.Unimplemented,
	http.StatusRequestEntityTooLarge: codes.ResourceExhausted,
	http.StatusRequestTimeout:        codes.DeadlineExceeded,
	http.StatusServiceUnavailable:    codes.Unavailable,
}

func refuse(r *wire.Refusal, json bool) wire.Answer {
	code, ok := codeOf[r.Status]
	if !ok {
		code = codes.InvalidArgument
	}
	answer := wire.Answer{Status: r.Status, Refused: r, Type: typeProtobuf}
	if r.Status == http.StatusMethodNotAllowed {
		answer.Header = map[string]string{"Allow": http.MethodPost}
	}
	answer.Body = statusProtobuf(code, r.Message)
	if json {
		answer.Type, answer.Body = typeJSON, statusJSON(code, r.Message)
	}
	return answer
}

// This file writes the answers of OTLP: the export responses with their partial
// success, and google.rpc.Status for errors, in protobuf and in JSON.

// answerProtobuf returns an Export…ServiceResponse; an empty one if all was fine.
func answerProtobuf(b *tally.Batch) []byte {
	if b.Rejected == 0 {
		return nil
	}
	var partial []byte
	partial = protowire.AppendTag(partial, 1, protowire.VarintType)
	partial = protowire.AppendVarint(partial, b.Rejected)
	partial = protowire.AppendTag(partial, 2, protowire.BytesType)
	partial = protowire.AppendString(partial, reason(b))
	answer := protowire.AppendTag(nil, 1, protowire.BytesType)
	return protowire.AppendBytes(answer, partial)
}

// answerJSON is the same in JSON, where 64-bit numbers are strings.
func answerJSON(s *signal, b *tally.Batch) []byte {
	if b.Rejected == 0 {
		return []byte("{}")
	}
	return encode(map[string]any{"partialSuccess": map[string]string{
		s.rejected:     strconv.FormatUint(b.Rejected, 10),
		"errorMessage": reason(b),
	}})
}

// encode writes what can always be written as JSON: strings, numbers and maps.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding an answer of the sink: %v", err))
	}
	return b
}

func reason(b *tally.Batch) string {
	return fmt.Sprintf("%d invalid spans; the first: %s", b.Rejected, b.Reason)
}

// statusProtobuf returns a google.rpc.Status.
func statusProtobuf(code codes.Code, message string) []byte {
	status := protowire.AppendTag(nil, 1, protowire.VarintType)
	status = protowire.AppendVarint(status, uint64(code))
	status = protowire.AppendTag(status, 2, protowire.BytesType)
	return protowire.AppendString(status, message)
}

// statusJSON is the same in JSON.
func statusJSON(code codes.Code, message string) []byte {
	return encode(struct {
		Code    uint32 `json:"code"`
		Message string `json:"message"`
	}{uint32(code), message})
}
