// Parsing HTTP/1.1 responses (RFC 9112) as the bytes come in: it keeps only what determines the end of a response and whether
// it is the expected one.

package engine

import (
	"bytes"
	"errors"

	"github.com/tracetax/tracetax/internal/load/feed"
	"github.com/tracetax/tracetax/internal/quote"
)

// Limits for a server's response.
const (
	maxHeader    = 1 << 20 // bytes of status line and headers; of trailers too
	maxChunkLine = 4096    // bytes of a chunk's size with its extensions
)

// errBadResponse is wrapped by every error of a response.
var errBadResponse = errors.New("bad response")

// badResponse is an error of the parser: a fixed text, which can be counted by kind and costs no allocation.
type badResponse string

func (e badResponse) Error() string { return "bad response: " + string(e) }

func (e badResponse) Is(target error) bool { return target == errBadResponse }

// ErrOnlyHTTP2 is the answer of a server that was asked by HTTP/1.1 and does not speak it.
const ErrOnlyHTTP2 = badResponse("the server speaks HTTP/2 alone, which only gRPC is asked by (grpc://, grpcs://): have it speak HTTP/1.1 too")

// stage is the part that the parser expects next.
type stage uint8

const (
	inStatus stage = iota
	inHeader
	inBody      // of a length given in its head
	inRest      // a body that the end of the connection ends
	inChunkSize // chunked body: the line before the data
	inChunk     // the data
	inChunkEnd  // the line end after it
	inTrailer
	finished
)

// response reads one response after the other. reset makes it ready for one.
type response struct {
	stage  stage
	head   bool   // it answers a HEAD
	status int    // once the status line is read
	keep   bool   // the connection may be used again
	line   []byte // the beginning of an incomplete line
	seen   int    // bytes of headers so far
	left   int64  // bytes of the body, or of the chunk, to come
	body   uint64 // bytes of the body so far
	fields fields
	tape   *feed.Tape // nil: nothing of the answer is kept
	shows  bool       // the beginning of the body is kept, to describe a failure
	shown  []byte
}

// fields are the headers that determine the end of a response.
type fields struct {
	minor     byte // of the HTTP version: 0 or 1
	length    int64
	hasLength bool
	encodings int  // Transfer-Encoding fields
	chunked   bool // the first of them is "chunked"
	close     bool
	keepAlive bool
	any       bool   // there was a header line
	framing   bool   // the last one was one of these
	location  []byte // target of a redirect; nil: none
	timing    []byte // its Server-Timing; nil: none
}

// reset makes p ready for the response to the next request.
func (p *response) reset(head bool) {
	*p = response{head: head, line: p.line[:0]}
}

// done reports whether the response is complete.
func (p *response) done() bool { return p.stage == finished }

// fresh reports whether nothing of the response has come yet.
func (p *response) fresh() bool { return p.stage == inStatus && p.seen == 0 && p.status == 0 }

// feed parses b and returns the number of bytes that belong to the response: all of them unless it is complete then. After an
// error p is of no use until reset.
func (p *response) feed(b []byte) (int, error) {
	if p.fresh() && beginsHTTP2(b) {
		return 0, ErrOnlyHTTP2
	}
	n := 0
	for n < len(b) && p.stage != finished {
		m, err := p.step(b[n:])
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// end returns nil if the end of the connection completes the response, otherwise an error.
func (p *response) end() error {
	switch {
	case p.stage == finished:
		return nil
	case p.stage == inRest:
		p.stage = finished
		return nil
	case p.fresh():
		return errClosedEarly
	default:
		return errCutShort
	}
}

// step reads at least one byte of b, which is not empty.
func (p *response) step(b []byte) (int, error) {
	switch p.stage {
	case inBody, inChunk:
		n := int(min(int64(len(b)), p.left))
		p.left -= int64(n)
		p.body += uint64(n)
		if err := p.record(b[:n]); err != nil {
			return n, err
		}
		if p.left == 0 {
			p.bodyRead()
		}
		return n, nil
	case inRest:
		p.body += uint64(len(b))
		return len(b), p.record(b)
	}
	return p.readLine(b)
}

// record keeps a part of the body, if values are taken from it.
func (p *response) record(b []byte) error {
	if p.shows {
		p.show(b)
	}
	if p.tape == nil {
		return nil
	}
	if len(p.tape.Body)+len(b) > feed.MaxTape {
		return badResponse("too long to take values from it")
	}
	p.tape.Body = append(p.tape.Body, b...)
	return nil
}

// mostShown limits the kept part of a body to show, in bytes: enough for an excerpt.
const mostShown = 4 * quote.Most

// show keeps a part of the body, up to mostShown.
func (p *response) show(b []byte) {
	p.shown = append(p.shown, b[:min(len(b), mostShown-len(p.shown))]...)
}

func (p *response) bodyRead() {
	if p.stage == inChunk {
		p.stage = inChunkEnd
		return
	}
	p.stage = finished
}

// readLine reads up to the end of a line, and parses the line.
func (p *response) readLine(b []byte) (int, error) {
	end := bytes.IndexByte(b, '\n')
	n := end + 1
	if end < 0 {
		n = len(b)
	}
	if err := p.bound(n); err != nil {
		return n, err
	}
	if end < 0 {
		p.line = append(p.line, b...)
		return n, nil
	}
	line := b[:n]
	if len(p.line) > 0 {
		p.line = append(p.line, line...)
		line = p.line
	}
	err := p.act(line)
	p.line = p.line[:0]
	return n, err
}

// bound refuses lines and headers that are too long.
func (p *response) bound(n int) error {
	switch p.stage {
	case inChunkSize, inChunkEnd:
		if len(p.line)+n > maxChunkLine {
			return badResponse("chunk size line too long")
		}
	default:
		if p.seen += n; p.seen > maxHeader {
			return badResponse("headers too large")
		}
	}
	return nil
}

// act parses a line with its line end.
func (p *response) act(line []byte) error {
	switch p.stage {
	case inChunkSize:
		return p.chunkSize(line)
	case inChunkEnd:
		if string(line) != "\r\n" {
			return badResponse("chunk longer than its size")
		}
		p.stage = inChunkSize
		return nil
	}
	line = bytes.TrimSuffix(line[:len(line)-1], []byte{'\r'})
	if p.tape != nil && (p.stage == inStatus || p.stage == inHeader) { // bound has checked its length
		p.tape.Head = append(append(p.tape.Head, line...), '\n')
	}
	switch {
	case p.stage == inStatus:
		return p.statusLine(line)
	case p.stage == inHeader && len(line) > 0:
		return p.fields.read(line)
	case p.stage == inHeader:
		return p.headersRead()
	case len(line) > 0:
		return checkTrailer(line)
	}
	p.stage = finished
	return nil
}

// statusLine parses "HTTP/1.1 200 OK"; the reason may be missing.
func (p *response) statusLine(line []byte) error {
	if len(line) < 12 || string(line[:7]) != "HTTP/1." || line[7] != '0' && line[7] != '1' || line[8] != ' ' {
		return badResponse("not HTTP/1.1")
	}
	if len(line) > 12 && line[12] != ' ' {
		return badResponse("status")
	}
	status := 0
	for _, c := range line[9:12] {
		if c < '0' || c > '9' {
			return badResponse("status")
		}
		status = status*10 + int(c-'0')
	}
	if status < 100 {
		return badResponse("status")
	}
	p.status = status
	p.fields = fields{minor: line[7] - '0'}
	p.stage = inHeader
	return nil
}

// headersRead finds the end of the response (RFC 9112, section 6.3).
func (p *response) headersRead() error {
	f := &p.fields
	if f.minor == 0 {
		f.encodings = 0 // unknown to HTTP/1.0
	}
	if f.encodings > 0 && (f.encodings > 1 || !f.chunked) {
		return badResponse("transfer encoding other than chunked")
	}
	if p.status == 101 {
		return badResponse("switched protocols unasked")
	}
	if p.status < 200 { // an interim response: the final one follows
		p.stage, p.status = inStatus, 0
		return nil
	}
	p.keep = !f.close && (f.minor == 1 || f.keepAlive)
	switch {
	case p.head || p.status == 204 || p.status == 304:
		p.stage = finished
	case f.encodings > 0:
		p.stage, p.seen = inChunkSize, 0
	case !f.hasLength:
		p.stage, p.keep = inRest, false
	case f.length == 0:
		p.stage = finished
	default:
		p.stage, p.left = inBody, f.length
	}
	return nil
}

func (p *response) chunkSize(line []byte) error {
	if cr := bytes.IndexByte(line, '\r'); cr < 0 || cr != len(line)-2 {
		return badResponse("chunk size line")
	}
	digits, _, _ := bytes.Cut(line[:len(line)-2], []byte{';'})
	size, ok := hex(bytes.TrimRight(digits, " \t"))
	if !ok {
		return badResponse("chunk size")
	}
	p.left = size
	p.stage = inChunk
	if size == 0 {
		p.stage = inTrailer
	}
	return nil
}

// hex parses a number below 2^63.
func hex(digits []byte) (n int64, ok bool) {
	if len(digits) == 0 || len(digits) > 16 {
		return 0, false
	}
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		if n >= 1<<59 {
			return 0, false
		}
		n = n<<4 | int64(c)
	}
	return n, true
}
