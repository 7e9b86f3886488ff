// Package otlpout owns the way of spans from rings to an OTLP back end: it writes them as protobuf, and posts them over HTTP or gRPC until
// they are taken. It must not know where rings lie, nor how they are read.
package otlpout

import (
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

// encoder writes the spans of one program.
type encoder struct {
	head    []byte       // of each request: resource and scope, with open lengths
	methods []methodText // by the method's number
}

// methodText holds the common part of a method's spans.
type methodText struct {
	text   []byte // name, kind and attribute of the method; then the attribute of a thread
	own    int    // bytes before that of the thread
	thread uint64
}

func newEncoder(p *ring.Program, version string) *encoder {
	var e encoder
	resource := message(nil, tagResource, resourceOf(p, version))
	scope := message(nil, tagScope, text(text(nil, tagString, "tracetax-java"), 2<<3|2, version))
	e.head = append(e.head, tagResourceSpans, 0, 0, 0, 0, 0)
	e.head = append(e.head, resource...)
	e.head = append(e.head, tagScopeSpans, 0, 0, 0, 0, 0)
	e.head = append(e.head, scope...)
	e.scopeAt(len(e.head) - len(scope) - openLength)
	return &e
}

// scopeAt notes in the open length of the head itself where the length of the scope's spans stands.
func (e *encoder) scopeAt(at int) { le.PutUint32(e.head[1:], uint32(at)) }

// finish fills in the two open lengths of a request.
func finish(request []byte) {
	at := int(le.Uint32(request[1:]))
	putLength(request[at:], len(request)-at-openLength)
	putLength(request[1:], len(request)-1-openLength)
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
func (e *encoder) method(m *ring.Method, thread uint64) []byte {
	if m.Number < len(e.methods) {
		if t := &e.methods[m.Number]; t.own > 0 && t.thread == thread {
			return t.text
		}
	}
	return e.write(m, thread)
}

func (e *encoder) write(m *ring.Method, thread uint64) []byte {
	if m.Number >= len(e.methods) {
		e.methods = append(e.methods, make([]methodText, m.Number+1-len(e.methods))...)
	}
	t := &e.methods[m.Number]
	if t.own == 0 {
		whole := m.Name
		if m.Class != "" {
			whole = m.Class + "." + m.Name
		}
		t.text = number(text(nil, tagName, m.SpanName()), tagKind, kindInternal)
		t.text = message(t.text, tagSpanAttribute, attribute("code.function.name", text(nil, tagString, whole)))
		t.own = len(t.text)
	}
	t.thread = thread
	t.text = message(t.text[:t.own], tagSpanAttribute, attribute("thread.id", number(nil, tagInt, thread)))
	return t.text
}

// unfinished is the attribute of a call whose program ended first.
var unfinished = message(nil, tagSpanAttribute, attribute("tracetax.unfinished", number(nil, tagBool, 1)))

// append writes spans at the end of a request that begins with the head.
func (e *encoder) append(b []byte, spans []ring.Span) []byte {
	for i := range spans {
		s := &spans[i]
		method := e.method(s.Method, s.Thread)
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
