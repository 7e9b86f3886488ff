package engine

import (
	"bytes"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

func TestFramesThatAreWritten(t *testing.T) {
	b := appendFrame(nil, http2.FrameSettings, 0, 0, 12)
	b = appendSetting(b, http2.SettingEnablePush, 0)
	b = appendSetting(b, http2.SettingInitialWindowSize, 77)
	b = appendNumber(b, http2.FrameWindowUpdate, 5, 99)
	r := http2.NewFramer(nil, bytes.NewReader(b))
	f, err := r.ReadFrame()
	if err != nil {
		t.Fatal(err)
	}
	settings := f.(*http2.SettingsFrame)
	push, _ := settings.Value(http2.SettingEnablePush)
	window, _ := settings.Value(http2.SettingInitialWindowSize)
	if settings.NumSettings() != 2 || push != 0 || window != 77 {
		t.Errorf("%v", settings)
	}
	if f, err = r.ReadFrame(); err != nil {
		t.Fatal(err)
	}
	if u := f.(*http2.WindowUpdateFrame); u.StreamID != 5 || u.Increment != 99 {
		t.Errorf("%v", u)
	}
}

// FuzzFrames holds the reading of frames against that of golang.org/x/net/http2:
// what that accepts is read alike.
func FuzzFrames(f *testing.F) {
	var b bytes.Buffer
	w := http2.NewFramer(&b, nil)
	must := func(err error) {
		if err != nil {
			f.Fatal(err)
		}
	}
	must(w.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 15}))
	must(w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte("abc"), PadLength: 3, Priority: http2.PriorityParam{StreamDep: 5}}))
	must(w.WriteContinuation(1, true, []byte("de")))
	must(w.WriteDataPadded(1, true, []byte("data"), []byte{0, 0}))
	must(w.WriteGoAway(3, http2.ErrCodeNo, []byte("bye")))
	must(w.WritePing(true, [8]byte{1}))
	must(w.WriteRSTStream(1, http2.ErrCodeCancel))
	f.Add(b.Bytes())
	f.Add([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		theirs := http2.NewFramer(nil, bytes.NewReader(b))
		theirs.SetMaxReadFrameSize(maxFrame)
		theirs.AllowIllegalReads = true
		for {
			want, err := theirs.ReadFrame()
			if err != nil {
				return
			}
			got, n, err := nextFrame(b)
			h := want.Header()
			if err != nil || n != frameHeader+int(h.Length) || got.kind != h.Type || got.flags != h.Flags || got.stream != h.StreamID {
				t.Fatalf("%v, read as %+v, %d bytes: %v", h, got, n, err)
			}
			sameContent(t, want, got)
			b = b[n:]
		}
	})
}

func sameContent(t *testing.T, want http2.Frame, got frame) {
	t.Helper()
	var content []byte
	switch want := want.(type) {
	case *http2.DataFrame:
		content = want.Data()
	case *http2.HeadersFrame:
		content = want.HeaderBlockFragment()
	default:
		return
	}
	b, err := got.content()
	if err != nil || !bytes.Equal(b, content) {
		t.Fatalf("%v holds %q, read as %q: %v", want.Header(), content, b, err)
	}
}

func TestReplies(t *testing.T) {
	ok := []hpack.HeaderField{{Name: ":status", Value: "200"}, {Name: "content-type", Value: "application/grpc+proto"}}
	fields := func(r *grpcReply, last bool, fs ...hpack.HeaderField) {
		for _, f := range fs {
			r.field(f)
		}
		r.headersRead(last)
	}
	end := func(status string) hpack.HeaderField { return hpack.HeaderField{Name: "grpc-status", Value: status} }
	for _, c := range []struct {
		name   string
		answer func(*grpcReply)
		kind   string
	}{
		{"as it should be", func(r *grpcReply) {
			fields(r, false, ok...)
			r.data([]byte("\x00\x00\x00\x00\x02ab"))
			fields(r, true, end("0"))
		}, ""},
		{"an empty message", func(r *grpcReply) { fields(r, false, ok...); r.data(make([]byte, 5)); fields(r, true, end("0")) }, ""},
		{"an interim response", func(r *grpcReply) {
			fields(r, false, hpack.HeaderField{Name: ":status", Value: "103"})
			fields(r, false, ok...)
			r.data(make([]byte, 5))
			fields(r, true, end("0"))
		}, ""},
		{"trailers only", func(r *grpcReply) { fields(r, true, append(ok, end("5"))...) }, "grpc: NOT_FOUND"},
		{"no message", func(r *grpcReply) { fields(r, true, append(ok, end("0"))...) }, "bad response: not one message"},
		{"two messages", func(r *grpcReply) { fields(r, false, ok...); r.data(make([]byte, 10)); fields(r, true, end("0")) }, "bad response: not one message"},
		{"cut short", func(r *grpcReply) {
			fields(r, false, ok...)
			r.data([]byte("\x00\x00\x00\x00\x02a"))
			fields(r, true, end("0"))
		}, "bad response: message cut short"},
		{"compressed", func(r *grpcReply) {
			fields(r, false, ok...)
			r.data([]byte("\x01\x00\x00\x00\x00"))
			fields(r, true, end("0"))
		}, "bad response: message compressed unasked"},
		{"no status", func(r *grpcReply) { fields(r, false, ok...); r.data(make([]byte, 5)) }, "bad response: no grpc-status"},
		{"a status that is no number", func(r *grpcReply) { fields(r, true, append(ok, end("x"))...) }, "bad response: grpc-status"},
		{"not found by a proxy", func(r *grpcReply) { fields(r, true, hpack.HeaderField{Name: ":status", Value: "404"}) }, "grpc: HTTP status 404"},
		{"a web page", func(r *grpcReply) {
			fields(r, true, ok[0], hpack.HeaderField{Name: "content-type", Value: "text/html"})
		}, "bad response: not gRPC"},
		{"data first", func(r *grpcReply) { r.data([]byte("x")) }, "bad response: data before the headers"},
		{"two statuses", func(r *grpcReply) { fields(r, false, ok[0], ok[0]) }, "bad response: status"},
		{"no headers", func(r *grpcReply) { fields(r, true) }, "bad response: headers without a status"},
	} {
		var r grpcReply
		r.reset()
		c.answer(&r)
		if got := r.kind(); got != c.kind {
			t.Errorf("%s: %q, want %q", c.name, got, c.kind)
		}
	}
}

// FuzzReplyData: it does not matter in which pieces the data come.
func FuzzReplyData(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x02ab"), uint8(3))
	f.Add([]byte("\x00\x00\x00\x00\x00\x01"), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, piece uint8) {
		whole := grpcReply{http: 200, status: 0, grpc: true}
		parts := whole
		whole.data(b)
		for n := int(piece)%7 + 1; len(b) > 0; b = b[min(n, len(b)):] {
			parts.data(b[:min(n, len(b))])
		}
		if whole.kind() != parts.kind() {
			t.Errorf("at once %q, in pieces %q", whole.kind(), parts.kind())
		}
	})
}
