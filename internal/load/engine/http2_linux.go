// HTTP/2 on a connection (RFC 9113), what unary gRPC calls need of it: several
// calls at a time, each a stream. This file is what comes in.

package engine

import (
	"encoding/binary"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// http2Session is a session.
type http2Session struct {
	conn    *conn
	streams []*call // under way, oldest first
	nextID  uint32
	greeted bool   // the server's settings have come
	partial []byte // of a frame that is not complete

	// Incoming:
	decoder   *hpack.Decoder
	block     uint32     // the stream whose headers go on in the next frame; 0: none
	blockEnds bool       // these headers end the stream
	blockSize int        // bytes of them so far
	target    *grpcReply // of that stream; nil: nobody's
	unread    uint32     // bytes of data since the connection's window was last widened

	// Outgoing:
	out      []byte // put off until flush
	encoder  *hpack.Encoder
	window   int64  // bytes of data that the server takes on the connection
	initial  int64  // and on a new stream
	frameMax int    // the longest payload that it takes
	calls    uint32 // streams at a time that it takes
}

// stream is a call's part of an HTTP/2 connection.
type stream struct {
	id      uint32
	rest    []byte // of the request, still to be put out
	window  int64
	unread  uint32 // bytes of data since its window was last widened
	touched bool   // something of the response has come
	reply   grpcReply
}

// Windows that we give the server, in bytes. Nothing is kept of what comes, so
// they only bound what is on its way.
const (
	streamWindow = 1 << 20
	connWindow   = 16 << 20
	firstWindow  = 65535 // what HTTP/2 gives both sides at first
)

const errNotHTTP2 = badResponse("not HTTP/2")

const maxBlock = 1 << 20 // bytes of one block of headers

func newHTTP2(l *loop, c *conn) *http2Session {
	s := &http2Session{
		conn: c, nextID: 1, window: firstWindow, initial: firstWindow, frameMax: maxFrame, calls: mostStreamID,
	}
	s.decoder = hpack.NewDecoder(4096, s.field)
	s.decoder.SetMaxStringLength(maxBlock)
	s.encoder = hpack.NewEncoder(&l.header)
	return s
}

func (s *http2Session) feed(l *loop, b []byte, hup bool) error {
	if len(s.partial) > 0 {
		s.partial = append(s.partial, b...)
		b = s.partial
	}
	for {
		f, n, err := nextFrame(b)
		switch {
		case err != nil && !s.greeted:
			return errNotHTTP2
		case err != nil:
			return err
		}
		if n == 0 {
			break
		}
		if err := s.take1(l, f); err != nil {
			return err
		}
		b = b[n:]
	}
	s.keepPartial(b)
	if hup {
		l.drain(s.conn)
	}
	return nil
}

// keepPartial keeps the beginning of a frame, and no memory where there is none.
func (s *http2Session) keepPartial(b []byte) {
	if len(b) == 0 {
		s.partial = nil
		return
	}
	s.partial = append(s.partial[:0], b...)
}

// take1 deals with one frame.
func (s *http2Session) take1(l *loop, f frame) error {
	if !s.greeted && (f.kind != http2.FrameSettings || f.flags.Has(http2.FlagSettingsAck)) {
		return errNotHTTP2
	}
	if s.block != 0 && (f.kind != http2.FrameContinuation || f.stream != s.block) {
		return badResponse("HTTP/2 headers interrupted")
	}
	switch f.kind {
	case http2.FrameHeaders:
		return s.headers(l, f)
	case http2.FrameContinuation:
		if s.block == 0 {
			return badResponse("HTTP/2 continuation of nothing")
		}
		return s.fragment(l, f.payload, f.flags.Has(http2.FlagContinuationEndHeaders))
	case http2.FrameData:
		return s.data(l, f)
	case http2.FrameSettings:
		return s.settings(l, f)
	case http2.FrameWindowUpdate:
		return s.windowUpdate(l, f)
	case http2.FrameRSTStream:
		return s.reset(l, f)
	case http2.FramePing:
		return s.ping(l, f)
	case http2.FrameGoAway:
		return s.goAway(l, f)
	case http2.FramePushPromise:
		return badResponse("HTTP/2 push unasked")
	}
	return nil // of a kind that we need not know
}

// find returns the call of a stream, nil if it has ended. A stream that was Never
// begun is an error.
func (s *http2Session) find(id uint32) (*call, error) {
	if id == 0 || id%2 == 0 || id >= s.nextID {
		return nil, badResponse("HTTP/2 stream that was not begun")
	}
	for _, k := range s.streams {
		if k.stream.id == id {
			return k, nil
		}
	}
	return nil, nil
}

func (s *http2Session) headers(l *loop, f frame) error {
	k, err := s.find(f.stream)
	if err != nil {
		return err
	}
	b, err := f.content()
	if err != nil {
		return err
	}
	s.block, s.blockEnds, s.blockSize, s.target = f.stream, f.flags.Has(http2.FlagHeadersEndStream), 0, nil
	if k != nil {
		k.stream.touched = true
		s.target = &k.stream.reply
	}
	return s.fragment(l, b, f.flags.Has(http2.FlagHeadersEndHeaders))
}

// fragment takes a part of a block of headers. They are decoded even if nobody
// wants them, since later ones refer to them.
func (s *http2Session) fragment(l *loop, b []byte, last bool) error {
	if s.blockSize += len(b); s.blockSize > maxBlock {
		return badResponse("headers too large")
	}
	if _, err := s.decoder.Write(b); err != nil {
		return badResponse("HTTP/2 header compression")
	}
	if !last {
		return nil
	}
	id := s.block
	s.block = 0
	if err := s.decoder.Close(); err != nil {
		return badResponse("HTTP/2 header compression")
	}
	if s.target == nil {
		return nil
	}
	s.target.headersRead(s.blockEnds)
	s.target = nil
	if s.blockEnds {
		return s.ended(l, id)
	}
	return nil
}

// field gets each header field from the decoder.
func (s *http2Session) field(f hpack.HeaderField) {
	if s.target != nil {
		s.target.field(f)
	}
}

func (s *http2Session) data(l *loop, f frame) error {
	k, err := s.find(f.stream)
	if err != nil {
		return err
	}
	b, err := f.content()
	if err != nil {
		return err
	}
	s.received(l, k, uint32(len(f.payload)))
	if k == nil {
		return nil
	}
	k.stream.touched = true
	k.stream.reply.data(b)
	if f.flags.Has(http2.FlagDataEndStream) {
		return s.ended(l, f.stream)
	}
	return nil
}

// received widens the windows as they are used up.
func (s *http2Session) received(l *loop, k *call, n uint32) {
	if s.unread += n; s.unread >= connWindow/2 {
		s.put(l, appendNumber(s.room(l), http2.FrameWindowUpdate, 0, s.unread))
		s.unread = 0
	}
	if k == nil {
		return
	}
	if k.stream.unread += n; k.stream.unread >= streamWindow/2 {
		s.put(l, appendNumber(s.room(l), http2.FrameWindowUpdate, k.stream.id, k.stream.unread))
		k.stream.unread = 0
	}
}

// ended ends the call of a stream that the server has ended.
func (s *http2Session) ended(l *loop, id uint32) error {
	k, err := s.find(id)
	if k == nil || err != nil {
		return err
	}
	s.drop(k)
	if len(k.stream.rest) > 0 { // it answered without having read everything
		s.put(l, appendNumber(s.room(l), http2.FrameRSTStream, id, uint32(http2.ErrCodeCancel)))
		k.stream.rest = nil
	}
	k.body = k.stream.reply.body
	l.finish(k, 0, k.stream.reply.kind(), true)
	return nil
}

// end fails what is under way.
func (s *http2Session) end(*loop) error { return errClosedEarly }

func (s *http2Session) untouched(k *call) bool { return !k.stream.touched }

func (s *http2Session) take() *call {
	n := len(s.streams)
	if n == 0 {
		return nil
	}
	k := s.streams[n-1]
	s.streams = s.streams[:n-1]
	return k
}

// drop takes k off the streams under way.
func (s *http2Session) drop(k *call) {
	for i, other := range s.streams {
		if other == k {
			copy(s.streams[i:], s.streams[i+1:])
			s.streams[len(s.streams)-1] = nil
			s.streams = s.streams[:len(s.streams)-1]
			return
		}
	}
}

// HTTP/2 on a connection: the frames by which a server gives up a call, or the connection.
func (s *http2Session) reset(l *loop, f frame) error {
	code, err := f.number(4)
	if err != nil {
		return err
	}
	k, err := s.find(f.stream)
	if k == nil || err != nil {
		return err
	}
	s.drop(k)
	if http2.ErrCode(code) == http2.ErrCodeRefusedStream && !k.resent { // it was not looked at
		l.repeat(k)
		return nil
	}
	l.finish(k, 0, "grpc: stream reset: "+resetName(code), true)
	return nil
}

// resetName keeps the kinds of failure few, whatever a server sends.
func resetName(code uint32) string {
	if code > uint32(http2.ErrCodeHTTP11Required) {
		return "unknown error"
	}
	return http2.ErrCode(code).String()
}

func (s *http2Session) ping(l *loop, f frame) error {
	if len(f.payload) != 8 || f.stream != 0 {
		return errFrameSize
	}
	if !f.flags.Has(http2.FlagPingAck) {
		s.put(l, append(appendFrame(s.room(l), http2.FramePing, http2.FlagPingAck, 0, 8), f.payload...))
	}
	return nil
}

// goAway begins no more calls, and moves those that the server will not look at.
func (s *http2Session) goAway(l *loop, f frame) error {
	if len(f.payload) < 8 || f.stream != 0 {
		return errFrameSize
	}
	last := binary.BigEndian.Uint32(f.payload) & mostStreamID
	l.drain(s.conn)
	for i := len(s.streams) - 1; i >= 0; i-- {
		if k := s.streams[i]; k.stream.id > last {
			s.drop(k)
			l.repeat(k)
		}
	}
	for k := s.conn.queue.pop(); k != nil; k = s.conn.queue.pop() {
		l.repeat(k)
	}
	return nil
}

// HTTP/2 on a connection: what the server says of how much it takes.
func (s *http2Session) settings(l *loop, f frame) error {
	if f.stream != 0 || len(f.payload)%6 != 0 || f.flags.Has(http2.FlagSettingsAck) && len(f.payload) > 0 {
		return errFrameSize
	}
	if f.flags.Has(http2.FlagSettingsAck) {
		return nil
	}
	for b := f.payload; len(b) > 0; b = b[6:] {
		if err := s.set(http2.SettingID(binary.BigEndian.Uint16(b)), binary.BigEndian.Uint32(b[2:])); err != nil {
			return err
		}
	}
	s.put(l, appendFrame(s.room(l), http2.FrameSettings, http2.FlagSettingsAck, 0, 0))
	if !s.greeted {
		s.greeted = true
		l.ready(s.conn)
	}
	return nil
}

// set takes one setting of the server's.
func (s *http2Session) set(id http2.SettingID, value uint32) error {
	switch id {
	case http2.SettingHeaderTableSize:
		s.encoder.SetMaxDynamicTableSizeLimit(value)
	case http2.SettingMaxConcurrentStreams:
		s.calls = value
	case http2.SettingMaxFrameSize:
		if value < 16<<10 || value > 1<<24-1 {
			return badResponse("HTTP/2 setting out of range")
		}
		s.frameMax = int(value)
	case http2.SettingInitialWindowSize:
		if value > mostStreamID {
			return badResponse("HTTP/2 setting out of range")
		}
		for _, k := range s.streams {
			k.stream.window += int64(value) - s.initial
		}
		s.initial = int64(value)
	}
	return nil
}

func (s *http2Session) windowUpdate(l *loop, f frame) error {
	n, err := f.number(4)
	if err != nil {
		return err
	}
	n &= mostStreamID
	if n == 0 {
		return badResponse("HTTP/2 window update of nothing")
	}
	window := &s.window
	if f.stream != 0 {
		k, err := s.find(f.stream)
		if k == nil || err != nil {
			return err
		}
		window = &k.stream.window
	}
	if *window += int64(n); *window > mostStreamID {
		return badResponse("HTTP/2 window too large")
	}
	l.putOff(s.conn)
	return nil
}
