// Package tally owns the counting: it takes spans one by one, whatever protocol
// brought them, and keeps record.Counts of them. It must not know protocols,
// sockets, the workload, or what was expected.
//
// A request is counted in a Batch of its own without any lock, and merged into
// the Total once, when the whole request has turned out to be sound.
package tally

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

// Span is what is counted of a span. The slices are only read during the call
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
	// Child: it has a parent, though Parent does not tell which.
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
