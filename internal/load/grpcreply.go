// What a gRPC server answers to one unary call: headers, one message with a
// length before it, and a status.

package load

import (
	"encoding/binary"
	"strconv"
	"strings"

	"golang.org/x/net/http2/hpack"
)

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

// headersRead is told that a block of headers is complete, which ends the stream if last.
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
