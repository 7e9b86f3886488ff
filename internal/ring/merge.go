// This file reads the rings of carriers together: a virtual thread may enter a call on one and leave it on another.
// Events are sorted by time.

package ring

import "errors"

const carrierChunk = 32 << 10 // bytes of a ring that are held at a time

// cursor goes through the events of one carrier's ring.
type cursor struct {
	ring   *ringFile
	buffer []byte
	piece  []byte // not taken
	at     uint64 // where piece begins
	word   uint64
	owner  uint64
	tick   uint64
	thread *thread // of the last event
}

// merge takes the events of carriers that are stamped before the cut.
func (p *program) merge(carriers []*ringFile, cut uint64) error {
	present := p.clock.now()
	var heads []*cursor // a heap: the earliest first
	for _, r := range carriers {
		if r.read == r.written {
			continue
		}
		c := &cursor{ring: r, at: r.read, buffer: make([]byte, min(carrierChunk, r.written-r.read))}
		more, err := p.advance(c, present, cut)
		if err != nil {
			if errors.As(err, new(handoverError)) {
				return err
			}
			p.refuseRing(r, err)
			continue
		}
		if more {
			heads = append(heads, c)
			siftUp(heads)
		}
	}
	for len(heads) > 0 {
		c := heads[0]
		err := p.take(c)
		more := false
		if err == nil {
			more, err = p.advance(c, present, cut)
		}
		if err != nil {
			if errors.As(err, new(handoverError)) {
				return err
			}
			p.refuseRing(c.ring, err)
		}
		if !more {
			last := len(heads) - 1
			heads[0] = heads[last]
			heads = heads[:last]
		}
		siftDown(heads)
	}
	return nil
}

// take hands the event at which a cursor stands to its thread.
func (p *program) take(c *cursor) error {
	if c.thread == nil || c.thread.number != c.owner {
		c.thread = p.threadOf(c.owner)
	}
	p.counts.Events++
	at := max(p.clock.utc(c.tick), c.thread.last) // stamps of a thread never go back
	c.thread.last = at
	err := p.event(c.thread, c.word, at)
	c.piece = c.piece[16:]
	c.at += 16
	return err
}

// advance reads the event at the cursor. It reports whether there is one that may be taken now; else it publishes what was.
func (p *program) advance(c *cursor, present, cut uint64) (bool, error) {
	if len(c.piece) == 0 {
		if err := p.flush(); err != nil {
			return false, err
		}
		if err := c.ring.publish(c.at); err != nil {
			return false, err
		}
		if c.at == c.ring.written {
			return false, nil
		}
		var err error
		if c.piece, err = c.ring.copyOut(c.buffer, c.at, c.ring.written); err != nil {
			return false, err
		}
	}
	c.word, c.owner = le.Uint64(c.piece), le.Uint64(c.piece[8:])
	if c.word&eventMask == ownerEvent {
		return false, errors.New("an event of a carrier names an owner, which rings of platform threads have alone")
	}
	c.tick = extend(c.word>>stampShift, present)
	if c.tick < cut {
		return true, nil
	}
	if err := p.flush(); err != nil {
		return false, err
	}
	return false, c.ring.publish(c.at)
}

func siftUp(heap []*cursor) {
	for i := len(heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if heap[parent].tick <= heap[i].tick {
			return
		}
		heap[parent], heap[i] = heap[i], heap[parent]
		i = parent
	}
}

func siftDown(heap []*cursor) {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if heap[child].tick < heap[least].tick {
				least = child
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}
