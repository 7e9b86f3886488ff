//go:build otel

// With the tag otel, calls are instrumented with otelhttp and otelgrpc, calls of stores by a span of their client, and the SDK
// is set up from the standard OTEL_* variables.
package main

import (
	"context"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"otelgo"
)

func startTracing(ctx context.Context) (stop func(context.Context) error, err error) {
	return otelgo.Start(ctx)
}

func traceHandler(handler http.Handler) http.Handler { return otelhttp.NewHandler(handler, "") }

func traceTransport(transport http.RoundTripper) http.RoundTripper {
	return otelhttp.NewTransport(transport)
}

func traceService() []grpc.ServerOption {
	return []grpc.ServerOption{grpc.StatsHandler(otelgrpc.NewServerHandler())}
}

func traceCalls() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithStatsHandler(otelgrpc.NewClientHandler())}
}

// traceThriftCall makes the span of a caller, and sends its context in the call's argument. Nobody instruments Thrift in Go:
// DeathStarBench's services make their spans in their own code, too.
func traceThriftCall(ctx context.Context, node, method string, carrier map[string]string, call func(context.Context) error) error {
	return spanned(ctx, node+"."+method, trace.SpanKindClient, func(ctx context.Context) error {
		otel.GetTextMapPropagator().Inject(ctx, propagation.MapCarrier(carrier))
		return call(ctx)
	})
}

// traceThriftServe makes the span of what is called.
func traceThriftServe(ctx context.Context, node, method string, carrier map[string]string, do func(context.Context) error) error {
	return spanned(otel.GetTextMapPropagator().Extract(ctx, propagation.MapCarrier(carrier)), node+"."+method, trace.SpanKindServer, do)
}

func spanned(ctx context.Context, name string, kind trace.SpanKind, do func(context.Context) error) error {
	ctx, span := otel.Tracer("node").Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attribute.String("rpc.system", "thrift")))
	defer span.End()
	err := do(ctx)
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	return err
}

// traceStore makes the span that the client of a database makes.
func traceStore(ctx context.Context, store, method string, call func(context.Context) error) error {
	ctx, span := otel.Tracer("node").Start(ctx, method+" "+store, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.system.name", store), attribute.String("db.operation.name", method)))
	defer span.End()
	err := call(ctx)
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	return err
}
