// This file walks through the fields of a message.

package rpc

import (
	"encoding/binary"

	"github.com/tracetax/tracetax/internal/sink/wire"
	"google.golang.org/protobuf/encoding/protowire"
)

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
