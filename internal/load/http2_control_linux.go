// HTTP/2 on a connection: the frames by which a server gives up a call, or the connection.

package load

import (
	"encoding/binary"

	"golang.org/x/net/http2"
)

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
