// Package forward passes the requests of a sink on to a real backend as they came, while
// the sink counts them, and hands the backend's answers back to the senders. How many
// spans the backend accepted goes into the tally. It must not know what the requests
// hold, nor the workload or what was expected.
package forward

// This file reads where requests are passed on to.

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
)

// Target reads the address of a backend: http://host:port or https://host:port, over
// HTTP with a path to be put before those of the requests. Scouter's is host:port.
func Target(name protocol.Name, text string) (*url.URL, error) {
	if row, known := protocol.Of(name); !known || !row.Forward {
		return nil, fmt.Errorf("cannot forward %q; choose one of %s", name, strings.Join(forwarded(), ", "))
	}
	if name == protocol.Scouter {
		return collector(text)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("forwarding %s: %w", name, err)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, fmt.Errorf("forwarding %s: %q is no address; write http://host:port", name, text)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return nil, fmt.Errorf("forwarding %s: %q has more than host, port and path", name, u.Redacted())
	case (name == protocol.OTLPGRPC || name == protocol.SkyWalking) && (strings.Trim(u.Path, "/") != "" || u.Port() == ""):
		return nil, fmt.Errorf("forwarding %s: %q is no address of gRPC; write http://host:port", name, text)
	}
	return u, nil
}

// forwarded are the names of the protocols that can be passed on.
func forwarded() []string {
	var names []string
	for _, r := range protocol.Table {
		if r.Forward {
			names = append(names, string(r.Name))
		}
	}
	return names
}

// collector reads the address of a Scouter server.
func collector(text string) (*url.URL, error) {
	host, port, err := net.SplitHostPort(text)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || host == "" || strings.Contains(text, "/") {
		return nil, fmt.Errorf("forwarding %s: %q is no address of a Scouter server; write host:port, without http://", protocol.Scouter, text)
	}
	return &url.URL{Host: text}, nil
}

// This file lets two read one body.

// tee copies to a pipe what is read from a body. The backend's side and the handler
// may both read from it.
type tee struct {
	mu            sync.Mutex
	from          io.Reader
	to            *io.PipeWriter
	waits, goesOn func() // called before the sender is waited for, and when something of it, or its end, has come
	err           error  // how the body ended
}

// Read reads from the body. Nobody need read the copy.
func (t *tee) Read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return 0, t.err
	}
	t.waits()
	n, err := t.from.Read(p)
	t.goesOn()
	if n > 0 {
		_, _ = t.to.Write(p[:n]) // an error says that nobody reads the copy any more
	}
	if err != nil {
		t.err = err
		_ = t.to.CloseWithError(err) // never fails
	}
	return n, err
}

// Close leaves the body open: what the backend does not want is still to be counted.
func (*tee) Close() error { return nil }

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
	if x.answer.Refused != nil {
		h.intake.Total.Refuse(x.answer.Refused.Why())
	} else {
		h.intake.Linger(ctx)
	}
	return x.answer
}

// rest reads what the backend has left of the body, so it is counted, and returns
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

// This file passes on what comes over gRPC.

// GRPC passes messages on to a backend.
type GRPC struct{ conn *grpc.ClientConn }

// Dial returns what passes messages on to target, with TLS if its scheme is https. The
// connection is made when the first message is passed on.
func Dial(target *url.URL) (*GRPC, error) {
	security := insecure.NewCredentials()
	if target.Scheme == "https" {
		security = credentials.NewTLS(nil)
	}
	conn, err := grpc.NewClient("passthrough:///"+target.Host, grpc.WithTransportCredentials(security),
		grpc.WithNoProxy(), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(wire.RawCodec{})))
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", target, err)
	}
	return &GRPC{conn}, nil
}

// Close ends the connection.
func (g *GRPC) Close() error { return g.conn.Close() }

// Pass sends a message that came for method, with the metadata that it came with, and
// returns the backend's answer, or its status as an error. The message is copied: of a call that is given up gRPC may still
// write it.
func (g *GRPC) Pass(ctx context.Context, method string, m *wire.Message) ([]byte, error) {
	var options []grpc.CallOption
	if m.Compressed {
		options = append(options, grpc.UseCompressor(compressor(ctx)))
	}
	answer := wire.Message{Pool: m.Pool}
	defer answer.Free()
	if err := g.conn.Invoke(passedOn(ctx), method, &wire.Message{Out: bytes.Clone(m.Body())}, &answer, options...); err != nil {
		return nil, err
	}
	return append([]byte(nil), answer.Body()...), nil
}

// compressor is the name of what the call's messages are compressed with.
func compressor(ctx context.Context) string {
	if call, ok := grpc.ServerTransportStreamFromContext(ctx).(interface{ RecvCompress() string }); ok {
		return call.RecvCompress()
	}
	return gzip.Name
}

// Open begins a call whose messages are passed on one by one, with the metadata of ctx. It
// ends with ctx.
func (g *GRPC) Open(ctx context.Context, method string) (*Stream, error) {
	stream, err := g.conn.NewStream(passedOn(ctx), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, method)
	if err != nil {
		return nil, err
	}
	return &Stream{stream}, nil
}

// Stream is a call that is passed on. One may send while another receives.
type Stream struct{ stream grpc.ClientStream }

// Send passes a message on, which is copied. It returns io.EOF where the backend has ended the
// call; Receive says how.
func (s *Stream) Send(body []byte) error {
	return s.stream.SendMsg(&wire.Message{Out: bytes.Clone(body)})
}

// End says that no message follows.
func (s *Stream) End() error { return s.stream.CloseSend() }

// Receive takes the backend's next message; io.EOF where it has ended the call with OK, and
// otherwise its status as an error.
func (s *Stream) Receive(m *wire.Message) error { return s.stream.RecvMsg(m) }

// passedOn has the metadata that a request came with go out with another one, without
// those that gRPC writes itself.
func passedOn(ctx context.Context) context.Context {
	in, ok := metadata.FromIncomingContext(ctx)
	if !ok {
		return ctx
	}
	out := in.Copy()
	for name := range out {
		if strings.HasPrefix(name, ":") || strings.HasPrefix(name, "grpc-") || name == "content-type" || name == "user-agent" {
			delete(out, name)
		}
	}
	return metadata.NewOutgoingContext(ctx, out)
}
