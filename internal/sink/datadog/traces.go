// This file walks traces in which every span is a map (versions 0.3 and 0.4).

package datadog

import (
	"encoding/binary"
	"fmt"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

// walkTraces counts an array of traces, each an array of spans.
func walkTraces(b *tally.Batch, body []byte) error {
	r := reader{rest: body}
	r.list(func() {
		r.list(func() {
			if s := r.span(); r.err == nil {
				s.count(b)
			}
		})
	})
	return r.end()
}

func (r *reader) span() (s span) {
	for n := r.pairs(); n > 0 && r.err == nil; n-- {
		switch string(r.text()) {
		case "service":
			s.service = r.text()
		case "name":
			s.name = r.text()
		case "resource":
			s.resource = r.text()
		case "trace_id":
			s.trace = r.number()
		case "span_id":
			s.id = r.number()
		case "parent_id":
			s.parent = r.number()
		case "meta":
			s.kind = r.tag(kindKey)
		default:
			r.skip()
		}
	}
	return s
}

// tag reads the tags of a span, and returns the one that is wanted.
func (r *reader) tag(wanted string) (value []byte) {
	for n := r.pairs(); n > 0 && r.err == nil; n-- {
		if string(r.text()) == wanted {
			value = r.text()
		} else {
			r.skip()
		}
	}
	return value
}

// This file walks traces whose strings stand in a table (version 0.5).

// spanFields is the number of elements of a span.
const spanFields = 12

// walkTable counts an array of two: the strings, and the traces, each an array of
// spans, each an array.
func walkTable(b *tally.Batch, body []byte) error {
	r := reader{rest: body}
	if len(body) == 1 && body[0] == 0x90 {
		return nil // an empty array: a tracer asks whether this version is understood
	}
	if !r.fixed(2) {
		return r.err
	}
	t := table{reader: &r}
	r.list(func() {
		text := r.text()
		if string(text) == kindKey {
			t.kindKey, t.hasKinds = uint64(len(t.texts)), true
		}
		t.texts = append(t.texts, text)
	})
	r.list(func() {
		r.list(func() {
			if s := t.span(); r.err == nil {
				s.count(b)
			}
		})
	})
	return r.end()
}

// table is the strings of a request.
type table struct {
	*reader
	texts    [][]byte
	kindKey  uint64 // place of the name of the tag with a span's kind
	hasKinds bool
}

func (t *table) span() (s span) {
	if !t.fixed(spanFields) {
		return s
	}
	s.service, s.name, s.resource = t.entry(), t.entry(), t.entry()
	s.trace, s.id, s.parent = t.number(), t.number(), t.number()
	for range 3 { // start, duration, error
		t.skip()
	}
	s.kind = t.tags()
	t.skip() // metrics
	t.skip() // type
	return s
}

// entry reads the number of a string, and returns the string.
func (t *table) entry() []byte {
	n := t.number()
	if t.err != nil {
		return nil
	}
	if n >= uint64(len(t.texts)) {
		t.fail(fmt.Errorf("string %d of a table of %d", n, len(t.texts)))
		return nil
	}
	return t.texts[n]
}

// tags reads the tags of a span, and returns the one with its kind.
func (t *table) tags() (kind []byte) {
	for n := t.pairs(); n > 0 && t.err == nil; n-- {
		key := t.number()
		value := t.entry()
		if t.hasKinds && key == t.kindKey {
			kind = value
		}
	}
	return kind
}

// This file is what all versions make of a span.

// Why a span is invalid, in words for its sender.
const (
	badTrace = "trace_id is zero"
	badSpan  = "span_id is zero"
)

// kindKey is the tag with a span's kind.
const kindKey = "span.kind"

// span has the fields that are read of a span.
type span struct {
	service, name, resource, kind []byte
	trace, id, parent             uint64
}

// count counts the span, and its service. A root goes by its resource, such as
// "GET /json", since a name is that of the instrumentation, such as "flask.request".
func (s *span) count(b *tally.Batch) {
	switch {
	case s.trace == 0:
		b.Reject(badTrace)
		return
	case s.id == 0:
		b.Reject(badSpan)
		return
	}
	var ids [24]byte
	binary.BigEndian.PutUint64(ids[:8], s.trace)
	binary.BigEndian.PutUint64(ids[8:16], s.id)
	binary.BigEndian.PutUint64(ids[16:], s.parent)
	name := s.resource
	if len(name) == 0 {
		name = s.name
	}
	before := b.Spans
	b.Span(&tally.Span{Trace: ids[:8], ID: ids[8:16], Parent: ids[16:], Name: name, Kind: kindOf(s.kind), Loose: true})
	b.Service(s.service, b.Spans-before)
}

// kindOf is the kind of a span with that tag; one without it is local.
func kindOf(tag []byte) tally.Kind {
	switch string(tag) {
	case "server":
		return tally.Server
	case "client":
		return tally.Client
	case "producer":
		return tally.Producer
	case "consumer":
		return tally.Consumer
	}
	return tally.Internal
}
