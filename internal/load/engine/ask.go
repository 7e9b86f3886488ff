// An operation of the engine over net/http: its requests, and the reading of their answers.

package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"

	"github.com/tracetax/tracetax/internal/load/feed"
	"golang.org/x/net/http2"
)

// outcome is the result of one operation.
type outcome struct {
	walk
	status    int
	kind      string // the fault of the answer; "" if it is right
	err       error
	sent      atomic.Uint64 // requests that went out
	resent    uint64
	redirects []string // targets of redirects
}

// attempt makes the steps of an operation.
func (o *outcome) attempt(ctx context.Context, k *link, nth uint64) {
	for {
		var answer feed.Tape
		answer, o.err = o.ask(ctx, k, nth)
		if o.err != nil || o.kind != "" || o.step().then == nil {
			return
		}
		if o.kind = o.advance(&answer); o.kind != "" {
			return
		}
	}
}

// ask sends the request of a step, and returns the kept part of the answer.
func (o *outcome) ask(ctx context.Context, k *link, nth uint64) (feed.Tape, error) {
	wire, _ := o.bytes(o.step().turn(nth, k.number), nil)
	again := false // it was sent again after its connection had ended
	for {
		conn, err := k.connect(ctx)
		if err != nil {
			return feed.Tape{}, err
		}
		var touched atomic.Bool // a part of the answer has come
		before := o.sent.Load()
		r, err := k.remote.request(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			WroteHeaders: func() { o.sent.Add(1) }, GotFirstResponseByte: func() { touched.Store(true) },
		}), wire)
		if err != nil {
			return feed.Tape{}, err
		}
		answer, err := conn.RoundTrip(r)
		if err == nil {
			defer answer.Body.Close() // read to its end, or given up
			kept, err := o.read(k, answer)
			conn.used.Store(true)
			return kept, o.reset(err)
		}
		written := o.sent.Load() > before
		unseen := unlooked(err)
		stale := conn.used.Load() && !again && !touched.Load() && (!written || o.step().resend)
		if ctx.Err() != nil || !unseen && !stale {
			return feed.Tape{}, o.reset(k.plainEnd(err, errClosedEarly))
		}
		if !unseen {
			again = true
		}
		if written {
			o.resent++
		}
		if !isStream(err) {
			k.leave(conn)
		}
	}
}

// request turns a request in HTTP/1.1 into one of net/http.
func (r *remote) request(ctx context.Context, wire []byte) (*http.Request, error) {
	out, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(wire)))
	if err != nil {
		return nil, fmt.Errorf("making a request of it: %w", err)
	}
	out = out.WithContext(ctx)
	out.RequestURI, out.URL.Scheme, out.URL.Host = "", "http", r.address
	if r.tls != nil {
		out.URL.Scheme = "https"
	}
	if _, given := out.Header["User-Agent"]; !given {
		out.Header.Set("User-Agent", "") // otherwise net/http adds its own
	}
	if !r.grpc {
		return out, nil
	}
	_, message, _ := bytes.Cut(wire, []byte("\r\n\r\n"))
	body := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	for _, name := range []string{"Connection", "Keep-Alive", "Upgrade"} {
		out.Header.Del(name)
	}
	out.Header.Set("Content-Type", "application/grpc")
	out.Header.Set("Te", "trailers")
	return out, nil
}

// read reads an answer to its end, and returns its kept part.
func (o *outcome) read(k *link, answer *http.Response) (kept feed.Tape, err error) {
	if k.remote.grpc {
		o.body, o.kind, err = readReply(answer)
		return kept, k.plainEnd(err, errCutShort)
	}
	step, limit, shows := o.step(), int64(0), k.by.plan.task.Shows
	if len(step.takes) > 0 {
		var head bytes.Buffer
		fmt.Fprintf(&head, "%s %s\n", answer.Proto, answer.Status)
		_ = answer.Header.Write(&head) // into memory
		kept.Head, limit = bytes.ReplaceAll(head.Bytes(), []byte("\r\n"), []byte("\n")), feed.MaxTape
	}
	read := response{status: answer.StatusCode, fields: fields{location: []byte(answer.Header.Get("Location"))}}
	if kept.Body, err = io.ReadAll(io.LimitReader(answer.Body, limit)); err != nil {
		return kept, k.plainEnd(err, errCutShort)
	}
	begun := kept.Body
	if shows && limit == 0 {
		if begun, err = io.ReadAll(io.LimitReader(answer.Body, mostShown)); err != nil {
			return kept, k.plainEnd(err, errCutShort)
		}
	}
	if shows {
		read.show(begun)
	}
	rest, err := io.Copy(io.Discard, answer.Body)
	switch {
	case err != nil:
		return kept, k.plainEnd(err, errCutShort)
	case limit > 0 && rest > 0:
		return kept, badResponse("too long to take values from it")
	}
	o.status, o.body = answer.StatusCode, o.body+uint64(len(begun))+uint64(rest)
	switch {
	case !step.expects(o.status):
		o.kind = step.says(read.wrong())
	case len(step.status) == 0 && read.redirects():
		o.redirects = append(o.redirects, read.told())
	}
	if told := strings.Join(answer.Header.Values("Server-Timing"), ","); o.kind == "" && len(told) < longestTimings {
		o.timing = append(append(o.timing, told...), ',')
	}
	return kept, nil
}

// reset returns err, except for a stream that the server has reset: that is a fault of the answer.
func (o *outcome) reset(err error) error {
	var stream http2.StreamError
	if !errors.As(err, &stream) {
		return err
	}
	o.kind = "grpc: stream reset: " + resetName(stream.Code)
	return nil
}

// resetName limits the kinds of failure, whatever a server sends.
func resetName(code http2.ErrCode) string {
	if code > http2.ErrCodeHTTP11Required {
		return "unknown error"
	}
	return code.String()
}

func isStream(err error) bool {
	var stream http2.StreamError
	return errors.As(err, &stream)
}

// unlooked reports whether the server did not look at a call, by its own report, or the connection could take no more. net/http
// has no other names for it.
func unlooked(err error) bool {
	var stream http2.StreamError
	if errors.As(err, &stream) {
		return stream.Code == http2.ErrCodeRefusedStream
	}
	text := err.Error()
	return strings.HasSuffix(text, "graceful shutdown GOAWAY") || strings.HasSuffix(text, "client conn not usable")
}

// Answers that net/http cannot read: HTTP/2 in the place of HTTP/1.1, or a violation of either.
const (
	errNotUnderstood = badResponse("not understood as HTTP/1.1")
	errBroken        = badResponse("not understood as HTTP/2")
	errNotHTTP2      = badResponse("not HTTP/2") // from its first bytes on
)

// plainEnd returns err in this package's words; end is the error for the end of the connection.
func (k *link) plainEnd(err, end error) error {
	switch {
	case err == nil, isStream(err):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return end
	case kindOf(err) == "other" && !isTimeout(err) && k.remote.grpc:
		return errBroken
	case kindOf(err) == "other" && !isTimeout(err):
		return errNotUnderstood
	}
	return err
}
