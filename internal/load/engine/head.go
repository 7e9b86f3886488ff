// The head of a response over HTTP/1.1.

package engine

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"time"

	"github.com/tracetax/tracetax/internal/load/feed"
	"golang.org/x/net/http2"
)

// The headers that determine the end of a response.

// read parses one header line without its line end.
func (f *fields) read(line []byte) error {
	if line[0] == ' ' || line[0] == '\t' {
		return f.folded()
	}
	name, value, err := splitField(line)
	if err != nil {
		return err
	}
	f.any, f.framing = true, true
	switch {
	case len(name) == 14 && equalFold(name, "content-length"):
		return f.contentLength(value)
	case len(name) == 17 && equalFold(name, "transfer-encoding"):
		f.encodings++
		f.chunked = f.encodings == 1 && equalFold(value, "chunked")
	case len(name) == 10 && equalFold(name, "connection"):
		f.close = f.close || hasToken(value, "close")
		f.keepAlive = f.keepAlive || hasToken(value, "keep-alive")
	default:
		f.framing = false
		switch {
		case len(name) == 8 && equalFold(name, "location"):
			f.location = bytes.Clone(value)
		case len(name) == 13 && equalFold(name, "server-timing") && len(f.timing)+len(value) < longestTimings:
			f.timing = append(append(f.timing, value...), ',')
		}
	}
	return nil
}

// folded accepts a line that continues the field before (obsolete, but to be tolerated: RFC 9112, section 5.2), unless that
// would move the response's end.
func (f *fields) folded() error {
	if !f.any || f.framing {
		return badResponse("folded header")
	}
	return nil
}

func (f *fields) contentLength(value []byte) error {
	n, ok := decimal(value)
	if !ok {
		return badResponse("content length")
	}
	if f.hasLength && n != f.length {
		return badResponse("contradictory content lengths")
	}
	f.length, f.hasLength = n, true
	return nil
}

func checkTrailer(line []byte) error {
	if line[0] == ' ' || line[0] == '\t' {
		return nil
	}
	_, _, err := splitField(line)
	return err
}

// splitField returns the name and the value of a header line, the value without the space around it.
func splitField(line []byte) (name, value []byte, err error) {
	name, value, found := bytes.Cut(line, []byte{':'})
	if !found || len(name) == 0 {
		return nil, nil, badResponse("header line without a name")
	}
	for _, c := range name {
		if !feed.TokenByte[c] {
			return nil, nil, badResponse("header name")
		}
	}
	return name, bytes.Trim(value, " \t"), nil
}

// decimal parses a number below 2^63.
func decimal(digits []byte) (n int64, ok bool) {
	for _, c := range digits {
		if c < '0' || c > '9' || n > (1<<63-1-9)/10 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(digits) > 0
}

// hasToken reports whether the comma-separated list holds the lower-case token.
func hasToken(list []byte, token string) bool {
	for len(list) > 0 {
		item, rest, _ := bytes.Cut(list, []byte{','})
		if equalFold(bytes.Trim(item, " \t"), token) {
			return true
		}
		list = rest
	}
	return false
}

// equalFold reports whether b equals the lower-case s, ignoring the case of ASCII letters.
func equalFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != s[i] {
			return false
		}
	}
	return true
}

// Recognising a server that speaks only HTTP/2, without TLS, and so does not answer HTTP/1.1.

// probing limits a server's time to answer in HTTP/2.
const probing = time.Second

// OnlyHTTP2 reports whether a server that has not answered by HTTP/1.1 speaks HTTP/2 to a client that begins with it (prior
// knowledge).
func OnlyHTTP2(address string) bool {
	c, err := net.DialTimeout("tcp", address, probing)
	if err != nil {
		return false
	}
	defer c.Close() // none of it is kept
	if err := c.SetDeadline(time.Now().Add(probing)); err != nil {
		return false
	}
	if _, err := c.Write(append([]byte(http2.ClientPreface), 0, 0, 0, byte(http2.FrameSettings), 0, 0, 0, 0, 0)); err != nil {
		return false
	}
	said := make([]byte, frameHeader)
	_, err = io.ReadFull(c, said)
	return err == nil && beginsHTTP2(said)
}

// frameHeader is the number of bytes before the payload of an HTTP/2 frame: length, kind, flags and stream.
const frameHeader = 9

// beginsHTTP2 reports whether a server begins like HTTP/2: with settings, or a good-bye, of the whole connection.
func beginsHTTP2(b []byte) bool {
	if len(b) < frameHeader || b[0] != 0 || binary.BigEndian.Uint32(b[5:]) != 0 {
		return false
	}
	kind := http2.FrameType(b[3])
	return kind == http2.FrameSettings || kind == http2.FrameGoAway
}
