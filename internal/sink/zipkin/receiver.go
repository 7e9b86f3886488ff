// Package zipkin receives Zipkin's second API over HTTP, in JSON and in protobuf,
// walks the bodies where they lie, and counts their spans in a tally. It must not know
// the workload or what was expected.
package zipkin

import (
	"errors"
	"mime"
	"net/http"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

// The protocols, as they are named in a record.
const (
	overJSON     = "zipkin/json"
	overProtobuf = "zipkin/protobuf"
	other        = "zipkin/other" // a poll that holds no spans
)

const (
	spansPath  = "/api/v2/spans"
	healthPath = "/health"
)

// Receiver counts Zipkin's requests.
type Receiver struct{ *wire.Intake }

// New returns a receiver.
func New(in *wire.Intake) *Receiver { return &Receiver{in} }

// Work reports whether the request is work under way.
func (*Receiver) Work(r *http.Request) bool { return r.URL.Path == spansPath }

// Count reads and counts one request, and returns its answer: 202 as the server gives.
// Like the server, it refuses a request whole if one of its spans is invalid.
func (z *Receiver) Count(r *http.Request) wire.Answer {
	switch {
	case r.URL.Path == healthPath && r.Method == http.MethodGet:
		z.Total.Note(other, 0)
		return wire.Answer{Status: http.StatusOK, Type: "application/json", Body: []byte(`{"status":"UP"}`)}
	case r.URL.Path != spansPath:
		return (&wire.Refusal{Status: http.StatusNotFound, Message: "no such path; send to " + spansPath}).Answer()
	case r.Method != http.MethodPost:
		answer := (&wire.Refusal{Status: http.StatusMethodNotAllowed, Message: "send with POST"}).Answer()
		answer.Header = map[string]string{"Allow": http.MethodPost}
		return answer
	}
	walk, protocol := format(r)
	answer, refused := z.Receive(r, func(body []byte, size int64) wire.Answer {
		batch := z.Total.Batch()
		err := walk(batch, body)
		if err == nil && batch.Rejected > 0 {
			err = errors.New("invalid span: " + batch.Reason)
		}
		if err != nil {
			z.Total.Discard(batch)
			return (&wire.Refusal{Status: http.StatusBadRequest, Message: err.Error()}).Answer()
		}
		spans := batch.Spans
		z.Total.Merge(batch, protocol, size)
		return wire.Answer{Status: http.StatusAccepted, Spans: spans}
	})
	if refused != nil {
		return refused.Answer()
	}
	return answer
}

// format is how the body is written; JSON unless the sender says protobuf, as the
// server has it.
func format(r *http.Request) (walk func(*tally.Batch, []byte) error, protocol string) {
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && t == "application/x-protobuf" {
		return walkProtobuf, overProtobuf
	}
	return walkJSON, overJSON
}
