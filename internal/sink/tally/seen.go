// This file is the checking mode: which spans have come, which came twice, and
// which still lack their parent. Memory is bounded: the oldest span makes room.

package tally

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/tracetax/tracetax/internal/traceparent"
)

// identity has the ids that are held of a span: trace, span, parent.
type identity [32]byte

// identify returns a span's identity. Ids that are too long for it stand there by
// their hash.
func identify(s *Span, seed maphash.Seed) identity {
	var id identity
	if !s.Loose {
		copy(id[:16], s.Trace)
		copy(id[16:24], s.ID)
		copy(id[24:], s.Parent)
		return id
	}
	fit(id[:16], s.Trace, seed)
	fit(id[16:24], s.ID, seed)
	if s.Shared {
		copy(id[24:], id[16:24])
		id.beShared()
		return id
	}
	fit(id[24:], s.Parent, seed)
	return id
}

// fit writes an id into room: at its end, as a shorter number is written into a
// longer one, or the id's hash if the room is too short.
func fit(room, id []byte, seed maphash.Seed) {
	if len(id) <= len(room) {
		copy(room[len(room)-len(id):], id)
		return
	}
	for at := 0; at < len(room); at += 8 {
		var h maphash.Hash
		h.SetSeed(seed)
		_ = h.WriteByte(byte(at)) // never fails
		_, _ = h.Write(id)        // nor does this
		binary.LittleEndian.PutUint64(room[at:], h.Sum64())
	}
}

// sharedMark makes the server's half of a shared span another one than the client's.
// It is any number: chance alone would give another span of the same trace that id.
const sharedMark = 0x9e3779b97f4a7c15

func (id *identity) beShared() { mark(id[16:24]) }

func (id *identity) isShared() bool {
	return binary.LittleEndian.Uint64(id[16:24])^binary.LittleEndian.Uint64(id[24:]) == sharedMark
}

func mark(id []byte) {
	binary.LittleEndian.PutUint64(id, binary.LittleEndian.Uint64(id)^sharedMark)
}

// sharedHalf is the key that the server's half of the span with key k has.
func sharedHalf(k key) key {
	mark(k[16:])
	return k
}

func (id *identity) own() key { return key(id[:24]) }

func (id *identity) parent() key {
	var k key
	copy(k[:16], id[:16])
	copy(k[16:], id[24:])
	return k
}

func (id *identity) trace() key {
	var k key
	copy(k[:16], id[:16])
	return k
}

func (id *identity) hasParent() bool { return !zero(id[24:]) }

// forgetParent marks a span that need not wait: its parent had come before it, or
// it names itself.
func (id *identity) forgetParent() { clear(id[24:]) }

// seen holds the latest spans, in a ring in the order in which they came.
//
// Orphans are kept up to date span by span rather than searched for when somebody
// asks, because the conductor asks many times a second. A parent that was evicted
// before its child came leaves the child an orphan: with evictions, orphans are an
// upper bound and duplicates a lower one.
type seen struct {
	limit int
	ring  []identity // grows up to limit, then next goes round
	next  int

	spans   *table // own key → the span
	byTrace *table // trace key → its latest span
	waiting *table // parent key → the latest span that waits for it; n: how many do

	shapes shapes // of the traces; n of a slot of byTrace is its shape

	shared bool // some spans are the server's half of another

	chosen traceparent.Key // of the ids that the load generator chose

	duplicates, orphans, traces, evicted uint64
	foreign                              uint64 // traces whose ids it can have chosen, and has not
}

func newSeen(limit int, chosen traceparent.Key) *seen {
	s := &seen{limit: limit, chosen: chosen}
	s.spans = newTable(func(at uint32) key { return s.ring[at].own() })
	s.byTrace = newTable(func(at uint32) key { return s.ring[at].trace() })
	s.waiting = newTable(func(at uint32) key { return s.ring[at].parent() })
	return s
}

// addAll takes note of a batch's spans; some tell of others; its places say where the
// names of its roots are. It returns how many of those told of had been told of before: with a
// span that comes twice they come twice too, the same number both times.
func (s *seen) addAll(b *Batch) (again telling) {
	told, roots := b.telling, b.roots
	for i, id := range b.ids {
		spans, root := uint64(1), noRoot
		if len(roots) > 0 && roots[0].at == i {
			root = rootAt(b.places, roots[0].name)
			roots = roots[1:]
		}
		tells := len(told) > 0 && told[0].at == i
		if tells {
			spans += told[0].merged + told[0].suppressed
		}
		fresh := s.add(id, root, spans, b.wide)
		if !tells {
			continue
		}
		if !fresh {
			again.merged += told[0].merged
			again.suppressed += told[0].suppressed
		}
		told = told[1:]
	}
	return again
}

// add takes note of one span: of what root it is, if it is one, and how many spans it stands
// for. It reports whether it is new.
func (s *seen) add(id identity, root root, spans uint64, wide bool) bool {
	if s.spans.find(id.own()) >= 0 {
		s.duplicates++
		return false
	}
	if id.isShared() {
		// Those that wait for the span have it now, this one if the client's half has come.
		s.shared = true
		s.endWait(id.parent())
	}
	if id.hasParent() && (id.parent() == id.own() || s.here(id.parent())) {
		id.forgetParent()
	}
	at := s.hold(id)
	s.spans.insert(id.own(), slot{at: at})
	s.noteTrace(id.trace(), at, root, spans, wide)
	s.endWait(id.own())
	if id.hasParent() {
		s.wait(id.parent(), at)
	}
	return true
}

// here reports whether a span with that key, or the server's half of it, is held.
func (s *seen) here(k key) bool {
	return s.spans.find(k) >= 0 || s.shared && s.spans.find(sharedHalf(k)) >= 0
}

// hold puts the span into the ring, in the place of the oldest if it is full.
func (s *seen) hold(id identity) uint32 {
	if len(s.ring) < s.limit {
		s.ring = append(s.ring, id)
		return uint32(len(s.ring) - 1)
	}
	at := uint32(s.next)
	s.evict(at)
	s.ring[at] = id
	s.next = (s.next + 1) % s.limit
	return at
}

func (s *seen) noteTrace(k key, at uint32, root root, spans uint64, wide bool) {
	if i := s.byTrace.find(k); i >= 0 {
		was := shape(s.byTrace.slots[i].n)
		is := was.with(root, spans)
		s.shapes.change(was, is)
		s.byTrace.slots[i] = slot{at: at, n: uint32(is)}
		return
	}
	s.traces++
	is := shape(0).with(root, spans)
	switch {
	case s.chosen.Has(k[:16]):
		is |= ownShape
	case wide && s.chosen != 0:
		s.foreign++
	}
	s.shapes.change(0, is)
	s.byTrace.insert(k, slot{at: at, n: uint32(is)})
}

func (s *seen) wait(parent key, at uint32) {
	s.orphans++
	if i := s.waiting.find(parent); i >= 0 {
		s.waiting.slots[i] = slot{at: at, n: s.waiting.slots[i].n + 1}
		return
	}
	s.waiting.insert(parent, slot{at: at, n: 1})
}

func (s *seen) endWait(parent key) {
	if i := s.waiting.find(parent); i >= 0 {
		s.orphans -= uint64(s.waiting.slots[i].n)
		s.waiting.remove(i)
	}
}

// evict forgets the span at that place, which is the oldest one held.
func (s *seen) evict(at uint32) {
	s.evicted++
	id := s.ring[at]
	s.spans.remove(s.spans.find(id.own()))
	// Only the latest span of a trace is pointed at; if it is the oldest of all,
	// then no other span of the trace is held.
	if i := s.byTrace.find(id.trace()); s.byTrace.slots[i].at == at {
		s.byTrace.remove(i)
	}
	if id.hasParent() {
		s.stopWaiting(id.parent())
	}
}

// stopWaiting takes an evicted span off those that wait for the parent, unless
// the parent has come meanwhile.
func (s *seen) stopWaiting(parent key) {
	i := s.waiting.find(parent)
	if i < 0 {
		return
	}
	s.orphans--
	if s.waiting.slots[i].n--; s.waiting.slots[i].n == 0 {
		s.waiting.remove(i)
	}
}
