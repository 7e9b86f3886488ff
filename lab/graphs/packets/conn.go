package packets

import (
	"errors"
	"slices"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/packets/capture"
)

// conn is a connection: two streams of bytes, what is spoken on them, and the calls that are open.
type conn struct {
	r              *reading
	client, server *stream
	whole          bool // the capture has its beginning
	sure           bool // which end is the client's
	counted        bool
	closed         bool
	deaf           bool // nothing more is made of it
	at             time.Time

	spoken   *language // nil: not known yet
	protocol protocol
	unknown  int // turns that the client took in no protocol that is known, since the capture began within the connection
	troubles int // times that the protocol was lost

	// A connection is in step when a request was seen to begin. Requests that begin before the server's acknowledgement resume
	// may have been answered already, and are not taken.
	inStep bool
	resume uint32
	acked  bool   // resume is known
	since  uint32 // the sequence number of the request that began the step
	front  front
	open   []*exchange
}

// exchange is a call that is open.
type exchange struct {
	Call
	pos    int64  // of the request's first byte in its stream
	answer int64  // of the answer's
	resent int    // of both streams when it began
	id     uint32 // of a stream, a message or a request in its protocol
	head   bool   // its answer has no body
	asked  bool   // its request is whole
	tally  bool   // its protocol counts its bytes
}

// front is a segment of a client that may be the length of a frame, which comes next.
type front struct {
	data []byte
	seq  uint32
	at   time.Time
}

const mostTroubles = 16

// newConn begins a connection with its first segment.
func (r *reading) newConn(s *capture.Segment) *conn {
	c := &conn{r: r, client: &stream{addr: s.From}, server: &stream{addr: s.To}}
	switch {
	case s.Flags.Has(capture.SYN):
		c.sure, c.whole, c.inStep, c.server.inStep = true, true, true, true
		if s.Flags.Has(capture.ACK) {
			c.turn()
			c.server.inStep, c.client.inStep = true, false
		}
	case r.serves(s.From) != r.serves(s.To):
		c.sure = true
		if r.serves(s.From) {
			c.turn()
		}
	case s.From.Port() < s.To.Port():
		c.turn()
	}
	return c
}

func (r *reading) serves(at addrPort) bool { return r.opt.Serves != nil && r.opt.Serves(at) }

// turn makes the client the server.
func (c *conn) turn() { c.client, c.server = c.server, c.client }

// begunAgain reports whether a segment begins another connection between the same ends.
func (c *conn) begunAgain(s *capture.Segment) bool {
	switch {
	case !s.Flags.Has(capture.SYN):
		return false
	case s.Flags.Has(capture.ACK) && s.From == c.server.addr:
		return c.server.known && c.server.began != s.Seq+1
	case s.From != c.client.addr:
		return true // the other end connects
	}
	of := c.client
	return !of.known || of.began != s.Seq+1
}

// segment takes a segment of either end.
func (c *conn) segment(s *capture.Segment) {
	from, to := c.client, c.server
	if s.From == c.server.addr {
		from, to = c.server, c.client
	}
	if s.At.After(c.at) {
		c.at = s.At
	}
	if s.Flags.Has(capture.SYN) && !from.known {
		from.begin(s.Seq + 1)
	}
	if s.Flags.Has(capture.SYN) {
		s.Seq++
	}
	if s.Flags.Has(capture.ACK) {
		from.acks, from.hasAcked = s.Ack, true
		to.ackedTo(s.Ack)
	}
	if s.Length > 0 && !c.counted {
		c.counted = true
		c.r.counts.Connections++
		if !c.whole {
			c.r.counts.Before++
		}
	}
	c.take(from, s)
	if s.Flags.Has(capture.RST) {
		c.drain()
		c.close()
	}
	if c.client.ended && c.server.ended {
		c.close()
	}
}

// take puts the data of a segment in its place of the stream.
func (c *conn) take(on *stream, s *capture.Segment) {
	if s.Flags.Has(capture.FIN) {
		on.fin, on.last = true, s.Seq+uint32(s.Length)
	}
	if s.Length > 0 {
		on.arrive(c, s)
	}
	for len(on.held) > 0 && on.hopeless(c.at) {
		c.jump(on)
	}
	if on.fin && !on.ended && on.known && on.next == on.last {
		on.ended = true
		c.over(on)
	}
}

// jump gives up waiting for the bytes before the first held segment.
func (c *conn) jump(on *stream) {
	missing := int64(on.held[0].seq - on.next)
	on.next = on.held[0].seq
	c.gap(on, missing)
	on.release(c)
}

// drain uses what is held of both streams.
func (c *conn) drain() {
	for _, on := range []*stream{c.client, c.server} {
		for len(on.held) > 0 {
			c.jump(on)
		}
	}
}

// over says that a stream has ended.
func (c *conn) over(on *stream) {
	if c.protocol != nil && c.inStep && !c.deaf {
		c.protocol.closed(c, on == c.server)
	}
}

// close ends the connection: calls that are open will have no end.
func (c *conn) close() {
	if c.closed {
		return
	}
	c.closed = true
	c.lacking()
	if c.protocol == nil && !c.deaf && c.whole && len(c.client.buf) > 0 {
		c.decide(c.client.buf, true)
		c.pour(c.client, nil)
	}
	if c.protocol != nil && !c.deaf {
		c.protocol.closed(c, false)
		c.protocol.closed(c, true)
	}
	c.abandon()
	c.stop()
}

// stop makes nothing more of the connection, and frees what it holds.
func (c *conn) stop() {
	c.deaf, c.protocol = true, nil
	for _, on := range []*stream{c.client, c.server} {
		on.buf, on.held, on.heldBytes, on.skip = nil, nil, 0, 0
	}
}

// leaveOut makes nothing more of the connection, and notes that calls of its server are missing.
func (c *conn) leaveOut() {
	c.r.counts.Unread[c.server.addr.Addr()] = true
	c.stop()
}

// lacking counts the bytes that the capture lacks behind the last one of each stream: its end, or what was acknowledged, tells them.
func (c *conn) lacking() {
	if c.deaf {
		return
	}
	for _, of := range [][2]*stream{{c.client, c.server}, {c.server, c.client}} {
		on, other := of[0], of[1]
		end := on.last
		if !on.fin {
			end = other.acks - 1 // of what may be an end that is not there
		}
		if n := int32(end - on.next); on.known && (on.fin || other.hasAcked) && n > 0 && n < farAway {
			c.r.counts.Missing += int64(n)
		}
	}
}

// rest is called once in a while.
func (c *conn) rest() {
	for _, on := range []*stream{c.client, c.server} {
		for len(on.held) > 0 && on.hopeless(c.r.now) {
			c.jump(on)
		}
	}
	if t, is := c.protocol.(*turns); is {
		t.rest(c)
	}
}

// errLost is of bytes that are no message where one should begin.
var errLost = errors.New("no message begins here")

// errUpgraded is of a connection that goes on to another protocol.
var errUpgraded = errors.New("the connection goes on to another protocol")

// lose gives up the calls that are open, and waits for the beginning of a request.
func (c *conn) lose() {
	if c.deaf {
		return
	}
	c.abandon()
	c.inStep = false
	c.resume, c.acked = c.server.acks, c.server.hasAcked
	for _, on := range []*stream{c.client, c.server} {
		on.clear()
		on.inStep = false
	}
	c.troubles++
	switch {
	case c.spoken != nil && c.spoken.stateful:
		c.r.counts.NoTables++
		c.leaveOut()
	case c.troubles > mostTroubles && c.r.counts.Missing == 0:
		c.r.counts.GivenUp++
		c.leaveOut()
	case c.spoken != nil:
		c.protocol = c.spoken.start()
	}
}

// gap leaves bytes of a stream out that the capture does not have.
func (c *conn) gap(on *stream, n int64) {
	c.r.counts.Missing += n
	if c.deaf {
		return
	}
	if c.protocol != nil && c.inStep {
		if t, is := c.protocol.(*turns); is {
			t.missing(c, on == c.server, n)
			on.pos += n
			return
		}
		if n <= on.skip {
			c.skipped(on, n)
			return
		}
	}
	on.pos += n
	c.lose()
}

// ask begins a call with the message that now begins on the client's stream.
func (c *conn) ask(protocol string) *exchange {
	s := c.client
	x := &exchange{Call: Call{From: s.addr, To: c.server.addr, Protocol: protocol, Asked: s.first, Sequence: s.sequence(s.pos)},
		pos: s.pos, resent: c.client.resent + c.server.resent}
	c.open = append(c.open, x)
	return x
}

// asked ends the request of a call with the byte before pos.
func (c *conn) asked(x *exchange, pos int64) {
	x.AskedAll, x.Request, x.asked = c.client.now, pos-x.pos, true
}

// answers begins the answer of a call with the message that now begins on the server's stream.
func (c *conn) answers(x *exchange) {
	if x.Answered.IsZero() {
		x.Answered, x.answer = c.server.first, c.server.pos
	}
}

// answered ends a call with the byte of its answer before pos, and gives it.
func (c *conn) answered(x *exchange, pos int64) {
	x.AnsweredAll, x.Answer = c.server.now, pos-x.answer
	c.give(x)
}

// unanswered ends a call that is not answered by design, with its request.
func (c *conn) unanswered(x *exchange) {
	x.Answered, x.AnsweredAll = x.AskedAll, x.AskedAll
	c.give(x)
}

// give hands a call out, with or without an end.
func (c *conn) give(x *exchange) {
	if !x.asked {
		x.AskedAll = c.client.now
	}
	if !x.asked && !x.tally {
		x.Request = c.client.pos - x.pos
	}
	x.Resent = c.client.resent + c.server.resent - x.resent
	if at := slices.Index(c.open, x); at >= 0 {
		c.open = slices.Delete(c.open, at, at+1)
	}
	c.r.give(&x.Call)
}

// abandon gives the calls that are open without an end.
func (c *conn) abandon() {
	for len(c.open) > 0 {
		c.give(c.open[0])
	}
}

// oldest is the call that was asked first of those that want an answer; nil is none.
func (c *conn) oldest() *exchange {
	if len(c.open) == 0 {
		return nil
	}
	return c.open[0]
}

// byID is the open call with this number; nil is none.
func (c *conn) byID(id uint32) *exchange {
	for _, x := range c.open {
		if x.id == id {
			return x
		}
	}
	return nil
}
