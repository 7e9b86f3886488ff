// This file reads the protobuf wire format field by field, in place.
package otlp

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// errWire is what a body that is not protobuf gets.
var errWire = errors.New("body is not an OTLP protobuf message")

// Tags are a field's number and wire type as they stand on the wire.
func bytesTag(number uint64) uint64   { return number<<3 | uint64(protowire.BytesType) }
func varintTag(number uint64) uint64  { return number<<3 | uint64(protowire.VarintType) }
func fixed64Tag(number uint64) uint64 { return number<<3 | uint64(protowire.Fixed64Type) }

// fields iterates over the fields of one message:
//
//	for f := (fields{rest: message}); f.next(); { … }
//
// A message that is cut off or broken ends the loop with err set.
type fields struct {
	rest  []byte
	tag   uint64
	bytes []byte // value, for wire type 2; it is part of the message
	value uint64 // value, for wire type 0
	err   error
}

// next reads one field; false at the end or at an error.
func (f *fields) next() bool {
	b := f.rest
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
	f.tag = tag
	switch protowire.Type(tag & 7) {
	case protowire.BytesType:
		return f.readBytes(b[n:])
	case protowire.VarintType:
		v, m := protowire.ConsumeVarint(b[n:])
		if m < 0 {
			return f.fail(m)
		}
		f.value, n = v, n+m
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
	f.rest = b[n:]
	return true
}

// pass passes over fields in a row that have the same number and hold less than 128
// bytes. It saves little a field, but most of a span are such fields.
func (f *fields) pass(tag byte) {
	b := f.rest
	for len(b) > 1 && b[0] == tag && b[1] < 0x80 && int(b[1]) <= len(b)-2 {
		b = b[2+int(b[1]):]
	}
	f.rest = b
}

const maxTag = uint64(protowire.MaxValidNumber)<<3 | 7

func (f *fields) readBytes(b []byte) bool {
	if len(b) == 0 {
		return f.fail(0)
	}
	size, n := uint64(b[0]), 1
	if size >= 0x80 {
		if size, n = protowire.ConsumeVarint(b); n < 0 {
			return f.fail(n)
		}
	}
	if size > uint64(len(b)-n) || f.tag < 8 || f.tag > maxTag {
		return f.fail(0)
	}
	end := n + int(size)
	f.bytes, f.rest = b[n:end:end], b[end:]
	return true
}

// skipRare passes over a group, which OTLP does not use but protobuf allows.
func (f *fields) skipRare(b []byte) bool {
	_, _, n := protowire.ConsumeField(b)
	if n < 0 {
		return f.fail(n)
	}
	f.rest = b[n:]
	return true
}

// fail ends the iteration; n is protowire's error code, 0 where there is none.
func (f *fields) fail(n int) bool {
	f.rest = nil
	f.err = errWire
	if n < 0 {
		f.err = fmt.Errorf("%w: %w", errWire, protowire.ParseError(n))
	}
	return false
}
