// This file serves OTLP over HTTP.
package otlp

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"time"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"google.golang.org/grpc/codes"
)

const (
	typeProtobuf = "application/x-protobuf"
	typeJSON     = "application/json"

	// idleConnection is how long a connection may wait for its next request:
	// longer than any exporter's interval, so that none has to connect anew.
	idleConnection = 10 * time.Minute
)

// HTTP returns a server for the OTLP paths, to be served and closed by the caller.
func (r *Receiver) HTTP() *http.Server {
	handler := httpHandler{Receiver: r, signals: make(map[string]*signal)}
	for i := range signals {
		handler.signals[signals[i].path()] = &signals[i]
	}
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: r.limits.Header,
		ReadTimeout:       r.limits.Request,
		WriteTimeout:      2 * r.limits.Request,
		IdleTimeout:       idleConnection,
		MaxHeaderBytes:    maxHeader,
	}
}

type httpHandler struct {
	*Receiver
	signals map[string]*signal // by path
}

// refusal is the answer to a request that is refused whole.
type refusal struct {
	status  int
	code    codes.Code
	message string
}

func (h httpHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.total.Arrived()
	defer h.total.Finished()
	json, typed := contentType(r)
	answer, refused := h.export(r, json, typed)
	if refused != nil {
		h.total.Refuse()
		refuse(w, refused, json || !typed)
		return
	}
	h.linger(r.Context())
	write(w, http.StatusOK, answer, json)
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

// export receives and counts one request, and returns the answer's body.
func (h httpHandler) export(r *http.Request, json, typed bool) ([]byte, *refusal) {
	s, refused := h.check(r, typed)
	if refused != nil {
		return nil, refused
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.limits.Request)
	defer cancel()
	if !h.enter(ctx) {
		return nil, &refusal{http.StatusServiceUnavailable, codes.Unavailable, busy}
	}
	defer h.leave()
	buffer := h.bodies.buffer()
	defer h.bodies.release(buffer)
	wire := &meter{from: r.Body, limit: h.limits.Body}
	if err := h.read(buffer, wire, r); err != nil {
		return nil, h.unread(err)
	}
	return h.count(s, *buffer, wire.read, json)
}

// check looks at everything but the body.
func (h httpHandler) check(r *http.Request, typed bool) (*signal, *refusal) {
	s := h.signals[r.URL.Path]
	switch {
	case s == nil:
		return nil, &refusal{http.StatusNotFound, codes.NotFound, "no such path; send to /v1/traces, /v1/metrics or /v1/logs"}
	case r.Method != http.MethodPost:
		return nil, &refusal{http.StatusMethodNotAllowed, codes.Unimplemented, "send with POST"}
	case !typed:
		return nil, &refusal{http.StatusUnsupportedMediaType, codes.InvalidArgument, "content-type must be " + typeProtobuf + " or " + typeJSON}
	case r.ContentLength > h.limits.Body:
		return nil, h.unread(errTooLarge)
	}
	switch r.Header.Get("Content-Encoding") {
	case "", "identity", "gzip":
		return s, nil
	}
	return nil, &refusal{http.StatusUnsupportedMediaType, codes.InvalidArgument, "content-encoding must be gzip or identity"}
}

func (h httpHandler) read(buffer *[]byte, wire *meter, r *http.Request) error {
	if r.Header.Get("Content-Encoding") == "gzip" {
		return h.bodies.unzip(buffer, wire, h.limits.Body)
	}
	return readAll(buffer, wire, r.ContentLength)
}

// unread says why a body could not be had.
func (h httpHandler) unread(err error) *refusal {
	var network net.Error
	switch {
	case errors.Is(err, errTooLarge):
		return &refusal{http.StatusRequestEntityTooLarge, codes.ResourceExhausted, fmt.Sprintf("body is over %d bytes", h.limits.Body)}
	case errors.As(err, &network) && network.Timeout():
		return &refusal{http.StatusRequestTimeout, codes.DeadlineExceeded, fmt.Sprintf("the request was not complete after %v", h.limits.Request)}
	}
	return &refusal{http.StatusBadRequest, codes.InvalidArgument, "reading the body: " + err.Error()}
}

// count walks a body and merges what it holds.
func (h httpHandler) count(s *signal, body []byte, wire int64, json bool) ([]byte, *refusal) {
	batch := h.total.Batch()
	if err := walk(s, batch, body, json); err != nil {
		h.total.Discard(batch)
		return nil, &refusal{http.StatusBadRequest, codes.InvalidArgument, err.Error()}
	}
	answer, protocol := answerProtobuf(batch), overProtobuf
	if json {
		answer, protocol = answerJSON(s, batch), overJSON
	}
	h.total.Merge(batch, protocol, wire)
	return answer, nil
}

func walk(s *signal, batch *tally.Batch, body []byte, json bool) error {
	if json {
		return s.json(batch, body)
	}
	return s.protobuf(batch, body)
}

func refuse(w http.ResponseWriter, r *refusal, json bool) {
	switch r.status {
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	case http.StatusRequestEntityTooLarge, http.StatusRequestTimeout:
		w.Header().Set("Connection", "close") // the rest of the body is not read
	}
	body := statusProtobuf(r.code, r.message)
	if json {
		body = statusJSON(r.code, r.message)
	}
	write(w, r.status, body, json)
}

func write(w http.ResponseWriter, status int, body []byte, json bool) {
	t := typeProtobuf
	if json {
		t = typeJSON
	}
	w.Header().Set("Content-Type", t)
	w.WriteHeader(status)
	// An error here means that the sender has gone; nobody is left to be told.
	_, _ = w.Write(body)
}
