// Package otlpout owns the way of spans from rings to an OTLP back end: it writes them as protobuf, and posts them over HTTP or gRPC until
// they are taken. It must not know where rings lie, nor how they are read.
package otlpout

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/ring"
)

// Tags of OTLP's messages: number<<3 | wire type. To make messages of a span and marshal them takes 896 ns, this encoder 14
// (BenchmarkMarshal, BenchmarkEncode); the tests decode with the proto package.
const (
	tagResourceSpans = 1<<3 | 2 // of ExportTraceServiceRequest
	tagResource      = 1<<3 | 2 // of ResourceSpans
	tagScopeSpans    = 2<<3 | 2
	tagAttribute     = 1<<3 | 2 // of Resource
	tagScope         = 1<<3 | 2 // of ScopeSpans
	tagSpan          = 2<<3 | 2
	tagTrace         = 1<<3 | 2 // of Span
	tagID            = 2<<3 | 2
	tagParent        = 4<<3 | 2
	tagName          = 5<<3 | 2
	tagKind          = 6 << 3
	tagStart         = 7<<3 | 1
	tagEnd           = 8<<3 | 1
	tagSpanAttribute = 9<<3 | 2
	tagKey           = 1<<3 | 2 // of KeyValue
	tagValue         = 2<<3 | 2
	tagString        = 1<<3 | 2 // of AnyValue, and the name of a scope
	tagBool          = 2 << 3
	tagInt           = 3 << 3

	kindInternal = 1
)

// Fixed parts of a span: tags, lengths and values.
const (
	idsSize    = 2 + 16 + 2 + 8
	parentSize = 2 + 8
	timesSize  = 9 + 9
	openLength = 5 // bytes of a length that is filled in at the end
)

var le = binary.LittleEndian

// encoder writes the spans of one program. The scope of spans is their class, once for all that come together: the name of the class in
// each of them would be a third of their bytes.
type encoder struct {
	head    []byte         // of each request: the resource, with an open length before it
	scopes  [][]byte       // by the number of the class
	classes map[string]int // their numbers
	scope   int            // of the spans that came last in the request; -1: there are none
	methods []methodText   // by the method's number
}

// methodText holds the common part of a method's spans.
type methodText struct {
	text   []byte // name and kind; then the attribute of a thread
	own    int    // bytes before that of the thread
	thread uint64
	scope  int
}

func newEncoder(p *ring.Program, version string) *encoder {
	e := &encoder{classes: map[string]int{}}
	e.head = append(e.head, tagResourceSpans, 0, 0, 0, 0, 0)
	e.head = append(e.head, message(nil, tagResource, resourceOf(p, version))...)
	return e
}

// begin begins a request in b, which is empty. It ends before the next one begins.
func (e *encoder) begin(b []byte) []byte {
	e.scope = -1
	return append(b, e.head...)
}

// enter begins the spans of a scope. The open length of the request itself holds where that of the scope stands.
func (e *encoder) enter(b []byte, scope int) []byte {
	e.leave(b)
	e.scope = scope
	le.PutUint32(b[1:], uint32(len(b)+1))
	b = append(b, tagScopeSpans, 0, 0, 0, 0, 0)
	return append(b, e.scopes[scope]...)
}

// leave fills in the open length of the scope.
func (e *encoder) leave(b []byte) {
	if e.scope >= 0 {
		at := int(le.Uint32(b[1:]))
		putLength(b[at:], len(b)-at-openLength)
	}
}

// finish fills in the open lengths of a request.
func (e *encoder) finish(b []byte) {
	e.leave(b)
	putLength(b[1:], len(b)-1-openLength)
}

// scopeOf returns the number of a class's scope.
func (e *encoder) scopeOf(class string) int {
	n, known := e.classes[class]
	if !known {
		n = len(e.scopes)
		e.classes[class] = n
		e.scopes = append(e.scopes, message(nil, tagScope, text(nil, tagString, cmp.Or(class, "tracetax-java"))))
	}
	return n
}

// putLength writes a varint of five bytes, whatever its value.
func putLength(b []byte, n int) {
	for i := range openLength - 1 {
		b[i] = byte(n>>(7*i)) | 0x80
	}
	b[openLength-1] = byte(n >> (7 * (openLength - 1)))
}

// resourceOf returns the attributes of a program, as OpenTelemetry's conventions name them.
func resourceOf(p *ring.Program, version string) []byte {
	all := maps.Clone(p.Resource)
	if all == nil {
		all = map[string]string{}
	}
	switch {
	case p.Service != "":
		all["service.name"] = p.Service
	case all["service.name"] == "":
		all["service.name"] = "unknown_service:java"
	}
	if name, number, found := cutLast(p.Runtime, " "); found {
		all["process.runtime.name"], all["process.runtime.version"] = name, number
	}
	if p.Runtime != "" {
		all["process.runtime.description"] = p.Runtime
	}
	all["telemetry.sdk.name"], all["telemetry.sdk.language"], all["telemetry.sdk.version"] = "tracetax", "java", version
	var out []byte
	for _, key := range slices.Sorted(maps.Keys(all)) {
		out = message(out, tagAttribute, attribute(valid(key), text(nil, tagString, valid(all[key]))))
	}
	if p.PID > 0 {
		out = message(out, tagAttribute, attribute("process.pid", number(nil, tagInt, uint64(p.PID))))
	}
	return out
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func message(b []byte, tag byte, inner []byte) []byte {
	b = binary.AppendUvarint(append(b, tag), uint64(len(inner)))
	return append(b, inner...)
}

func text(b []byte, tag byte, s string) []byte {
	b = binary.AppendUvarint(append(b, tag), uint64(len(s)))
	return append(b, s...)
}

func number(b []byte, tag byte, n uint64) []byte { return binary.AppendUvarint(append(b, tag), n) }

// attribute returns a KeyValue of a value that is encoded already.
func attribute(key string, value []byte) []byte {
	return message(text(nil, tagKey, key), tagValue, value)
}

// method returns the common part of a method's spans in a thread. Spans of one thread mostly come together.
func (e *encoder) method(m *ring.Method, thread uint64) *methodText {
	if m.Number < len(e.methods) {
		if t := &e.methods[m.Number]; t.own > 0 && t.thread == thread {
			return t
		}
	}
	return e.write(m, thread)
}

func (e *encoder) write(m *ring.Method, thread uint64) *methodText {
	if m.Number >= len(e.methods) {
		e.methods = append(e.methods, make([]methodText, m.Number+1-len(e.methods))...)
	}
	t := &e.methods[m.Number]
	if t.own == 0 {
		t.text = number(text(nil, tagName, m.SpanName()), tagKind, kindInternal)
		t.own, t.scope = len(t.text), e.scopeOf(m.Class)
	}
	t.thread = thread
	t.text = message(t.text[:t.own], tagSpanAttribute, attribute("thread.id", number(nil, tagInt, thread)))
	return t
}

// unfinished is the attribute of a call whose program ended first.
var unfinished = message(nil, tagSpanAttribute, attribute("tracetax.unfinished", number(nil, tagBool, 1)))

// append writes spans at the end of a request.
func (e *encoder) append(b []byte, spans []ring.Span) []byte {
	for i := range spans {
		s := &spans[i]
		of := e.method(s.Method, s.Thread)
		if of.scope != e.scope {
			b = e.enter(b, of.scope)
		}
		method := of.text
		size := idsSize + timesSize + len(method)
		child := s.Parent != [8]byte{}
		if child {
			size += parentSize
		}
		if s.Unfinished {
			size += len(unfinished)
		}
		n := len(b)
		b = slices.Grow(b, size+3)[:n+3+size]
		to := b[n:]
		_ = to[3+idsSize+timesSize]
		// A length in two bytes: names are too short for more.
		to[0], to[1], to[2] = tagSpan, byte(size)|0x80, byte(size>>7)
		to[3], to[4] = tagTrace, 16
		copy(to[5:21], s.Trace[:])
		to[21], to[22] = tagID, 8
		copy(to[23:31], s.ID[:])
		to[31] = tagStart
		le.PutUint64(to[32:], uint64(s.Start))
		to[40] = tagEnd
		le.PutUint64(to[41:], uint64(s.End))
		to = to[49:]
		if child {
			to[0], to[1] = tagParent, 8
			copy(to[2:10], s.Parent[:])
			to = to[parentSize:]
		}
		copy(to, method)
		if s.Unfinished {
			copy(to[len(method):], unfinished)
		}
	}
	return b
}
