// One operation under way in the event loop, and lists of them.

package engine

import "time"

// call is one operation, from its connection to its end.
type call struct {
	walk
	nth      uint64 // its number among those of op
	intended time.Duration
	deadline time.Duration
	conn     *conn
	waits    bool // in conn.queue: its request has not begun on this connection
	began    bool // a part of its request has been written on this connection
	counted  bool // as started
	resent   bool // this is its second connection; for a step: the step's
	tried    int  // addresses of the server that failed for it; for a step: the step's

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

// remove removes k, at any place.
func (q *callQueue) remove(k *call) {
	var rest callQueue
	for other := q.pop(); other != nil; other = q.pop() {
		if other != k {
			rest.push(other)
		}
	}
	*q = rest
}

// newCall reuses a call that has ended, or makes one.
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

// The operations under way, in the order of their deadlines.

// busyList is a doubly linked list of calls. Deadlines come in order, except when an operation is tried again.
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

// One operation from its connection to its end.

// begin sends the operation w, if it gets a connection: one that could be had since the given time. Lag is the time
// before the generator noticed the operation, and the time since it could have sent it.
func (l *loop) begin(w wait, freed time.Duration) bool {
	op := &l.plan.ops[w.Op]
	c, err := l.obtain(l.targets[op.target])
	if c == nil && err == nil {
		return false
	}
	l.tally.late(w.noticed - w.At + l.now - max(freed, w.noticed))
	if err != nil {
		l.refuse(op, err, l.now)
		return true
	}
	k := l.newCall()
	k.op, k.nth, k.intended, k.deadline = op, w.Nth, w.At, l.plan.deadline(w.At)
	l.busy.add(k)
	l.assign(c, k)
	return true
}

// assign puts k on c.
func (l *loop) assign(c *conn, k *call) {
	c.load++
	l.stamp(c)
	k.conn, k.waits, k.began = c, true, false
	c.queue.push(k)
	l.pump(c)
	if c.err != nil {
		l.broken(c, c.err)
		return
	}
	l.keep(c)
}

// pump starts the calls that wait on c, as many as it can take.
func (l *loop) pump(c *conn) {
	for c.ready && c.err == nil && c.queue.first != nil && c.http1.call == nil {
		k := c.queue.pop()
		k.waits = false
		c.http1.start(l, k)
	}
}

// started counts a call whose request has reached the kernel, at least in part.
func (l *loop) started(k *call) {
	k.began = true
	if k.conn.task != l.tasks {
		k.conn.task = l.tasks
		l.tally.used++
	}
	if !k.counted {
		k.counted = true
		l.tally.start(&k.walk)
	}
}

// finish ends a call that was answered with this HTTP status (0: none, gRPC): as expected if kind is "". keep: its connection
// can go on.
func (l *loop) finish(k *call, status int, kind string, keep bool) {
	now, c := l.answeredAt(l.clock()), k.conn
	switch {
	case now >= k.deadline:
		l.tally.timeOut(k.intended, now)
	case kind == "":
		l.tally.complete(k.intended, now)
		l.tally.answered(&k.walk, status)
	default:
		l.tally.fail(kind, now)
	}
	l.feeder.Answered()
	c.used = true
	l.detach(k)
	if !keep {
		l.close(c)
		return
	}
	l.keep(c)
}

// detach takes k off its connection and the list of calls under way.
func (l *loop) detach(k *call) {
	l.busy.remove(k)
	k.conn.load--
	l.freed = l.answeredAt(l.now)
	l.ended = append(l.ended, k)
}

// fail ends k with err. The caller handles its connection.
func (l *loop) fail(k *call, err error) {
	l.tally.fail(k.step().says(kindOf(err)), l.now)
	l.detach(k)
}

// refuse fails an operation whose step got no connection.
func (l *loop) refuse(step *operation, err error, now time.Duration) {
	l.feeder.Refused(now)
	l.tally.fail(step.says(kindOf(err)), now)
}

// giveUp times out a call.
func (l *loop) giveUp(k *call) {
	c := k.conn
	l.tally.timeOut(k.intended, l.now)
	if c == nil {
		l.again.remove(k)
		l.busy.remove(k)
		l.ended = append(l.ended, k)
		return
	}
	if k.waits {
		c.queue.remove(k)
	} else {
		c.http1.call = nil
	}
	l.detach(k)
	l.close(c) // the answer may still come
}

// afterSession handles the state of c after bytes have come or gone.
func (l *loop) afterSession(c *conn) {
	switch {
	case c.err != nil: // a server may have answered before it closed the connection
		age := c.age
		c.lost, c.err = c.err, nil
		if l.read(c, true); c.is(age) {
			l.broken(c, c.lost)
		}
	default:
		l.pump(c)
		if c.err != nil {
			l.broken(c, c.err)
		}
	}
}

// serve sends the operations that wait for a connection, while connections are free.
func (l *loop) serve() {
	for !l.waiting.empty() && l.begin(*l.waiting.first(), l.freed) {
		l.waiting.pop()
		l.clock()
	}
}
