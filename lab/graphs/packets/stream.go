package packets

import (
	"net/netip"
	"slices"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/packets/capture"
)

// stream is one direction of a connection.
type stream struct {
	conn     *conn
	addr     netip.AddrPort // of the sender
	known    bool           // next is
	began    uint32         // the sequence number of its first byte
	next     uint32         // the sequence number that comes next
	acks     uint32         // what the sender has of the other stream
	hasAcked bool
	fin      bool
	last     uint32 // the sequence number after the last byte, with fin
	ended    bool

	held      []segment // in order of seq, none overlapping next
	heldBytes int
	waited    int  // segments since the first of them
	past      bool // the receiver has acknowledged what is missing
	resent    int

	read reader // nil: the protocol is not known, or nothing more is read
	// What is not understood yet.
	buf    []byte
	pos    int64     // of the first byte of buf in the stream
	first  time.Time // when it came
	now    time.Time // when the last byte came
	skip   int64     // bytes of a message that are passed over
	of     *exchange // ends with them; nil is none
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
	// farAway is a distance of sequence numbers that no window has.
	farAway = 1 << 26
)

// serves reports whether it is the server's.
func (s *stream) serves() bool { return s == s.conn.server }

func (s *stream) begin(seq uint32) { s.known, s.began, s.next = true, seq, seq }

// sequence is TCP's number of a byte.
func (s *stream) sequence(pos int64) uint32 { return s.began + uint32(pos) }

// clear forgets what is not understood yet.
func (s *stream) clear() {
	s.pos += int64(len(s.buf))
	s.buf, s.skip, s.of, s.seen = nil, 0, nil, 0
}

// ackedTo notes how far the receiver has come.
func (s *stream) ackedTo(ack uint32) {
	if len(s.held) > 0 && int32(ack-s.next) > 0 {
		s.past = true
	}
}

// take puts the data of a segment in its place.
func (s *stream) take(of *capture.Segment) {
	if of.Flags.Has(capture.FIN) {
		s.fin, s.last = true, of.Seq+uint32(of.Length)
	}
	if of.Length > 0 {
		s.arrive(segment{of.Seq, of.Data, of.Length, of.At})
	}
	s.giveUp(s.conn.at)
	if s.fin && !s.ended && s.known && s.next == s.last {
		s.ended = true
		s.over()
	}
}

// over ends the body that ends with the stream.
func (s *stream) over() {
	if s.skip > toTheEnd/2 {
		s.skip = 0
		s.pass(0)
	}
}

// giveUp stops waiting for bytes that will not come any more.
func (s *stream) giveUp(now time.Time) {
	for len(s.held) > 0 && (s.heldBytes > mostHeld || len(s.held) > mostWaiting || now.Sub(s.held[0].at) > patience ||
		s.past && s.waited > afterPast) {
		s.jump()
	}
}

// jump leaves the bytes before the first held segment out.
func (s *stream) jump() {
	missing := int64(s.held[0].seq - s.next)
	s.next = s.held[0].seq
	s.conn.gap(s, missing)
	s.release()
}

// arrive takes a segment: now, later, or not at all.
func (s *stream) arrive(g segment) {
	if !s.known {
		s.begin(g.seq)
	}
	ahead := int32(g.seq - s.next)
	if ahead > farAway || ahead < -farAway { // of another connection: its beginning is missing
		for len(s.held) > 0 {
			s.jump()
		}
		s.next, s.began = g.seq, g.seq-uint32(s.pos)
		s.conn.lose()
		ahead = 0
	}
	if ahead == -1 && g.length == 1 {
		return // it asks whether the other end is alive
	}
	if len(s.held) > 0 {
		s.waited++
	}
	if ahead > 0 {
		s.hold(g)
		return
	}
	s.deliver(g)
	s.release()
}

// hold keeps a segment that came too early.
func (s *stream) hold(g segment) {
	at, same := slices.BinarySearchFunc(s.held, g.seq, func(h segment, seq uint32) int { return int(int32(h.seq - seq)) })
	if same && s.held[at].length >= g.length {
		s.again()
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
func (s *stream) release() {
	for len(s.held) > 0 && int32(s.held[0].seq-s.next) <= 0 {
		g := s.held[0]
		s.held = slices.Delete(s.held, 0, 1)
		s.heldBytes -= len(g.data)
		s.waited, s.past = 0, false
		s.deliver(g)
	}
	if len(s.held) == 0 {
		s.held = nil
	}
}

// again counts a segment with bytes that came before.
func (s *stream) again() {
	s.resent++
	s.conn.r.counts.Resent++
}

// deliver reads the next bytes of the stream: those of a segment that did not come before.
func (s *stream) deliver(g segment) {
	if n := int(s.next - g.seq); n > 0 {
		s.again()
		if n >= g.length {
			return
		}
		g = segment{s.next, g.data[min(n, len(g.data)):], g.length - n, g.at}
	}
	s.next = g.seq + uint32(g.length)
	if g.at.After(s.now) {
		s.now = g.at
	}
	if s.conn.deaf {
		s.pos += int64(len(g.data))
	} else if len(g.data) > 0 {
		s.conn.feed(s, g.data, g.seq)
	}
	if missing := g.length - len(g.data); missing > 0 {
		s.conn.gap(s, int64(missing))
	}
}
