// This file reads the protobuf wire format field by field, in place.

package wire

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrProtobuf is what a body that is not protobuf gets.
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
