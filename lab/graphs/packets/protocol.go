package packets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// protocol reads the messages of one connection. Its methods may end calls, and set how many bytes of a stream are skipped.
type protocol interface {
	// read takes what it can from the front of data, the bytes of the stream from its pos on. It returns how many it took; 0
	// is that more must come first.
	read(c *conn, server bool, data []byte) (int, error)
	// passed is called when the bytes that were to be skipped have come.
	passed(c *conn, server bool)
	// closed is called when a stream has ended.
	closed(c *conn, server bool)
}

// language is a protocol that can be recognised.
type language struct {
	stateful bool // nothing can be read after a gap
	length   int  // bytes of a frame's length, which may be a segment of its own
	start    func() protocol
	begins   func(data []byte, server bool) bool // reports whether a message begins with these bytes
	asks     bool                                // requests look unlike answers
}

// languages are tried in turn.
var languages = []*language{
	{stateful: true, start: newHTTP2, begins: beginsHTTP2, asks: true},
	{start: func() protocol { return &http1{} }, begins: beginsHTTP1, asks: true},
	{length: 4, start: func() protocol { return &thriftFramed{} }, begins: beginsThrift, asks: true},
	{start: func() protocol { return &mongo{} }, begins: beginsMongo, asks: true},
	{start: func() protocol { return &resp{} }, begins: beginsRESP},
	{start: func() protocol { return &memcached{} }, begins: beginsMemcached, asks: true},
}

// resumes reports whether a message of this language may begin with these bytes.
func (l *language) resumes(data []byte, server bool) bool {
	return l.begins(data, server) || l.length > 0 && len(data) == l.length
}

// inTurns is any protocol that is not known.
var inTurns = &language{start: func() protocol { return &turns{} }, begins: func([]byte, bool) bool { return true }}

const (
	decided      = 8 // bytes that are looked at before a protocol is decided: a frame's length may be a segment of its own
	mostGreeting = 64 << 10
	turnsUnknown = 16
)

// recognise finds the language of a request; nil is none that is known.
func recognise(data []byte) *language {
	for _, l := range languages {
		if l.begins(data, false) {
			return l
		}
	}
	return nil
}

// feed gives the next bytes of a stream to the protocol; seq is TCP's number of the first.
func (c *conn) feed(s *stream, data []byte, seq uint32) {
	switch {
	case !c.inStep && !c.steps(s, data, seq):
		s.pos += int64(len(data))
		return
	case c.protocol == nil:
		c.undecided(s, data)
		return
	}
	server := s == c.server // it may have turned out to be the client
	if server && !s.inStep {
		if int32(s.acks-c.since) <= 0 || !c.spoken.resumes(data, true) {
			s.pos += int64(len(data)) // of an earlier request
			return
		}
		s.inStep = true
	}
	c.pour(s, data)
}

// steps looks for the beginning of a request on a connection that is not in step.
func (c *conn) steps(s *stream, data []byte, seq uint32) bool {
	if c.spoken == nil && c.foreign(data) {
		return false
	}
	if s == c.server {
		l := recognise(data)
		if c.sure || c.spoken != nil || l == nil || !l.asks {
			return false
		}
		c.turn()
	}
	if c.acked && int32(seq-c.resume) < 0 {
		return false
	}
	l, before := c.spoken, c.front
	c.front = front{}
	if l == nil {
		if l = recognise(data); l == nil && before.data != nil && before.seq+4 == seq {
			if l = recognise(append(before.data, data[:min(len(data), decided)]...)); l != nil {
				s.buf, s.first, seq = before.data, before.at, before.seq
				s.pos -= int64(len(s.buf))
			}
		}
		if l == nil {
			if len(data) == 4 {
				c.front = front{slices.Clone(data), seq, s.now}
			}
			if c.unknown++; c.unknown < turnsUnknown {
				return false
			}
			l = inTurns
			c.r.counts.Unknown++
		}
	} else if !l.resumes(data, false) {
		return false
	}
	c.spoken, c.protocol = l, l.start()
	c.sure, c.inStep, c.since, c.server.inStep = true, true, seq, false
	return true
}

// foreign leaves a connection alone if its bytes cannot be read: TLS, or HTTP/2 that began before the capture.
func (c *conn) foreign(data []byte) bool {
	switch {
	case isTLS(data):
		c.r.counts.Encrypted++
	case !c.whole && isFrames(data):
		c.r.counts.NoTables++
	default:
		return false
	}
	c.abandon()
	c.leaveOut()
	return true
}

// undecided keeps bytes until the protocol is known.
func (c *conn) undecided(s *stream, data []byte) {
	if len(s.buf) == 0 {
		s.first = s.now
	}
	if s == c.client {
		s.buf = append(s.buf, data...)
		if c.decide(s.buf, false) {
			c.begin()
		}
		return
	}
	if len(c.client.buf) > 0 && c.decide(c.client.buf, true) {
		c.begin()
		if !c.deaf {
			c.pour(s, data)
		}
		return
	}
	if !c.deaf && len(s.buf) < mostGreeting {
		s.buf = append(s.buf, data...) // the server speaks first
	}
}

// begin reads what came before the protocol was known.
func (c *conn) begin() {
	if c.deaf {
		return
	}
	if !c.spoken.stateful {
		c.server.clear() // a greeting
	}
	c.pour(c.client, nil)
	if !c.deaf {
		c.pour(c.server, nil)
	}
}

// decide finds the protocol by the first bytes of a client, however few they are with at. It reports whether the connection
// needs no more of them.
func (c *conn) decide(data []byte, now bool) bool {
	if c.foreign(data) {
		return true
	}
	c.spoken = recognise(data)
	if c.spoken == nil && !now && (len(data) < decided || len(data) < 16 && mayBeMongo(data)) {
		return false
	}
	if c.spoken == nil {
		c.spoken = inTurns
		c.r.counts.Unknown++
	}
	c.protocol = c.spoken.start()
	return true
}

// pour reads the messages in what is kept of a stream and data, and keeps the rest.
func (c *conn) pour(s *stream, data []byte) {
	server := s == c.server
	if len(s.buf) == 0 {
		s.first = s.now
	} else {
		s.buf = append(s.buf, data...)
		data = s.buf
	}
	for len(data) > 0 && c.protocol != nil {
		if s.skip > 0 {
			n := min(s.skip, int64(len(data)))
			data = data[n:]
			c.skipped(s, n)
			continue
		}
		n, err := c.protocol.read(c, server, data)
		if err == nil && n == 0 && len(data) > mostBuffer {
			err = errLost
		}
		if err != nil {
			s.buf = data
			c.trouble(err)
			return
		}
		if n == 0 {
			break
		}
		data = data[n:]
		s.pos += int64(n)
		s.seen, s.first = 0, s.now
	}
	if c.protocol == nil {
		s.pos += int64(len(data))
		return
	}
	if len(data) == 0 && cap(s.buf) > mostHeld {
		s.buf = nil
	}
	s.buf = append(s.buf[:0], data...)
}

// trouble ends what was read of a connection.
func (c *conn) trouble(err error) {
	if errors.Is(err, errUpgraded) {
		c.r.counts.Upgraded++
		c.abandon()
		c.leaveOut()
		return
	}
	c.r.counts.Garbled++
	c.lose()
}

// skipped passes bytes over that were to be skipped.
func (c *conn) skipped(s *stream, n int64) {
	s.skip -= n
	s.pos += n
	s.first = s.now
	if s.skip == 0 && n > 0 {
		c.protocol.passed(c, s == c.server)
	}
}

// line is the first line of data with its end; nil is that more must come first.
func (s *stream) line(data []byte) []byte {
	at := bytes.IndexByte(data[min(s.seen, len(data)):], '\n')
	if at < 0 {
		s.seen = len(data)
		return nil
	}
	return data[:s.seen+at+1]
}

// mostLine is the longest line of a protocol of lines, in bytes.
const mostLine = 64 << 10

// isTLS reports whether records of TLS begin here.
func isTLS(data []byte) bool {
	return len(data) >= 3 && data[0] >= 0x14 && data[0] <= 0x17 && data[1] == 3 && data[2] <= 4
}

// isFrames reports whether frames of HTTP/2 begin here.
func isFrames(data []byte) bool {
	if len(data) < 9 || data[5]&0x80 != 0 {
		return false
	}
	length := int(data[0])<<16 | int(data[1])<<8 | int(data[2])
	flags, stream := data[4], binary.BigEndian.Uint32(data[5:])
	switch data[3] {
	case frameData:
		return length <= 1<<20 && flags&^9 == 0 && stream&1 == 1
	case frameHeaders:
		return length <= 1<<20 && length > 0 && flags&^0x2d == 0 && stream&1 == 1
	case frameReset:
		return length == 4 && flags == 0 && stream != 0
	case frameSettings:
		return length%6 == 0 && length < 1<<10 && flags&^1 == 0 && stream == 0
	case framePing:
		return length == 8 && flags&^1 == 0 && stream == 0
	case frameWindow:
		return length == 4 && flags == 0
	}
	return false
}
