package packets

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
)

// mongo reads MongoDB's messages: OP_MSG, and the old OP_QUERY with which drivers begin.
type mongo struct {
	sides [2]struct{ of *exchange }
	mute  bool // nothing answers the request
}

// Kinds of messages.
const (
	mongoReply      = 1
	mongoQuery      = 2004
	mongoCompressed = 2012
	mongoMsg        = 2013
)

const (
	mongoHead   = 16
	mongoMost   = 64 << 20 // bytes of a message
	mongoPrefix = 64 << 10 // bytes of a message that are looked at
	moreToCome  = 2        // a flag: nothing answers it
)

func beginsMongo(data []byte, server bool) bool {
	if len(data) < mongoHead {
		return false
	}
	length, to := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[8:])
	if length < mongoHead || length > mongoMost || server == (to == 0) {
		return false
	}
	switch binary.LittleEndian.Uint32(data[12:]) {
	case mongoMsg, mongoCompressed:
		return true
	case mongoReply:
		return server
	case mongoQuery:
		return !server
	}
	return false
}

// mayBeMongo reports whether fewer bytes than a head has may begin one.
func mayBeMongo(data []byte) bool {
	return len(data) >= 4 && data[3] == 0 && binary.LittleEndian.Uint32(data) >= mongoHead
}

func (m *mongo) read(c *conn, server bool, data []byte) (int, error) {
	if len(data) < mongoHead {
		return 0, nil
	}
	length := int(binary.LittleEndian.Uint32(data))
	if length < mongoHead || length > mongoMost {
		return 0, errLost
	}
	looked := min(length, mongoPrefix)
	if len(data) < looked {
		return 0, nil
	}
	id, to, kind := binary.LittleEndian.Uint32(data[4:]), binary.LittleEndian.Uint32(data[8:]), binary.LittleEndian.Uint32(data[12:])
	body, s, at := data[mongoHead:looked], c.client, 0
	var x *exchange
	if server {
		s, at = c.server, 1
		if x = c.byID(to); x != nil {
			c.answers(x)
			x.Status = mongoStatus(kind, body)
		}
	} else {
		if !beginsMongo(data, false) {
			return 0, errLost
		}
		x = c.ask(MongoDB)
		x.id = id
		x.Method, m.mute = mongoRequest(kind, body)
	}
	m.sides[at].of = x
	if s.skip = int64(length - looked); s.skip == 0 {
		m.done(c, server, s.pos+int64(looked))
	}
	return looked, nil
}

func (m *mongo) passed(c *conn, server bool) {
	if server {
		m.done(c, true, c.server.pos)
		return
	}
	m.done(c, false, c.client.pos)
}

// done ends a message with the byte before pos.
func (m *mongo) done(c *conn, server bool, pos int64) {
	if server {
		if x := m.sides[1].of; x != nil {
			m.sides[1].of = nil
			c.answered(x, pos)
		}
		return
	}
	x := m.sides[0].of
	if c.asked(x, pos); m.mute {
		c.unanswered(x)
	}
}

func (m *mongo) closed(*conn, bool) {}

// mongoRequest is the command of a request, "" where it is compressed, and whether nothing answers it.
func mongoRequest(kind uint32, body []byte) (method string, mute bool) {
	switch kind {
	case mongoMsg:
		if len(body) < 4 {
			return "", false
		}
		mute = binary.LittleEndian.Uint32(body)&moreToCome != 0
		elements(mongoDocument(body[4:]), func(name string, _ byte, _ []byte) bool { method = name; return false })
	case mongoQuery:
		if len(body) < 4 {
			return "", false
		}
		if end := bytes.IndexByte(body[4:], 0); end >= 0 && len(body) > 4+end+1+8 {
			elements(body[4+end+1+8:], func(name string, _ byte, _ []byte) bool { method = name; return false })
		}
	}
	return method, mute
}

// mongoDocument is the command's or the answer's document of an OP_MSG after its flags: sections of other documents may precede it.
func mongoDocument(sections []byte) []byte {
	for len(sections) > 5 && sections[0] == 1 {
		size := int(binary.LittleEndian.Uint32(sections[1:]))
		if size < 4 || size >= len(sections) {
			return nil
		}
		sections = sections[1+size:]
	}
	if len(sections) == 0 || sections[0] != 0 {
		return nil
	}
	return sections[1:]
}

// mongoStatus is OK, or the name of an answer's error.
func mongoStatus(kind uint32, body []byte) string {
	var document []byte
	switch {
	case kind == mongoMsg && len(body) > 4:
		document = mongoDocument(body[4:])
	case kind == mongoReply && len(body) > 20:
		document = body[20:]
	}
	ok, code, name := true, "", ""
	elements(document, func(key string, kind byte, value []byte) bool {
		switch {
		case key == "ok":
			ok = isTrue(kind, value)
		case key == "code" && kind == bsonInt32:
			code = strconv.Itoa(int(int32(binary.LittleEndian.Uint32(value))))
		case key == "codeName" && kind == bsonString && len(value) > 5:
			name = string(value[4 : len(value)-1])
		}
		return true
	})
	switch {
	case ok:
		return "OK"
	case name != "":
		return name
	case code != "":
		return code
	}
	return "ERROR"
}

// Types of elements of BSON that are looked into.
const (
	bsonDouble = 1
	bsonString = 2
	bsonBool   = 8
	bsonInt32  = 16
	bsonInt64  = 18
)

func isTrue(kind byte, value []byte) bool {
	switch kind {
	case bsonDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(value)) != 0
	case bsonBool, bsonInt32, bsonInt64:
		return bytes.IndexFunc(value, func(r rune) bool { return r != 0 }) >= 0
	}
	return true
}

// elements calls each for the elements of a document, until it returns false or the data ends.
func elements(document []byte, each func(name string, kind byte, value []byte) bool) {
	if len(document) < 5 {
		return
	}
	rest := document[4:]
	for len(rest) > 1 && rest[0] != 0 {
		end := bytes.IndexByte(rest[1:], 0)
		if end < 0 {
			return
		}
		kind, name := rest[0], rest[1:1+end]
		rest = rest[end+2:]
		size := bsonSize(kind, rest)
		if size < 0 || size > len(rest) || !each(string(name), kind, rest[:size]) {
			return
		}
		rest = rest[size:]
	}
}

// bsonSize is the size of an element's value in bytes; -1 is not known.
func bsonSize(kind byte, data []byte) int {
	sized := func(more int) int {
		if len(data) < 4 {
			return -1
		}
		n := int(int32(binary.LittleEndian.Uint32(data)))
		if n < 0 {
			return -1
		}
		return n + more
	}
	switch kind {
	case bsonDouble, 9, 17, bsonInt64:
		return 8
	case bsonString, 13, 14:
		return sized(4)
	case 3, 4, 15:
		return sized(0)
	case 5:
		return sized(5)
	case 6, 10, 127, 255:
		return 0
	case 7:
		return 12
	case bsonBool:
		return 1
	case 11: // a pattern and its options
		first := bytes.IndexByte(data, 0)
		if first < 0 {
			return -1
		}
		second := bytes.IndexByte(data[first+1:], 0)
		if second < 0 {
			return -1
		}
		return first + second + 2
	case 12:
		return sized(16)
	case bsonInt32:
		return 4
	case 19:
		return 16
	}
	return -1
}
