// This file takes messages of gRPC as raw bytes: a codec of its own keeps gRPC from
// building objects of them.

package wire

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/stats"
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

// WireSizes notes the size of each message as it was on the wire, which gRPC tells
// nobody but a stats handler.
type WireSizes struct{}

// HandleRPC notes the size of a message that comes in.
func (WireSizes) HandleRPC(_ context.Context, event stats.RPCStats) {
	in, ok := event.(*stats.InPayload)
	if !ok {
		return
	}
	if m, ok := in.Payload.(*Message); ok {
		m.Wire = int64(in.CompressedLength)
		m.Compressed = in.CompressedLength != in.Length
	}
}

// TagRPC adds nothing.
func (WireSizes) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// TagConn adds nothing.
func (WireSizes) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn does nothing.
func (WireSizes) HandleConn(context.Context, stats.ConnStats) {}
