package engine

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"golang.org/x/net/http2"
	"google.golang.org/grpc"
)

func TestReplies(t *testing.T) {
	const format = "application/grpc+proto"
	for name, c := range map[string]struct {
		status        int
		content, body string
		header, told  string // grpc-status, in the header and in the trailer
		kind          string
		bytes         uint64
	}{
		"as it should be":              {200, format, "\x00\x00\x00\x00\x02ab", "", "0", "", 2},
		"an empty message":             {200, format, "\x00\x00\x00\x00\x00", "", "0", "", 0},
		"trailers only":                {200, format, "", "5", "", "grpc: NOT_FOUND", 0},
		"no message":                   {200, format, "", "0", "", "bad response: not one message", 0},
		"two messages":                 {200, format, "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01x", "", "0", "bad response: not one message", 1},
		"cut short":                    {200, format, "\x00\x00\x00\x00\x02a", "", "0", "bad response: message cut short", 2},
		"cut short in its length":      {200, format, "\x00\x00", "", "0", "bad response: message cut short", 0},
		"an error, and half a message": {200, format, "\x00\x00\x00\x00\x02a", "", "13", "grpc: INTERNAL", 2},
		"compressed":                   {200, format, "\x01\x00\x00\x00\x00", "", "0", "bad response: message compressed unasked", 0},
		"no status":                    {200, format, "\x00\x00\x00\x00\x00", "", "", "bad response: no grpc-status", 0},
		"a status that is no number":   {200, format, "\x00\x00\x00\x00\x00", "", "x", "bad response: grpc-status", 0},
		"not found by a proxy":         {404, "", "", "", "", "grpc: HTTP status 404", 0},
		"a web page":                   {200, "text/html", "<html>", "", "", "bad response: not gRPC", 0},
	} {
		answer := &http.Response{StatusCode: c.status, Header: http.Header{}, Trailer: http.Header{}}
		answer.Body = io.NopCloser(strings.NewReader(c.body))
		for in, value := range map[*http.Header]string{&answer.Header: c.header, &answer.Trailer: c.told} {
			if value != "" {
				in.Set("Grpc-Status", value)
			}
		}
		answer.Header.Set("Content-Type", c.content)
		if n, kind, err := readReply(answer); n != c.bytes || kind != c.kind || err != nil {
			t.Errorf("%s: %d bytes, %q, %v; want %d, %q", name, n, kind, err, c.bytes, c.kind)
		}
	}
}

// Whatever a server of HTTP/2 does after its greeting, every call is accounted for, and no connection is used after it.
func TestServersThatBreakTheRules(t *testing.T) {
	const broken = "bad response: not understood as HTTP/2"
	for name, c := range map[string]struct {
		write func(w *http2.Framer, id uint32) error
		kind  string
	}{
		"a continuation":      {func(w *http2.Framer, id uint32) error { return w.WriteContinuation(id, true, nil) }, broken},
		"a window of nothing": {func(w *http2.Framer, _ uint32) error { return w.WriteWindowUpdate(0, 0) }, broken},
		"a reset without sense": {func(w *http2.Framer, id uint32) error {
			return w.WriteRSTStream(id, 77)
		}, "grpc: stream reset: unknown error"},
		"a call that is reset": {func(w *http2.Framer, id uint32) error {
			return w.WriteRSTStream(id, http2.ErrCodeEnhanceYourCalm)
		}, "grpc: stream reset: ENHANCE_YOUR_CALM"},
	} {
		address := rawServer(t, func(_ int, conn net.Conn, r *bufio.Reader) {
			if _, err := io.ReadFull(r, make([]byte, len(http2.ClientPreface))); err != nil {
				return
			}
			framer := http2.NewFramer(conn, r)
			framer.AllowIllegalWrites = true
			for err := framer.WriteSettings(); err == nil; {
				var frame http2.Frame
				if frame, err = framer.ReadFrame(); err != nil {
					return
				}
				if data, is := frame.(*http2.DataFrame); is && data.StreamEnded() {
					err = c.write(framer, data.StreamID)
				}
			}
		})
		calls := []load.Request{say(t, address, 1)}
		l := do(t, newTestGenerator(t), load.Task{Operations: calls, Connections: 1, Count: 4, Timeout: 10 * time.Second})
		if l.Errors[c.kind] != 4 {
			t.Errorf("%s: %d completed, %d timed out, errors %v, want %q", name, l.Completed, l.TimedOut, l.Errors, c.kind)
		}
	}
}

// Calls that a server says it has not looked at, or whose connection it gives up before them, are made on another one.
func TestCallsNotLookedAt(t *testing.T) {
	for _, atOnce := range []bool{false, true} {
		address := rawServer(t, func(n int, conn net.Conn, r *bufio.Reader) {
			if _, err := io.ReadFull(r, make([]byte, len(http2.ClientPreface))); err != nil {
				return
			}
			framer := http2.NewFramer(conn, r)
			err := framer.WriteSettings()
			if n == 0 && atOnce {
				err = framer.WriteGoAway(0, http2.ErrCodeNo, nil)
			}
			for err == nil {
				var frame http2.Frame
				if frame, err = framer.ReadFrame(); err != nil {
					return
				}
				switch data, is := frame.(*http2.DataFrame); {
				case !is || !data.StreamEnded():
				case n == 0:
					err = framer.WriteGoAway(0, http2.ErrCodeNo, nil)
				default:
					err = answerCall(framer, data.StreamID)
				}
			}
		})
		calls := []load.Request{say(t, address, 1)}
		l := do(t, newTestGenerator(t), load.Task{Operations: calls, Connections: 1, Streams: 3, Count: 3, Timeout: 10 * time.Second})
		if l.Completed != 3 || l.Resent == 0 && !atOnce || l.Connected != 2 {
			t.Errorf("at once %t: %d of 3 completed over %d connections, %d sent twice, errors %v",
				atOnce, l.Completed, l.Connected, l.Resent, l.Errors)
		}
	}
}

// Calls beyond a server's limit wait for the connection that they have.
func TestLimitOfStreamsOpensNoConnection(t *testing.T) {
	address, _ := grpcServer(t, echo, grpc.MaxConcurrentStreams(3))
	l := do(t, newTestGenerator(t), load.Task{Operations: []load.Request{say(t, address, 1)}, Connections: 2, Streams: 50, Count: 500})
	if l.Completed != 500 || l.Connected > 2 {
		t.Errorf("%d of 500 completed over %d connections, errors %v", l.Completed, l.Connected, l.Errors)
	}
}
