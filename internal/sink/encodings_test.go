// This file sends to the sink what is compressed as Collectors and SDKs do it.

package sink

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
)

// packings are what a Collector makes of a body by its setting of compression, and the content encoding that it gives it.
var packings = []struct {
	name, encoding string
	pack           func(io.Writer) io.WriteCloser
}{
	{"gzip", "gzip", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }},
	{"zstd", "zstd", func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		if err != nil {
			panic(err) // wrong options
		}
		return z
	}},
	{"zlib", "zlib", func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }},
	{"deflate", "deflate", func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }},
	{"snappy in frames, as before 0.125", "snappy", func(w io.Writer) io.WriteCloser { return snappy.NewBufferedWriter(w) }},
	{"snappy in a block", "snappy", func(w io.Writer) io.WriteCloser { return &snappyBlock{to: w} }},
	{"snappy in frames", "x-snappy-framed", func(w io.Writer) io.WriteCloser { return snappy.NewBufferedWriter(w) }},
	{"lz4", "lz4", func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) }},
}

// snappyBlock writes one block of Snappy when it is closed.
type snappyBlock struct {
	bytes.Buffer
	to io.Writer
}

func (s *snappyBlock) Close() error {
	_, err := s.to.Write(snappy.Encode(nil, s.Bytes()))
	return err
}

func packed(t testing.TB, pack func(io.Writer) io.WriteCloser, body []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := pack(&out)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// spanBody is a request of one span with an attribute of so many bytes.
func spanBody(t testing.TB, attribute int) []byte {
	t.Helper()
	body, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{
		Spans: []*trace.Span{{
			Name: "x", TraceId: bytes.Repeat([]byte{1}, 16), SpanId: bytes.Repeat([]byte{1}, 8),
			Attributes: []*common.KeyValue{{Key: "k", Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: strings.Repeat("x", attribute)}}}},
		}},
	}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestEncodings(t *testing.T) {
	body, bomb := spanBody(t, 200<<10), make([]byte, 2*mebibyte)
	for _, p := range packings {
		t.Run(p.name, func(t *testing.T) {
			s := start(t, Config{MaxBody: mebibyte})
			whole := packed(t, p.pack, body)
			tests := []struct {
				name   string
				body   []byte
				status int
			}{
				{"a span", whole, 200},
				{"cut off", whole[:len(whole)/2], 400},
				{"a span after a bad body", whole, 200},
				{"garbage", []byte("garbage of more than ten bytes"), 400},
				{"bomb", packed(t, p.pack, bomb), 413},
				{"a span at last", whole, 200},
			}
			var spans, size uint64
			for _, test := range tests {
				response, answer := post(t, s, http.MethodPost, "/v1/traces", protobufType, p.encoding, bytes.NewReader(test.body))
				if response.StatusCode != test.status {
					t.Errorf("%s: status %d, want %d: %q", test.name, response.StatusCode, test.status, answer)
				}
				if test.status == 200 {
					spans, size = spans+1, size+uint64(len(test.body))
				}
			}
			if why := s.Snapshot().Counts.Refusals; len(why) == 0 {
				t.Error("it is not known why requests were refused")
			}
			if c := s.Snapshot().Counts; c.Spans != spans || c.Bytes != size || c.Malformed != uint64(len(tests))-spans {
				t.Errorf("spans %d, bytes %d, malformed %d; want %d, %d, %d", c.Spans, c.Bytes, c.Malformed, spans, size, uint64(len(tests))-spans)
			}
		})
	}
}

// What a few bytes announce takes no memory: a frame of zstd with a window of 128 MiB, a block of Snappy of 1 GB, or of the
// limit with nothing behind it.
func TestAnnouncedSizes(t *testing.T) {
	s := start(t, Config{})
	for _, test := range []struct {
		name, encoding string
		body           string
		status         int
	}{
		{"zstd", "zstd", "\x28\xb5\x2f\xfd\x00\x88" + "\x00\x00\x00", 400},
		{"snappy over the limit", "snappy", "\x80\x80\x80\x80\x04" + "abcdefgh", 413},
		{"snappy with nothing in it", "snappy", "\x80\x80\x80\x20" + "abcdefgh", 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			if response, answer := post(t, s, "POST", "/v1/traces", protobufType, test.encoding, strings.NewReader(test.body)); response.StatusCode != test.status {
				t.Errorf("status %d, want %d: %q", response.StatusCode, test.status, answer)
			}
		})
	}
}

// A refusal is kept in the words that its sender got, whichever way it came.
func TestRefusalsByReason(t *testing.T) {
	s := start(t, Config{})
	post(t, s, "POST", "/v1/traces", protobufType, "br", nil)
	post(t, s, "POST", "/v2/traces", protobufType, "", nil)
	var body, answer []byte
	if err := dialRaw(t, s.Addresses()[protocol.OTLPGRPC]).Invoke(t.Context(), exportMethod+"All", &body, &answer); err == nil {
		t.Fatal("a method that is not there was called")
	}
	awaitMalformed(t, s, 3)
	want := map[string]uint64{
		"415 Unsupported Media Type: content-encoding is \"br\"; it must be gzip, zstd, zlib, deflate, snappy, x-snappy-framed, lz4 or identity": 1,
		"404 Not Found: no such path; send to /v1/traces, /v1/metrics or /v1/logs":                                                               1,
		"Unimplemented: the sink has no method " + exportMethod + "All of OTLP":                                                                  1,
	}
	if diff := cmp.Diff(want, s.Snapshot().Counts.Refusals); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGRPCEncodings(t *testing.T) {
	body, bomb := spanBody(t, 200<<10), make([]byte, 2*mebibyte)
	for _, name := range []string{"gzip", "zstd", "snappy"} {
		t.Run(name, func(t *testing.T) {
			s := start(t, Config{MaxBody: mebibyte})
			conn := dialRaw(t, s.Addresses()[protocol.OTLPGRPC])
			for i, sent := range [][]byte{body, bomb, body} {
				var answer []byte
				err := conn.Invoke(t.Context(), exportMethod, &sent, &answer, grpc.UseCompressor(name))
				if want := []codes.Code{codes.OK, codes.ResourceExhausted, codes.OK}[i]; status.Code(err) != want {
					t.Errorf("request %d: %v, want %v", i, err, want)
				}
			}
			awaitMalformed(t, s, 1)
			if c := s.Snapshot().Counts; c.Spans != 2 || c.Bytes == 0 || c.Bytes > uint64(len(body)) {
				t.Errorf("spans %d, bytes %d of %d packed ones", c.Spans, c.Bytes, 2*len(body))
			}
		})
	}
}

// Bodies are as large as 64 MiB over either protocol.
func TestLargeBodies(t *testing.T) {
	s := start(t, Config{})
	body := spanBody(t, DefaultMaxBody-1024)
	if len(body) > DefaultMaxBody {
		t.Fatalf("the body has %d bytes", len(body))
	}
	if response, answer := post(t, s, "POST", "/v1/traces", protobufType, "zstd", bytes.NewReader(packed(t, packings[1].pack, body))); response.StatusCode != 200 {
		t.Errorf("over HTTP: status %d: %q", response.StatusCode, answer)
	}
	var answer []byte
	if err := dialRaw(t, s.Addresses()[protocol.OTLPGRPC]).Invoke(t.Context(), exportMethod, &body, &answer); err != nil {
		t.Errorf("over gRPC: %v", err)
	}
	if c := s.Snapshot().Counts; c.Spans != 2 || c.Malformed != 0 {
		t.Errorf("spans %d, malformed %d", c.Spans, c.Malformed)
	}
}

// Whatever comes in any encoding is decoded within the limit, or refused, and the next body is decoded.
func FuzzEncodings(f *testing.F) {
	plain := []byte(strings.Repeat("a span and another; ", 50))
	for i, p := range packings {
		f.Add(byte(i), packed(f, p.pack, plain))
		f.Add(byte(i), packed(f, p.pack, make([]byte, 1<<16)))
	}
	const limit = 1 << 14
	var bodies wire.Bodies
	f.Fuzz(func(t *testing.T, which byte, body []byte) {
		p := packings[int(which)%len(packings)]
		decode := func(sent []byte) ([]byte, error) {
			from, done, err := bodies.Decoded(&wire.Meter{From: bytes.NewReader(sent), Limit: limit}, p.encoding)
			if err != nil {
				return nil, err
			}
			defer done()
			return io.ReadAll(&wire.Meter{From: from, Limit: limit})
		}
		if got, _ := decode(body); len(got) > limit {
			t.Fatalf("%s gave %d bytes", p.name, len(got))
		}
		if got, err := decode(packed(t, p.pack, plain)); err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("%s after another body: %d bytes, %v", p.name, len(got), err)
		}
	})
}
