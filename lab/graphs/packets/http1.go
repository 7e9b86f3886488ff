package packets

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// http1 reads HTTP/1.0 and 1.1.
type http1 struct {
	sides   [2]http1Side // the client's, the server's
	offered bodyOf       // the body that the client sends if the server wants it
}

// http1Side holds the state of one stream.
type http1Side struct {
	stage http1Stage
	of    *exchange // the call of its message
}

type http1Stage int

const (
	inHead http1Stage = iota
	inBody
	inChunkSize
	inChunk
	inTrailer
	toTheEnd // the body ends with the connection
	offering // the body comes, if the server wants it
)

var methodsOfHTTP = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"}

func beginsHTTP1(data []byte, server bool) bool {
	if server {
		return bytes.HasPrefix(data, []byte("HTTP/1."))
	}
	word, _, spaced := bytes.Cut(data[:min(len(data), 9)], []byte{' '})
	return spaced && slices.Contains(methodsOfHTTP, string(word))
}

var endOfHead = []byte("\r\n\r\n")

func (h *http1) read(c *conn, server bool, data []byte) (int, error) {
	side, s := h.side(c, server)
	switch side.stage {
	case toTheEnd:
		return len(data), nil
	case offering:
		if slices.Contains(c.open, side.of) || !beginsHTTP1(data, false) {
			return h.wanted(c, data)
		}
		h.done(c, false, s.pos) // the server has refused it, and another request follows
	case inChunkSize, inTrailer:
		line := s.line(data)
		if line == nil {
			if len(data) > mostLine {
				return 0, errLost
			}
			return 0, nil
		}
		return len(line), h.line(c, server, line)
	}
	if data[0] == '\r' || data[0] == '\n' { // some send an empty line after a body
		return 1, nil
	}
	at := bytes.Index(data[max(0, s.seen-3):], endOfHead)
	if at < 0 {
		s.seen = len(data)
		return 0, nil
	}
	size := max(0, s.seen-3) + at + len(endOfHead)
	head := string(data[:size-len(endOfHead)])
	if server {
		return size, h.answer(c, head, size)
	}
	return size, h.request(c, head, size)
}

func (h *http1) side(c *conn, server bool) (*http1Side, *stream) {
	if server {
		return &h.sides[1], c.server
	}
	return &h.sides[0], c.client
}

// line reads the size of a chunk, or a line of the trailer.
func (h *http1) line(c *conn, server bool, line []byte) error {
	side, s := h.side(c, server)
	text := strings.TrimRight(string(line), "\r\n")
	if side.stage == inTrailer {
		if text == "" {
			h.done(c, server, s.pos+int64(len(line)))
		}
		return nil
	}
	digits, _, _ := strings.Cut(text, ";")
	size, err := strconv.ParseInt(strings.TrimSpace(digits), 16, 63)
	switch {
	case err != nil || size < 0 || size > 1<<60:
		return errLost
	case size == 0:
		side.stage = inTrailer
	default:
		side.stage, s.skip = inChunk, size+2
	}
	return nil
}

// request reads the head of a request of so many bytes.
func (h *http1) request(c *conn, head string, size int) error {
	first, rest, _ := strings.Cut(head, "\r\n")
	word, target, _ := strings.Cut(first, " ")
	target, version, ok := strings.Cut(target, " ")
	if !ok || !strings.HasPrefix(version, "HTTP/1.") || !isMethod(word) {
		return errLost
	}
	x := c.ask(HTTP)
	x.Method, x.head = word+" "+pathOf(target), word == "HEAD"
	if word == "CONNECT" {
		x.Method, x.id = "CONNECT", 1
	}
	x.Fields = make([]Field, 0, strings.Count(rest, "\r\n")+1)
	body, err := headersOf(rest, func(name, value string) { x.field(name, value) })
	if err != nil {
		return err
	}
	h.sides[0].of = x
	if (body.chunked || body.length > 0) && slices.ContainsFunc(x.Fields, isExpectation) {
		h.sides[0].stage, h.offered = offering, body
		return nil
	}
	return h.body(c, false, body, size)
}

func isExpectation(f Field) bool {
	return strings.EqualFold(f.Name, "expect") && strings.EqualFold(f.Value, "100-continue")
}

// wanted begins the body that was offered with data, and returns how much of it was read.
func (h *http1) wanted(c *conn, data []byte) (int, error) {
	if err := h.body(c, false, h.offered, 0); err != nil {
		return 0, err
	}
	if h.offered.chunked {
		return h.read(c, false, data)
	}
	s := c.client
	n := min(s.skip, int64(len(data)))
	if s.skip -= n; s.skip == 0 {
		h.done(c, false, s.pos+n)
	}
	return int(n), nil
}

// isMethod reports whether a word may be a method, as PROPFIND and PURGE.
func isMethod(word string) bool {
	return word != "" && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}

// pathOf is the path of a request's target, without a query.
func pathOf(target string) string {
	if !strings.HasPrefix(target, "/") {
		if _, of, is := strings.Cut(target, "://"); is {
			_, path, _ := strings.Cut(of, "/")
			target = "/" + path
		}
	}
	path, _, _ := strings.Cut(target, "?")
	return path
}

// answer reads the head of an answer of so many bytes.
func (h *http1) answer(c *conn, head string, size int) error {
	first, rest, _ := strings.Cut(head, "\r\n")
	version, status, _ := strings.Cut(first, " ")
	status, _, _ = strings.Cut(status, " ")
	code, err := strconv.Atoi(status)
	if err != nil || code < 100 || code > 999 || !strings.HasPrefix(version, "HTTP/1.") {
		return errLost
	}
	x := c.oldest()
	if x == nil {
		if code != 408 { // a server may say so before it closes an idle connection
			return errLost
		}
		c.stop()
		return nil
	}
	if code < 200 && code != 101 {
		return nil // the answer is yet to come
	}
	body, err := headersOf(rest, nil)
	if err != nil {
		return err
	}
	c.answers(x)
	x.Status, h.sides[1].of = status, x
	switch {
	case code == 101 || x.Method == "CONNECT" && code < 300:
		h.done(c, true, c.server.pos+int64(size))
		return errUpgraded
	case x.head || code == 204 || code == 304:
		body = bodyOf{length: 0}
	case !body.chunked && body.length < 0:
		h.sides[1].stage = toTheEnd
		return nil
	}
	return h.body(c, true, body, size)
}

// bodyOf says how long a body is.
type bodyOf struct {
	length  int64 // -1 is not told
	chunked bool
}

// headersOf calls each for the lines of a head.
func headersOf(head string, each func(name, value string)) (bodyOf, error) {
	body := bodyOf{length: -1}
	for line := range strings.SplitSeq(head, "\r\n") {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.Trim(value, " \t")
		switch {
		case strings.EqualFold(name, "content-length"):
			n, err := strconv.ParseInt(value, 10, 63)
			if err != nil || n < 0 || n > 1<<60 {
				return body, errLost
			}
			body.length = n
		case strings.EqualFold(name, "transfer-encoding"):
			body.chunked = strings.HasSuffix(strings.ToLower(value), "chunked")
		}
		if each != nil {
			each(name, value)
		}
	}
	return body, nil
}

// body begins the body of a message after a head of so many bytes.
func (h *http1) body(c *conn, server bool, body bodyOf, size int) error {
	side, s := h.side(c, server)
	switch {
	case body.chunked:
		side.stage = inChunkSize
	case body.length > 0:
		side.stage, s.skip = inBody, body.length
	default:
		h.done(c, server, s.pos+int64(size))
	}
	return nil
}

// done ends a message with the byte before pos.
func (h *http1) done(c *conn, server bool, pos int64) {
	side, _ := h.side(c, server)
	x := side.of
	side.stage, side.of = inHead, nil
	if server {
		c.answered(x, pos)
		return
	}
	c.asked(x, pos)
}

func (h *http1) passed(c *conn, server bool) {
	side, s := h.side(c, server)
	if side.stage == inChunk {
		side.stage = inChunkSize
		return
	}
	h.done(c, server, s.pos)
}

func (h *http1) closed(c *conn, server bool) {
	if server && h.sides[1].stage == toTheEnd {
		h.done(c, true, c.server.pos)
	}
}

// field adds a header to a call, and what it says of the trace.
func (x *exchange) field(name, value string) {
	x.Fields = append(x.Fields, Field{name, value})
	switch {
	case len(name) == len("traceparent") && strings.EqualFold(name, "traceparent"):
		x.Trace = value
	case len(name) == len("tracestate") && strings.EqualFold(name, "tracestate"):
		if x.State != "" {
			value = x.State + "," + value
		}
		x.State = value
	}
}
