package packets

import (
	"encoding/binary"
	"strings"
	"time"

	"golang.org/x/net/http2/hpack"
)

// Types of frames of HTTP/2.
const (
	frameData     = 0
	frameHeaders  = 1
	frameReset    = 3
	frameSettings = 4
	framePush     = 5
	framePing     = 6
	frameWindow   = 8
	frameContinue = 9
)

// Flags of frames.
const (
	flagEndStream  = 1
	flagEndHeaders = 4
	flagPadded     = 8
	flagPriority   = 0x20
)

const (
	preface     = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	frameHead   = 9
	mostFrame   = 1 << 20 // bytes of a frame that is no data
	mostBlock   = 1 << 20 // bytes of a block of headers
	mostTable   = 1 << 20 // bytes of the table of headers; 4,096 by default
	mostStreams = 10_000  // open on a connection
)

// http2 reads one direction of HTTP/2 that begins with its preface, gRPC included.
type http2 struct {
	greeted bool // the client's preface was read
	headers *hpack.Decoder
	fields  []hpack.HeaderField

	// The block of headers that goes on. It ends as its frames say; those of a push are read for the tables alone.
	block []byte
	frame frame // its first one
	open  bool
	first time.Time // when that came
	pos   int64
	size  int64 // bytes of its frames
}

func newHTTP2() reader {
	h := &http2{}
	h.headers = hpack.NewDecoder(4096, func(f hpack.HeaderField) { h.fields = append(h.fields, f) })
	h.headers.SetAllowedMaxDynamicTableSize(mostTable)
	h.headers.SetMaxStringLength(mostBlock)
	return h.read
}

// frame is the head of a frame.
type frame struct {
	length      int
	kind, flags byte
	stream      uint32
}

func frameOf(data []byte) frame {
	return frame{int(data[0])<<16 | int(data[1])<<8 | int(data[2]), data[3], data[4], binary.BigEndian.Uint32(data[5:])}
}

// isFrame reports whether a frame of HTTP/2 begins here.
func isFrame(data []byte) bool {
	if len(data) < frameHead || data[5]&0x80 != 0 {
		return false
	}
	f := frameOf(data)
	switch f.kind {
	case frameData:
		return f.length <= mostFrame && f.flags&^(flagEndStream|flagPadded) == 0 && f.stream&1 == 1
	case frameHeaders:
		return f.length <= mostFrame && f.length > 0 && f.stream&1 == 1 &&
			f.flags&^(flagEndStream|flagEndHeaders|flagPadded|flagPriority) == 0
	case frameReset:
		return f.length == 4 && f.flags == 0 && f.stream != 0
	case frameSettings:
		return f.length%6 == 0 && f.length < 1<<10 && f.flags&^1 == 0 && f.stream == 0
	case framePing:
		return f.length == 8 && f.flags&^1 == 0 && f.stream == 0
	case frameWindow:
		return f.length == 4 && f.flags == 0
	}
	return false
}

func beginsHTTP2(data []byte, server bool) bool {
	if server {
		return isFrame(data)
	}
	return len(data) >= 8 && strings.HasPrefix(preface, string(data[:min(len(data), len(preface))]))
}

func (h *http2) read(s *stream, data []byte) (taken, error) {
	if !s.serves() && !h.greeted {
		switch {
		case len(data) < len(preface):
			return taken{}, nil
		case string(data[:len(preface)]) != preface:
			return taken{}, errLost
		}
		h.greeted = true
		return taken{n: len(preface)}, nil
	}
	if len(data) < frameHead {
		return taken{}, nil
	}
	f := frameOf(data)
	f.stream &= 1<<31 - 1
	if h.open && (f.kind != frameContinue || f.stream != h.frame.stream) {
		return taken{}, errLost
	}
	if f.kind == frameData {
		return h.data(s, f), nil
	}
	size := frameHead + f.length
	switch {
	case f.length > mostFrame:
		return taken{}, errLost
	case len(data) < size:
		return taken{}, nil
	}
	switch body := data[frameHead:size]; f.kind {
	case frameHeaders, framePush:
		if body = bare(f, body); body == nil {
			return taken{}, errLost
		}
		h.block, h.open, h.frame = append(h.block[:0], body...), true, f
		h.first, h.pos, h.size = s.first, s.pos, int64(size)
	case frameContinue:
		if !h.open || len(h.block)+f.length > mostBlock {
			return taken{}, errLost
		}
		h.block, h.size = append(h.block, body...), h.size+int64(size)
	case frameReset:
		if x := s.conn.byID(f.stream); x != nil {
			s.conn.give(x) // one side gave it up
		}
		return taken{n: size}, nil
	default:
		return taken{n: size}, nil
	}
	if f.flags&flagEndHeaders == 0 {
		return taken{n: size}, nil
	}
	of, err := h.whole(s)
	return taken{n: size, of: of}, err
}

// data takes the head of a frame of data.
func (h *http2) data(s *stream, f frame) taken {
	out := taken{n: frameHead, skip: int64(f.length)}
	x := s.conn.byID(f.stream)
	if x == nil {
		return out
	}
	h.tally(s, x, frameHead+out.skip)
	if f.flags&flagEndStream != 0 {
		out.of = x
	}
	return out
}

// tally counts bytes of a call.
func (h *http2) tally(s *stream, x *exchange, bytes int64) {
	if s.serves() {
		x.Answer += bytes
	} else {
		x.Request += bytes
	}
}

// bare is the part of a block of headers in a frame's body; nil is that the frame is none.
func bare(f frame, body []byte) []byte {
	if f.flags&flagPadded != 0 {
		if len(body) < 1 || len(body) < 1+int(body[0]) {
			return nil
		}
		body = body[1 : len(body)-int(body[0])]
	}
	front := 0
	switch {
	case f.kind == framePush:
		front = 4
	case f.flags&flagPriority != 0:
		front = 5
	}
	if len(body) < front {
		return nil
	}
	return body[front:]
}

// whole reads a block of headers that is whole. It returns the call whose request or answer ends with it; nil is none.
func (h *http2) whole(s *stream) (*exchange, error) {
	h.open, h.fields = false, h.fields[:0]
	if _, err := h.headers.Write(h.block); err != nil {
		return nil, errLost
	}
	if err := h.headers.Close(); err != nil {
		return nil, errLost
	}
	if cap(h.block) > mostLine {
		h.block = nil
	}
	if h.frame.kind == framePush {
		return nil, nil
	}
	x := s.conn.byID(h.frame.stream)
	switch {
	case s.serves() && (x == nil || !h.answer(x)):
		return nil, nil
	case !s.serves() && len(s.conn.open) >= mostStreams:
		return nil, errLost
	case !s.serves() && x == nil:
		x = h.request(s.conn)
	}
	h.tally(s, x, h.size)
	if h.frame.flags&flagEndStream == 0 {
		return nil, nil
	}
	return x, nil
}

// request begins a call with the headers of its request.
func (h *http2) request(c *conn) *exchange {
	x := c.ask(HTTP)
	x.id, x.tally = h.frame.stream, true
	x.Asked, x.Sequence = h.first, c.client.sequence(h.pos)
	x.Fields = make([]Field, 0, len(h.fields))
	verb := ""
	for _, f := range h.fields {
		switch f.Name {
		case ":method":
			verb = f.Value + " "
		case ":path":
			x.Method = pathOf(f.Value)
		case "content-type":
			if strings.HasPrefix(f.Value, "application/grpc") {
				x.Protocol = GRPC
			}
		}
		x.field(f.Name, f.Value)
	}
	if x.Protocol == HTTP {
		x.Method = verb + x.Method
	}
	return x
}

// answer takes the headers of an answer, or its trailer, unless the answer is yet to come.
func (h *http2) answer(x *exchange) bool {
	for _, f := range h.fields {
		switch {
		case f.Name == ":status" && len(f.Value) == 3 && f.Value[0] == '1':
			return false
		case f.Name == ":status" && x.Protocol == HTTP, f.Name == "grpc-status" && x.Protocol == GRPC:
			x.Status = f.Value
		}
	}
	if x.Answered.IsZero() {
		x.Answered = h.first
	}
	return true
}
