package packets

import "time"

// turns reads a protocol that is not known: what the client sends until the server answers is a request.
type turns struct {
	of   *exchange
	last time.Time // when the last byte of its answer came
}

// silence after an answer ends it.
const silence = time.Second

func (t *turns) read(c *conn, server bool, data []byte) (int, error) {
	t.bytes(c, server, int64(len(data)))
	return len(data), nil
}

func (t *turns) bytes(c *conn, server bool, n int64) {
	if !server {
		if t.of != nil && !t.of.Answered.IsZero() {
			t.end(c)
		}
		if t.of == nil {
			t.of = c.ask(Turns)
			t.of.tally = true
		}
		t.of.AskedAll, t.of.asked = c.client.now, true
		t.of.Request += n
		return
	}
	if t.of == nil {
		return // a greeting, or news without a request
	}
	c.answers(t.of)
	t.of.Answer += n
	t.last = c.server.now
}

// missing counts bytes that the capture lacks.
func (t *turns) missing(c *conn, server bool, n int64) { t.bytes(c, server, n) }

// end gives the call that is answered.
func (t *turns) end(c *conn) {
	t.of.AnsweredAll = t.last
	c.give(t.of)
	t.of = nil
}

// rest ends a call if its answer has been silent for long.
func (t *turns) rest(c *conn) {
	if t.of != nil && !t.of.Answered.IsZero() && c.r.now.Sub(t.last) > silence {
		t.end(c)
	}
}

func (t *turns) passed(*conn, bool) {}

func (t *turns) closed(c *conn, server bool) {
	if server && t.of != nil && !t.of.Answered.IsZero() {
		t.end(c)
	}
}
