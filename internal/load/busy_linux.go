// The operations under way, in the order of their deadlines.

package load

// busyList is a doubly linked list through the connections. Deadlines come in
// order, save when an operation is tried again.
type busyList struct {
	first, last *conn
	size        int
}

func (b *busyList) add(c *conn) {
	after := b.last
	for after != nil && after.deadline > c.deadline {
		after = after.prev
	}
	c.prev = after
	if after == nil {
		c.next, b.first = b.first, c
	} else {
		c.next, after.next = after.next, c
	}
	if c.next == nil {
		b.last = c
	} else {
		c.next.prev = c
	}
	b.size++
}

func (b *busyList) remove(c *conn) {
	if c.prev == nil {
		b.first = c.next
	} else {
		c.prev.next = c.next
	}
	if c.next == nil {
		b.last = c.prev
	} else {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
	b.size--
}
