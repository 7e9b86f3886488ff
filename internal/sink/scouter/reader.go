// This file reads Scouter's values where they lie.

package scouter

import "encoding/binary"

// reader reads from the front of a pack. Once something is missing, it is broken and
// yields zeros.
type reader struct {
	rest   []byte
	broken bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.rest, r.broken = nil, true
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) short() uint16 {
	if b := r.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (r *reader) int() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// decimal reads a whole number of as many bytes as the byte before it says.
func (r *reader) decimal() int64 {
	size := int(r.byte())
	if size > 5 {
		size = 8
	}
	b := r.take(size)
	if len(b) == 0 {
		return 0
	}
	v := int64(int8(b[0]))
	for _, next := range b[1:] {
		v = v<<8 | int64(next)
	}
	return v
}

// blob reads bytes, or a text, after their number.
func (r *reader) blob() []byte {
	switch size := r.byte(); size {
	case 255:
		return r.take(int(r.short()))
	case 254:
		return r.take(int(int32(r.int())))
	default:
		return r.take(int(size))
	}
}

// array passes over an array of elements of so many bytes.
func (r *reader) array(size int) { r.take(int(r.short()) * size) }

// The types of value.
const (
	valueNull          = 0
	valueBoolean       = 10
	valueDecimal       = 20
	valueFloat         = 30
	valueDouble        = 40
	valueDoubleSummary = 45
	valueLongSummary   = 46
	valueText          = 50
	valueTextHash      = 51
	valueBlob          = 60
	valueIP4           = 61
	valueList          = 70
	valueInts          = 71
	valueFloats        = 72
	valueTexts         = 73
	valueLongs         = 74
	valueMap           = 80
)

// maxNesting bounds values within values.
const maxNesting = 16

// value passes over a value and all in it.
func (r *reader) value(nesting int) {
	if nesting > maxNesting {
		r.rest, r.broken = nil, true
		return
	}
	switch r.byte() {
	case valueNull:
	case valueBoolean:
		r.take(1)
	case valueDecimal:
		r.decimal()
	case valueFloat, valueTextHash, valueIP4:
		r.take(4)
	case valueDouble:
		r.take(8)
	case valueDoubleSummary, valueLongSummary:
		r.take(8 + 4 + 8 + 8)
	case valueText, valueBlob:
		r.blob()
	case valueList:
		r.list(nesting, false)
	case valueInts, valueFloats:
		r.array(4)
	case valueLongs:
		r.array(8)
	case valueTexts:
		for n := r.short(); n > 0 && !r.broken; n-- {
			r.blob()
		}
	case valueMap:
		r.list(nesting, true)
	default:
		r.rest, r.broken = nil, true
	}
}

// list passes over the values of a list, or of a map with their names.
func (r *reader) list(nesting int, named bool) {
	for n := r.decimal(); n > 0 && !r.broken; n-- {
		if named {
			r.blob()
		}
		r.value(nesting + 1)
	}
}
