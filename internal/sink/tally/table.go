// This file holds the hash table of the checking mode. It stores no keys: a slot
// points at a held span, whose ids are the key, so that a span costs few bytes
// and the garbage collector has nothing to follow.

package tally

import "hash/maphash"

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
	seed  maphash.Seed // random, so that no sender can choose ids that collide
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
