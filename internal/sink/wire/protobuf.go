// This file reads the protobuf wire format field by field, in place.

package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

// ErrProtobuf refuses a body that is not protobuf.
var ErrProtobuf = errors.New("body is not the protobuf message that it should be")

// BytesTag is the number of a field and its wire type as they stand on the wire; so
// are VarintTag and Fixed64Tag.
func BytesTag(number uint64) uint64 { return number<<3 | uint64(protowire.BytesType) }

// VarintTag is the tag of a field that is a varint.
func VarintTag(number uint64) uint64 { return number<<3 | uint64(protowire.VarintType) }

// Fixed64Tag is the tag of a field of 8 bytes.
func Fixed64Tag(number uint64) uint64 { return number<<3 | uint64(protowire.Fixed64Type) }

// Fields iterates over the fields of one message:
//
//	for f := (Fields{Rest: message}); f.Next(); { … }
//
// A message that is cut off or broken ends the loop with Err set.
type Fields struct {
	Rest  []byte
	Tag   uint64
	Bytes []byte // value, for wire type 2; it is part of the message
	Value uint64 // value, for wire type 0
	Err   error
}

// Next reads one field; false at the end or at an error.
func (f *Fields) Next() bool {
	b := f.Rest
	if len(b) == 0 {
		return false
	}
	// Nearly all tags and lengths are one or two bytes long.
	tag, n := uint64(b[0]), 1
	if tag >= 0x80 {
		if tag, n = protowire.ConsumeVarint(b); n < 0 {
			return f.fail(n)
		}
	}
	f.Tag = tag
	switch protowire.Type(tag & 7) {
	case protowire.BytesType:
		return f.readBytes(b[n:])
	case protowire.VarintType:
		v, m := protowire.ConsumeVarint(b[n:])
		if m < 0 {
			return f.fail(m)
		}
		f.Value, n = v, n+m
	case protowire.Fixed64Type:
		n += 8
	case protowire.Fixed32Type:
		n += 4
	default:
		return f.skipRare(b)
	}
	if n > len(b) || tag < 8 || tag > maxTag {
		return f.fail(0)
	}
	f.Rest = b[n:]
	return true
}

// Pass passes over fields in a row that have the same number and hold less than 128
// bytes. It saves little a field, but most of a span are such fields.
func (f *Fields) Pass(tag byte) {
	b := f.Rest
	for len(b) > 1 && b[0] == tag && b[1] < 0x80 && int(b[1]) <= len(b)-2 {
		b = b[2+int(b[1]):]
	}
	f.Rest = b
}

const maxTag = uint64(protowire.MaxValidNumber)<<3 | 7

func (f *Fields) readBytes(b []byte) bool {
	if len(b) == 0 {
		return f.fail(0)
	}
	size, n := uint64(b[0]), 1
	if size >= 0x80 {
		if size, n = protowire.ConsumeVarint(b); n < 0 {
			return f.fail(n)
		}
	}
	if size > uint64(len(b)-n) || f.Tag < 8 || f.Tag > maxTag {
		return f.fail(0)
	}
	end := n + int(size)
	f.Bytes, f.Rest = b[n:end:end], b[end:]
	return true
}

// skipRare passes over a group, which OTLP does not use but protobuf allows.
func (f *Fields) skipRare(b []byte) bool {
	_, _, n := protowire.ConsumeField(b)
	if n < 0 {
		return f.fail(n)
	}
	f.Rest = b[n:]
	return true
}

// fail ends the iteration; n is protowire's error code, 0 where there is none.
func (f *Fields) fail(n int) bool {
	f.Rest = nil
	f.Err = ErrProtobuf
	if n < 0 {
		f.Err = fmt.Errorf("%w: %w", ErrProtobuf, protowire.ParseError(n))
	}
	return false
}

// This file takes messages of gRPC as raw bytes: a codec of its own keeps gRPC from
// building objects of them.

// Message is a message of gRPC on its way in or out.
type Message struct {
	Pool mem.BufferPool // where room for a body in pieces comes from
	Out  []byte         // what goes out
	Wire int64          // size of what came in, as it was on the wire

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
			w.Total.Refuse(fmt.Sprintf("%v: the sink does not know the compression %s", codes.Unimplemented, quote.Quoted(name)))
		}
	case *stats.InPayload:
		if m, ok := in.Payload.(*Message); ok {
			m.Wire = int64(in.CompressedLength)
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

// Why is a refusal over gRPC in the words that the sender gets.
func Why(err error) string {
	s := status.Convert(err)
	return s.Code().String() + ": " + s.Message()
}

// NoMethod refuses a method that a receiver does not have.
func NoMethod(method, protocol string) error {
	return status.Errorf(codes.Unimplemented, "the sink has no method %s of %s", method, protocol)
}
