// This file passes on what comes over gRPC.

package forward

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/tracetax/tracetax/internal/sink/wire"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
)

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
		options = append(options, grpc.UseCompressor(gzip.Name))
	}
	answer := wire.Message{Pool: m.Pool}
	defer answer.Free()
	if err := g.conn.Invoke(passedOn(ctx), method, &wire.Message{Out: bytes.Clone(m.Body())}, &answer, options...); err != nil {
		return nil, err
	}
	return append([]byte(nil), answer.Body()...), nil
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
