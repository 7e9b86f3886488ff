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

// http2 reads HTTP/2 that begins with its preface, gRPC included.
type http2 struct {
	greeted bool
	last    uint32 // the highest number of a stream so far
	sides   [2]http2Side
}

type http2Side struct {
	headers *hpack.Decoder
	fields  []hpack.HeaderField

	// the block of headers that goes on
	block       []byte
	stream      uint32
	open        bool
	end, pushed bool
	first       time.Time
	pos, size   int64

	// the data that is skipped
	of      *exchange
	endData bool
}

func newHTTP2() protocol {
	h := &http2{}
	for i := range h.sides {
		side := &h.sides[i]
		side.headers = hpack.NewDecoder(4096, func(f hpack.HeaderField) { side.fields = append(side.fields, f) })
		side.headers.SetAllowedMaxDynamicTableSize(mostTable)
		side.headers.SetMaxStringLength(mostBlock)
	}
	return h
}

func beginsHTTP2(data []byte, server bool) bool {
	if server {
		return isFrames(data)
	}
	return len(data) >= 8 && strings.HasPrefix(preface, string(data[:min(len(data), len(preface))]))
}

func (h *http2) read(c *conn, server bool, data []byte) (int, error) {
	if !server && !h.greeted {
		if len(data) < len(preface) {
			return 0, nil
		}
		if string(data[:len(preface)]) != preface {
			return 0, errLost
		}
		h.greeted = true
		return len(preface), nil
	}
	if len(data) < frameHead {
		return 0, nil
	}
	length := int(data[0])<<16 | int(data[1])<<8 | int(data[2])
	kind, flags, id := data[3], data[4], binary.BigEndian.Uint32(data[5:])&0x7fffffff
	side, s := h.side(c, server)
	if side.open && (kind != frameContinue || id != side.stream) {
		return 0, errLost
	}
	if kind == frameData {
		h.data(c, server, id, int64(length), flags&flagEndStream != 0)
		return frameHead, nil
	}
	if length > mostFrame {
		return 0, errLost
	}
	if len(data) < frameHead+length {
		return 0, nil
	}
	body, size := data[frameHead:frameHead+length], frameHead+length
	switch kind {
	case frameHeaders, framePush:
		if !side.begin(kind, flags, body) {
			return 0, errLost
		}
		side.stream, side.first, side.pos, side.size = id, s.first, s.pos, int64(size)
	case frameContinue:
		if !side.open || len(side.block)+length > mostBlock {
			return 0, errLost
		}
		side.block, side.size = append(side.block, body...), side.size+int64(size)
	case frameReset:
		if x := c.byID(id); x != nil {
			c.give(x) // one side gave it up
		}
		return size, nil
	default:
		return size, nil
	}
	if flags&flagEndHeaders == 0 {
		return size, nil
	}
	return size, h.block(c, server)
}

func (h *http2) side(c *conn, server bool) (*http2Side, *stream) {
	if server {
		return &h.sides[1], c.server
	}
	return &h.sides[0], c.client
}

// begin begins a block of headers with a frame's body.
func (s *http2Side) begin(kind, flags byte, body []byte) bool {
	if flags&flagPadded != 0 {
		if len(body) < 1 || len(body) < 1+int(body[0]) {
			return false
		}
		body = body[1 : len(body)-int(body[0])]
	}
	front := 0
	switch {
	case kind == framePush:
		front = 4
	case flags&flagPriority != 0:
		front = 5
	}
	if len(body) < front {
		return false
	}
	s.block, s.open, s.pushed = append(s.block[:0], body[front:]...), true, kind == framePush
	s.end = kind == frameHeaders && flags&flagEndStream != 0
	return true
}

// block reads a whole block of headers.
func (h *http2) block(c *conn, server bool) error {
	side, _ := h.side(c, server)
	side.open, side.fields = false, side.fields[:0]
	if _, err := side.headers.Write(side.block); err != nil {
		return errLost
	}
	if err := side.headers.Close(); err != nil {
		return errLost
	}
	if cap(side.block) > mostLine {
		side.block = nil
	}
	switch {
	case side.pushed:
		return nil
	case server:
		h.answer(c, side)
		return nil
	case len(c.open) >= mostStreams:
		return errLost
	}
	h.request(c, side)
	return nil
}

// request takes the headers of a request, or its trailer.
func (h *http2) request(c *conn, side *http2Side) {
	x := c.byID(side.stream)
	if x == nil {
		if side.stream <= h.last {
			return // the trailer of a request that has its answer already
		}
		h.last = side.stream
		x = c.ask(HTTP)
		x.id, x.tally = side.stream, true
		x.Asked, x.Sequence = side.first, c.client.sequence(side.pos)
		x.Fields = make([]Field, 0, len(side.fields))
		var method, path string
		for _, f := range side.fields {
			switch f.Name {
			case ":method":
				method = f.Value
			case ":path":
				path = f.Value
			case "content-type":
				if strings.HasPrefix(f.Value, "application/grpc") {
					x.Protocol = GRPC
				}
			}
			x.field(f.Name, f.Value)
		}
		x.Method = pathOf(path)
		if x.Protocol == HTTP {
			x.Method = method + " " + x.Method
		}
	}
	x.Request += side.size
	if side.end {
		x.AskedAll, x.asked = c.client.now, true
	}
}

// answer takes the headers of an answer, or its trailer.
func (h *http2) answer(c *conn, side *http2Side) {
	x := c.byID(side.stream)
	if x == nil {
		return
	}
	for _, f := range side.fields {
		switch {
		case f.Name == ":status" && len(f.Value) == 3 && f.Value[0] == '1':
			return // the answer is yet to come
		case f.Name == ":status" && x.Protocol == HTTP, f.Name == "grpc-status" && x.Protocol == GRPC:
			x.Status = f.Value
		}
	}
	if x.Answered.IsZero() {
		x.Answered = side.first
	}
	x.Answer += side.size
	if side.end {
		x.AnsweredAll = c.server.now
		c.give(x)
	}
}

// data takes the head of a frame of data.
func (h *http2) data(c *conn, server bool, id uint32, length int64, end bool) {
	side, s := h.side(c, server)
	x := c.byID(id)
	side.of, side.endData = x, end
	if x != nil && server {
		x.Answer += frameHead + length
	} else if x != nil {
		x.Request += frameHead + length
	}
	if s.skip = length; length == 0 {
		h.passed(c, server)
	}
}

func (h *http2) passed(c *conn, server bool) {
	side, _ := h.side(c, server)
	x := side.of
	side.of = nil
	switch {
	case x == nil || !side.endData:
	case server:
		x.AnsweredAll = c.server.now
		c.give(x)
	default:
		x.AskedAll, x.asked = c.client.now, true
	}
}

func (h *http2) closed(*conn, bool) {}
