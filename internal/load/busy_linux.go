// The operations under way, in the order of their deadlines.

package load

// busyList is a doubly linked list of calls. Deadlines come in order, save when
// an operation is tried again.
type busyList struct {
	first, last *call
	size        int
}

func (b *busyList) add(k *call) {
	after := b.last
	for after != nil && after.deadline > k.deadline {
		after = after.prev
	}
	k.prev = after
	if after == nil {
		k.next, b.first = b.first, k
	} else {
		k.next, after.next = after.next, k
	}
	if k.next == nil {
		b.last = k
	} else {
		k.next.prev = k
	}
	b.size++
}

func (b *busyList) remove(k *call) {
	if k.prev == nil {
		b.first = k.next
	} else {
		k.prev.next = k.next
	}
	if k.next == nil {
		b.last = k.prev
	} else {
		k.next.prev = k.prev
	}
	k.prev, k.next = nil, nil
	b.size--
}
