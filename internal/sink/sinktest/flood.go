// Package sinktest owns what it takes to test receivers and to measure them from outside: messages written field by field, and
// for OTLP a stream of prepared requests, senders for it, and the clock and memory of the receiving process. It must not know
// which receiver it is.
package sinktest

// This file sends a stream as fast as the receiver takes it.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// Flood sends a stream from where the last call left it.
type Flood struct {
	Stream  *Stream
	Senders []Sender // each has one request under way

	sent atomic.Uint32
}

// Spans is the number of spans sent so far.
func (f *Flood) Spans() uint64 { return uint64(f.sent.Load()) * RequestSpans }

// Send sends the next requests, and returns when all are answered. It ends at the
// first error.
func (f *Flood) Send(ctx context.Context, requests int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var left atomic.Int64
	left.Store(int64(requests))
	failed := make([]error, len(f.Senders))
	var all sync.WaitGroup
	for i, sender := range f.Senders {
		all.Go(func() {
			var room []byte
			for left.Add(-1) >= 0 {
				room = f.Stream.Request(f.sent.Add(1), room)
				if err := sender.Send(ctx, room); err != nil {
					failed[i] = err
					cancel()
					return
				}
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

// This file sends prepared requests, each sender over one connection of its own.

// Sender sends encoded trace requests, one at a time.
type Sender interface {
	// Send returns when the answer has come; an answer other than full success is an
	// error.
	Send(ctx context.Context, body []byte) error
	Close() error
}

// traceExport is the gRPC method that takes traces.
const traceExport = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

// Dial returns a gRPC connection to host:port whose requests and answers are *[]byte,
// sent and received as they are.
func Dial(address string) (*grpc.ClientConn, error) {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(encoded{})))
	if err != nil {
		return nil, fmt.Errorf("connecting over gRPC to %s: %w", address, err)
	}
	return conn, nil
}

// NewGRPC returns a sender over OTLP/gRPC to host:port.
func NewGRPC(address string) (Sender, error) {
	conn, err := Dial(address)
	if err != nil {
		return nil, err
	}
	return overGRPC{conn}, nil
}

type overGRPC struct{ *grpc.ClientConn }

func (s overGRPC) Send(ctx context.Context, body []byte) error {
	var answer []byte
	if err := s.Invoke(ctx, traceExport, &body, &answer); err != nil {
		return err
	}
	return full(answer)
}

// encoded hands bodies over as they are.
type encoded struct{}

func (encoded) Name() string { return "proto" }

func (encoded) Marshal(v any) (mem.BufferSlice, error) {
	body, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("encoding a request: unexpected %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(*body)}, nil
}

func (encoded) Unmarshal(data mem.BufferSlice, v any) error {
	answer, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("decoding an answer: unexpected %T", v)
	}
	*answer = data.Materialize()
	return nil
}

// NewHTTP returns a sender over OTLP/HTTP in protobuf to host:port.
func NewHTTP(address string) Sender {
	return overHTTP{url: "http://" + address + "/v1/traces", client: &http.Client{Transport: &http.Transport{WriteBufferSize: 64 << 10}}}
}

type overHTTP struct {
	url    string
	client *http.Client
}

func (s overHTTP) Send(ctx context.Context, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("sending to %s: %s", s.url, response.Status)
	}
	return full(answer)
}

func (s overHTTP) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// full wants the answer of a full success: nothing, or a partial success that is
// empty.
func full(answer []byte) error {
	if len(answer) > 2 {
		return fmt.Errorf("the receiver refused spans: its answer is %x", answer)
	}
	return nil
}

// RequestSpans is the number of spans of a request: the batch processor's default.
const RequestSpans = 512

const (
	traceSpans = 8          // spans of a trace: a root and its children
	mark       = 0xf00dface // stands in the template for a request's number
)

// Stream makes requests that are all alike but for their ids; none is in two
// requests. It is safe for concurrent use.
type Stream struct {
	template []byte
	marks    []int // where in it the number of the request goes, 4 bytes each
}

// NewStream prepares a stream of trace requests in protobuf: RequestSpans spans of 10
// attributes and 460 bytes, in traces of 8.
func NewStream() (*Stream, error) {
	spans := make([]*trace.Span, RequestSpans)
	ids := 0
	for i := range spans {
		spans[i] = span(i)
		ids += 2 + min(1, len(spans[i].GetParentSpanId()))
	}
	template, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{
		Resource:   &resource.Resource{Attributes: []*common.KeyValue{text("service.name", "shop")}},
		ScopeSpans: []*trace.ScopeSpans{{Spans: spans}},
	}}})
	if err != nil {
		return nil, fmt.Errorf("encoding a request: %w", err)
	}
	s := &Stream{template: template, marks: find(template, binary.BigEndian.AppendUint32(nil, mark))}
	if len(s.marks) != ids {
		return nil, fmt.Errorf("encoding a request: %d marks in it for %d ids", len(s.marks), ids)
	}
	return s, nil
}

// Size is the size of every request, in bytes.
func (s *Stream) Size() int { return len(s.template) }

// Request writes the n-th request into room, which it grows as needed.
func (s *Stream) Request(n uint32, room []byte) []byte {
	body := append(room[:0], s.template...)
	for _, at := range s.marks {
		binary.BigEndian.PutUint32(body[at:], n)
	}
	return body
}

// span returns the i-th span of the template.
func span(i int) *trace.Span {
	root := i - i%traceSpans
	s := &trace.Span{
		TraceId: append(spanID(root), "of trace"...), SpanId: spanID(i),
		Name: "GET /api/orders/item", Kind: trace.Span_SpanKind(1 + i%5),
		StartTimeUnixNano: 1, EndTimeUnixNano: 2, Flags: 257, Status: &trace.Status{},
	}
	if i != root {
		s.ParentSpanId = spanID(root)
	}
	for a := range 10 {
		s.Attributes = append(s.Attributes, text(fmt.Sprintf("http.attribute.%d", a), "value of 13 b"))
	}
	return s
}

func spanID(i int) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, mark), uint32(i+1))
}

func text(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

// find returns every place of part in b.
func find(b, part []byte) (places []int) {
	for from := 0; ; {
		i := bytes.Index(b[from:], part)
		if i < 0 {
			return places
		}
		places = append(places, from+i)
		from += i + len(part)
	}
}
