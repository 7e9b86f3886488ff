// This file holds the tally of one request, which no other goroutine sees.

package tally

import (
	"hash/maphash"

	"github.com/tracetax/tracetax/internal/traceparent"
)

// Batch counts what one request holds. Get one from Total.Batch, and hand it
// back with Total.Merge or Total.Discard.
type Batch struct {
	Spans      uint64 // valid spans
	Rejected   uint64 // invalid spans
	Metrics    uint64 // data points
	Logs       uint64 // log records
	Reason     string // why the first invalid span was refused; "" if none was
	Thrown     uint64 // valid spans thrown away by order; in no other count
	Merged     uint64 // spans that the sender says it merged into others of this request, those sent twice included
	Suppressed uint64 // spans that the sender says it did not send, likewise

	rootless uint64 // spans with a parent
	kinds    [kinds]uint64
	services names
	rootName names
	loss     loss
	checking bool
	chosen   traceparent.Key // of the ids that the load generator chose
	wide     bool            // traces have ids that it can have chosen
	seed     maphash.Seed    // for ids that are too long to hold
	ids      []identity
	telling  []telling // in the order of ids
	roots    []rooted  // likewise
	places   []int     // where the names of roots are in the Total; room for it
	name     []byte    // a root's, folded; room for it
	unknown  uint64    // spans without an id that could be looked at
}

// telling is a span that tells of others: of those merged into it, and those not sent.
type telling struct {
	at                 int // index of its identity
	merged, suppressed uint64
}

// rooted is a span without a parent.
type rooted struct {
	at   int // index of its identity
	name int // position of its name among those of the batch's roots
}

// Span counts one span.
func (b *Batch) Span(s *Span) {
	if fault := s.fault(); fault != "" {
		b.Reject(fault)
		return
	}
	if b.loss.takes() {
		b.Thrown++
		return
	}
	b.Spans++
	b.Merged += s.Merged
	b.Suppressed += s.Suppressed
	b.kinds[s.Kind]++
	first := b.chosen.Began(s.Trace, s.Parent)
	root, name := first || s.root(), elsewhere
	if root {
		name = b.rootName.add(b.folded(s.Name), 1)
	} else {
		b.rootless++
	}
	switch {
	case !b.checking:
	case !s.known():
		b.unknown++
	default:
		if s.Merged > 0 || s.Suppressed > 0 {
			b.telling = append(b.telling, telling{len(b.ids), s.Merged, s.Suppressed})
		}
		if root {
			b.roots = append(b.roots, rooted{len(b.ids), name})
		}
		id := identify(s, b.seed)
		if first {
			id.forgetParent()
		}
		b.ids = append(b.ids, id)
		b.wide = b.wide || !s.Loose || s.Wide
	}
}

// Reject counts one span that is invalid, and why.
func (b *Batch) Reject(reason string) {
	b.Rejected++
	if b.Reason == "" {
		b.Reason = reason
	}
}

// Service says that n of the spans counted belong to the service of that name.
func (b *Batch) Service(name []byte, n uint64) {
	if n > 0 {
		b.services.add(name, n)
	}
}

// keepIDs is how many ids' room a batch keeps from one request to the next.
const keepIDs = 1 << 14

func (b *Batch) reset() {
	b.Spans, b.Rejected, b.Thrown, b.Metrics, b.Logs, b.rootless = 0, 0, 0, 0, 0, 0
	b.Merged, b.Suppressed, b.unknown, b.wide = 0, 0, 0, false
	b.Reason = ""
	b.kinds = [kinds]uint64{}
	b.services.reset()
	b.rootName.reset()
	b.ids, b.telling, b.roots = b.ids[:0], b.telling[:0], b.roots[:0]
	if cap(b.ids) > keepIDs {
		b.ids, b.telling, b.roots = nil, nil, nil
	}
}
