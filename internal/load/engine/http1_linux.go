// HTTP/1.1 on a connection: one call at a time.

package engine

import "github.com/tracetax/tracetax/internal/load/feed"

// http1 is HTTP/1.1 on one connection. It may end calls by loop.finish and put out bytes by loop.emit.
type http1 struct {
	conn     *conn
	call     *call // nil: none is under way
	response response
}

// start puts out the request of k.
func (h *http1) start(l *loop, k *call) {
	h.call = k
	step := k.step()
	h.response.reset(step.head)
	h.response.shows = l.plan.task.Shows
	if len(step.takes) > 0 {
		h.response.tape = &feed.Tape{}
	}
	var wire []byte
	wire, l.room = k.bytes(k.nth, l.room)
	l.emit(h.conn, wire)
	if h.conn.err == nil {
		l.started(k)
	}
}

// feed takes what the server sent. hup says that it has closed its side: the connection cannot be used again. An error
// breaks the connection.
func (h *http1) feed(l *loop, b []byte, hup bool) error {
	if h.call == nil { // bytes that nobody asked for
		return errUnasked
	}
	n, err := h.response.feed(b)
	if err != nil || !h.response.done() {
		return err
	}
	h.finish(l, h.response.keep && n == len(b) && len(h.conn.out) == 0 && !hup)
	return nil
}

func (h *http1) finish(l *loop, keep bool) {
	k := h.call
	h.call = nil
	kind, step := "", k.step()
	if step.expects(h.response.status) {
		l.tally.redirected(step, &h.response)
	}
	k.body += h.response.body
	k.timing = append(k.timing, h.response.fields.timing...)
	switch {
	case !step.expects(h.response.status):
		kind = step.says(h.response.wrong())
	case step.then != nil:
		if kind = k.advance(h.response.tape); kind == "" {
			h.follow(l, k, keep)
			return
		}
	}
	l.finish(k, h.response.status, kind, keep)
}

// follow makes the next step of k, on this connection if it can go on. What befell the connections of the steps before
// counts no more: each step may be made once more, as an operation of its own could be.
func (h *http1) follow(l *loop, k *call, keep bool) {
	h.conn.used, k.began = true, false
	k.resent, k.tried = false, 0
	if !keep {
		l.move(k)
		return
	}
	h.start(l, k)
}

// end is called when the server has closed the connection; the error says what the call under way fails of.
func (h *http1) end(l *loop) error {
	if h.call == nil {
		return errClosedEarly
	}
	if err := h.response.end(); err != nil {
		return err
	}
	h.finish(l, false)
	return nil
}

// take forgets the call that has been started, if there is one, and returns it.
func (h *http1) take() *call {
	k := h.call
	h.call = nil
	return k
}
