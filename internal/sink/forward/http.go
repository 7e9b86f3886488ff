// Package forward passes the requests of a sink on to a real backend as they came, while
// the sink counts them, and hands the backend's answers back to the senders. How many
// spans the backend accepted goes into the tally. It must not know what the requests
// hold, nor the workload or what was expected.
package forward

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/tracetax/tracetax/internal/sink/wire"
)

// idleConnections is how many connections to the backend are kept open: more than
// senders have requests under way.
const idleConnections = 256

// maxAnswer bounds what is looked at of a backend's answer, in bytes.
const maxAnswer = 1 << 20

// judge is a counter that can tell from a backend's answer how many spans it accepted,
// where a status between 200 and 299 does not mean that it took all of them, or 400 that it
// took none.
type judge interface {
	Accepted(answer *http.Response, body []byte, counted wire.Answer) uint64
}

// HTTP returns a handler that passes requests on to target, whose path is put before
// theirs, while counter counts them.
func HTTP(in *wire.Intake, counter wire.Counter, target *url.URL) http.Handler {
	h := &handler{intake: in, counter: counter}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.DisableCompression = true // answers go back as they come
	transport.MaxIdleConnsPerHost = idleConnections
	h.proxy = httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding") // a judge reads the answer
		},
		ModifyResponse: h.answered,
		ErrorHandler:   h.unreached,
	}
	return h
}

type handler struct {
	intake  *wire.Intake
	counter wire.Counter
	proxy   httputil.ReverseProxy
}

// exchange is a request that is passed on and counted at the same time.
type exchange struct {
	body    *tee
	counted chan wire.Answer

	finished bool // which the goroutine of the request alone knows
	answer   wire.Answer
}

type exchangeKey struct{}

// ServeHTTP passes a request on.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.counter.Work(r) {
		h.intake.Total.Arrived()
		defer h.intake.Total.Finished()
	}
	r = wire.Controlled(w, r)
	copied, into := io.Pipe()
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	limit := h.intake.Limits.Request
	stuck := time.AfterFunc(limit, func() { // a backend that neither reads nor answers would hold the request for ever
		_ = h.intake.Extend(r.Context()) // what it has not read is still to be counted; an error is one of the connection
		stop()
	})
	defer stuck.Stop()
	x := &exchange{
		body:    &tee{from: r.Body, to: into, waits: func() { stuck.Stop() }, goesOn: func() { stuck.Reset(limit) }},
		counted: make(chan wire.Answer, 1),
	}
	counting := r.WithContext(r.Context())
	counting.Body = copied
	go func() {
		answer := h.counter.Count(counting)
		_ = copied.Close() // never fails; what is left of the body goes to the backend alone
		x.counted <- answer
	}()
	passed := r.WithContext(context.WithValue(ctx, exchangeKey{}, x))
	passed.Body = x.body
	h.proxy.ServeHTTP(w, passed)
}

// answered counts what the backend's answer means, before it goes back to the sender.
func (h *handler) answered(answer *http.Response) error {
	counted := h.finish(answer.Request.Context())
	accepted := counted.Spans
	good := answer.StatusCode >= 200 && answer.StatusCode <= 299
	if j, ok := h.counter.(judge); ok && counted.Spans > 0 && (good || answer.StatusCode == http.StatusBadRequest) {
		body, err := peek(answer)
		if err != nil {
			return err // which unreached hears of, and counts
		}
		accepted = j.Accepted(answer, body, counted)
	} else if !good {
		accepted = 0
	}
	h.intake.Total.Passed(accepted, counted.Spans-accepted)
	return nil
}

// unreached answers a request that got no answer from the backend, or not a whole one where that matters.
func (h *handler) unreached(w http.ResponseWriter, r *http.Request, err error) {
	counted := h.finish(r.Context())
	h.intake.Total.Passed(0, counted.Spans)
	answer := wire.Answer{Status: http.StatusBadGateway, Body: fmt.Appendf(nil, "passing the request on: %v\n", err)}
	answer.Write(w)
}

// finish waits until a request is counted, and for as long as answers are to be late; once.
func (h *handler) finish(ctx context.Context) wire.Answer {
	x, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		return wire.Answer{}
	}
	if x.finished {
		return x.answer
	}
	x.finished, x.answer = true, x.rest()
	if x.answer.Refused {
		h.intake.Total.Refuse()
	} else {
		h.intake.Linger(ctx)
	}
	return x.answer
}

// rest reads what the backend has left of the body, so that it is counted, and returns
// how it was counted.
func (x *exchange) rest() wire.Answer {
	buffer := make([]byte, 32<<10)
	for {
		select {
		case counted := <-x.counted:
			return counted
		default:
		}
		if _, err := x.body.Read(buffer); err != nil {
			return <-x.counted
		}
	}
}

// peek reads an answer's body, and puts it back.
func peek(answer *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading the backend's answer: %w", err)
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), answer.Body), answer.Body}
	return body, nil
}
