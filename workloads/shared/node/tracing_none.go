//go:build !otel

// Without a tag there is no tracing, and OpenTelemetry is not linked. What PASS_TRACEPARENT says is passed on to the calls that a
// call makes, without a span: so what reads packets, or a proxy, finds the calls of a trace. No header reaches a store.
package main

import (
	"context"
	"maps"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

func startTracing(context.Context) (stop func(context.Context) error, err error) {
	return func(context.Context) error { return nil }, badPassing
}

func traceHandler(handler http.Handler) http.Handler {
	if passes == passNothing {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := passes.withPassed(r.Context(), r.Header.Get(parentHeader), r.Header.Values(stateHeader))
		handler.ServeHTTP(w, r.WithContext(ctx))
	})
}

// sending sends the headers with each request.
type sending struct{ http.RoundTripper }

func (s sending) RoundTrip(r *http.Request) (*http.Response, error) {
	if parent, state := passes.next(r.Context()); parent != "" {
		r = withHeaders(r, parent, state)
	}
	return s.RoundTripper.RoundTrip(r)
}

// CloseIdleConnections closes those of the transport: http.Client looks for this method.
func (s sending) CloseIdleConnections() {
	if transport, can := s.RoundTripper.(interface{ CloseIdleConnections() }); can {
		transport.CloseIdleConnections()
	}
}

// withHeaders is a request with these headers; the one given stays as it is, as a RoundTripper must leave it.
func withHeaders(r *http.Request, parent, state string) *http.Request {
	out := r.WithContext(r.Context())
	out.Header = maps.Clone(r.Header)
	if out.Header == nil {
		out.Header = http.Header{}
	}
	out.Header.Set(parentHeader, parent)
	if state != "" {
		out.Header.Set(stateHeader, state)
	}
	return out
}

func traceTransport(transport http.RoundTripper) http.RoundTripper {
	if passes == passNothing {
		return transport
	}
	return sending{transport}
}

func traceService() []grpc.ServerOption {
	if passes == passNothing {
		return nil
	}
	return []grpc.ServerOption{grpc.UnaryInterceptor(serveGRPC)}
}

func serveGRPC(ctx context.Context, in any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	if of := metadata.ValueFromIncomingContext(ctx, parentHeader); len(of) > 0 {
		ctx = passes.withPassed(ctx, of[0], metadata.ValueFromIncomingContext(ctx, stateHeader))
	}
	return handle(ctx, in)
}

func traceCalls() []grpc.DialOption {
	if passes == passNothing {
		return nil
	}
	return []grpc.DialOption{grpc.WithUnaryInterceptor(callGRPC)}
}

func callGRPC(ctx context.Context, method string, in, out any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	return invoke(withMetadata(ctx), method, in, out, conn, opts...)
}

// withMetadata is the context of the next call by gRPC.
func withMetadata(ctx context.Context) context.Context {
	switch parent, state := passes.next(ctx); {
	case parent == "":
		return ctx
	case state == "":
		return metadata.AppendToOutgoingContext(ctx, parentHeader, parent)
	default:
		return metadata.AppendToOutgoingContext(ctx, parentHeader, parent, stateHeader, state)
	}
}

func traceThriftCall(ctx context.Context, _, _ string, carrier map[string]string, call func(context.Context) error) error {
	parent, state := passes.next(ctx)
	if parent != "" {
		carrier[parentHeader] = parent
	}
	if state != "" {
		carrier[stateHeader] = state
	}
	return call(ctx)
}

func traceThriftServe(ctx context.Context, _, _ string, carrier map[string]string, do func(context.Context) error) error {
	if passes != passNothing {
		var states []string
		if state, has := carrier[stateHeader]; has {
			states = []string{state}
		}
		ctx = passes.withPassed(ctx, carrier[parentHeader], states)
	}
	return do(ctx)
}

func traceStore(ctx context.Context, _, _ string, call func(context.Context) error) error {
	return call(ctx)
}
