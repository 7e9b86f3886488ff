// This file passes on what comes over gRPC.
package forward

import (
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
// returns the backend's answer, or its status as an error.
func (g *GRPC) Pass(ctx context.Context, method string, m *wire.Message) ([]byte, error) {
	var options []grpc.CallOption
	if m.Compressed {
		options = append(options, grpc.UseCompressor(gzip.Name))
	}
	answer := wire.Message{Pool: m.Pool}
	defer answer.Free()
	if err := g.conn.Invoke(passedOn(ctx), method, &wire.Message{Out: m.Body()}, &answer, options...); err != nil {
		return nil, err
	}
	return append([]byte(nil), answer.Body()...), nil
}

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
