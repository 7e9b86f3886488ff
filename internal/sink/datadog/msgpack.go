// This file reads msgpack in place, with the readers of a library: each takes a value
// from the front of what is left of the body.

package datadog

import (
	"errors"
	"fmt"

	"github.com/tinylib/msgp/msgp"
)

// errBody refuses a body that is not msgpack, or has another form.
var errBody = errors.New("the body is not the expected msgpack message")

// reader reads a body. The first error ends it: whatever is read then is empty.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %w", errBody, err)
	}
	r.rest = nil
}

// take keeps what a library's reader left over.
func (r *reader) take(rest []byte, err error) {
	if err != nil {
		r.fail(err)
		return
	}
	r.rest = rest
}

// null reports whether there is nil, and reads it if so.
func (r *reader) null() bool {
	if r.err != nil || msgp.NextType(r.rest) != msgp.NilType {
		return false
	}
	rest, err := msgp.ReadNilBytes(r.rest)
	r.take(rest, err)
	return true
}

// list calls element for every element of an array; element must read it.
func (r *reader) list(element func()) {
	if r.err != nil || r.null() {
		return
	}
	n, rest, err := msgp.ReadArrayHeaderBytes(r.rest)
	r.take(rest, err)
	for ; n > 0 && r.err == nil; n-- {
		element()
	}
}

// fixed reads the header of an array that must have n elements.
func (r *reader) fixed(n uint32) bool {
	if r.err != nil {
		return false
	}
	got, rest, err := msgp.ReadArrayHeaderBytes(r.rest)
	r.take(rest, err)
	if r.err == nil && got != n {
		r.fail(fmt.Errorf("an array of %d elements where one of %d belongs", got, n))
	}
	return r.err == nil
}

// pairs reads the header of a map.
func (r *reader) pairs() uint32 {
	if r.err != nil || r.null() {
		return 0
	}
	n, rest, err := msgp.ReadMapHeaderBytes(r.rest)
	r.take(rest, err)
	if r.err != nil {
		return 0
	}
	return n
}

// text reads a string, in place; nil is none.
func (r *reader) text() []byte {
	if r.err != nil || r.null() {
		return nil
	}
	var text, rest []byte
	var err error
	if msgp.NextType(r.rest) == msgp.BinType {
		text, rest, err = msgp.ReadBytesZC(r.rest)
	} else {
		text, rest, err = msgp.ReadStringZC(r.rest)
	}
	r.take(rest, err)
	return text
}

// number reads a whole number of either sign as its 64 bits.
func (r *reader) number() uint64 {
	if r.err != nil || r.null() {
		return 0
	}
	var n uint64
	var rest []byte
	var err error
	if msgp.NextType(r.rest) == msgp.IntType {
		var signed int64
		signed, rest, err = msgp.ReadInt64Bytes(r.rest)
		n = uint64(signed)
	} else {
		n, rest, err = msgp.ReadUint64Bytes(r.rest)
	}
	r.take(rest, err)
	return n
}

// skip passes over a value of any kind.
func (r *reader) skip() {
	if r.err != nil {
		return
	}
	rest, err := msgp.Skip(r.rest)
	r.take(rest, err)
}

// end is the error of a body that was read; nothing may be left.
func (r *reader) end() error {
	if r.err == nil && len(r.rest) > 0 {
		r.fail(errors.New("data after its end"))
	}
	return r.err
}
