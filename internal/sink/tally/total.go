// This file holds what a sink has counted since its start.
package tally

import (
	"sync"

	"github.com/tracetax/tracetax/internal/record"
)

// Total is what was counted since the start. It is safe for concurrent use.
type Total struct {
	Activity

	batches sync.Pool

	mu        sync.Mutex
	counts    record.Counts // without its maps
	kinds     [kinds]uint64
	services  names
	rootNames names
	protocols names
	seen      *seen // nil in counting mode
}

// New returns a Total. With checking, the ids of the latest maxSpans spans are
// held (32 bytes each, and as much again for finding them); else no ids at all.
func New(checking bool, maxSpans int) *Total {
	t := &Total{
		services:  names{limit: maxNames},
		rootNames: names{limit: maxNames},
		protocols: names{limit: maxNames},
	}
	t.counts.Checking = checking
	if checking {
		t.seen = newSeen(maxSpans)
	}
	t.batches.New = func() any {
		return &Batch{
			checking: checking,
			services: names{limit: batchNames},
			rootName: names{limit: batchNames},
		}
	}
	t.Activity.start()
	return t
}

// Batch returns an empty batch for one request.
func (t *Total) Batch() *Batch { return t.batches.Get().(*Batch) }

// Merge counts a request that was accepted: its batch, its protocol and the size
// of its body in bytes as it came over the wire. The batch must not be used after.
func (t *Total) Merge(b *Batch, protocol string, wire int64) {
	t.mu.Lock()
	t.counts.Requests++
	t.counts.Bytes += uint64(wire)
	t.counts.Spans += b.Spans
	t.counts.Roots += b.roots
	t.counts.Metrics += b.Metrics
	t.counts.Logs += b.Logs
	t.counts.Rejected += b.Rejected
	for k, n := range b.kinds {
		t.kinds[k] += n
	}
	b.services.mergeInto(&t.services)
	b.rootName.mergeInto(&t.rootNames)
	t.protocols.addClean(protocol, 1)
	if t.seen != nil {
		for _, id := range b.ids {
			t.seen.add(id)
		}
	}
	t.mu.Unlock()
	t.Discard(b)
}

// Refuse counts a request that was refused whole.
func (t *Total) Refuse() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Malformed++
}

// Discard takes a batch back without counting it. It must not be used after.
func (t *Total) Discard(b *Batch) {
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
	c.Kinds = t.kindCounts()
	if t.seen != nil {
		c.Duplicate = t.seen.duplicates
		c.Orphans = t.seen.orphans
		c.Traces = t.seen.traces
		c.Evicted = t.seen.evicted
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
