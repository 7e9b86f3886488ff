// This file is what all versions make of a span.

package datadog

import (
	"encoding/binary"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

// Why a span is invalid, in words for its sender.
const (
	badTrace = "trace_id is zero"
	badSpan  = "span_id is zero"
)

// kindKey is the tag that tells a span's kind.
const kindKey = "span.kind"

// span is what is read of a span.
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
