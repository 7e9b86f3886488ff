// Connections that end with calls on them: which of these fail, and which are made
// once more on another one.

package load

import "errors"

// broken deals with a connection that cannot go on.
func (l *loop) broken(c *conn, err error) {
	if c.load == 0 {
		l.close(c)
		return
	}
	l.clock()
	if !c.ready {
		l.feeder.refused(l.now)
	}
	var again *call // a list, by after
	for k := c.popCall(); k != nil; k = c.popCall() {
		if c.isStaleFor(k) {
			if k.began {
				l.tally.resent++
			}
			k.resent = k.resent || c.used
			k.after, again = again, k
			continue
		}
		l.fail(k, c.reason(k, err))
	}
	l.close(c)
	l.restart(again, c.server)
}

// popCall takes some call off c, nil if there is none.
func (c *conn) popCall() *call {
	if k := c.session.take(); k != nil {
		return k
	}
	return c.queue.pop()
}

// isStaleFor reports whether c broke as a connection does that the server closed
// while it was idle, and whether k may then be made on another one.
func (c *conn) isStaleFor(k *call) bool {
	return c.used && !k.resent && (!k.began || k.step().resend && c.session.untouched(k))
}

// reason is what k fails of when c ends because of err.
func (c *conn) reason(k *call, err error) error {
	if errors.Is(err, errClosedEarly) && k.began && !c.session.untouched(k) {
		return errCutShort
	}
	return err
}

// restart moves the calls of a connection that is gone to others.
func (l *loop) restart(calls *call, s *server) {
	for k := calls; k != nil; k = calls {
		calls = k.after
		c, err := l.another(s)
		if err != nil {
			l.unplaced(k, err)
			continue
		}
		l.assign(c, k)
	}
}

// repeat has k made once more, on whatever connection is free, since the server has not
// looked at it.
func (l *loop) repeat(k *call) {
	c := k.conn
	c.load--
	l.keep(c)
	k.conn = nil
	k.resent = true
	if k.began {
		l.tally.resent++
	}
	l.again.push(k)
}

// move has k go on on another connection: the server ends its own between two steps.
func (l *loop) move(k *call) {
	c := k.conn
	c.load--
	k.conn = nil
	l.again.push(k)
	l.close(c)
}

// rerun makes the calls that are to be repeated, as far as there are connections.
func (l *loop) rerun() {
	for k := l.again.first; k != nil; k = l.again.first {
		s := l.targets[k.op.target]
		c, err := l.obtain(s)
		if c == nil && err == nil {
			return
		}
		l.again.pop()
		if err != nil {
			l.unplaced(k, err)
			continue
		}
		l.assign(c, k)
	}
}

// unplaced fails k, for which no connection could be opened.
func (l *loop) unplaced(k *call, err error) {
	l.refuse(k.step(), err, l.clock())
	l.busy.remove(k)
	l.ended = append(l.ended, k)
}

// another is a connection for a call that lost its own. A kept one might be just
// as stale.
func (l *loop) another(s *server) (*conn, error) {
	if c := s.pop(); c != nil {
		if !c.used {
			return c, nil
		}
		l.keep(c)
	}
	return l.reach(s)
}

// connectFailed tries the server's next address, if there is one.
func (l *loop) connectFailed(c *conn, err error) {
	l.clock()
	s := c.server
	var again *call
	failed := false
	for k := c.popCall(); k != nil; k = c.popCall() {
		if k.tried++; k.tried < len(s.addrs) {
			k.after, again = again, k
			continue
		}
		l.fail(k, err)
		failed = true
	}
	if failed {
		l.feeder.refused(l.now)
	}
	l.close(c)
	if s.addrs[s.first] == c.addr { // several may fail of one address
		s.first = (s.first + 1) % len(s.addrs)
	}
	l.restart(again, s)
}
