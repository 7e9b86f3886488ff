// One operation from its connection to its end.

package load

import "time"

// begin sends the operation w, if a connection can be had for it: one that has
// been free since the given time. The generator is late by what passed before it noticed
// the operation, and by what passed since it could have sent it.
func (l *loop) begin(w wait, freed time.Duration) bool {
	op := &l.plan.ops[w.op]
	c, err := l.obtain(l.targets[op.target])
	if c == nil && err == nil {
		return false
	}
	l.tally.late(w.noticed - w.at + l.now - max(freed, w.noticed))
	if err != nil {
		l.refuse(op, err, l.now)
		return true
	}
	k := l.newCall()
	k.op, k.nth, k.intended, k.deadline = op, w.nth, w.at, l.plan.deadline(w.at)
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

// pump starts the calls that wait on c, as far as it takes them.
func (l *loop) pump(c *conn) {
	for c.ready && c.err == nil && c.queue.first != nil && c.session.open() {
		k := c.queue.pop()
		k.waits = false
		c.session.start(l, k)
	}
}

// started counts a call whose request has reached the kernel, at least in part.
func (l *loop) started(k *call) {
	k.began = true
	if !k.counted {
		k.counted = true
		l.tally.start(&k.walk)
	}
}

// finish ends a call that was answered with that status of HTTP (0: none, gRPC): as expected if kind is "".
// keep says whether its connection can go on.
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
	l.feeder.answered()
	c.used = true
	l.detach(k)
	if !keep {
		l.close(c)
		return
	}
	l.keep(c)
}

// detach ends k's being under way.
func (l *loop) detach(k *call) {
	l.busy.remove(k)
	k.conn.load--
	l.freed = l.answeredAt(l.now)
	l.ended = append(l.ended, k)
}

// fail ends k with err. Its connection is the caller's care.
func (l *loop) fail(k *call, err error) {
	l.tally.fail(k.step().says(kindOf(err)), l.now)
	l.detach(k)
}

// refuse fails an operation for whose step no connection could be opened.
func (l *loop) refuse(step *operation, err error, now time.Duration) {
	l.feeder.refused(now)
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
	keep := true
	if k.waits {
		c.queue.remove(k)
	} else {
		keep = c.session.cancel(l, k)
	}
	l.detach(k)
	if !keep || !c.ready && c.load == 0 {
		l.close(c)
		return
	}
	l.keep(c)
	l.settle(c)
}

// settle does what c needs after its session has been at work.
func (l *loop) settle(c *conn) {
	switch {
	case c.err != nil: // a server may have answered before it closed the connection
		age := c.age
		c.lost, c.err = c.err, nil
		if l.read(c, true); c.is(age) {
			l.broken(c, c.lost)
		}
	case c.draining && c.load == 0:
		l.close(c)
	default:
		l.pump(c)
		if c.err != nil {
			l.broken(c, c.err)
		}
	}
}

// serve sends the operations that wait for a connection, as far as there are
// connections free.
func (l *loop) serve() {
	for !l.waiting.empty() && l.begin(*l.waiting.first(), l.freed) {
		l.waiting.pop()
		l.clock()
	}
}
