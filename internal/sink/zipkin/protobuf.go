// This file walks spans in protobuf. The field numbers are those of zipkin.proto3.

package zipkin

import (
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

// walkProtobuf counts a ListOfSpans.
func walkProtobuf(b *tally.Batch, body []byte) error {
	f := wire.Fields{Rest: body}
	for f.Next() {
		if f.Tag != wire.BytesTag(1) { // spans
			continue
		}
		if err := walkSpan(b, f.Bytes); err != nil {
			return err
		}
	}
	return f.Err
}

func walkSpan(b *tally.Batch, message []byte) error {
	var s span
	f := wire.Fields{Rest: message}
	for f.Next() {
		switch f.Tag {
		case wire.BytesTag(1):
			s.badTrace = !number(s.trace[:], f.Bytes)
		case wire.BytesTag(2):
			s.badOwner = !number(s.parent[:], f.Bytes) && len(f.Bytes) > 0
		case wire.BytesTag(3):
			s.badID = !number(s.id[:], f.Bytes)
		case wire.VarintTag(4):
			s.kind = kindNumbered(f.Value)
		case wire.BytesTag(5):
			s.name = f.Bytes
		case wire.BytesTag(8): // local_endpoint
			if err := s.endpoint(f.Bytes); err != nil {
				return err
			}
		case wire.VarintTag(13):
			s.shared = f.Value != 0
		}
	}
	if f.Err != nil {
		return f.Err
	}
	s.count(b)
	return nil
}

// number copies an id of 8 bytes, or of as many as there is room for; false for others.
func number(room, id []byte) bool {
	clear(room)
	if len(id) != 8 && len(id) != len(room) {
		return false
	}
	copy(room[len(room)-len(id):], id)
	return true
}

func (s *span) endpoint(message []byte) error {
	f := wire.Fields{Rest: message}
	for f.Next() {
		if f.Tag == wire.BytesTag(1) { // service_name
			s.service = f.Bytes
		}
	}
	return f.Err
}

// kindNumbered is the kind with zipkin.proto3's number.
func kindNumbered(n uint64) tally.Kind {
	switch n {
	case 1:
		return tally.Client
	case 2:
		return tally.Server
	case 3:
		return tally.Producer
	case 4:
		return tally.Consumer
	}
	return tally.Unspecified
}
