package packets

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// http1 reads one direction of HTTP/1.0 and 1.1.
type http1 struct {
	at http1Part
	of *exchange // the call of the message

	offered int64 // bytes of a body that the client sends if the server wants it, or chunked
}

// http1Part names the part of a message that comes next.
type http1Part int

const (
	head http1Part = iota
	chunk
	trailer
	offer // the body, if the server wants it
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

func (h *http1) read(s *stream, data []byte) (taken, error) {
	if h.at == offer {
		h.at = head
		switch wanted := slices.Contains(s.conn.open, h.of) || !beginsHTTP1(data, false); {
		case wanted && h.offered == chunked:
			h.at = chunk
		case wanted:
			n := min(h.offered, int64(len(data)))
			return taken{n: int(n), skip: h.offered - n, of: h.of}, nil
		}
	}
	if h.at != head {
		line, err := s.line(data)
		if line == nil {
			return taken{}, err
		}
		return h.line(line)
	}
	if data[0] == '\r' || data[0] == '\n' { // some send an empty line after a body
		return taken{n: 1}, nil
	}
	from := max(0, s.seen-3)
	at := bytes.Index(data[from:], endOfHead)
	if at < 0 {
		s.seen = len(data)
		return taken{}, nil
	}
	size := from + at + len(endOfHead)
	first, rest, _ := strings.Cut(string(data[:from+at]), "\r\n")
	if s.serves() {
		return h.answer(s.conn, size, first, rest)
	}
	return h.request(s.conn, size, first, rest)
}

// line takes the size of a chunk, or a line of the trailer.
func (h *http1) line(line []byte) (taken, error) {
	text := strings.TrimRight(string(line), "\r\n")
	if h.at == trailer {
		if text != "" {
			return taken{n: len(line)}, nil
		}
		h.at = head
		return taken{n: len(line), of: h.of}, nil
	}
	digits, _, _ := strings.Cut(text, ";")
	size, err := strconv.ParseInt(strings.TrimSpace(digits), 16, 63)
	switch {
	case err != nil || size < 0 || size > mostBody:
		return taken{}, errLost
	case size > 0:
		return taken{n: len(line), skip: size + 2}, nil
	}
	h.at = trailer
	return taken{n: len(line)}, nil
}

// request takes the head of a request of so many bytes, by its first line and the others.
func (h *http1) request(c *conn, size int, first, rest string) (taken, error) {
	word, target, _ := strings.Cut(first, " ")
	target, version, ok := strings.Cut(target, " ")
	if !ok || !strings.HasPrefix(version, "HTTP/1.") || !isMethod(word) {
		return taken{}, errLost
	}
	x := c.ask(HTTP)
	if x.Method = word; word != connect {
		x.Method += " " + pathOf(target)
	}
	x.Fields = make([]Field, 0, strings.Count(rest, "\r\n")+1)
	body, err := bodyOf(rest, x.field)
	if err != nil {
		return taken{}, err
	}
	if body == untold {
		body = 0
	}
	if body != 0 && slices.ContainsFunc(x.Fields, isExpectation) {
		h.at, h.of, h.offered = offer, x, body
		return taken{n: size}, nil
	}
	return h.body(x, size, body), nil
}

func isExpectation(f Field) bool {
	return strings.EqualFold(f.Name, "expect") && strings.EqualFold(f.Value, "100-continue")
}

// isMethod reports whether a word may be a method, as PROPFIND and PURGE.
func isMethod(word string) bool {
	return word != "" && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}

// connect asks for a tunnel, whose bytes are no HTTP.
const connect = "CONNECT"

// pathOf is the path of a request's target, without a query.
func pathOf(target string) string {
	if _, of, is := strings.Cut(target, "://"); is && !strings.HasPrefix(target, "/") {
		_, path, _ := strings.Cut(of, "/")
		target = "/" + path
	}
	path, _, _ := strings.Cut(target, "?")
	return path
}

// answer takes the head of an answer of so many bytes, by its first line and the others.
func (h *http1) answer(c *conn, size int, first, rest string) (taken, error) {
	version, status, _ := strings.Cut(first, " ")
	status, _, _ = strings.Cut(status, " ")
	code, err := strconv.Atoi(status)
	x := c.oldest()
	if err != nil || code < 100 || code > 999 || !strings.HasPrefix(version, "HTTP/1.") || x == nil && code != 408 {
		return taken{}, errLost
	}
	if x == nil { // a server may say so before it closes an idle connection
		c.stop()
		return taken{n: size}, nil
	}
	if code < 200 && code != 101 {
		return taken{n: size}, nil // the answer is yet to come
	}
	body, err := bodyOf(rest, nil)
	if err != nil {
		return taken{}, err
	}
	c.answers(x)
	x.Status = status
	switch {
	case code == 101 || x.Method == connect && code < 300:
		return taken{n: size, of: x, last: true}, nil
	case strings.HasPrefix(x.Method, "HEAD ") || code == 204 || code == 304:
		body = 0
	case body == untold:
		body = toTheEnd
	}
	return h.body(x, size, body), nil
}

// body takes a head of so many bytes with a body of so many, or of chunks.
func (h *http1) body(x *exchange, size int, body int64) taken {
	if body == chunked {
		h.at, h.of = chunk, x
		return taken{n: size}
	}
	return taken{n: size, skip: body, of: x}
}

// Lengths of bodies, in bytes, that no head tells.
const (
	untold   = -1
	chunked  = -2
	mostBody = 1 << 60
)

// bodyOf is the length of the body after these lines of a head, in bytes; each is called for the lines, unless it is nil.
func bodyOf(lines string, each func(name, value string)) (int64, error) {
	length := int64(untold)
	for line := range strings.SplitSeq(lines, "\r\n") {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.Trim(value, " \t")
		switch {
		case strings.EqualFold(name, "transfer-encoding"):
			if strings.HasSuffix(strings.ToLower(value), "chunked") {
				length = chunked
			}
		case strings.EqualFold(name, "content-length") && length != chunked:
			n, err := strconv.ParseInt(value, 10, 63)
			if err != nil || n < 0 || n > mostBody {
				return 0, errLost
			}
			length = n
		}
		if each != nil {
			each(name, value)
		}
	}
	return length, nil
}

// field adds a header to a call, and what it says of the trace.
func (x *exchange) field(name, value string) {
	x.Fields = append(x.Fields, Field{name, value})
	switch {
	case strings.EqualFold(name, "traceparent"):
		x.Trace = value
	case strings.EqualFold(name, "tracestate"):
		if x.State != "" {
			value = x.State + "," + value
		}
		x.State = value
	}
}
