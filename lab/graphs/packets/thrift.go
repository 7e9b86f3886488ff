package packets

import (
	"encoding/binary"
	"strings"
)

// thriftFramed reads Apache Thrift's binary protocol in its framed transport.
type thriftFramed struct {
	sides [2]struct {
		of   *exchange // its frame is passed over
		once bool      // nothing answers it
	}
}

// Types of messages of Thrift.
const (
	thriftCall      = 1
	thriftReply     = 2
	thriftException = 3
	thriftOnce      = 4
)

// Types of fields.
const (
	thriftStop   = 0
	thriftBool   = 2
	thriftByte   = 3
	thriftDouble = 4
	thriftI16    = 6
	thriftI32    = 8
	thriftI64    = 10
	thriftString = 11
	thriftStruct = 12
	thriftMap    = 13
	thriftSet    = 14
	thriftList   = 15
	thriftUUID   = 16
)

const (
	mostThrift   = 1 << 28   // bytes of a frame
	thriftPrefix = 128 << 10 // bytes of a frame in which its carrier is looked for
	deepest      = 32        // structs in structs
)

func beginsThrift(data []byte, server bool) bool {
	if len(data) < 8 || binary.BigEndian.Uint32(data) > mostThrift || binary.BigEndian.Uint32(data) < 12 ||
		data[4] != 0x80 || data[5] != 1 || data[6] != 0 {
		return false
	}
	if server {
		return data[7] == thriftReply || data[7] == thriftException
	}
	return data[7] == thriftCall || data[7] == thriftOnce
}

func (t *thriftFramed) read(c *conn, server bool, data []byte) (int, error) {
	if len(data) < 8 {
		return 0, nil
	}
	if !beginsThrift(data, server) {
		return 0, errLost
	}
	length := int(binary.BigEndian.Uint32(data))
	looked := min(length, thriftPrefix)
	if len(data) < 4+looked {
		return 0, nil
	}
	m, ok := newThriftMessage(data[4 : 4+looked])
	if !ok {
		return 0, errLost
	}
	s, x := c.client, c.byID(m.id)
	if server {
		s = c.server
		if x != nil {
			c.answers(x)
			x.Status = m.status()
		}
	} else {
		x = c.ask(Thrift)
		x.id, x.Method = m.id, m.name
		m.carrier(x)
		t.sides[0].once = m.kind == thriftOnce
	}
	t.side(server).of = x
	if s.skip = int64(length - looked); s.skip == 0 {
		t.done(c, server, s.pos+int64(4+looked))
	}
	return 4 + looked, nil
}

func (t *thriftFramed) side(server bool) *struct {
	of   *exchange
	once bool
} {
	if server {
		return &t.sides[1]
	}
	return &t.sides[0]
}

func (t *thriftFramed) passed(c *conn, server bool) {
	if server {
		t.done(c, true, c.server.pos)
		return
	}
	t.done(c, false, c.client.pos)
}

// done ends a message with the byte before pos.
func (t *thriftFramed) done(c *conn, server bool, pos int64) {
	x := t.side(server).of
	t.side(server).of = nil
	switch {
	case x == nil: // the request is missing
	case server:
		c.answered(x, pos)
	default:
		if c.asked(x, pos); t.sides[0].once {
			c.unanswered(x)
		}
	}
}

func (t *thriftFramed) closed(*conn, bool) {}

// thriftMessage is the front of a message.
type thriftMessage struct {
	kind byte
	name string
	id   uint32
	body thriftReader
}

func newThriftMessage(data []byte) (thriftMessage, bool) {
	r := thriftReader{data}
	kind, ok := r.take(4)
	name, named := r.bytes()
	id, numbered := r.take(4)
	if !ok || !named || !numbered {
		return thriftMessage{}, false
	}
	return thriftMessage{kind[3], string(name), binary.BigEndian.Uint32(id), r}, true
}

// status is that of an answer: a result is field 0, and a declared exception another one.
func (m *thriftMessage) status() string {
	if m.kind == thriftException {
		return "EXCEPTION"
	}
	if head, ok := m.body.take(3); ok && head[0] != thriftStop && binary.BigEndian.Uint16(head[1:]) != 0 {
		return "EXCEPTION"
	}
	return "OK"
}

// carrier adds the entries of the first map of strings among the arguments to a call.
func (m *thriftMessage) carrier(x *exchange) {
	r := m.body
	for {
		kind, ok := r.take(1)
		if !ok || kind[0] == thriftStop {
			return
		}
		if _, ok := r.take(2); !ok {
			return
		}
		if kind[0] == thriftMap && len(r.data) >= 6 && r.data[0] == thriftString && r.data[1] == thriftString {
			head, _ := r.take(6)
			for range binary.BigEndian.Uint32(head[2:]) {
				name, ok := r.bytes()
				value, also := r.bytes()
				if !ok || !also {
					return
				}
				x.field(strings.Clone(string(name)), string(value))
			}
			return
		}
		if !r.skip(kind[0], 0) {
			return
		}
	}
}

// thriftReader reads values of the binary protocol.
type thriftReader struct{ data []byte }

func (r *thriftReader) take(n int) ([]byte, bool) {
	if n < 0 || len(r.data) < n {
		return nil, false
	}
	out := r.data[:n]
	r.data = r.data[n:]
	return out, true
}

// bytes reads a string.
func (r *thriftReader) bytes() ([]byte, bool) {
	size, ok := r.take(4)
	if !ok {
		return nil, false
	}
	return r.take(int(int32(binary.BigEndian.Uint32(size))))
}

// skip passes a value over; false is that it goes on beyond the data.
func (r *thriftReader) skip(kind byte, depth int) bool {
	if depth > deepest {
		return false
	}
	ok := true
	switch kind {
	case thriftBool, thriftByte:
		_, ok = r.take(1)
	case thriftI16:
		_, ok = r.take(2)
	case thriftI32:
		_, ok = r.take(4)
	case thriftI64, thriftDouble:
		_, ok = r.take(8)
	case thriftUUID:
		_, ok = r.take(16)
	case thriftString:
		_, ok = r.bytes()
	case thriftStruct:
		for ok {
			var of []byte
			if of, ok = r.take(1); !ok || of[0] == thriftStop {
				return ok
			}
			if _, ok = r.take(2); ok {
				ok = r.skip(of[0], depth+1)
			}
		}
	case thriftMap:
		head, has := r.take(6)
		if !has {
			return false
		}
		return r.skipAll(int(binary.BigEndian.Uint32(head[2:])), depth, head[0], head[1])
	case thriftSet, thriftList:
		head, has := r.take(5)
		if !has {
			return false
		}
		return r.skipAll(int(binary.BigEndian.Uint32(head[1:])), depth, head[0])
	default:
		return false
	}
	return ok
}

// skipAll passes n values of each of these kinds over.
func (r *thriftReader) skipAll(n, depth int, kinds ...byte) bool {
	for range n {
		for _, kind := range kinds {
			if !r.skip(kind, depth+1) {
				return false
			}
		}
	}
	return true
}
