// HTTP/1.1 on a connection: one call at a time.

package engine

import (
	"time"

	"github.com/tracetax/tracetax/internal/load/feed"
)

// The rest of an answer comes so long after its beginning where the server's kernel holds it back until this one's delayed
// acknowledgement: Linux delays that by 40 ms, and a tick or two of its clock.
const (
	putOffLeast = 39 * time.Millisecond
	putOffMost  = 50 * time.Millisecond
)

// http1 is HTTP/1.1 on one connection. It may end calls by loop.finish and send bytes by loop.emit.
type http1 struct {
	conn     *conn
	call     *call // nil: none is under way
	response response
	came     time.Duration // the answer's last piece, since the task's start
	waits    int           // how often a piece came as late as a delayed acknowledgement makes it
}

// start sends the request of k.
func (h *http1) start(l *loop, k *call) {
	h.call = k
	step := k.step()
	h.response.reset(step.head)
	h.waits = 0
	h.response.shows = l.plan.task.Shows
	if len(step.takes) > 0 {
		h.response.tape = &feed.Tape{}
	}
	var wire []byte
	wire, l.room = k.bytes(step.turn(k.nth, int(h.conn.slot)), l.room)
	l.emit(h.conn, wire)
	if h.conn.err == nil {
		l.started(k)
	}
}

// feed takes bytes from the server. hup: the server has closed its side, and the connection cannot be reused. An error breaks
// the connection.
func (h *http1) feed(l *loop, b []byte, hup bool) error {
	if h.call == nil { // unasked bytes
		return errUnasked
	}
	h.watch(l.answeredAt(l.now))
	n, err := h.response.feed(b)
	if err != nil || !h.response.done() {
		return err
	}
	h.finish(l, h.response.keep && n == len(b) && len(h.conn.out) == 0 && !hup)
	return nil
}

// watch notes when a piece of the answer came.
func (h *http1) watch(now time.Duration) {
	if gap := now - h.came; !h.response.fresh() && gap >= putOffLeast && gap <= putOffMost {
		h.waits++
	}
	h.came = now
}

// waited reports whether the answer seems to have waited for a delayed acknowledgement; one with several such waits is a stream.
func (h *http1) waited() bool { return h.waits == 1 }

func (h *http1) finish(l *loop, keep bool) {
	k := h.call
	h.call = nil
	kind, step := "", k.step()
	if step.expects(h.response.status) {
		l.tally.redirected(step, &h.response)
	}
	k.body += h.response.body
	k.putOff = k.putOff || h.waited()
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

// follow makes the next step of k, on this connection if it can go on. Retries of earlier steps do not count: each step may be
// made once more, like an operation of its own.
func (h *http1) follow(l *loop, k *call, keep bool) {
	h.conn.used, k.began = true, false
	k.resent, k.tried = false, 0
	if !keep {
		l.move(k)
		return
	}
	h.start(l, k)
}

// end handles the server's close of the connection; it returns the failure of the call under way.
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

// take removes and returns the started call, if there is one.
func (h *http1) take() *call {
	k := h.call
	h.call = nil
	return k
}
