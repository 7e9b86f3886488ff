// This file serves OTLP over HTTP.

package otlp

import (
	"mime"
	"net/http"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"google.golang.org/grpc/codes"
)

const (
	typeProtobuf = "application/x-protobuf"
	typeJSON     = "application/json"
)

// HTTP returns a server for the OTLP paths, to be served and closed by the caller.
func (r *Receiver) HTTP() *http.Server { return r.Intake.HTTP(r.Handler(r.Counter())) }

// Counter returns what counts requests over HTTP.
func (r *Receiver) Counter() wire.Counter {
	c := counter{Receiver: r, signals: make(map[string]*signal)}
	for i := range signals {
		c.signals[signals[i].path()] = &signals[i]
	}
	return c
}

type counter struct {
	*Receiver
	signals map[string]*signal // by path
}

// Work reports whether the request is work under way, as all of OTLP are.
func (counter) Work(*http.Request) bool { return true }

// Count reads and counts one request, and returns its answer.
func (c counter) Count(r *http.Request) wire.Answer {
	json, typed := contentType(r)
	s, refused := c.check(r, typed)
	if refused != nil {
		return refuse(refused, json || !typed)
	}
	answer, refused := c.Receive(r, func(body []byte, size int64) wire.Answer {
		return c.count(s, body, size, json, r.Header.Get(protocol.CopyHeader) != "")
	})
	if refused != nil {
		return refuse(refused, json)
	}
	return answer
}

// contentType reports whether the body is JSON, and whether its type is known.
func contentType(r *http.Request) (json, known bool) {
	switch t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); {
	case err != nil:
		return false, false
	case t == typeJSON:
		return true, true
	default:
		return false, t == typeProtobuf
	}
}

// check looks at everything but the body.
func (c counter) check(r *http.Request, typed bool) (*signal, *wire.Refusal) {
	s := c.signals[r.URL.Path]
	switch {
	case s == nil:
		return nil, &wire.Refusal{Status: http.StatusNotFound, Message: "no such path; send to /v1/traces, /v1/metrics or /v1/logs"}
	case r.Method != http.MethodPost:
		return nil, &wire.Refusal{Status: http.StatusMethodNotAllowed, Message: "send with POST"}
	case !typed:
		return nil, &wire.Refusal{Status: http.StatusUnsupportedMediaType, Message: "content-type must be " + typeProtobuf + " or " + typeJSON}
	}
	switch wire.Encoding(r) {
	case "", "identity", "gzip":
		return s, nil
	}
	return nil, &wire.Refusal{Status: http.StatusUnsupportedMediaType, Message: "content-encoding must be gzip or identity"}
}

// count walks a body and merges what it holds, unless that comes by another request too.
func (c counter) count(s *signal, body []byte, size int64, json, copied bool) wire.Answer {
	batch := c.Total.Batch()
	if err := walk(s, batch, body, json); err != nil {
		c.Total.Discard(batch)
		return refuse(&wire.Refusal{Status: http.StatusBadRequest, Message: err.Error()}, json)
	}
	answer := wire.Answer{Status: http.StatusOK, Spans: batch.Spans, Rejected: batch.Rejected}
	by := overProtobuf
	if json {
		by = overJSON
		answer.Type, answer.Body = typeJSON, answerJSON(s, batch)
	} else {
		answer.Type, answer.Body = typeProtobuf, answerProtobuf(batch)
	}
	if copied {
		c.Total.Discard(batch)
		return answer
	}
	c.Total.Merge(batch, by, size)
	return answer
}

func walk(s *signal, batch *tally.Batch, body []byte, json bool) error {
	if json {
		return s.json(batch, body)
	}
	return s.protobuf(batch, body)
}

// codeOf is the code of a google.rpc.Status beside a status of HTTP.
var codeOf = map[int]codes.Code{
	http.StatusNotFound:              codes.NotFound,
	http.StatusMethodNotAllowed:      codes.Unimplemented,
	http.StatusRequestEntityTooLarge: codes.ResourceExhausted,
	http.StatusRequestTimeout:        codes.DeadlineExceeded,
	http.StatusServiceUnavailable:    codes.Unavailable,
}

func refuse(r *wire.Refusal, json bool) wire.Answer {
	code, ok := codeOf[r.Status]
	if !ok {
		code = codes.InvalidArgument
	}
	answer := wire.Answer{Status: r.Status, Refused: true, Type: typeProtobuf}
	if r.Status == http.StatusMethodNotAllowed {
		answer.Header = map[string]string{"Allow": http.MethodPost}
	}
	answer.Body = statusProtobuf(code, r.Message)
	if json {
		answer.Type, answer.Body = typeJSON, statusJSON(code, r.Message)
	}
	return answer
}
