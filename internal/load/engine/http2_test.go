//go:build linux

// The HTTP/2 session against whatever a server may send.

package engine

import (
	"bytes"
	"maps"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"golang.org/x/sys/unix"
)

// scene is a loop with some calls under way on one connection, to nobody.
type scene struct {
	loop *loop
	conn *conn
	peer int
}

func newScene(t testing.TB, calls int) *scene {
	t.Helper()
	l, err := newLoop(&progress{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.shut)
	op := load.Request{Address: "127.0.0.1:1", GRPC: true, Path: "/a.B/C", Body: []byte("message")}
	p, err := planned(t.Context(), load.Task{Operations: []load.Request{op}, Count: uint64(calls), Streams: calls})
	if err != nil {
		t.Fatal(err)
	}
	l.shown.grow(1)
	l.prepare(p, 0, time.Now())
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := l.take(fds[0])
	c.server, c.up = l.targets[0], true
	c.session = l.newSession(c)
	t.Cleanup(func() { _ = unix.Close(fds[1]) })
	for range calls {
		k := l.newCall()
		k.op, k.deadline = &p.ops[0], time.Hour
		l.tally.due(0)
		l.tally.late(0)
		l.busy.add(k)
		l.assign(c, k)
	}
	l.greet(c)
	s := &scene{l, c, fds[1]}
	s.give(appendFrame(nil, http2.FrameSettings, 0, 0, 0), frameHeader) // the server's greeting: the calls begin
	return s
}

// give feeds b in pieces of n bytes, as far as the connection lasts.
func (s *scene) give(b []byte, n int) {
	for age := s.conn.age; len(b) > 0 && s.conn.is(age); b = b[min(n, len(b)):] {
		s.loop.took(s.conn, b[:min(n, len(b))], false)
		s.loop.flush()
	}
}

// end gives up what is left, and checks that every call is accounted for.
func (s *scene) end(t *testing.T) *tally {
	t.Helper()
	s.loop.abandon()
	y := s.loop.tally
	if y.intended != y.completed+y.failed+y.timedOut || y.started > y.intended {
		t.Fatalf("of %d calls %d completed, %d failed, %d timed out; %d started", y.intended, y.completed, y.failed, y.timedOut, y.started)
	}
	return y
}

// answers is what a good server sends to so many calls.
func answers(t testing.TB, calls int) []byte {
	t.Helper()
	var b, block bytes.Buffer
	w := http2.NewFramer(&b, nil)
	e := hpack.NewEncoder(&block)
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	fields := func(id uint32, end bool, fs ...string) {
		block.Reset()
		for i := 0; i < len(fs); i += 2 {
			must(e.WriteField(hpack.HeaderField{Name: fs[i], Value: fs[i+1]}))
		}
		must(w.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: end}))
	}
	for i := range calls {
		id := uint32(2*i + 1)
		fields(id, false, ":status", "200", "content-type", "application/grpc")
		must(w.WriteData(id, false, []byte("\x00\x00\x00\x00\x03abc")))
		fields(id, true, "grpc-status", "0", "grpc-message", "")
	}
	return b.Bytes()
}

func TestSessionInPieces(t *testing.T) {
	for _, n := range []int{1, 2, 9, 10, 100, 1 << 20} {
		s := newScene(t, 3)
		s.give(answers(t, 3), n)
		if y := s.end(t); y.completed != 3 || y.started != 3 {
			t.Errorf("in pieces of %d bytes: %d of 3 completed, %d started, errors %v", n, y.completed, y.started, y.errors)
		}
	}
}

// frames writes with x/net's framer.
func frames(t *testing.T, write func(*http2.Framer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	w := http2.NewFramer(&b, nil)
	w.AllowIllegalWrites = true
	if err := write(w); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestServersThatBreakTheRules(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(*http2.Framer) error
		kind  string
	}{
		{"a stream of its own", func(w *http2.Framer) error { return w.WriteData(2, false, []byte("x")) }, "bad response: HTTP/2 stream that was not begun"},
		{"a stream to come", func(w *http2.Framer) error { return w.WriteRSTStream(9, http2.ErrCodeCancel) }, "bad response: HTTP/2 stream that was not begun"},
		{"a promise", func(w *http2.Framer) error {
			return w.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, EndHeaders: true})
		}, "bad response: HTTP/2 push unasked"},
		{"headers that are none", func(w *http2.Framer) error {
			return w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0xff, 0xff, 0xff, 0xff, 0xff}, EndHeaders: true})
		}, "bad response: HTTP/2 header compression"},
		{"headers interrupted", func(w *http2.Framer) error {
			if err := w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x88}}); err != nil {
				return err
			}
			return w.WritePing(false, [8]byte{})
		}, "bad response: HTTP/2 headers interrupted"},
		{"a continuation of nothing", func(w *http2.Framer) error { return w.WriteContinuation(1, true, nil) }, "bad response: HTTP/2 continuation of nothing"},
		{"a window too large", func(w *http2.Framer) error { return w.WriteWindowUpdate(0, 1<<31-1) }, "bad response: HTTP/2 window too large"},
		{"a window of nothing", func(w *http2.Framer) error { return w.WriteWindowUpdate(1, 0) }, "bad response: HTTP/2 window update of nothing"},
		{"frames too long", func(w *http2.Framer) error { return w.WriteData(1, false, make([]byte, 20<<10)) }, "bad response: HTTP/2 frame too long"},
		{"a short ping", func(w *http2.Framer) error { return w.WriteRawFrame(http2.FramePing, 0, 0, []byte("x")) }, "bad response: HTTP/2 frame of a wrong length"},
		{"a frame size that may not be", func(w *http2.Framer) error {
			return w.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1})
		}, "bad response: HTTP/2 setting out of range"},
		{"resets", func(w *http2.Framer) error {
			for id := uint32(1); id < 4; id += 2 {
				if err := w.WriteRSTStream(id, http2.ErrCodeEnhanceYourCalm); err != nil {
					return err
				}
			}
			return nil
		}, "grpc: stream reset: ENHANCE_YOUR_CALM"},
	} {
		s := newScene(t, 2)
		s.give(frames(t, c.write), 100<<10)
		if y := s.end(t); y.errors[c.kind] != 2 {
			t.Errorf("%s: errors %v, want %q", c.name, y.errors, c.kind)
		}
	}
}

// Calls that a server says it has not looked at wait for another connection.
func TestCallsNotLookedAt(t *testing.T) {
	s := newScene(t, 3)
	s.give(frames(t, func(w *http2.Framer) error { return w.WriteGoAway(1, http2.ErrCodeNo, nil) }), 1000)
	if n := s.conn.load; n != 1 || !s.conn.draining || s.loop.tally.resent != 2 {
		t.Errorf("%d calls left on a connection that goes away, draining %t, %d to be sent again; want 1, true, 2", n, s.conn.draining, s.loop.tally.resent)
	}
	again := 0
	for k := s.loop.again.first; k != nil; k = k.after {
		again++
	}
	if again != 2 {
		t.Errorf("%d calls to be made again, want 2", again)
	}
	s.end(t)
}

// FuzzSession: whatever comes, every call is accounted for, and it does not matter
// in which pieces it comes.
func FuzzSession(f *testing.F) {
	good := answers(f, 3)
	f.Add(good, uint8(0))
	f.Add(good[:len(good)/2], uint8(3))
	f.Add(append(bytes.Clone(good[:9]), 0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0), uint8(4))
	f.Fuzz(func(t *testing.T, b []byte, piece uint8) {
		whole, parts := newScene(t, 3), newScene(t, 3)
		whole.give(b, len(b))
		parts.give(b, int(piece)+1)
		a, c := whole.end(t), parts.end(t)
		if a.completed != c.completed || a.failed != c.failed || !maps.Equal(a.errors, c.errors) {
			t.Errorf("at once %d completed, %v; in pieces of %d %d completed, %v", a.completed, a.errors, int(piece)+1, c.completed, c.errors)
		}
	})
}
