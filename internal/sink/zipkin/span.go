// This file is what both formats make of a span.

package zipkin

import "github.com/tracetax/tracetax/internal/sink/tally"

// Why a span is invalid, in words for its sender.
const (
	badTrace  = "traceId is not 64 or 128 bits, or all zero"
	badSpan   = "id is not 64 bits, or all zero"
	badParent = "parentId is not 64 bits"
)

// span is what is read of a span. Its ids have their full length: shorter ones come
// with zeros before them.
type span struct {
	trace                     [16]byte
	id, parent                [8]byte
	badTrace, badID, badOwner bool // the id was there, and is none
	name, service             []byte
	kind                      tally.Kind
	shared                    bool
}

// count counts the span, and its service.
func (s *span) count(b *tally.Batch) {
	switch {
	case s.badTrace || s.trace == [16]byte{}:
		b.Reject(badTrace)
		return
	case s.badID || s.id == [8]byte{}:
		b.Reject(badSpan)
		return
	case s.badOwner:
		b.Reject(badParent)
		return
	}
	if s.parent == s.id {
		s.parent = [8]byte{} // a span that names itself is a root, for the server too
	}
	before := b.Spans
	b.Span(&tally.Span{
		Trace: s.trace[:], ID: s.id[:], Parent: s.parent[:], Name: s.name, Kind: s.kind,
		Loose: true, Wide: [8]byte(s.trace[:8]) != [8]byte{}, Shared: s.shared,
	})
	b.Service(s.service, b.Spans-before)
}
