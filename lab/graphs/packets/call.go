// Package packets owns calls that are read from captured packets: files of packets, connections put together, protocols, and of
// each call its ends, its times and its headers. It must not know which call made which; its tree does.
package packets

import (
	"net/netip"
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
