// This file sends prepared requests, each sender over one connection of its own.

package sinktest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
)

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
