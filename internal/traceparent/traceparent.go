// Package traceparent owns the trace ids that the load generator chooses for its operations (W3C Trace Context), and their
// recognition. It is a leaf. It must not know how operations are made, nor how spans are received.
//
// An id is the number of an operation, mixed with a key. Both halves look random to samplers, which read one or the other. With the
// key either half alone shows whether an id is one of these: one of 2^24 ids of 64 bits that others chose passes for one, none of
// 128 bits.
package traceparent

import (
	"encoding/binary"
	"encoding/hex"
)

// Header is the header's name, as HTTP/2 wants it, and Length is how long its value is.
const (
	Header = "traceparent"
	Length = len(Blank)
	Blank  = "00-00000000000000000000000000000000-0000000000000000-00" // a value that stands where one is to be put
)

// Readiness is the first number of requests that are no operations: whether the program is ready.
const Readiness = 1 << 31

// Key is what the ids of one run have in common; 0 is none.
type Key uint64

// NewKey is the key of a run with a seed.
func NewKey(seed uint64) Key { return Key(max(1, mix(seed^0x747261636570))) }

const numberBits, stepBits = 32, 8

// Put writes the value for a step of an operation, from 0, into 55 bytes.
func (k Key) Put(into []byte, number uint64, step int, sampled bool) {
	var id [24]byte
	right := mix(mix(uint64(step)&(1<<stepBits-1)<<numberBits|number&(1<<numberBits-1)) ^ uint64(k))
	binary.BigEndian.PutUint64(id[:], k.left(right))
	binary.BigEndian.PutUint64(id[8:], right)
	binary.BigEndian.PutUint64(id[16:], k.parent(right))
	copy(into, Blank)
	hex.Encode(into[3:35], id[:16])
	hex.Encode(into[36:52], id[16:])
	if sampled {
		into[54] = '1'
	}
}

// Value is what Put writes, as a text.
func (k Key) Value(number uint64, step int, sampled bool) string {
	var room [Length]byte
	k.Put(room[:], number, step, sampled)
	return string(room[:])
}

// Has reports whether a trace's id is of the key. An id of 64 bits, also in 128, is the right half of one.
func (k Key) Has(trace []byte) bool {
	right, left, is := halves(trace)
	if !is || k == 0 {
		return false
	}
	if left != 0 {
		return left == k.left(right)
	}
	return unmix(unmix(right)^uint64(k))>>(numberBits+stepBits) == 0
}

// Began reports whether a span's parent is the generator, which makes no span: the span is the first of its trace.
func (k Key) Began(trace, parent []byte) bool {
	right, _, is := halves(trace)
	return is && k != 0 && len(parent) == 8 && binary.BigEndian.Uint64(parent) == k.parent(right) && k.Has(trace)
}

// Draw is a number by chance, for the so-many-th choice that is made by the key.
func (k Key) Draw(nth uint64) uint64 { return mix(mix(nth^0x73616d706c65) ^ uint64(k)) }

func halves(trace []byte) (right, left uint64, is bool) {
	switch len(trace) {
	case 8:
		return binary.BigEndian.Uint64(trace), 0, true
	case 16:
		return binary.BigEndian.Uint64(trace[8:]), binary.BigEndian.Uint64(trace), true
	}
	return 0, 0, false
}

func (k Key) left(right uint64) uint64   { return max(1, mix(right^uint64(k)^0x6c656674)) }
func (k Key) parent(right uint64) uint64 { return max(1, mix(right^uint64(k)^0x706172656e74)) }

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014), and unmix its
// inverse.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func unmix(z uint64) uint64 {
	z = (z ^ z>>31 ^ z>>62) * 0x319642b2d24d8ec3
	z = (z ^ z>>27 ^ z>>54) * 0x96de1b173f119089
	return z ^ z>>30 ^ z>>60
}
