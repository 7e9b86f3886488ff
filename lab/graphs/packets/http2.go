package packets

import (
	"bytes"
	"encoding/binary"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	frameHead   = 9       // bytes
	mostBlock   = 1 << 20 // bytes of a block of headers, and of any frame that is no data
	mostTable   = 1 << 20 // bytes of the table of headers; 4,096 by default
	mostStreams = 10_000  // open on a connection
)

// h2 reads one direction of HTTP/2 that begins with its preface, gRPC included.
type h2 struct {
	greeted bool   // the client's preface was read
	last    uint32 // the highest number of a request's stream so far
	in      bytes.Reader
	frames  *http2.Framer
}

func newHTTP2() reader {
	h := &h2{}
	h.frames = http2.NewFramer(nil, &h.in)
	h.frames.SetMaxReadFrameSize(mostBlock)
	h.frames.SetReuseFrames()
	h.frames.MaxHeaderListSize = mostBlock
	h.frames.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	h.frames.ReadMetaHeaders.SetAllowedMaxDynamicTableSize(mostTable)
	return h.read
}

// frame is the head of a frame.
type frame struct {
	length int
	kind   http2.FrameType
	flags  http2.Flags
	stream uint32
}

func frameOf(data []byte) frame {
	return frame{int(data[0])<<16 | int(data[1])<<8 | int(data[2]), http2.FrameType(data[3]), http2.Flags(data[4]),
		binary.BigEndian.Uint32(data[5:])}
}

// isFrame reports whether a frame of HTTP/2 begins here.
func isFrame(data []byte) bool {
	if len(data) < frameHead || data[5]&0x80 != 0 {
		return false
	}
	f := frameOf(data)
	switch f.kind {
	case http2.FrameData:
		return f.length <= mostBlock && f.flags&^(http2.FlagDataEndStream|http2.FlagDataPadded) == 0 && f.stream&1 == 1
	case http2.FrameHeaders:
		return f.length <= mostBlock && f.length > 0 && f.stream&1 == 1 &&
			f.flags&^(http2.FlagHeadersEndStream|http2.FlagHeadersEndHeaders|http2.FlagHeadersPadded|http2.FlagHeadersPriority) == 0
	case http2.FrameRSTStream:
		return f.length == 4 && f.flags == 0 && f.stream != 0
	case http2.FrameSettings:
		return f.length%6 == 0 && f.length < 1<<10 && f.flags&^1 == 0 && f.stream == 0
	case http2.FramePing:
		return f.length == 8 && f.flags&^1 == 0 && f.stream == 0
	case http2.FrameWindowUpdate:
		return f.length == 4 && f.flags == 0
	}
	return false
}

func beginsHTTP2(data []byte, server bool) bool {
	if server {
		return isFrame(data)
	}
	return len(data) >= 8 && strings.HasPrefix(http2.ClientPreface, string(data[:min(len(data), len(http2.ClientPreface))]))
}

func (h *h2) read(s *stream, data []byte) (taken, error) {
	if !s.serves() && !h.greeted {
		switch {
		case len(data) < len(http2.ClientPreface):
			return taken{}, nil
		case string(data[:len(http2.ClientPreface)]) != http2.ClientPreface:
			return taken{}, errLost
		}
		h.greeted = true
		return taken{n: len(http2.ClientPreface)}, nil
	}
	if len(data) >= frameHead && http2.FrameType(data[3]) == http2.FrameData {
		return h.data(s, frameOf(data)), nil
	}
	size, err := blockSize(data)
	if size == 0 {
		return taken{}, err
	}
	h.in.Reset(data[:size])
	f, err := h.frames.ReadFrame()
	if err != nil {
		return taken{}, errLost
	}
	out := taken{n: size}
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		if !s.serves() && len(s.conn.open) >= mostStreams {
			return taken{}, errLost
		}
		if !s.serves() && s.conn.byID(f.StreamID) == nil {
			if f.StreamID <= h.last {
				return out, nil // the trailer of a request that has its answer already
			}
			h.last = f.StreamID
		}
		x := headersOf(s, f)
		if x != nil {
			tally(s, x, int64(size))
		}
		if f.StreamEnded() {
			out.of = x
		}
	case *http2.PushPromiseFrame: // it is read for the tables alone
		if !f.HeadersEnded() {
			return taken{}, errLost
		}
		if _, err := h.frames.ReadMetaHeaders.Write(f.HeaderBlockFragment()); err != nil {
			return taken{}, errLost
		}
	case *http2.RSTStreamFrame:
		if x := s.conn.byID(f.StreamID); x != nil {
			s.conn.give(x) // one side gave it up
		}
	}
	return out, nil
}

// blockSize is how many bytes a frame has, with those that continue its block of headers; 0 is that more must come first.
func blockSize(data []byte) (int, error) {
	for size := 0; len(data) >= size+frameHead; {
		f := frameOf(data[size:])
		first := size == 0
		size += frameHead + f.length
		switch {
		case size > mostBlock:
			return 0, errLost
		case len(data) < size:
			return 0, nil
		case f.flags.Has(http2.FlagHeadersEndHeaders) || first && f.kind != http2.FrameHeaders:
			return size, nil
		}
	}
	return 0, nil
}

// data takes the head of a frame of data.
func (h *h2) data(s *stream, f frame) taken {
	out := taken{n: frameHead, skip: int64(f.length)}
	x := s.conn.byID(f.stream & (1<<31 - 1))
	if x == nil {
		return out
	}
	tally(s, x, frameHead+out.skip)
	if f.flags.Has(http2.FlagDataEndStream) {
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

// headersOf takes the headers of a request or an answer, or their trailer. It returns their call; nil is none, or an answer that is
// yet to come.
func headersOf(s *stream, f *http2.MetaHeadersFrame) *exchange {
	x := s.conn.byID(f.StreamID)
	switch status := f.PseudoValue("status"); {
	case !s.serves() && x == nil:
		return request(s.conn, f)
	case !s.serves() || x == nil:
		return x
	case len(status) == 3 && status[0] == '1':
		return nil
	case status != "" && x.Protocol == HTTP:
		x.Status = status
	}
	for _, field := range f.RegularFields() {
		if field.Name == "grpc-status" && x.Protocol == GRPC {
			x.Status = field.Value
		}
	}
	s.conn.answers(x)
	return x
}

// request begins a call with its headers.
func request(c *conn, f *http2.MetaHeadersFrame) *exchange {
	x := c.ask(HTTP)
	x.id, x.tally = f.StreamID, true
	x.Fields = make([]Field, 0, len(f.Fields))
	for _, field := range f.Fields {
		if field.Name == "content-type" && strings.HasPrefix(field.Value, "application/grpc") {
			x.Protocol = GRPC
		}
		x.field(field.Name, field.Value)
	}
	x.Method = pathOf(f.PseudoValue("path"))
	if x.Protocol == HTTP {
		x.Method = f.PseudoValue("method") + " " + x.Method
	}
	return x
}
