package packets

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math"
	"strconv"
)

// Kinds of MongoDB's messages: OP_MSG, and the old ones with which drivers begin.
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
	r := cursor{data: data}
	length, _, to, kind := r.little(), r.little(), r.little(), r.little()
	if length < mongoHead || length > mongoMost || server == (to == 0) {
		return false
	}
	return kind == mongoMsg || kind == mongoCompressed || kind == mongoReply && server || kind == mongoQuery && !server
}

// mayBeMongo reports whether fewer bytes than a head has may begin one.
func mayBeMongo(data []byte) bool {
	return len(data) >= 4 && data[3] == 0 && binary.LittleEndian.Uint32(data) >= mongoHead
}

// readMongo reads MongoDB's messages.
func readMongo(s *stream, data []byte) (taken, error) {
	if len(data) < mongoHead {
		return taken{}, nil
	}
	r := cursor{data: data}
	length, id, to, kind := int(r.little()), r.little(), r.little(), r.little()
	looked := min(length, mongoPrefix)
	switch {
	case length < mongoHead || length > mongoMost || !s.serves() && !beginsMongo(data, false):
		return taken{}, errLost
	case len(data) < looked:
		return taken{}, nil
	}
	document, flags := mongoDocument(kind, data[mongoHead:looked])
	out := taken{n: looked, skip: int64(length - looked)}
	if !s.serves() {
		command := cursor{data: document}
		command.take(5) // its length, and the type of its first element, which has the command's name
		x := s.conn.ask(MongoDB)
		x.id, x.Method, x.mute = id, string(command.text()), flags&moreToCome != 0
		out.of = x
	} else if out.of = s.conn.byID(to); out.of != nil {
		s.conn.answers(out.of)
		out.of.Status = mongoStatus(document)
	}
	return out, nil
}

// mongoDocument is the document of a command or of an answer in the body of a message, and the flags of the message. The document
// is empty where it is compressed.
func mongoDocument(kind uint32, body []byte) (document []byte, flags uint32) {
	r := cursor{data: body}
	flags = r.little()
	switch kind {
	case mongoQuery:
		r.text() // the collection
		r.take(8)
		return r.data, 0
	case mongoReply:
		r.take(16)
		return r.data, 0
	case mongoMsg:
		section := r.byte()
		for section == 1 { // other documents, with their length
			r.take(int(r.little()) - 4)
			section = r.byte()
		}
		if section == 0 {
			return r.data, flags
		}
	}
	return nil, 0
}

// mongoStatus is OK, or the name of an answer's error.
func mongoStatus(document []byte) string {
	ok, code, name := true, "", ""
	for e := range elements(document) {
		switch {
		case e.name == "ok":
			ok = e.isTrue()
		case e.name == "code" && e.kind == bsonInt32:
			code = strconv.Itoa(int(int32(binary.LittleEndian.Uint32(e.value))))
		case e.name == "codeName" && e.kind == bsonString:
			name = string(bytes.TrimSuffix(e.value, []byte{0}))
		}
	}
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

// Other values have a known size in bytes, or begin with one: it counts so many bytes too few of what follows it.
var (
	bsonFixed = map[byte]int{bsonDouble: 8, 6: 0, 7: 12, bsonBool: 1, 9: 8, 10: 0, bsonInt32: 4, 17: 8, bsonInt64: 8, 19: 16, 127: 0, 255: 0}
	bsonSized = map[byte]int{bsonString: 0, 3: -4, 4: -4, 5: 1, 12: 12, 13: 0, 14: 0, 15: -4}
)

const bsonPattern = 11 // two texts

// element is one of a document; its value stands without its size.
type element struct {
	kind  byte
	name  string
	value []byte
}

// elements are those of a document, until its data ends.
func elements(document []byte) iter.Seq[element] {
	return func(yield func(element) bool) {
		r := cursor{data: document}
		r.take(4)
		for kind := r.byte(); kind != 0; kind = r.byte() {
			e := element{kind: kind, name: string(r.text())}
			size, fixed := bsonFixed[kind]
			more, sized := bsonSized[kind]
			switch {
			case fixed:
				e.value = r.take(size)
			case sized:
				e.value = r.take(int(int32(r.little())) + more)
			case kind == bsonPattern:
				r.text()
				r.text()
			default:
				return
			}
			if r.short || !yield(e) {
				return
			}
		}
	}
}

func (e *element) isTrue() bool {
	switch e.kind {
	case bsonDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(e.value)) != 0
	case bsonBool, bsonInt32, bsonInt64:
		return len(bytes.Trim(e.value, "\x00")) > 0
	}
	return true
}
