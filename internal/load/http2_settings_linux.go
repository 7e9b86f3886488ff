// HTTP/2 on a connection: what the server says of how much it takes.

package load

import (
	"encoding/binary"

	"golang.org/x/net/http2"
)

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
