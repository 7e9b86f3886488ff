// Package packets owns calls that are read from captured packets: connections put together, protocols, and of each call its ends,
// its times, its headers and the ids in them. It must not know which call made which; its tree does.
package packets

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"strings"
	"time"
)

// Protocols of calls, as a Call names them.
const (
	HTTP      = "http"
	GRPC      = "grpc"
	Thrift    = "thrift"
	Redis     = "redis"
	Memcached = "memcached"
	MongoDB   = "mongodb"
	Turns     = "turns" // of an unknown protocol: what one side sends until the other answers is a request
)

// Call is a request and its answer.
type Call struct {
	From, To netip.AddrPort // the client's end of the connection, and the server's
	Protocol string         // HTTP, GRPC and so on
	Method   string         // GET /items (without a query), /shop.Cart/Add, post, get (in lower case), find; "" of Turns
	// Status is the number of HTTP and gRPC, OK or EXCEPTION of Thrift, OK or the first word of its error of a store; "" where
	// nothing tells it.
	Status string

	Asked, AskedAll       time.Time // the first and the last byte of the request
	Answered, AnsweredAll time.Time // the first and the last byte of the answer; zero: it has none in the capture
	Request, Answer       int64     // bytes of both, with headers
	Sequence              uint32    // TCP's number of the request's first byte
	Resent                int       // segments of both that came again

	Trace  string // the traceparent of the request as it came, "" without one
	State  string // its tracestate
	Fields []Field
}

// Field is a header of a request, in its order, or an entry of a Thrift carrier.
type Field struct{ Name, Value string }

// Ended reports whether the capture has the answer's end.
func (c *Call) Ended() bool { return !c.AnsweredAll.IsZero() }

// IDs reads the traceparent, 00-TRACE-CALL-FLAGS: the ids of the trace and of the call. Both are zeros where it is none.
func (c *Call) IDs() (trace [16]byte, call uint64) {
	var span [8]byte
	if p := c.Trace; len(p) < 55 || p[2] != '-' || p[35] != '-' || !digits(trace[:], p[3:35]) || !digits(span[:], p[36:52]) {
		return [16]byte{}, 0
	}
	if call = binary.BigEndian.Uint64(span[:]); call == 0 || trace == [16]byte{} {
		return [16]byte{}, 0
	}
	return trace, call
}

// Caller is the id of the call that made this one, as the tracestate names it by tt=ID; 0 without one.
func (c *Call) Caller() uint64 {
	if !strings.Contains(c.State, "tt=") {
		return 0
	}
	for entry := range strings.SplitSeq(c.State, ",") {
		var id [8]byte
		if text, is := strings.CutPrefix(strings.Trim(entry, " \t"), "tt="); is && len(text) == 2*len(id) && digits(id[:], text) {
			return binary.BigEndian.Uint64(id[:])
		}
	}
	return 0
}

// digits reads hexadecimal digits, and reports whether all are.
func digits(into []byte, text string) bool {
	_, err := hex.Decode(into, []byte(text))
	return err == nil
}
