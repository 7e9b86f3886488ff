// This file reads Scouter's values where they lie.

package scouter

import (
	"encoding/binary"
	"errors"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

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

// This file puts packs together that came in pieces.

// pieces holds the incomplete packs. The oldest make room for new
// ones: a piece that was lost on the way never comes.
type pieces struct {
	limit  int64 // bytes held at most
	gaveUp int   // packs that made room

	held  int64
	packs map[pieceKey]*partial
	order []pieceKey // oldest first; those that are complete stay until they are the oldest
}

type pieceKey struct {
	object uint32
	id     uint64
}

type partial struct {
	pieces  [][]byte
	missing int
	size    int64
}

const (
	maxPieces    = 1 << 12 // of a pack
	pieceMemory  = 24      // bytes that a piece costs beside itself
	maxOrder     = 1 << 12 // packs that a pack is waited for while they come
	maxWholePack = 4 << 20 // bytes
)

var errPiece = errors.New("a piece of a pack is cut off or broken, or does not fit the others")

// add takes a piece, and returns the pack if it was the last.
func (p *pieces) add(r reader) ([]byte, error) {
	key := pieceKey{object: r.int(), id: uint64(r.int())<<32 | uint64(r.int())}
	total, number := int(r.short()), int(r.short())
	piece := r.blob()
	if end(r) != nil || total > maxPieces || number >= total {
		return nil, errPiece
	}
	whole := p.of(key, total)
	if len(whole.pieces) != total || whole.size+int64(len(piece)) > maxWholePack {
		return nil, errPiece
	}
	if whole.pieces[number] != nil {
		return nil, nil // it came twice
	}
	whole.pieces[number] = append(make([]byte, 0, len(piece)), piece...)
	whole.size += int64(len(piece))
	whole.missing--
	p.held += int64(len(piece))
	if whole.missing > 0 {
		p.makeRoom(key)
		return nil, nil
	}
	p.forget(key)
	p.makeRoom(key)
	return join(whole), nil
}

func join(whole *partial) []byte {
	pack := make([]byte, 0, whole.size)
	for _, piece := range whole.pieces {
		pack = append(pack, piece...)
	}
	return pack
}

// of returns the pack that a piece is of.
func (p *pieces) of(key pieceKey, total int) *partial {
	if whole, ok := p.packs[key]; ok {
		return whole
	}
	if p.packs == nil {
		p.packs = make(map[pieceKey]*partial)
	}
	whole := &partial{pieces: make([][]byte, total), missing: total}
	p.packs[key] = whole
	p.order = append(p.order, key)
	p.held += int64(total) * pieceMemory
	return whole
}

func (p *pieces) forget(key pieceKey) {
	whole := p.packs[key]
	p.held -= whole.size + int64(len(whole.pieces))*pieceMemory
	delete(p.packs, key)
}

// makeRoom gives up the oldest packs while too much is held.
func (p *pieces) makeRoom(newest pieceKey) {
	for len(p.order) > 0 {
		oldest := p.order[0]
		_, waiting := p.packs[oldest]
		if waiting && (oldest == newest || p.held <= p.limit && len(p.order) <= maxOrder) {
			return
		}
		p.order = p.order[1:]
		if waiting {
			p.forget(oldest)
			p.gaveUp++
		}
	}
}

// This file knows the steps of a profile.

// form is how a type of step lies in a profile: one letter a field, d decimal, c
// decimal that is a number of calls, t text or bytes, b byte, l long, i array of
// integers, o byte that is followed by a text if it is 1.
type form struct {
	fields string
	single bool // one call, or a remark: it begins with its place among the steps
	span   bool // it took time, and is counted
	kind   tally.Kind
}

// forms are the steps of Scouter 2.0.0, by their type.
var forms = map[byte]form{
	1:  {"ddd", true, true, tally.Internal},    // method
	10: {"dddd", true, true, tally.Internal},   // method, with its error
	2:  {"dddtd", true, true, tally.Client},    // SQL
	8:  {"dddtdb", true, true, tally.Client},   // SQL, with the way it was run
	16: {"dddtdbd", true, true, tally.Client},  // SQL, with the rows that it changed
	3:  {"t", true, false, 0},                  // message
	5:  {"tddd", true, true, tally.Client},     // socket opened
	6:  {"dddddo", true, true, tally.Client},   // call of another process
	15: {"dddddob", true, true, tally.Client},  // the same, perhaps asynchronous
	7:  {"ddddd", true, true, tally.Internal},  // work given to a thread
	13: {"dddddo", true, true, tally.Internal}, // dispatch
	14: {"dddb", true, true, tally.Internal},   // work perhaps given to a thread
	9:  {"ddd", true, false, 0},                // message by its hash, such as the name of the thread
	17: {"dddt", true, false, 0},               // message with parameters
	12: {"ilttltt", true, false, 0},            // thread dump
	11: {"dcdd", false, true, tally.Internal},  // methods of the same name, together
	21: {"dcdddtt", false, true, tally.Client}, // SQL, together
	31: {"tc", false, false, 0},                // messages, together
	42: {"tdcdd", false, true, tally.Client},   // sockets, together
	43: {"dcdddo", false, true, tally.Client},  // calls of other processes, together
	99: {"td", false, false, 0},                // what became of the steps that are missing
}

// step counts a step of the call with that id; false if it is unknown or broken. Calls
// that come together are one span: the others were merged into it.
func step(batch *tally.Batch, call []byte, kind byte, r *reader) bool {
	f, known := forms[kind]
	if !known {
		return false
	}
	var parent, index int64
	if f.single {
		parent, index = r.decimal(), r.decimal()
		r.decimal() // when it began
		r.decimal() // CPU time until then
	}
	calls := f.pass(r)
	if r.broken {
		return false
	}
	if !f.span {
		return true
	}
	if calls > maxCalls {
		return false
	}
	s := tally.Span{Trace: call, Kind: f.kind, Loose: true, Child: true, Merged: uint64(max(0, calls-1))}
	var own, above [12]byte
	if f.single {
		s.ID = place(&own, call, index)
		s.Parent = call
		if parent >= 0 {
			s.Parent = place(&above, call, parent)
		}
	}
	batch.Span(&s)
	return true
}

// maxCalls is the most calls of a step; a larger number is no number of calls.
const maxCalls = 1 << 32

// place writes a step's id: the call's, and its place in it.
func place(id *[12]byte, call []byte, index int64) []byte {
	copy(id[:], call)
	binary.BigEndian.PutUint32(id[8:], uint32(index))
	return id[:]
}

// pass passes over the fields, and returns the number of calls if one is among them.
func (f *form) pass(r *reader) (calls int64) {
	for _, field := range []byte(f.fields) {
		switch field {
		case 'd':
			r.decimal()
		case 'c':
			calls = r.decimal()
		case 't':
			r.blob()
		case 'b':
			r.take(1)
		case 'l':
			r.take(8)
		case 'i':
			r.array(4)
		case 'o':
			if r.byte() == 1 {
				r.blob()
			}
		}
	}
	return calls
}
