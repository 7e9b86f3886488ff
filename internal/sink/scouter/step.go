// This file knows the steps of a profile.

package scouter

import (
	"encoding/binary"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

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

// maxCalls is how many calls a step can stand for; more are no number of calls.
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
