// Package tally owns the counting: it takes spans one by one, whatever protocol
// brought them, and keeps record.Counts of them. It must not know protocols,
// sockets, the workload, or what was expected.
//
// A request is counted in a Batch of its own without any lock, and merged into
// the Total once, when the whole request has turned out to be sound.
package tally

import (
	"hash/maphash"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/traceparent"
)

// Kind is the kind of a span.
type Kind uint8

// The kinds of span, numbered as OTLP numbers them.
const (
	Unspecified Kind = iota
	Internal
	Server
	Client
	Producer
	Consumer
	kinds
)

var kindNames = [kinds]string{"unspecified", "internal", "server", "client", "producer", "consumer"}

// String returns the kind's name in a record.
func (k Kind) String() string {
	if k >= kinds {
		return kindNames[Unspecified]
	}
	return kindNames[k]
}

// KindOf returns the kind with OTLP's number n; Unspecified for unknown ones.
func KindOf(n int32) Kind {
	if n < 0 || n >= int32(kinds) {
		return Unspecified
	}
	return Kind(n)
}

// KindNamed returns the kind with that lower-case name.
func KindNamed(name string) (Kind, bool) {
	for k, n := range kindNames {
		if n == name {
			return Kind(k), true
		}
	}
	return Unspecified, false
}

// Span has the counted properties of a span. The slices are only read during the call
// that they are handed to.
type Span struct {
	Trace  []byte // 16 bytes, not all zero
	ID     []byte // 8 bytes, not all zero
	Parent []byte // 8 bytes; empty or all zero for a root
	Name   []byte
	Kind   Kind

	// Loose: the ids are of any length, or missing, as other protocols than OTLP have
	// them. Such a span is always valid; one without an ID (empty, or all zero) is
	// not looked for among those seen. The protocol says with Batch.Reject what it
	// cannot accept.
	Loose bool
	// Wide: Loose, and yet the trace's id is one of W3C Trace Context, which somebody else may have chosen.
	Wide bool
	// Child: it has a parent, which Parent need not name.
	Child bool
	// Merged is how many others the sender says it merged into this one, and Suppressed how
	// many it says with this one that it did not send. They count once, however often the
	// span comes, where ids are looked at.
	Merged, Suppressed uint64
	// Shared: the server's half of a span whose client's half has the same ID. It is
	// no duplicate of that half but its child.
	Shared bool
}

// Why a span is refused, in words for its sender.
const (
	badTrace  = "trace id is not 16 bytes, or all zero"
	badSpan   = "span id is not 8 bytes, or all zero"
	badParent = "parent span id is neither empty nor 8 bytes"
)

// fault returns why the span is invalid, "" for a valid one.
func (s *Span) fault() string {
	if s.Loose {
		return ""
	}
	if len(s.Trace) != 16 || zero(s.Trace) {
		return badTrace
	}
	if len(s.ID) != 8 || zero(s.ID) {
		return badSpan
	}
	if len(s.Parent) != 0 && len(s.Parent) != 8 {
		return badParent
	}
	return ""
}

// root reports whether a valid span has no parent. Some senders write the
// missing parent as zeros.
func (s *Span) root() bool { return !s.Child && !s.Shared && zero(s.Parent) }

// known reports whether a valid span has an id by which it can be told from others.
func (s *Span) known() bool { return !s.Loose || !zero(s.ID) }

func zero(id []byte) bool {
	for _, b := range id {
		if b != 0 {
			return false
		}
	}
	return true
}

// This file holds the tally of one request, which no other goroutine sees.

// Batch counts what one request holds. Get one from Total.Batch, and hand it
// back with Total.Merge or Total.Discard.
type Batch struct {
	Spans      uint64 // valid spans
	Rejected   uint64 // invalid spans
	Metrics    uint64 // data points
	Logs       uint64 // log records
	Reason     string // why the first invalid span was refused; "" if none was
	Thrown     uint64 // valid spans thrown away by order; in no other count
	Merged     uint64 // spans that the sender reports as merged into others of this request, those sent twice included
	Suppressed uint64 // spans that the sender reports as not sent, likewise

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

// telling is a span that counts others: merged into it, or not sent.
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

// Service counts n of the spans for the service of that name.
func (b *Batch) Service(name []byte, n uint64) {
	if n > 0 {
		b.services.add(name, n)
	}
}

// keepIDs is the room for ids that a batch keeps from one request to the next.
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

// This file knows when a sink is quiet: no request under way, and none for a while.

// Activity remembers when a request last arrived or finished, or bytes of a stream came.
type Activity struct {
	begun    time.Time
	last     atomic.Int64 // ns after begun
	inFlight atomic.Int64
}

func (a *Activity) start() { a.begun = time.Now() }

// Arrived notes the arrival of a request, before its body is read.
func (a *Activity) Arrived() {
	a.inFlight.Add(1)
	a.last.Store(int64(time.Since(a.begun)))
}

// Finished notes that a request is counted or refused.
func (a *Activity) Finished() {
	a.last.Store(int64(time.Since(a.begun)))
	a.inFlight.Add(-1)
}

// Touch notes that bytes of a stream have come that is not a request under way: a
// stream may be open for as long as its sender lives.
func (a *Activity) Touch() { a.last.Store(int64(time.Since(a.begun))) }

// InFlight is the number of requests that have arrived and not finished.
func (a *Activity) InFlight() int { return int(a.inFlight.Load()) }

// Since is the time since a request last arrived or finished; since the start if
// none has.
func (a *Activity) Since() time.Duration {
	return max(0, time.Since(a.begun)-time.Duration(a.last.Load()))
}
