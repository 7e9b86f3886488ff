package packets

import (
	"bytes"
	"errors"
	"slices"
	"time"
)

// reader takes the message, or the part of one, at the front of data: the bytes of a stream from its pos on. Where more bytes must
// come first it takes none. The error is errLost.
type reader func(s *stream, data []byte) (taken, error)

// taken describes the bytes that a reader took.
type taken struct {
	n    int       // bytes of data
	skip int64     // bytes after them that are passed over
	of   *exchange // its request, or its answer, ends with them; nil is none
	last bool      // after them the connection goes on to another protocol
}

// errLost is of bytes that are no message where one should begin.
var errLost = errors.New("no message begins here")

// language is a protocol that can be recognised.
type language struct {
	stateful bool // nothing can be read after a gap
	length   int  // bytes of a frame's length, which may be a segment of its own
	start    func() reader
	begins   func(data []byte, server bool) bool // reports whether a message begins with these bytes
	asks     bool                                // requests look unlike answers
}

// languages are tried in turn.
var languages = []*language{
	{stateful: true, start: newHTTP2, begins: beginsHTTP2, asks: true},
	{start: func() reader { return (&http1{}).read }, begins: beginsHTTP1, asks: true},
	{length: 4, start: func() reader { return readThrift }, begins: beginsThrift, asks: true},
	{start: func() reader { return readMongo }, begins: beginsMongo, asks: true},
	{start: func() reader { return (&resp{}).read }, begins: beginsRESP},
	{start: func() reader { return readMemcached }, begins: beginsMemcached, asks: true},
}

// inTurns is any protocol that is not known.
var inTurns = &language{start: func() reader { return readTurns }, begins: func([]byte, bool) bool { return true }}

const (
	decided      = 8 // bytes that are looked at before a protocol is decided: a frame's length may be a segment of its own
	mostGreeting = 64 << 10
	turnsUnknown = 16
	mostBuffer   = 2 << 20  // bytes of a message's head
	mostLine     = 64 << 10 // bytes of a line
	toTheEnd     = 1 << 62  // bytes of a body that ends with its connection
)

// resumes reports whether a message of this language may begin with these bytes.
func (l *language) resumes(data []byte, server bool) bool {
	return l.begins(data, server) || l.length > 0 && len(data) == l.length
}

// recognise finds the language of a request; nil is none that is known.
func recognise(data []byte) *language {
	for _, l := range languages {
		if l.begins(data, false) {
			return l
		}
	}
	return nil
}

// speak begins to read a language.
func (c *conn) speak(l *language) {
	c.spoken, c.client.read, c.server.read = l, l.start(), l.start()
}

// feed reads the next bytes of a stream; seq is TCP's number of the first.
func (c *conn) feed(s *stream, data []byte, seq uint32) {
	switch {
	case !c.inStep && !c.steps(s, data, seq):
		s.pos += int64(len(data))
	case c.spoken == nil:
		c.undecided(s, data)
	case s.serves() && !s.inStep && (int32(s.acks-c.since) <= 0 || !c.spoken.resumes(data, true)):
		s.pos += int64(len(data)) // of an earlier request
	default:
		s.inStep = true
		s.pour(data)
	}
}

// lengthAlone is a segment of a client that may be the length of a frame, which comes next.
type lengthAlone struct {
	data []byte
	seq  uint32
	at   time.Time
}

// steps looks for the beginning of a request on a connection that is not in step.
func (c *conn) steps(s *stream, data []byte, seq uint32) bool {
	if c.spoken == nil && c.foreign(data) {
		return false
	}
	if s.serves() {
		l := recognise(data)
		if c.sure || c.spoken != nil || l == nil || !l.asks {
			return false
		}
		c.turn()
	}
	if c.acked && int32(seq-c.resume) < 0 {
		return false
	}
	l, before := c.spoken, c.alone
	c.alone = lengthAlone{}
	if l == nil {
		l = recognise(data)
	} else if !l.resumes(data, false) {
		return false
	}
	if l == nil && before.data != nil && before.seq+4 == seq {
		if l = recognise(append(before.data, data[:min(len(data), decided)]...)); l != nil {
			s.buf, s.first, seq = before.data, before.at, before.seq
			s.pos -= int64(len(s.buf))
		}
	}
	if l == nil {
		if len(data) == 4 {
			c.alone = lengthAlone{slices.Clone(data), seq, s.now}
		}
		if c.unknown++; c.unknown < turnsUnknown {
			return false
		}
		l = inTurns
		c.r.counts.Unknown++
	}
	c.speak(l)
	c.sure, c.inStep, c.since, c.server.inStep = true, true, seq, false
	return true
}

// foreign leaves a connection alone if its bytes cannot be read: TLS, or HTTP/2 that began before the capture.
func (c *conn) foreign(data []byte) bool {
	switch {
	case isTLS(data):
		c.r.counts.Encrypted++
	case !c.whole && isFrame(data):
		c.r.counts.NoTables++
	default:
		return false
	}
	c.leaveOut()
	return true
}

// isTLS reports whether records of TLS begin here.
func isTLS(data []byte) bool {
	return len(data) >= 3 && data[0] >= 0x14 && data[0] <= 0x17 && data[1] == 3 && data[2] <= 4
}

// undecided keeps bytes until the protocol is known: by the first ones of the client, however few they are once they are answered.
func (c *conn) undecided(s *stream, data []byte) {
	if len(s.buf) == 0 {
		s.first = s.now
	}
	switch {
	case !s.serves():
		s.buf, data = append(s.buf, data...), nil
	case len(c.client.buf) == 0: // the server speaks first
		if len(s.buf) < mostGreeting {
			s.buf = append(s.buf, data...)
		}
		return
	}
	c.decide(s.serves())
	if c.spoken != nil {
		c.server.pour(data)
	}
}

// decide finds the protocol by what is kept of the client, and begins to read. It waits for more of it unless it has to decide now.
func (c *conn) decide(now bool) {
	data := c.client.buf
	if c.foreign(data) {
		return
	}
	l := recognise(data)
	if l == nil && !now && (len(data) < decided || len(data) < mongoHead && mayBeMongo(data)) {
		return
	}
	if l == nil {
		l = inTurns
		c.r.counts.Unknown++
	}
	c.speak(l)
	if !l.stateful {
		c.server.clear() // a greeting
	}
	c.client.pour(nil)
}

// pour reads the messages in what is kept of a stream and in data, and keeps the rest.
func (s *stream) pour(data []byte) {
	if len(s.buf) == 0 {
		s.first = s.now
	} else {
		s.buf = append(s.buf, data...)
		data = s.buf
	}
	for len(data) > 0 && s.read != nil {
		if s.skip > 0 {
			n := min(s.skip, int64(len(data)))
			data = data[n:]
			s.pass(n)
			continue
		}
		got, err := s.read(s, data)
		if err != nil || got.n == 0 && len(data) > mostBuffer {
			s.buf = data
			s.conn.r.counts.Garbled++
			s.conn.lose()
			return
		}
		if got.n == 0 {
			break
		}
		data = data[got.n:]
		s.pos += int64(got.n)
		s.seen, s.skip, s.of = 0, got.skip, got.of
		s.pass(0)
		if got.last {
			s.conn.r.counts.Upgraded++
			s.conn.leaveOut()
		}
	}
	if s.read == nil {
		s.pos += int64(len(data))
		return
	}
	if len(data) == 0 && cap(s.buf) > mostHeld {
		s.buf = nil
	}
	s.buf = append(s.buf[:0], data...)
}

// pass passes bytes over that are to be skipped. With the last of them a request or an answer may end.
func (s *stream) pass(n int64) {
	s.skip -= n
	s.pos += n
	s.first = s.now
	if x := s.of; s.skip == 0 && x != nil {
		s.of = nil
		s.conn.ended(x, s)
	}
}

// line is the first line of data with its end; nil is that more must come first.
func (s *stream) line(data []byte) ([]byte, error) {
	at := bytes.IndexByte(data[min(s.seen, len(data)):], '\n')
	if at >= 0 {
		return data[:s.seen+at+1], nil
	}
	if s.seen = len(data); s.seen > mostLine {
		return nil, errLost
	}
	return nil, nil
}

// readTurns takes what the client sends until the server answers for a request. Its answer ends with the next request, or silence.
func readTurns(s *stream, data []byte) (taken, error) {
	s.conn.turns(s, int64(len(data)))
	return taken{n: len(data)}, nil
}

// turns counts bytes of a protocol that is not known, also those that the capture lacks.
func (c *conn) turns(s *stream, n int64) {
	x := c.oldest()
	switch {
	case s.serves() && x == nil: // a greeting, or news without a request
	case s.serves():
		c.answers(x)
		x.AnsweredAll, x.Answer = s.now, x.Answer+n
	default:
		if x != nil && x.Ended() {
			c.give(x)
			x = nil
		}
		if x == nil {
			x = c.ask(Turns)
			x.tally = true
		}
		x.AskedAll, x.asked, x.Request = s.now, true, x.Request+n
	}
}
