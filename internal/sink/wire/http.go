// This file is what receivers over HTTP share: the server with its time-outs, the
// reading of a body, and answers.

package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

const (
	// MaxHeader bounds a request's header, in bytes.
	MaxHeader = 64 << 10

	// idleConnection is how long a connection may wait for its next request:
	// longer than any exporter's interval, so that none has to connect again.
	idleConnection = 10 * time.Minute
)

// Counter counts the requests of a protocol over HTTP.
type Counter interface {
	// Count reads and counts one request, and returns its answer.
	Count(r *http.Request) Answer
	// Work reports whether the sink has work under way as long as the request lasts; a
	// poll for settings is none.
	Work(r *http.Request) bool
}

// Answer is an answer over HTTP.
type Answer struct {
	Status int
	Header map[string]string // beside the content type
	Type   string            // content type; "" is plain text
	Body   []byte

	Spans    uint64 // spans that were counted of the request
	Rejected uint64 // spans of it that were refused as invalid
	Refused  bool   // whether the request was refused whole
	Events   uint64 // that were valid, spans among them, where a protocol counts them
}

// HTTP returns a server for a handler, to be served and closed by the caller.
func (in *Intake) HTTP(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: in.Limits.Header,
		ReadTimeout:       in.Limits.Request,
		WriteTimeout:      2 * in.Limits.Request,
		IdleTimeout:       idleConnection,
		MaxHeaderBytes:    MaxHeader,
	}
}

// Handler returns a handler that has requests counted and answers them.
func (in *Intake) Handler(c Counter) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.Work(r) {
			in.Total.Arrived()
			defer in.Total.Finished()
		}
		answer := c.Count(Controlled(w, r))
		if answer.Refused {
			in.Total.Refuse()
		} else {
			in.Linger(r.Context())
		}
		answer.Write(w)
	})
}

type controllerKey struct{}

// Controlled returns the request with what Extend needs in its context.
func Controlled(w http.ResponseWriter, r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), controllerKey{}, http.NewResponseController(w)))
}

// Extend gives a request whose handler has that context the time for a whole request
// once more: one that streams may last longer, as long as something comes.
func (in *Intake) Extend(ctx context.Context) error {
	controller, ok := ctx.Value(controllerKey{}).(*http.ResponseController)
	if !ok {
		return nil
	}
	now := time.Now()
	return errors.Join(controller.SetReadDeadline(now.Add(in.Limits.Request)), controller.SetWriteDeadline(now.Add(2*in.Limits.Request)))
}

// Write answers a request.
func (a *Answer) Write(w http.ResponseWriter) {
	header := w.Header()
	switch a.Status {
	case http.StatusServiceUnavailable:
		header.Set("Retry-After", "1")
	case http.StatusRequestEntityTooLarge, http.StatusRequestTimeout:
		header.Set("Connection", "close") // the rest of the body is not read
	}
	for name, value := range a.Header {
		header.Set(name, value)
	}
	if a.Type != "" {
		header.Set("Content-Type", a.Type)
	}
	w.WriteHeader(a.Status)
	// An error here means that the sender has gone; nobody is left to be told.
	_, _ = w.Write(a.Body)
}

// Refusal is why a request was refused whole.
type Refusal struct {
	Status  int // of HTTP
	Message string
}

// Answer tells it in plain text.
func (r *Refusal) Answer() Answer {
	return Answer{Status: r.Status, Body: []byte(r.Message + "\n"), Refused: true}
}

// Receive reads the body of a request, when its turn comes, and has it used: body is
// decoded and valid during the call, wire is its size as it came over the wire.
func (in *Intake) Receive(r *http.Request, use func(body []byte, wire int64) Answer) (Answer, *Refusal) {
	encoding := Encoding(r)
	switch {
	case !KnownEncoding(encoding):
		return Answer{}, &Refusal{http.StatusUnsupportedMediaType, "content-encoding must be gzip, deflate or identity"}
	case r.ContentLength > in.Limits.Body:
		return Answer{}, in.Unread(ErrTooLarge)
	}
	ctx, cancel := context.WithTimeout(r.Context(), in.Limits.Request)
	defer cancel()
	if !in.Enter(ctx) {
		return Answer{}, &Refusal{http.StatusServiceUnavailable, Busy}
	}
	defer in.Leave()
	buffer := in.Bodies.Buffer()
	defer in.Bodies.Release(buffer)
	wire := &Meter{From: r.Body, Limit: in.Limits.Body}
	if err := in.Bodies.read(buffer, wire, encoding, r.ContentLength); err != nil {
		return Answer{}, in.Unread(err)
	}
	return use(*buffer, wire.Bytes), nil
}

// Unread says why a body could not be had.
func (in *Intake) Unread(err error) *Refusal {
	var network net.Error
	switch {
	case errors.Is(err, ErrTooLarge):
		return &Refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("body is over %d bytes", in.Limits.Body)}
	case errors.As(err, &network) && network.Timeout():
		return &Refusal{http.StatusRequestTimeout, fmt.Sprintf("the request was not complete after %v", in.Limits.Request)}
	}
	return &Refusal{http.StatusBadRequest, "reading the body: " + err.Error()}
}
