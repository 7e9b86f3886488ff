// HTTP/2 frames (RFC 9113, section 4) as the bytes come in and go out. Reading
// them by golang.org/x/net/http2 would need a goroutine that blocks for each
// connection, and memory for each frame; its words for types and flags are used.

package engine

import (
	"encoding/binary"

	"golang.org/x/net/http2"
)

const (
	frameHeader  = 9        // bytes before a frame's payload
	maxFrame     = 16 << 10 // the longest payload that we take: HTTP/2's initial value
	mostStreamID = 1<<31 - 1
)

// frame is one frame. Its payload is that of the bytes it was read from.
type frame struct {
	kind    http2.FrameType
	flags   http2.Flags
	stream  uint32
	payload []byte
}

// nextFrame reads the frame that b begins with and returns its length, 0 where b
// does not hold the whole of it.
func nextFrame(b []byte) (frame, int, error) {
	if len(b) < frameHeader {
		return frame{}, 0, nil
	}
	length := int(b[0])<<16 | int(b[1])<<8 | int(b[2])
	if length > maxFrame {
		return frame{}, 0, badResponse("HTTP/2 frame too long")
	}
	if len(b) < frameHeader+length {
		return frame{}, 0, nil
	}
	return frame{
		kind:    http2.FrameType(b[3]),
		flags:   http2.Flags(b[4]),
		stream:  binary.BigEndian.Uint32(b[5:]) & mostStreamID,
		payload: b[frameHeader : frameHeader+length],
	}, frameHeader + length, nil
}

// content is the payload of a DATA or HEADERS frame without padding and priority.
func (f frame) content() ([]byte, error) {
	b, padding := f.payload, 0
	if f.flags.Has(http2.FlagDataPadded) {
		if len(b) == 0 {
			return nil, errFrameSize
		}
		padding, b = int(b[0]), b[1:]
	}
	if f.kind == http2.FrameHeaders && f.flags.Has(http2.FlagHeadersPriority) {
		if len(b) < 5 {
			return nil, errFrameSize
		}
		b = b[5:]
	}
	if padding > len(b) {
		return nil, badResponse("HTTP/2 padding longer than its frame")
	}
	return b[:len(b)-padding], nil
}

// number is the first 32-bit number of the payload, which must have want bytes.
func (f frame) number(want int) (uint32, error) {
	if len(f.payload) != want {
		return 0, errFrameSize
	}
	return binary.BigEndian.Uint32(f.payload), nil
}

const errFrameSize = badResponse("HTTP/2 frame of a wrong length")

// appendFrame appends the header of a frame whose payload of the given length follows.
func appendFrame(b []byte, kind http2.FrameType, flags http2.Flags, stream uint32, length int) []byte {
	b = append(b, byte(length>>16), byte(length>>8), byte(length), byte(kind), byte(flags))
	return binary.BigEndian.AppendUint32(b, stream)
}

// appendNumber appends a frame whose payload is one number.
func appendNumber(b []byte, kind http2.FrameType, stream, n uint32) []byte {
	return binary.BigEndian.AppendUint32(appendFrame(b, kind, 0, stream, 4), n)
}

// appendSetting appends one setting of a SETTINGS frame.
func appendSetting(b []byte, id http2.SettingID, value uint32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(b, uint16(id)), value)
}
