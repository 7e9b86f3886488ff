// One operation under way in the event loop, and lists of such.

package load

import "time"

// call is one operation from when it gets a connection until its end.
type call struct {
	walk
	nth      uint64 // which of op it is
	intended time.Duration
	deadline time.Duration
	conn     *conn
	waits    bool // in conn.queue: its request has not been begun on this connection
	began    bool // some of its request has been written on this connection
	counted  bool // as started
	resent   bool // this is its second connection, of a step: the step's
	tried    int  // addresses of the server that failed for it, of a step: for the step
	stream   stream

	prev, next *call // in loop.busy
	after      *call // in a callQueue
}

// callQueue is first in, first out. The zero value is empty.
type callQueue struct{ first, last *call }

func (q *callQueue) push(k *call) {
	k.after = nil
	if q.last == nil {
		q.first = k
	} else {
		q.last.after = k
	}
	q.last = k
}

// pop returns the first call, nil if there is none.
func (q *callQueue) pop() *call {
	k := q.first
	if k == nil {
		return nil
	}
	q.first, k.after = k.after, nil
	if q.first == nil {
		q.last = nil
	}
	return k
}

// remove takes k out, wherever it is.
func (q *callQueue) remove(k *call) {
	var rest callQueue
	for other := q.pop(); other != nil; other = q.pop() {
		if other != k {
			rest.push(other)
		}
	}
	*q = rest
}

// newCall takes a call that has ended, or makes one.
func (l *loop) newCall() *call {
	n := len(l.ended)
	if n == 0 {
		return &call{}
	}
	k := l.ended[n-1]
	l.ended = l.ended[:n-1]
	*k = call{}
	return k
}
