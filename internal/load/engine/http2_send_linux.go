// HTTP/2 on a connection: what goes out. Frames are collected and put out when
// the loop has dealt with what is due, so calls made together share a write;
// and only while the socket takes them, so little waits in memory.

package engine

import (
	"encoding/binary"

	"github.com/tracetax/tracetax/internal/traceparent"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// headerBuffer is where the encoder writes.
type headerBuffer struct{ b []byte }

func (h *headerBuffer) Write(b []byte) (int, error) {
	h.b = append(h.b, b...)
	return len(b), nil
}

// room is s.out, with memory.
func (s *http2Session) room(l *loop) []byte {
	if s.out == nil {
		s.out = l.buffer()
	}
	return s.out
}

// put keeps b, which is s.out grown, for the next flush.
func (s *http2Session) put(l *loop, b []byte) {
	s.out = b
	l.putOff(s.conn)
}

func (s *http2Session) greet(l *loop) {
	b := append(s.room(l), http2.ClientPreface...)
	b = appendFrame(b, http2.FrameSettings, 0, 0, 2*6)
	b = appendSetting(b, http2.SettingEnablePush, 0)
	b = appendSetting(b, http2.SettingInitialWindowSize, streamWindow)
	b = appendNumber(b, http2.FrameWindowUpdate, 0, connWindow-firstWindow)
	s.put(l, b)
	s.flush(l)
}

// open reports whether the server takes one more call, and the socket more bytes.
func (s *http2Session) open() bool {
	return s.greeted && uint32(len(s.streams)) < s.calls && len(s.conn.out) == 0 && s.nextID < mostStreamID
}

func (s *http2Session) start(l *loop, k *call) {
	k.stream = stream{id: s.nextID, window: s.initial}
	k.stream.reply.reset()
	s.nextID += 2
	s.streams = append(s.streams, k)
	if s.nextID >= mostStreamID {
		l.drain(s.conn)
	}
	c := &k.op.call
	if k.op.rows != nil {
		var wire []byte
		wire, l.room = k.op.bytes(k.nth, l.room)
		l.call = readCall(l.call.fields[:0], wire, s.conn.server.tls != nil)
		c = &l.call
	}
	ids := ""
	if k.op.tracing != nil {
		var room [traceparent.Length]byte
		k.op.tracing.put(room[:], &k.walk)
		ids = string(room[:])
	}
	s.headersOut(l, k.stream.id, c.fields, ids)
	s.body(l, k, c.message)
}

// headersOut puts out the headers of a stream, in as many frames as they need. The ids of its trace, if it gets any, are Never
// indexed: every call has others, and they would drive the headers that all have out of the table.
func (s *http2Session) headersOut(l *loop, id uint32, fields []hpack.HeaderField, ids string) {
	l.header.b = l.header.b[:0]
	for _, f := range fields {
		if ids != "" && f.Name == traceparent.Header {
			f.Value, f.Sensitive = ids, true
		}
		// Cannot fail: a headerBuffer takes everything.
		_ = s.encoder.WriteField(f)
	}
	kind, b := http2.FrameHeaders, l.header.b
	for {
		n := min(len(b), s.frameMax)
		flags := http2.Flags(0)
		if n == len(b) {
			flags = http2.FlagHeadersEndHeaders
		}
		s.put(l, append(appendFrame(s.room(l), kind, flags, id, n), b[:n]...))
		if b = b[n:]; len(b) == 0 {
			return
		}
		kind = http2.FrameContinuation
	}
}

// body puts out the message with its length before it: at once if it fits into
// the windows, as it mostly does.
func (s *http2Session) body(l *loop, k *call, message []byte) {
	var prefix [5]byte
	binary.BigEndian.PutUint32(prefix[1:], uint32(len(message)))
	n := len(prefix) + len(message)
	if n <= s.frameMax && int64(n) <= min(s.window, k.stream.window) {
		b := appendFrame(s.room(l), http2.FrameData, http2.FlagDataEndStream, k.stream.id, n)
		b = append(b, prefix[:]...)
		s.put(l, append(b, message...))
		s.window -= int64(n)
		k.stream.window -= int64(n)
		return
	}
	rest := make([]byte, 0, n)
	k.stream.rest = append(append(rest, prefix[:]...), message...)
	s.more(l, k)
}

// mostPutOff is how much one flush writes at most.
const mostPutOff = 256 << 10

// more puts out what the windows allow of k's message.
func (s *http2Session) more(l *loop, k *call) {
	for len(k.stream.rest) > 0 && len(s.out) < mostPutOff {
		n := int(min(int64(min(len(k.stream.rest), s.frameMax)), s.window, k.stream.window))
		if n <= 0 {
			return
		}
		flags := http2.Flags(0)
		if n == len(k.stream.rest) {
			flags = http2.FlagDataEndStream
		}
		s.put(l, append(appendFrame(s.room(l), http2.FrameData, flags, k.stream.id, n), k.stream.rest[:n]...))
		s.window -= int64(n)
		k.stream.window -= int64(n)
		k.stream.rest = k.stream.rest[n:]
	}
}

// flush puts out what has been put off, and then more of what is left of messages.
func (s *http2Session) flush(l *loop) {
	for len(s.conn.out) == 0 && s.conn.err == nil {
		for _, k := range s.streams {
			s.more(l, k)
		}
		if len(s.out) == 0 {
			return
		}
		l.emit(s.conn, s.out)
		s.emptied(l)
	}
}

// emptied counts the calls that have gone out, and gives the buffer back.
func (s *http2Session) emptied(l *loop) {
	if s.conn.err != nil {
		return
	}
	for i := len(s.streams) - 1; i >= 0 && !s.streams[i].began; i-- {
		l.started(s.streams[i])
	}
	l.put(s.out)
	s.out = nil
}

// cancel tells the server that nobody waits for k any more.
func (s *http2Session) cancel(l *loop, k *call) bool {
	s.drop(k)
	s.put(l, appendNumber(s.room(l), http2.FrameRSTStream, k.stream.id, uint32(http2.ErrCodeCancel)))
	return true
}
