// Package wire owns what receivers share between a socket and a tally: connections, the limits,
// whose turn it is to be read, bodies and their decompression, answers, and the
// walking of JSON and protobuf where they lie. It must not know any protocol, nor
// the workload or what was expected.
package wire

// This file is what receivers over HTTP share: the server with its time-outs, the
// reading of a body, and answers.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

const (
	// MaxHeader bounds a request's header, in bytes.
	MaxHeader = 64 << 10

	// idleConnection is how long a connection may wait for its next request:
	// longer than any exporter's interval, so none has to connect again.
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

	Refused *Refusal // why the request was refused whole; nil: it was not
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
		answer := c.Count(controlled(w, r))
		if answer.Refused != nil {
			in.Total.Refuse(answer.Refused.Why())
		} else {
			in.Linger(r.Context())
		}
		answer.Write(w)
	})
}

type controllerKey struct{}

// controlled returns the request with what Extend needs in its context.
func controlled(w http.ResponseWriter, r *http.Request) *http.Request {
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

// Refusal is the reason why a whole request was refused.
type Refusal struct {
	Status  int // of HTTP
	Message string
}

// Why is the refusal in the words that the sender gets.
func (r *Refusal) Why() string {
	return fmt.Sprintf("%d %s: %s", r.Status, http.StatusText(r.Status), r.Message)
}

// Answer writes it in plain text.
func (r *Refusal) Answer() Answer {
	return Answer{Status: r.Status, Body: []byte(r.Message + "\n"), Refused: r}
}

// Receive reads the body of a request, when its turn comes, and has it used: body is
// decoded and valid during the call, wire is its size as it came over the wire.
func (in *Intake) Receive(r *http.Request, use func(body []byte, wire int64) Answer) (Answer, *Refusal) {
	encoding := Encoding(r)
	if unknown := UnknownEncoding(encoding); unknown != nil {
		return Answer{}, unknown
	}
	if r.ContentLength > in.Limits.Body {
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

// Unread returns the refusal of a body that could not be read.
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

// Limits bound what a sender can make a receiver hold, and for how long.
type Limits struct {
	Body     int64         // bytes of one body, compressed and decompressed each
	Requests int           // bodies that may be read at a time; others wait
	Header   time.Duration // time for a connection's handshake or a request's header
	Request  time.Duration // time for a whole request
}

// Intake is what receivers of requests share: where they count, their limits, and the
// turns in which bodies are read. It is safe for concurrent use.
type Intake struct {
	Total  *tally.Total
	Limits Limits
	Bodies Bodies
	Keep   func(body []byte, json bool, spans uint64) // gets a copy of each OTLP request with spans; nil: nobody keeps them

	late   time.Duration // waited before each answer
	places chan struct{} // one for each body that may be read at a time
}

// Busy is the refusal for which the sender is not at fault.
const Busy = "the sink is busy with other requests; send again"

// NewIntake returns an intake. Its receivers count into the given total, and answer each request
// that they have accepted so late.
func NewIntake(total *tally.Total, limits Limits, late time.Duration) *Intake {
	limits.Request += late // so what was read in time can be answered
	return &Intake{Total: total, Limits: limits, late: late, places: make(chan struct{}, limits.Requests)}
}

// Enter waits for the turn to read a body; false if the request ended before.
func (in *Intake) Enter(ctx context.Context) bool {
	select {
	case in.places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// Leave ends the turn that Enter began.
func (in *Intake) Leave() { <-in.places }

// Linger makes an answer late. It ends early if the request does, as it does when
// the sender gives it up.
func (in *Intake) Linger(ctx context.Context) { Linger(ctx, in.late) }

// Linger waits so long, or until the request ends.
func Linger(ctx context.Context, late time.Duration) {
	if late == 0 {
		return
	}
	timer := time.NewTimer(late)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// This file reads ids that are written in hexadecimal digits.

// Hex decodes hexadecimal digits of either case into the end of room, with zeros
// before them: an id is a number, and leading zeros may be missing. false if there
// are none, more than room has place for, or anything else among them.
func Hex(room, digits []byte) bool {
	if len(digits) == 0 || len(digits) > 2*len(room) {
		return false
	}
	clear(room)
	at := 2*len(room) - len(digits)
	for _, c := range digits {
		v := hexValues[c]
		if v > 15 {
			return false
		}
		room[at/2] |= v << (4 * (1 - at%2))
		at++
	}
	return true
}

// hexValues are the values of hexadecimal digits, and 255 for other bytes.
var hexValues = func() (values [256]byte) {
	for i := range values {
		values[i] = 255
	}
	for i, c := range []byte("0123456789abcdef") {
		values[c] = byte(i)
	}
	for i, c := range []byte("ABCDEF") {
		values[c] = byte(10 + i)
	}
	return values
}()
