// A gRPC server's answer to one unary call: headers, one message with a length before it, and a status.

package engine

import (
	"encoding/binary"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// readReply reads an answer to its end. body: the bytes of its messages; kind: the failure of the call, "" if none.
func readReply(answer *http.Response) (body uint64, kind string, err error) {
	if answer.StatusCode != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/grpc") {
		_, err = io.Copy(io.Discard, answer.Body)
	} else {
		body, kind, err = readMessage(answer.Body)
	}
	if err != nil {
		return body, "", err
	}
	told := answer.Trailer.Get("Grpc-Status")
	if told == "" {
		told = answer.Header.Get("Grpc-Status")
	}
	status, wrong := strconv.ParseUint(told, 10, 31)
	switch {
	case told != "" && wrong != nil:
		kind = badResponse("grpc-status").Error()
	case status > 0:
		kind = "grpc: " + statusName(int(status))
	case answer.StatusCode != http.StatusOK:
		kind = "grpc: HTTP status " + strconv.Itoa(answer.StatusCode)
	case !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/grpc"):
		kind = badResponse("not gRPC").Error()
	case told == "":
		kind = badResponse("no grpc-status").Error()
	}
	return body, kind, nil
}

// readMessage reads what must be one message; kind is its fault otherwise.
func readMessage(from io.Reader) (body uint64, kind string, err error) {
	var prefix [5]byte // compressed or not, and the length
	for messages := 0; ; messages++ {
		n, err := io.ReadFull(from, prefix[:])
		switch {
		case n == 0 && err == io.EOF && messages == 1:
			return body, kind, nil
		case n == 0 && err == io.EOF:
			return body, badResponse("not one message").Error(), nil
		case err == io.ErrUnexpectedEOF:
			return body, badResponse("message cut short").Error(), nil
		case err != nil:
			return body, "", err
		}
		if prefix[0] != 0 {
			kind = badResponse("message compressed unasked").Error()
		}
		length := int64(binary.BigEndian.Uint32(prefix[1:]))
		body += uint64(length)
		if _, err = io.CopyN(io.Discard, from, length); err == io.EOF {
			return body, badResponse("message cut short").Error(), nil
		} else if err != nil {
			return body, "", err
		}
	}
}

// statusNames are the names of the statuses in gRPC's own documents.
var statusNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
	"INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// statusName returns the name of a status, UNKNOWN for unknown ones, as gRPC does.
func statusName(status int) string {
	if status >= len(statusNames) {
		return statusNames[2]
	}
	return statusNames[status]
}
