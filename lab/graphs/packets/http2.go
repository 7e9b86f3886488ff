package packets

import (
	"encoding/binary"
	"strings"

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
	mostBlock   = 1 << 20 // bytes of a block of headers, and of any frame that is no data
	mostTable   = 1 << 20 // bytes of the table of headers; 4,096 by default
	mostStreams = 10_000  // open on a connection
)

// http2 reads one direction of HTTP/2 that begins with its preface, gRPC included.
type http2 struct {
	greeted bool   // the client's preface was read
	last    uint32 // the highest number of a request's stream so far
	headers *hpack.Decoder
	fields  []hpack.HeaderField // of the last block
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
	return frame{int(data[0])<<16 | int(data[1])<<8 | int(data[2]), data[3], data[4], binary.BigEndian.Uint32(data[5:]) & (1<<31 - 1)}
}

// isFrame reports whether a frame of HTTP/2 begins here.
func isFrame(data []byte) bool {
	if len(data) < frameHead || data[5]&0x80 != 0 {
		return false
	}
	f := frameOf(data)
	switch f.kind {
	case frameData:
		return f.length <= mostBlock && f.flags&^(flagEndStream|flagPadded) == 0 && f.stream&1 == 1
	case frameHeaders:
		return f.length <= mostBlock && f.length > 0 && f.stream&1 == 1 &&
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
	if len(data) >= frameHead && data[3] == frameData {
		return dataOf(s, frameOf(data)), nil
	}
	size, err := blockSize(data)
	if size == 0 {
		return taken{}, err
	}
	out := taken{n: size}
	switch f := frameOf(data); f.kind {
	case frameHeaders, framePush:
		out.of, err = h.block(s, data[:size])
	case frameContinue:
		err = errLost
	case frameReset:
		if x := s.conn.byID(f.stream); x != nil {
			s.conn.give(x) // one side gave it up
		}
	}
	return out, err
}

// blockSize is the size in bytes of a frame, with those that continue its block of headers; 0 is that more must come first.
func blockSize(data []byte) (int, error) {
	for size := 0; len(data) >= size+frameHead; {
		first, f := size == 0, frameOf(data[size:])
		size += frameHead + f.length
		switch {
		case size > mostBlock:
			return 0, errLost
		case len(data) < size:
			return 0, nil
		case f.flags&flagEndHeaders != 0 || first && f.kind != frameHeaders && f.kind != framePush:
			return size, nil
		}
	}
	return 0, nil
}

// dataOf takes the head of a frame of data.
func dataOf(s *stream, f frame) taken {
	out := taken{n: frameHead, skip: int64(f.length)}
	x := s.conn.byID(f.stream)
	if x == nil {
		return out
	}
	tally(s, x, frameHead+out.skip)
	if f.flags&flagEndStream != 0 {
		out.of = x
	}
	return out
}

// tally counts bytes of a call.
func tally(s *stream, x *exchange, bytes int64) {
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

// block reads the frames of a block of headers. It returns the call whose request or answer ends with it; nil is none.
func (h *http2) block(s *stream, data []byte) (*exchange, error) {
	f := frameOf(data)
	end := frameHead + f.length
	part := bare(f, data[frameHead:end])
	if part == nil || !s.serves() && len(s.conn.open) >= mostStreams {
		return nil, errLost
	}
	h.fields = h.fields[:0]
	for rest := data[end:]; part != nil; {
		if _, err := h.headers.Write(part); err != nil {
			return nil, errLost
		}
		part = nil
		if len(rest) > 0 {
			next := frameOf(rest)
			if next.kind != frameContinue || next.stream != f.stream {
				return nil, errLost
			}
			end := frameHead + next.length
			part, rest = rest[frameHead:end], rest[end:]
		}
	}
	if err := h.headers.Close(); err != nil {
		return nil, errLost
	}
	x := s.conn.byID(f.stream)
	switch {
	case f.kind == framePush: // it is read for the tables alone
		return nil, nil
	case s.serves() && (x == nil || !h.answer(s.conn, x)):
		return nil, nil
	case !s.serves() && x == nil && f.stream <= h.last:
		return nil, nil // the trailer of a request that has its answer already
	case !s.serves() && x == nil:
		h.last = f.stream
		x = h.request(s.conn, f.stream)
	}
	tally(s, x, int64(len(data)))
	if f.flags&flagEndStream == 0 {
		return nil, nil
	}
	return x, nil
}

// request begins a call with the headers of its request.
func (h *http2) request(c *conn, id uint32) *exchange {
	x := c.ask(HTTP)
	x.id, x.tally = id, true
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
func (h *http2) answer(c *conn, x *exchange) bool {
	for _, f := range h.fields {
		switch {
		case f.Name == ":status" && len(f.Value) == 3 && f.Value[0] == '1':
			return false
		case f.Name == ":status" && x.Protocol == HTTP, f.Name == "grpc-status" && x.Protocol == GRPC:
			x.Status = f.Value
		}
	}
	c.answers(x)
	return true
}
