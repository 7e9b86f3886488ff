//go:build !otel

// Without a tag there is no tracing, and OpenTelemetry is not linked. PASS_TRACEPARENT=on passes the header traceparent of a
// call on to the calls that it makes, without a span: so what reads packets, or a proxy, finds the calls of a trace.
package main

import (
	"context"
	"net/http"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

const header = "traceparent"

// passes is whether traceparent is passed on.
var passes = os.Getenv("PASS_TRACEPARENT") == "on"

type passedKey struct{}

func startTracing(context.Context) (stop func(context.Context) error, err error) {
	return func(context.Context) error { return nil }, nil
}

func traceHandler(handler http.Handler) http.Handler {
	if !passes {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), passedKey{}, r.Header.Get(header))))
	})
}

// passing sends the header with each request.
type passing struct{ http.RoundTripper }

func (p passing) RoundTrip(r *http.Request) (*http.Response, error) {
	if of, _ := r.Context().Value(passedKey{}).(string); of != "" {
		r = r.Clone(r.Context())
		r.Header.Set(header, of)
	}
	return p.RoundTripper.RoundTrip(r)
}

func traceTransport(transport http.RoundTripper) http.RoundTripper {
	if !passes {
		return transport
	}
	return passing{transport}
}

func traceService() []grpc.ServerOption {
	if !passes {
		return nil
	}
	return []grpc.ServerOption{grpc.UnaryInterceptor(func(ctx context.Context, in any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		if of := metadata.ValueFromIncomingContext(ctx, header); len(of) > 0 {
			ctx = context.WithValue(ctx, passedKey{}, of[0])
		}
		return handle(ctx, in)
	})}
}

func traceCalls() []grpc.DialOption {
	if !passes {
		return nil
	}
	return []grpc.DialOption{grpc.WithUnaryInterceptor(func(ctx context.Context, method string, in, out any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
		if of, _ := ctx.Value(passedKey{}).(string); of != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, header, of)
		}
		return invoke(ctx, method, in, out, conn, options...)
	})}
}

func traceThriftCall(ctx context.Context, _, _ string, carrier map[string]string, call func(context.Context) error) error {
	if of, _ := ctx.Value(passedKey{}).(string); of != "" {
		carrier[header] = of
	}
	return call(ctx)
}

func traceThriftServe(ctx context.Context, _, _ string, carrier map[string]string, do func(context.Context) error) error {
	if of := carrier[header]; passes && of != "" {
		ctx = context.WithValue(ctx, passedKey{}, of)
	}
	return do(ctx)
}

func traceStore(ctx context.Context, _, _ string, call func(context.Context) error) error {
	return call(ctx)
}
