// The operations that are due but have no connection yet.

package load

import "time"

// wait is an operation that waits for a connection.
type wait struct {
	arrival
	noticed time.Duration // when the generator saw that it was due
}

// queue is first in, first out. The zero value is empty.
type queue struct {
	items []wait
	head  int
}

func (q *queue) empty() bool  { return q.head == len(q.items) }
func (q *queue) size() int    { return len(q.items) - q.head }
func (q *queue) first() *wait { return &q.items[q.head] }
func (q *queue) push(w wait)  { q.items = append(q.items, w) }

func (q *queue) pop() wait {
	w := q.items[q.head]
	q.head++
	switch {
	case q.empty():
		q.items, q.head = q.items[:0], 0
	case q.head >= 1024 && q.head*2 >= len(q.items):
		n := copy(q.items, q.items[q.head:])
		q.items, q.head = q.items[:n], 0
	}
	return w
}
