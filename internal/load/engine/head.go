// The head of a response over HTTP/1.1.

package engine

import (
	"bytes"
	"encoding/binary"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/load/feed"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// The headers that say where a response ends.

// read takes one header line without its end.
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

// folded takes a line that goes on with the field before (obsolete, but to be
// put up with: RFC 9112, section 5.2), unless that would move the response's end.
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

// splitField returns the name and the value of a header line, the value without
// the space around it.
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

// decimal reads a number below 2^63.
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

// equalFold reports whether b is the lower-case s but for the case of ASCII letters.
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

// Telling a server that speaks HTTP/2 alone, without TLS, where one that asks by HTTP/1.1 gets no answer.

// probing is how long a server may take to say what it speaks.
const probing = time.Second

// OnlyHTTP2 asks a server that has not answered by HTTP/1.1 whether it speaks HTTP/2 to who begins with it (prior
// knowledge).
func OnlyHTTP2(address string) bool {
	c, err := net.DialTimeout("tcp", address, probing)
	if err != nil {
		return false
	}
	defer c.Close() // nothing is kept of it
	if err := c.SetDeadline(time.Now().Add(probing)); err != nil {
		return false
	}
	if _, err := c.Write(append([]byte(http2.ClientPreface), 0, 0, 0, byte(http2.FrameSettings), 0, 0, 0, 0, 0)); err != nil {
		return false
	}
	var said []byte
	for b := make([]byte, maxFrame); ; {
		n, err := c.Read(b)
		if said = append(said, b[:n]...); beginsHTTP2(said) {
			return true
		}
		if err != nil || len(said) > maxFrame {
			return false
		}
	}
}

// beginsHTTP2 reports whether a server begins as HTTP/2 has it: with settings, or a good-bye, of the whole connection.
func beginsHTTP2(b []byte) bool {
	f, n, err := nextFrame(b)
	return err == nil && n > 0 && f.stream == 0 && (f.kind == http2.FrameSettings || f.kind == http2.FrameGoAway)
}

// A gRPC call as the plan holds it, which is in the words of HTTP/1.1, so that
// request data fills both alike; and as HTTP/2 sends it.

// grpcCall is a call with its headers in the order in which they are sent.
type grpcCall struct {
	fields  []hpack.HeaderField
	message []byte
}

// readCall appends to fields the headers that wire says. The message is part of wire.
func readCall(fields []hpack.HeaderField, wire []byte, secure bool) grpcCall {
	head, message, _ := bytes.Cut(wire, []byte("\r\n\r\n"))
	lines := strings.Split(string(head), "\r\n")
	_, path, _ := strings.Cut(lines[0], " ")
	path, _, _ = strings.Cut(path, " ")
	scheme := "http"
	if secure {
		scheme = "https"
	}
	host, agent := "", ""
	var rest []hpack.HeaderField
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		name, value = strings.ToLower(name), strings.TrimSpace(value)
		switch name {
		case "host":
			host = value
		case "user-agent":
			agent = value
		case "content-length", "content-type", "te", "connection", "keep-alive", "upgrade":
		default:
			rest = append(rest, hpack.HeaderField{Name: name, Value: value})
		}
	}
	fields = append(fields,
		hpack.HeaderField{Name: ":method", Value: "POST"},
		hpack.HeaderField{Name: ":scheme", Value: scheme},
		hpack.HeaderField{Name: ":path", Value: path},
		hpack.HeaderField{Name: ":authority", Value: host},
		hpack.HeaderField{Name: "content-type", Value: "application/grpc"},
		hpack.HeaderField{Name: "user-agent", Value: agent},
		hpack.HeaderField{Name: "te", Value: "trailers"},
	)
	return grpcCall{fields: append(fields, rest...), message: message}
}

// What a gRPC server answers to one unary call: headers, one message with a
// length before it, and a status.

// noStatus is a status that has not come.
const noStatus = -1

// grpcReply reads one answer. reset makes it ready for one.
type grpcReply struct {
	http     int // :status; 0 until it has come
	status   int // grpc-status, or noStatus
	grpc     bool
	messages int
	body     uint64  // bytes of the messages
	prefix   [5]byte // compressed or not, and the length, of the message that comes
	have     int     // bytes of prefix
	left     uint32  // bytes of the message still to come
	bad      badResponse
}

func (r *grpcReply) reset() { *r = grpcReply{status: noStatus} }

// field takes one header field, also of the trailers.
func (r *grpcReply) field(f hpack.HeaderField) {
	switch f.Name {
	case ":status":
		n, err := strconv.Atoi(f.Value)
		if err != nil || n < 100 || n > 999 || r.http >= 200 {
			r.spoil("status")
			return
		}
		r.http = n
	case "content-type":
		r.grpc = strings.HasPrefix(f.Value, "application/grpc")
	case "grpc-status":
		n, err := strconv.ParseUint(f.Value, 10, 31)
		if err != nil {
			r.spoil("grpc-status")
			return
		}
		r.status = int(n)
	}
}

// headersRead is called at the end of a block of headers, which ends the stream if last.
func (r *grpcReply) headersRead(last bool) {
	switch {
	case r.http == 0:
		r.spoil("headers without a status")
	case r.http < 200 && last:
		r.spoil("an interim response that ends")
	}
}

// data takes bytes of the message.
func (r *grpcReply) data(b []byte) {
	if r.http < 200 {
		r.spoil("data before the headers")
	}
	for len(b) > 0 && r.bad == "" {
		if r.left > 0 {
			n := min(r.left, uint32(len(b)))
			r.left -= n
			b = b[n:]
			continue
		}
		n := copy(r.prefix[r.have:], b)
		r.have += n
		b = b[n:]
		if r.have == len(r.prefix) {
			r.message()
		}
	}
}

// message begins one.
func (r *grpcReply) message() {
	if r.prefix[0] != 0 {
		r.spoil("message compressed unasked")
	}
	r.left, r.have = binary.BigEndian.Uint32(r.prefix[1:]), 0
	r.messages++
	r.body += uint64(r.left)
}

func (r *grpcReply) spoil(what badResponse) {
	if r.bad == "" {
		r.bad = what
	}
}

// kind is what the call failed of, "" if it did not; to be asked when the stream
// has ended.
func (r *grpcReply) kind() string {
	switch {
	case r.bad != "":
		return r.bad.Error()
	case r.status > 0:
		return "grpc: " + statusName(r.status)
	case r.http != 200:
		return "grpc: HTTP status " + strconv.Itoa(r.http)
	case !r.grpc:
		return badResponse("not gRPC").Error()
	case r.status == noStatus:
		return badResponse("no grpc-status").Error()
	case r.left > 0 || r.have > 0:
		return badResponse("message cut short").Error()
	case r.messages != 1:
		return badResponse("not one message").Error()
	}
	return ""
}

// statusNames are the names of the statuses in gRPC's own documents.
var statusNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
	"INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// statusName is UNKNOWN for statuses that nobody knows, as gRPC has it.
func statusName(status int) string {
	if status >= len(statusNames) {
		return statusNames[2]
	}
	return statusNames[status]
}
