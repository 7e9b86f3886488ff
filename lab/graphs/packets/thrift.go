package packets

import "encoding/binary"

// Types of messages of Thrift's binary protocol.
const (
	thriftCall      = 1
	thriftReply     = 2
	thriftException = 3
	thriftOnce      = 4
)

// Types of fields that are looked into.
const (
	thriftStop   = 0
	thriftString = 11
	thriftStruct = 12
	thriftMap    = 13
	thriftSet    = 14
	thriftList   = 15
)

// thriftFixed are the sizes in bytes of the other types: bool, byte, double, i16, i32, i64, UUID.
var thriftFixed = map[byte]int{2: 1, 3: 1, 4: 8, 6: 2, 8: 4, 10: 8, 16: 16}

const (
	thriftLeast  = 12        // bytes of a frame
	thriftMost   = 1 << 28   // bytes of a frame
	thriftPrefix = 128 << 10 // bytes of a frame in which its carrier is looked for
	deepest      = 32        // structs in structs
)

func beginsThrift(data []byte, server bool) bool {
	if len(data) < 8 || data[4] != 0x80 || data[5] != 1 || data[6] != 0 {
		return false
	}
	if length := binary.BigEndian.Uint32(data); length < thriftLeast || length > thriftMost {
		return false
	}
	if server {
		return data[7] == thriftReply || data[7] == thriftException
	}
	return data[7] == thriftCall || data[7] == thriftOnce
}

// readThrift reads Apache Thrift's binary protocol in its framed transport.
func readThrift(s *stream, data []byte) (taken, error) {
	if len(data) < 8 {
		return taken{}, nil
	}
	if !beginsThrift(data, s.serves()) {
		return taken{}, errLost
	}
	length := int(binary.BigEndian.Uint32(data))
	looked := min(length, thriftPrefix)
	if len(data) < 4+looked {
		return taken{}, nil
	}
	r := cursor{data: data[8 : 4+looked]}
	name := r.take(int(int32(r.big())))
	id := r.big()
	if r.short {
		return taken{}, errLost
	}
	out := taken{n: 4 + looked, skip: int64(length - looked)}
	if !s.serves() {
		x := s.conn.ask(Thrift)
		x.id, x.Method, x.mute = id, string(name), data[7] == thriftOnce
		x.carrier(&r)
		out.of = x
	} else if out.of = s.conn.byID(id); out.of != nil { // else the request is missing
		s.conn.answers(out.of)
		out.of.Status = "OK"
		// A result is field 0, and a declared exception another one.
		if head := r.take(3); data[7] == thriftException || head != nil && head[0] != thriftStop && head[1]|head[2] != 0 {
			out.of.Status = "EXCEPTION"
		}
	}
	return out, nil
}

// carrier adds the entries of the first map of strings among the arguments to a call.
func (x *exchange) carrier(r *cursor) {
	for kind := r.byte(); kind != thriftStop; kind = r.byte() {
		r.take(2)
		if kind != thriftMap || len(r.data) < 2 || r.data[0] != thriftString || r.data[1] != thriftString {
			r.skip(kind, 0)
			continue
		}
		r.take(2)
		for n := r.big(); n > 0; n-- {
			name := r.take(int(int32(r.big())))
			value := r.take(int(int32(r.big())))
			if r.short {
				return
			}
			x.field(string(name), string(value))
		}
		return
	}
}

// skip passes a value of Thrift over.
func (r *cursor) skip(kind byte, depth int) {
	size, fixed := thriftFixed[kind]
	switch {
	case fixed:
		r.take(size)
	case depth > deepest:
		r.fail()
	case kind == thriftString:
		r.take(int(int32(r.big())))
	case kind == thriftStruct:
		for of := r.byte(); of != thriftStop; of = r.byte() {
			r.take(2)
			r.skip(of, depth+1)
		}
	case kind == thriftMap:
		key, value := r.byte(), r.byte()
		for n := r.big(); n > 0 && !r.short; n-- {
			r.skip(key, depth+1)
			r.skip(value, depth+1)
		}
	case kind == thriftSet, kind == thriftList:
		of := r.byte()
		for n := r.big(); n > 0 && !r.short; n-- {
			r.skip(of, depth+1)
		}
	default:
		r.fail()
	}
}
