// This file holds what a sink has counted since its start.

package tally

import (
	"hash/maphash"
	"math"
	"sync"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/traceparent"
)

// Total has the counts since the start. It is safe for concurrent use.
type Total struct {
	Activity

	batches sync.Pool

	lossy  bool       // spans are thrown away
	losing sync.Mutex // where they are, held from Batch to Merge or Discard
	loss   loss       // as the last batch that was merged left it

	mu        sync.Mutex
	counts    record.Counts // without its maps
	kinds     [kinds]uint64
	services  names
	rootNames names
	protocols names
	refusals  names
	seen      *seen // nil in counting mode
}

// Config chooses the checks of a Total.
type Config struct {
	Checking bool            // look at the ids; else none are held
	Chosen   traceparent.Key // of the ids that the load generator chose for traces; 0: it chose none
	MaxSpans int             // with Checking: spans whose ids are held, 32 bytes each and as much again for finding them
	Lose     float64         // share of the valid spans that is thrown away, 0 to 1, exact to nine decimals
}

// New returns a Total that has counted nothing.
func New(c Config) *Total {
	t := &Total{
		lossy:     c.Lose > 0,
		loss:      newLoss(c.Lose),
		services:  names{limit: maxNames},
		rootNames: names{limit: maxNames},
		protocols: names{limit: maxNames},
		refusals:  names{limit: maxRefusals},
	}
	t.counts.Checking = c.Checking
	if c.Checking {
		t.seen = newSeen(c.MaxSpans, c.Chosen)
	}
	seed := maphash.MakeSeed()
	t.batches.New = func() any {
		return &Batch{
			checking: c.Checking,
			chosen:   c.Chosen,
			seed:     seed,
			services: names{limit: batchNames},
			rootName: names{limit: batchNames},
		}
	}
	t.Activity.start()
	return t
}

// Batch returns an empty batch for one request. It must be given back by Merge or
// Discard. Where spans are thrown away the next Batch waits for that: which spans
// go depends on how many were received before.
func (t *Total) Batch() *Batch {
	b := t.batches.Get().(*Batch)
	if t.lossy {
		t.losing.Lock()
		b.loss = t.loss
	}
	return b
}

// Merge counts a request that was accepted: its batch, its protocol and the size
// of its body in bytes as it came over the wire. The batch must not be used after.
func (t *Total) Merge(b *Batch, protocol string, wire int64) {
	t.mu.Lock()
	t.add(b, wire)
	t.note(protocol, 0)
	t.mu.Unlock()
	t.release(b)
}

// Part counts a batch that is a part of a request or of a stream which goes on, and
// the bytes of the part; the request itself is counted by Note. The batch must not be
// used after.
func (t *Total) Part(b *Batch, wire int64) {
	t.mu.Lock()
	t.add(b, wire)
	t.mu.Unlock()
	t.release(b)
}

func (t *Total) add(b *Batch, wire int64) {
	t.counts.Bytes += uint64(wire)
	t.counts.Spans += b.Spans
	t.counts.Roots += b.Spans - b.rootless
	t.counts.Metrics += b.Metrics
	t.counts.Logs += b.Logs
	t.counts.Rejected += b.Rejected
	t.counts.Thrown += b.Thrown
	t.counts.Merged += b.Merged
	t.counts.Suppressed += b.Suppressed
	for k, n := range b.kinds {
		t.kinds[k] += n
	}
	b.places = b.services.mergeInto(&t.services, b.places)
	b.places = b.rootName.mergeInto(&t.rootNames, b.places)
	if t.seen != nil {
		t.counts.Unchecked += b.unknown
		again := t.seen.addAll(b)
		t.counts.Merged -= again.merged
		t.counts.Suppressed -= again.suppressed
	}
}

// release takes a batch back that was counted.
func (t *Total) release(b *Batch) {
	if t.lossy {
		t.loss = b.loss
	}
	t.Discard(b)
}

// Note counts a request that was accepted, and the bytes of its body that no batch
// was counted with: a stream, or what is understood and holds no telemetry.
func (t *Total) Note(protocol string, wire int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.note(protocol, wire)
}

func (t *Total) note(protocol string, wire int64) {
	t.counts.Requests++
	t.counts.Bytes += uint64(wire)
	t.protocols.addClean(protocol, 1)
}

// Refuse counts a request that was refused whole, and why.
func (t *Total) Refuse(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Malformed++
	t.refusals.add([]byte(why), 1)
}

// LeftOut counts spans that their tracer says it had no room for.
func (t *Total) LeftOut(spans uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.LeftOut += spans
}

// Discard takes a batch back without counting it. It must not be used after.
func (t *Total) Discard(b *Batch) {
	if t.lossy {
		t.losing.Unlock()
	}
	b.reset()
	t.batches.Put(b)
}

// Counts returns what was counted so far.
func (t *Total) Counts() record.Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.counts
	c.Services = t.services.counts()
	c.RootNames = t.rootNames.counts()
	c.Protocols = t.protocols.counts()
	c.Refusals = t.refusals.counts()
	c.Kinds = t.kindCounts()
	if t.seen != nil {
		c.Duplicate = t.seen.duplicates
		c.Orphans = t.seen.orphans
		c.Traces = t.seen.traces
		c.Evicted = t.seen.evicted
		c.Absent = int64(t.seen.waiting.used)
		c.Foreign = t.seen.foreign
		c.Shapes, c.Own = t.seen.shapes.counts(&t.rootNames)
	}
	return c
}

func (t *Total) kindCounts() map[string]uint64 {
	var m map[string]uint64
	for k, n := range t.kinds {
		if n == 0 {
			continue
		}
		if m == nil {
			m = make(map[string]uint64, kinds)
		}
		m[Kind(k).String()] = n
	}
	return m
}

// The choice of spans that a sink loses by order.

// whole is one, as a share in whole numbers.
const whole = 1_000_000_000

// loss throws away an exact share of spans, evenly spread: of the first n, the whole
// part of n × share. There is no chance in it. The zero value takes nothing.
type loss struct {
	share   uint64 // of whole
	accrued uint64 // of whole: since the last span was thrown away
}

func newLoss(share float64) loss { return loss{share: uint64(math.Round(share * whole))} }

// takes reports whether the next span is thrown away.
func (l *loss) takes() bool {
	l.accrued += l.share
	if l.accrued < whole {
		return false
	}
	l.accrued -= whole
	return true
}

// Losable reports whether a share can be lost exactly: from 0 to 1, with nine
// decimals at most.
func Losable(share float64) bool {
	if !(share >= 0 && share <= 1) {
		return false
	}
	return math.Round(share*whole)/whole == share
}

// This file holds the hash table of the checking mode. It stores no keys: a slot
// points at a held span, whose ids are the key, so a span costs few bytes
// and the garbage collector has nothing to follow.

// key is a trace id followed by a span id, or by zeros for the trace itself.
type key [24]byte

// slot is an entry of a table: where the span is held that has the key, and a
// number of the table's own. An empty slot has at == free.
type slot struct {
	at uint32
	n  uint32
}

const free = ^uint32(0)

// table finds held spans by a key that is part of them: open addressing with
// linear probing, at most three quarters full.
type table struct {
	seed  maphash.Seed // random, so no sender can choose ids that collide
	keyOf func(at uint32) key
	slots []slot
	used  int
}

func newTable(keyOf func(at uint32) key) *table {
	t := &table{seed: maphash.MakeSeed(), keyOf: keyOf}
	t.slots = emptySlots(1 << 10)
	return t
}

func emptySlots(n int) []slot {
	s := make([]slot, n)
	for i := range s {
		s[i].at = free
	}
	return s
}

func (t *table) home(k *key) int {
	return int(maphash.Bytes(t.seed, k[:]) & uint64(len(t.slots)-1))
}

func (t *table) after(i int) int { return (i + 1) & (len(t.slots) - 1) }

// find returns the position of the slot with key k, or -1.
func (t *table) find(k key) int {
	for i := t.home(&k); t.slots[i].at != free; i = t.after(i) {
		if t.keyOf(t.slots[i].at) == k {
			return i
		}
	}
	return -1
}

// insert adds a slot for a key that is not in the table.
func (t *table) insert(k key, s slot) {
	if 4*(t.used+1) > 3*len(t.slots) {
		t.grow()
	}
	t.put(k, s)
	t.used++
}

func (t *table) put(k key, s slot) {
	i := t.home(&k)
	for t.slots[i].at != free {
		i = t.after(i)
	}
	t.slots[i] = s
}

func (t *table) grow() {
	old := t.slots
	t.slots = emptySlots(2 * len(old))
	for _, s := range old {
		if s.at != free {
			t.put(t.keyOf(s.at), s)
		}
	}
}

// remove empties slot i and moves those behind it that would not be found any
// more (deletion by backward shift: no tombstones pile up as spans are evicted).
func (t *table) remove(i int) {
	t.used--
	for j := t.after(i); t.slots[j].at != free; j = t.after(j) {
		k := t.keyOf(t.slots[j].at)
		if distance := len(t.slots) - 1; (j-t.home(&k))&distance < (j-i)&distance {
			continue
		}
		t.slots[i] = t.slots[j]
		i = j
	}
	t.slots[i].at = free
}
