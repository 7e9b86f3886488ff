package packets

import (
	"bytes"
	"encoding/binary"
)

// cursor reads a message from its front. Once it has gone beyond the end, all that it reads is zero or empty.
type cursor struct {
	data  []byte
	short bool // it has gone beyond the end
}

// take reads n bytes.
func (r *cursor) take(n int) []byte {
	if n < 0 || n > len(r.data) {
		r.fail()
		return nil
	}
	out := r.data[:n]
	r.data = r.data[n:]
	return out
}

// fail ends the reading, as of a message that is none.
func (r *cursor) fail() { r.data, r.short = nil, true }

func (r *cursor) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// big reads a number of 32 bits, the highest byte first.
func (r *cursor) big() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// little reads a number of 32 bits, the lowest byte first.
func (r *cursor) little() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// text reads up to a byte 0.
func (r *cursor) text() []byte {
	out := r.take(bytes.IndexByte(r.data, 0))
	r.take(1)
	return out
}
