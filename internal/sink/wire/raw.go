// This file takes messages of gRPC as raw bytes: a codec of its own keeps gRPC from
// building objects of them.

package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// Message is a message of gRPC on its way in or out.
type Message struct {
	Pool mem.BufferPool // where room for a body in pieces comes from
	Out  []byte         // what goes out
	Wire int64          // size of what came in, as it was on the wire

	Compressed bool // whether what came in was

	in mem.Buffer
}

// Body returns what came in, valid until Free.
func (m *Message) Body() []byte {
	if m.in == nil {
		return nil
	}
	return m.in.ReadOnlyData()
}

// Free gives back the room for what came in.
func (m *Message) Free() {
	if m.in != nil {
		m.in.Free()
		m.in = nil
	}
}

// RawCodec hands messages over as they are. It goes by the name of the format that
// they are in, since the name is part of the content type.
type RawCodec struct{}

// Name is part of the content type.
func (RawCodec) Name() string { return "proto" }

// Marshal returns what goes out.
func (RawCodec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(*Message)
	if !ok {
		return nil, fmt.Errorf("encoding an answer: unexpected %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(m.Out)}, nil
}

// Unmarshal takes what came in; one message into each *Message.
func (RawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(*Message)
	if !ok {
		return fmt.Errorf("decoding a body: unexpected %T", v)
	}
	if m.in != nil {
		return errors.New("more than one message in a request")
	}
	m.in = data.MaterializeToBuffer(m.Pool)
	return nil
}

// Watch sees what gRPC tells nobody but a stats handler: the size of each message as it was on the wire, and calls
// whose messages gRPC itself refuses, since they are compressed in a way that is not known here.
type Watch struct{ Total *tally.Total }

// HandleRPC notes the size of a message that comes in, and counts what is refused.
func (w Watch) HandleRPC(_ context.Context, event stats.RPCStats) {
	switch in := event.(type) {
	case *stats.InHeader:
		if name := in.Compression; name != "" && name != encoding.Identity && encoding.GetCompressor(name) == nil {
			w.Total.Refuse()
		}
	case *stats.InPayload:
		if m, ok := in.Payload.(*Message); ok {
			m.Wire = int64(in.CompressedLength)
			m.Compressed = in.CompressedLength != in.Length
		}
	}
}

// TagRPC adds nothing.
func (Watch) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// TagConn adds nothing.
func (Watch) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn does nothing.
func (Watch) HandleConn(context.Context, stats.ConnStats) {}

// Bears reports whether a method that the sink does not have might bear spans: health checks and reflection do not.
func Bears(method string) bool { return !strings.HasPrefix(method, "/grpc.") }

// NoMethod refuses a method that a receiver does not have.
func NoMethod(method, protocol string) error {
	return status.Errorf(codes.Unimplemented, "the sink has no method %s of %s", method, protocol)
}
