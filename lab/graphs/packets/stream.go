package packets

import (
	"net/netip"
	"slices"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/packets/capture"
)

type addrPort = netip.AddrPort

// stream is one direction of a connection.
type stream struct {
	addr     addrPort // of the sender
	known    bool     // next is
	began    uint32   // the sequence number of its first byte
	next     uint32   // the sequence number that comes next
	acks     uint32   // what the sender has of the other stream
	hasAcked bool
	fin      bool
	last     uint32 // the sequence number after the last byte, with fin
	ended    bool

	held      []segment // in order of seq, none overlapping next
	heldBytes int
	waited    int  // segments since the first of them
	past      bool // the receiver has acknowledged what is missing
	resent    int

	// What is not understood yet.
	buf    []byte
	pos    int64     // of the first byte of buf in the stream
	first  time.Time // when it came
	now    time.Time // when the last byte came
	skip   int64     // bytes of a message that are passed over
	seen   int       // bytes of buf in which an end was not found
	inStep bool      // of a server's stream: an answer was seen to begin since the connection is in step
}

// segment is held until the bytes before it come.
type segment struct {
	seq    uint32
	data   []byte
	length int
	at     time.Time
}

const (
	mostHeld    = 256 << 10 // bytes of a stream
	mostWaiting = 512       // segments of a stream
	patience    = time.Second
	afterPast   = 4
	mostBuffer  = 2 << 20 // bytes of a message's head
	// farAway is a distance of sequence numbers that no window has.
	farAway = 1 << 26
)

func (s *stream) begin(seq uint32) { s.known, s.began, s.next = true, seq, seq }

// sequence is TCP's number of a byte.
func (s *stream) sequence(pos int64) uint32 { return s.began + uint32(pos) }

// clear forgets what is not understood yet.
func (s *stream) clear() {
	s.pos += int64(len(s.buf))
	s.buf, s.skip, s.seen = nil, 0, 0
}

// ackedTo notes how far the receiver has come.
func (s *stream) ackedTo(ack uint32) {
	if len(s.held) > 0 && int32(ack-s.next) > 0 {
		s.past = true
	}
}

// hopeless reports whether the bytes before the first held segment will not come.
func (s *stream) hopeless(now time.Time) bool {
	return s.heldBytes > mostHeld || len(s.held) > mostWaiting || now.Sub(s.held[0].at) > patience || s.past && s.waited > afterPast
}

// arrive takes the data of a segment: now, later, or not at all.
func (s *stream) arrive(c *conn, of *capture.Segment) {
	if !s.known {
		s.begin(of.Seq)
	}
	seg := segment{of.Seq, of.Data, of.Length, of.At}
	ahead := int32(seg.seq - s.next)
	if ahead > farAway || ahead < -farAway { // of another connection: its beginning is missing
		c.drain()
		s.next = seg.seq
		s.began = seg.seq - uint32(s.pos)
		c.lose()
		ahead = 0
	}
	if ahead == -1 && seg.length == 1 {
		return // it asks whether the other end is alive
	}
	if len(s.held) > 0 {
		s.waited++
	}
	if ahead > 0 {
		s.hold(c, seg)
		return
	}
	if ahead < 0 {
		s.again(c)
		if seg = seg.after(s.next); seg.length == 0 {
			return
		}
	}
	s.deliver(c, seg)
	s.release(c)
}

// again counts a segment that came before.
func (s *stream) again(c *conn) {
	s.resent++
	c.r.counts.Resent++
}

// after returns the part of a segment from this sequence number on.
func (g segment) after(seq uint32) segment {
	n := int(seq - g.seq)
	if n >= g.length {
		return segment{}
	}
	return segment{seq, g.data[min(n, len(g.data)):], g.length - n, g.at}
}

// hold keeps a segment that came too early.
func (s *stream) hold(c *conn, g segment) {
	at, same := slices.BinarySearchFunc(s.held, g.seq, func(h segment, seq uint32) int { return int(int32(h.seq - seq)) })
	if same && s.held[at].length >= g.length {
		s.again(c)
		return
	}
	if len(s.held) == 0 {
		s.waited, s.past = 0, false
	}
	g.data = slices.Clone(g.data)
	s.held = slices.Insert(s.held, at, g)
	s.heldBytes += len(g.data)
}

// release delivers the held segments that are next.
func (s *stream) release(c *conn) {
	for len(s.held) > 0 && int32(s.held[0].seq-s.next) <= 0 {
		g := s.held[0]
		s.held = slices.Delete(s.held, 0, 1)
		s.heldBytes -= len(g.data)
		s.waited, s.past = 0, false
		if g.seq != s.next {
			if g = g.after(s.next); g.length == 0 {
				s.again(c)
				continue
			}
		}
		s.deliver(c, g)
	}
	if len(s.held) == 0 {
		s.held = nil
	}
}

// deliver gives the next bytes of the stream to the protocol.
func (s *stream) deliver(c *conn, g segment) {
	s.next = g.seq + uint32(g.length)
	if g.at.After(s.now) {
		s.now = g.at
	}
	if len(g.data) > g.length {
		g.data = g.data[:g.length]
	}
	if c.deaf {
		s.pos += int64(g.length)
	} else if len(g.data) > 0 {
		c.feed(s, g.data, g.seq)
	}
	if missing := g.length - len(g.data); missing > 0 {
		if c.deaf {
			c.r.counts.Missing += int64(missing)
			return
		}
		c.gap(s, int64(missing))
	}
}
