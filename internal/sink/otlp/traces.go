// This file walks trace requests in protobuf. The field numbers are those of
// opentelemetry/proto/collector/trace/v1 and trace/v1; unknown fields are passed
// over, and what protobuf allows (fields in any order, messages in pieces) counts
// as it would if the message were decoded.
package otlp

import (
	"github.com/tracetax/tracetax/internal/sink/tally"
	"google.golang.org/protobuf/encoding/protowire"
)

const serviceNameKey = "service.name"

// walkTraces counts an ExportTraceServiceRequest.
func walkTraces(b *tally.Batch, body []byte) error {
	f := fields{rest: body}
	for f.next() {
		if f.tag != bytesTag(1) { // resource_spans
			continue
		}
		if err := walkResourceSpans(b, f.bytes); err != nil {
			return err
		}
	}
	return f.err
}

func walkResourceSpans(b *tally.Batch, message []byte) error {
	before := b.Spans
	var service serviceName
	f := fields{rest: message}
	for f.next() {
		var err error
		switch f.tag {
		case bytesTag(1): // resource
			err = service.walkResource(f.bytes)
		case bytesTag(2): // scope_spans
			err = walkScopeSpans(b, f.bytes)
		}
		if err != nil {
			return err
		}
	}
	b.Service(service.name, b.Spans-before)
	return f.err
}

func walkScopeSpans(b *tally.Batch, message []byte) error {
	f := fields{rest: message}
	for f.next() {
		if f.tag != bytesTag(2) { // spans
			continue
		}
		if err := walkSpan(b, f.bytes); err != nil {
			return err
		}
	}
	return f.err
}

const attributesTag = 9<<3 | byte(protowire.BytesType)

func walkSpan(b *tally.Batch, message []byte) error {
	var span tally.Span
	f := fields{rest: message}
	for f.next() {
		switch f.tag {
		case bytesTag(1):
			span.Trace = f.bytes
		case bytesTag(2):
			span.ID = f.bytes
		case bytesTag(4):
			span.Parent = f.bytes
		case bytesTag(5):
			span.Name = f.bytes
		case varintTag(6):
			span.Kind = tally.KindOf(int32(f.value))
		case fixed64Tag(8): // the end of the span, after which its attributes come
			f.pass(attributesTag)
		}
	}
	if f.err != nil {
		return f.err
	}
	b.Span(&span)
	return nil
}

// serviceName is the first string attribute service.name of a resource.
type serviceName struct {
	name  []byte
	found bool
}

func (s *serviceName) walkResource(message []byte) error {
	f := fields{rest: message}
	for f.next() {
		if f.tag != bytesTag(1) { // attributes
			continue
		}
		if err := s.walkAttribute(f.bytes); err != nil {
			return err
		}
	}
	return f.err
}

func (s *serviceName) walkAttribute(message []byte) error {
	var key []byte
	var value stringValue
	f := fields{rest: message}
	for f.next() {
		switch f.tag {
		case bytesTag(1):
			key = f.bytes
		case bytesTag(2):
			if err := value.walk(f.bytes); err != nil {
				return err
			}
		}
	}
	if f.err == nil && !s.found && value.set && string(key) == serviceNameKey {
		s.name, s.found = value.text, true
	}
	return f.err
}

// stringValue is an AnyValue as far as it is a string. Its fields exclude each
// other: the last one on the wire holds.
type stringValue struct {
	text []byte
	set  bool
}

func (v *stringValue) walk(message []byte) error {
	const boolTag, intTag, doubleTag, indexTag = 2 << 3, 3 << 3, 4<<3 | 1, 8 << 3
	f := fields{rest: message}
	for f.next() {
		switch f.tag {
		case bytesTag(1):
			v.text, v.set = f.bytes, true
		case boolTag, intTag, doubleTag, indexTag, bytesTag(5), bytesTag(6), bytesTag(7):
			v.text, v.set = nil, false
		}
	}
	return f.err
}
