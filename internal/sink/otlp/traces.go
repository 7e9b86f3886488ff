// This file walks trace requests in protobuf. The field numbers are those of
// opentelemetry/proto/collector/trace/v1 and trace/v1; unknown fields are passed
// over, and what protobuf allows (fields in any order, messages in pieces) counts
// as it would if the message were decoded.

package otlp

import (
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"google.golang.org/protobuf/encoding/protowire"
)

const serviceNameKey = "service.name"

// walkTraces counts an ExportTraceServiceRequest.
func walkTraces(b *tally.Batch, body []byte) error {
	f := wire.Fields{Rest: body}
	for f.Next() {
		if f.Tag != wire.BytesTag(1) { // resource_spans
			continue
		}
		if err := walkResourceSpans(b, f.Bytes); err != nil {
			return err
		}
	}
	return f.Err
}

func walkResourceSpans(b *tally.Batch, message []byte) error {
	before := b.Spans
	var service serviceName
	f := wire.Fields{Rest: message}
	for f.Next() {
		var err error
		switch f.Tag {
		case wire.BytesTag(1): // resource
			err = service.walkResource(f.Bytes)
		case wire.BytesTag(2): // scope_spans
			err = walkScopeSpans(b, f.Bytes)
		}
		if err != nil {
			return err
		}
	}
	b.Service(service.name, b.Spans-before)
	return f.Err
}

func walkScopeSpans(b *tally.Batch, message []byte) error {
	f := wire.Fields{Rest: message}
	for f.Next() {
		if f.Tag != wire.BytesTag(2) { // spans
			continue
		}
		if err := walkSpan(b, f.Bytes); err != nil {
			return err
		}
	}
	return f.Err
}

const attributesTag = 9<<3 | byte(protowire.BytesType)

func walkSpan(b *tally.Batch, message []byte) error {
	var span tally.Span
	f := wire.Fields{Rest: message}
	for f.Next() {
		switch f.Tag {
		case wire.BytesTag(1):
			span.Trace = f.Bytes
		case wire.BytesTag(2):
			span.ID = f.Bytes
		case wire.BytesTag(4):
			span.Parent = f.Bytes
		case wire.BytesTag(5):
			span.Name = f.Bytes
		case wire.VarintTag(6):
			span.Kind = tally.KindOf(int32(f.Value))
		case wire.Fixed64Tag(8): // the end of the span, after which its attributes come
			f.Pass(attributesTag)
		}
	}
	if f.Err != nil {
		return f.Err
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
	f := wire.Fields{Rest: message}
	for f.Next() {
		if f.Tag != wire.BytesTag(1) { // attributes
			continue
		}
		if err := s.walkAttribute(f.Bytes); err != nil {
			return err
		}
	}
	return f.Err
}

func (s *serviceName) walkAttribute(message []byte) error {
	var key []byte
	var value stringValue
	f := wire.Fields{Rest: message}
	for f.Next() {
		switch f.Tag {
		case wire.BytesTag(1):
			key = f.Bytes
		case wire.BytesTag(2):
			if err := value.walk(f.Bytes); err != nil {
				return err
			}
		}
	}
	if f.Err == nil && !s.found && value.set && string(key) == serviceNameKey {
		s.name, s.found = value.text, true
	}
	return f.Err
}

// stringValue is an AnyValue as far as it is a string. Its fields exclude each
// other: the last one on the wire holds.
type stringValue struct {
	text []byte
	set  bool
}

func (v *stringValue) walk(message []byte) error {
	const boolTag, intTag, doubleTag, indexTag = 2 << 3, 3 << 3, 4<<3 | 1, 8 << 3
	f := wire.Fields{Rest: message}
	for f.Next() {
		switch f.Tag {
		case wire.BytesTag(1):
			v.text, v.set = f.Bytes, true
		case boolTag, intTag, doubleTag, indexTag, wire.BytesTag(5), wire.BytesTag(6), wire.BytesTag(7):
			v.text, v.set = nil, false
		}
	}
	return f.Err
}
