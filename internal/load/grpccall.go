// A gRPC call as the plan holds it, which is in the words of HTTP/1.1, so that
// request data fills both alike; and as HTTP/2 sends it.

package load

import (
	"bytes"
	"strings"

	"golang.org/x/net/http2/hpack"
)

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
