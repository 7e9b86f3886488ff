package packets

import (
	"net/netip"
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
	deaf           bool      // nothing more is made of it
	at             time.Time // of its last segment

	spoken   *language // nil: not known yet
	unknown  int       // turns that the client took in no protocol that is known, since the capture began within the connection
	troubles int       // times that the protocol was lost
	pushes   bool      // the server sends more than answers

	// A connection is in step when a request was seen to begin. Requests that begin before the server's acknowledgement resume
	// may have been answered already, and are not taken.
	inStep bool
	resume uint32
	acked  bool   // resume is known
	since  uint32 // the sequence number of the request that began the step
	alone  lengthAlone
	open   []*exchange
}

// exchange is a call that is open.
type exchange struct {
	Call
	pos    int64  // of the request's first byte in its stream
	answer int64  // of the answer's
	resent int    // of both streams when it began
	id     uint32 // of a stream, a message or a request in its protocol
	asked  bool   // its request is whole
	mute   bool   // nothing answers it
	tally  bool   // its protocol counts its bytes
}

const (
	mostTroubles = 16
	silence      = time.Second // that ends an answer of a protocol that is not known
)

// newConn begins a connection with its first segment.
func (r *reading) newConn(s *capture.Segment) *conn {
	c := &conn{r: r}
	c.client, c.server = &stream{conn: c, addr: s.From}, &stream{conn: c, addr: s.To}
	switch {
	case s.Flags.Has(capture.SYN):
		if s.Flags.Has(capture.ACK) {
			c.turn()
		}
		c.sure, c.whole, c.inStep, c.server.inStep = true, true, true, true
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

// turn makes the client the server.
func (c *conn) turn() { c.client, c.server = c.server, c.client }

// streams are both of a connection, the client's first.
func (c *conn) streams() [2]*stream { return [2]*stream{c.client, c.server} }

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
	return !c.client.known || c.client.began != s.Seq+1
}

// segment takes a segment of either end.
func (c *conn) segment(s *capture.Segment) {
	from, to := c.client, c.server
	if s.From == c.server.addr {
		from, to = to, from
	}
	if s.At.After(c.at) {
		c.at = s.At
	}
	if s.Flags.Has(capture.SYN) {
		s.Seq++
		if !from.known {
			from.begin(s.Seq)
		}
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
	from.take(s)
	if s.Flags.Has(capture.RST) || c.client.ended && c.server.ended {
		c.close()
	}
}

// close uses what is held, and ends the connection: calls that are open will have no end.
func (c *conn) close() {
	if c.closed {
		return
	}
	c.closed = true
	for _, s := range c.streams() {
		for len(s.held) > 0 {
			s.jump()
		}
	}
	c.lacking()
	if c.spoken == nil && !c.deaf && c.whole && len(c.client.buf) > 0 {
		c.decide(true)
	}
	c.server.over()
	c.stop()
}

// stop makes nothing more of the connection, and frees what it holds.
func (c *conn) stop() {
	c.abandon()
	c.deaf = true
	for _, s := range c.streams() {
		s.read, s.buf, s.held, s.heldBytes, s.skip, s.of = nil, nil, nil, 0, 0, nil
	}
}

// leaveOut makes nothing more of the connection, and notes that calls of its server are missing.
func (c *conn) leaveOut() {
	if c.r.counts.Unread == nil {
		c.r.counts.Unread = map[netip.Addr]bool{}
	}
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
	for _, s := range c.streams() {
		s.giveUp(c.r.now)
	}
	if x := c.oldest(); x != nil && x.Ended() && c.r.now.Sub(x.AnsweredAll) > silence {
		c.give(x)
	}
}

// lose gives up the calls that are open, and waits for the beginning of a request.
func (c *conn) lose() {
	if c.deaf {
		return
	}
	c.abandon()
	c.inStep = false
	c.resume, c.acked = c.server.acks, c.server.hasAcked
	for _, s := range c.streams() {
		s.clear()
		s.inStep = false
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
		c.speak(c.spoken)
	}
}

// gap leaves bytes of a stream out that the capture does not have.
func (c *conn) gap(s *stream, n int64) {
	c.r.counts.Missing += n
	switch reads := c.inStep && !c.deaf; {
	case reads && n <= s.skip:
		s.pass(n)
	case reads && c.spoken == inTurns:
		c.turns(s, n)
		s.pos += n
	default:
		s.pos += n
		c.lose()
	}
}

// ask begins a call with the message that now begins on the client's stream.
func (c *conn) ask(protocol string) *exchange {
	s := c.client
	x := &exchange{Call: Call{From: s.addr, To: c.server.addr, Protocol: protocol, Asked: s.first, Sequence: s.sequence(s.pos)},
		pos: s.pos, resent: c.client.resent + c.server.resent}
	c.open = append(c.open, x)
	return x
}

// answers begins the answer of a call with the message that now begins on the server's stream.
func (c *conn) answers(x *exchange) {
	if x.Answered.IsZero() {
		x.Answered, x.answer = c.server.first, c.server.pos
	}
}

// ended ends the request or the answer of a call, as the stream is, with the last byte that was read. It gives a call that is over.
func (c *conn) ended(x *exchange, s *stream) {
	if s.serves() {
		x.AnsweredAll = s.now
		if !x.tally {
			x.Answer = s.pos - x.answer
		}
		c.give(x)
		return
	}
	x.AskedAll, x.asked = s.now, true
	if !x.tally {
		x.Request = s.pos - x.pos
	}
	if x.mute {
		x.Answered, x.AnsweredAll = s.now, s.now
		c.give(x)
	}
}

// give hands an open call out, with or without an end.
func (c *conn) give(x *exchange) {
	at := slices.Index(c.open, x)
	if at < 0 {
		return
	}
	c.open = slices.Delete(c.open, at, at+1)
	if !x.asked {
		x.AskedAll = c.client.now
		if !x.tally {
			x.Request = c.client.pos - x.pos
		}
	}
	x.Resent = c.client.resent + c.server.resent - x.resent
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
	at := slices.IndexFunc(c.open, func(x *exchange) bool { return x.id == id })
	if at < 0 {
		return nil
	}
	return c.open[at]
}
