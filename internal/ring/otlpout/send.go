// This file speaks OTLP's two transports.

package otlpout

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	grpcgzip "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// sender sends one request, and waits for the answer.
type sender interface {
	send(ctx context.Context, data []byte) (answer, error)
	close() error
}

// answer is a back end's partial success; the zero value is a whole one.
type answer struct {
	rejected uint64
	message  string
}

// retryError says that a request may be sent again, after a time that the back end may have named.
type retryError struct {
	error
	after time.Duration
}

// Unwrap returns what went wrong.
func (e *retryError) Unwrap() error { return e.error }

func newSender(o Options) (sender, error) {
	if o.GRPC {
		return newGRPC(o)
	}
	return &overHTTP{o: o, client: &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: senders, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true, DisableCompression: true,
		WriteBufferSize: mostRequest + 4096, // a request in one write: a fifth less CPU than in pieces
	}}}, nil
}

type overHTTP struct {
	o      Options
	client *http.Client
}

const mostAnswer = 1 << 20 // bytes of an answer that are read

func (h *overHTTP) send(ctx context.Context, data []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, h.o.Timeout)
	defer cancel()
	body, err := h.body(data)
	if err != nil {
		return answer{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.o.Endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if h.o.Gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", "tracetax-drain")
	for key, value := range h.o.Headers {
		r.Header.Set(key, value)
	}
	got, err := h.client.Do(r)
	if err != nil {
		return answer{}, &retryError{error: err}
	}
	defer got.Body.Close() // it was read
	text, err := io.ReadAll(io.LimitReader(got.Body, mostAnswer))
	switch {
	case got.StatusCode/100 == 2 && err == nil:
		return partial(text)
	case err != nil:
		return answer{}, &retryError{error: fmt.Errorf("reading the answer of %s: %w", h.o.Endpoint.Redacted(), err)}
	}
	err = fmt.Errorf("%s answered %s: %.200q", h.o.Endpoint.Redacted(), got.Status, text)
	switch got.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return answer{}, &retryError{err, retryAfter(got.Header.Get("Retry-After"))}
	}
	return answer{}, err
}

// body returns the bytes of a request, compressed where that was asked for.
func (h *overHTTP) body(data []byte) ([]byte, error) {
	if !h.o.Gzip {
		return data, nil
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		return nil, fmt.Errorf("compressing a request: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compressing a request: %w", err)
	}
	return out.Bytes(), nil
}

// mostAfter bounds the time that a back end may name.
const mostAfter = time.Minute

func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil && seconds > 0 {
		return min(time.Duration(seconds)*time.Second, mostAfter)
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(0, time.Until(at)), mostAfter)
	}
	return 0
}

func partial(body []byte) (answer, error) {
	var got collector.ExportTraceServiceResponse
	if err := proto.Unmarshal(body, &got); err != nil {
		return answer{}, nil // taken, as its status says; some back ends answer with JSON or text
	}
	return partialOf(&got), nil
}

func partialOf(got *collector.ExportTraceServiceResponse) answer {
	return answer{uint64(max(0, got.GetPartialSuccess().GetRejectedSpans())), got.GetPartialSuccess().GetErrorMessage()}
}

func (h *overHTTP) close() error {
	h.client.CloseIdleConnections()
	return nil
}

type overGRPC struct {
	o    Options
	conn *grpc.ClientConn
}

func newGRPC(o Options) (sender, error) {
	secure := insecure.NewCredentials()
	if o.Endpoint.Scheme == "https" {
		secure = credentials.NewTLS(nil)
	}
	target := o.Endpoint.Host
	if o.Endpoint.Port() == "" {
		target += ":" + map[bool]string{true: "443", false: "80"}[o.Endpoint.Scheme == "https"]
	}
	dial := []grpc.DialOption{grpc.WithTransportCredentials(secure), grpc.WithUserAgent("tracetax-drain")}
	if o.Gzip {
		dial = append(dial, grpc.WithDefaultCallOptions(grpc.UseCompressor(grpcgzip.Name)))
	}
	conn, err := grpc.NewClient("dns:///"+target, dial...)
	if err != nil {
		return nil, fmt.Errorf("preparing OTLP over gRPC to %s: %w", target, err)
	}
	return &overGRPC{o, conn}, nil
}

func (g *overGRPC) send(ctx context.Context, data []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, g.o.Timeout)
	defer cancel()
	if len(g.o.Headers) > 0 {
		ctx = metadata.NewOutgoingContext(ctx, metadata.New(g.o.Headers))
	}
	var got collector.ExportTraceServiceResponse
	err := g.conn.Invoke(ctx, collector.TraceService_Export_FullMethodName, data, &got, grpc.ForceCodecV2(encoded{}))
	if err == nil {
		return partialOf(&got), nil
	}
	s := status.Convert(err)
	var after time.Duration
	named := false
	for _, detail := range s.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			after, named = min(max(0, info.GetRetryDelay().AsDuration()), mostAfter), true
		}
	}
	err = fmt.Errorf("%s answered %s: %s", g.o.Endpoint.Host, s.Code(), s.Message())
	switch s.Code() {
	case codes.Canceled, codes.DeadlineExceeded, codes.Aborted, codes.OutOfRange, codes.Unavailable, codes.DataLoss:
		return answer{}, &retryError{err, after}
	case codes.ResourceExhausted:
		if named {
			return answer{}, &retryError{err, after}
		}
	}
	return answer{}, err
}

func (g *overGRPC) close() error { return g.conn.Close() }

// encoded is a codec for requests that are encoded already.
type encoded struct{}

// Marshal returns a request as it is. Its bytes stay as they are for as long as it may be under way.
func (encoded) Marshal(v any) (mem.BufferSlice, error) {
	data, ok := v.([]byte)
	if !ok {
		return nil, fmt.Errorf("a request is a %T, not bytes", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(data)}, nil
}

// Unmarshal reads an answer.
func (encoded) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("an answer is to be a %T, which is no message", v)
	}
	return proto.Unmarshal(data.Materialize(), m)
}

// Name is that of the encoding on the wire.
func (encoded) Name() string { return "proto" }

// Options say where spans go.
type Options struct {
	Endpoint *url.URL
	GRPC     bool
	Headers  map[string]string
	Timeout  time.Duration // of a request
	Gzip     bool          // requests are compressed
}

const usualTimeout = 10 * time.Second

// ErrNowhere: neither a flag nor the environment says where spans are to go.
var ErrNowhere = errors.New("nothing says where the spans are to go")

// Where returns the options of the addresses given, one at most, and of OTEL_EXPORTER_OTLP_ variables, as OpenTelemetry's exporters
// read them; those for traces alone come first. It returns ErrNowhere where there is no address.
func Where(overHTTP, overGRPC string, getenv func(string) string) (Options, error) {
	variable := func(name string) string {
		if v := getenv("OTEL_EXPORTER_OTLP_TRACES_" + name); v != "" {
			return v
		}
		return getenv("OTEL_EXPORTER_OTLP_" + name)
	}
	o := Options{Timeout: usualTimeout}
	address, whole := overHTTP, false
	switch {
	case overHTTP != "" && overGRPC != "":
		return o, errors.New("spans go to one place: give --otlp-http or --otlp-grpc, not both")
	case overGRPC != "":
		address, o.GRPC = overGRPC, true
	case overHTTP == "":
		switch protocol := variable("PROTOCOL"); protocol {
		case "", "http/protobuf":
		case "grpc":
			o.GRPC = true
		default:
			return o, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q; drain speaks http/protobuf and grpc", protocol)
		}
		address = getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
		if whole = address != ""; !whole {
			address = getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
		}
	}
	if address == "" {
		return o, ErrNowhere
	}
	var err error
	if o.Endpoint, err = endpoint(address, o.GRPC, whole); err != nil {
		return o, err
	}
	if o.Headers, err = headers(variable("HEADERS")); err != nil {
		return o, err
	}
	switch compression := variable("COMPRESSION"); compression {
	case "", "none":
	case "gzip":
		o.Gzip = true
	default:
		return o, fmt.Errorf("OTEL_EXPORTER_OTLP_COMPRESSION is %q; drain knows gzip and none", compression)
	}
	if text := variable("TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms <= 0 {
			return o, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT is %q, and should be a number of milliseconds", text)
		}
		o.Timeout = time.Duration(ms) * time.Millisecond
	}
	return o, nil
}

// endpoint reads an address: a URL, or host:port. Over HTTP, /v1/traces is added to one that is not whole.
func endpoint(address string, overGRPC, whole bool) (*url.URL, error) {
	text := address
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address of an OTLP receiver; such are http://127.0.0.1:4318 and https://collector.example:4317", address)
	}
	if !overGRPC && !whole && !strings.HasSuffix(u.Path, "/v1/traces") {
		u = u.JoinPath("v1/traces")
	}
	return u, nil
}

// headers reads pairs as W3C Baggage writes them: key=value,key=value, with percent signs.
func headers(text string) (map[string]string, error) {
	out := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, found := strings.Cut(pair, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || err != nil || strings.TrimSpace(key) == "" {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS has a part that is not key=value")
		}
		if strings.ContainsFunc(decoded, unicode.IsControl) { // no request could be sent, however often it is tried
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS has a value with a line break or another control character: take it out")
		}
		out[strings.ToLower(strings.TrimSpace(key))] = decoded
	}
	return out, nil
}
