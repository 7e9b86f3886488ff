//go:build otel

// With the tag otel, requests are instrumented with otelhttp, and the SDK is set
// up from the standard OTEL_* variables.
package main

import (
	"context"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"otelgo"
)

// traceHandler makes a span for each request but the health checks. The mux
// inside tells it the route, so spans are named "GET /{work}".
func traceHandler(handler http.Handler) http.Handler {
	return otelhttp.NewHandler(handler, "", otelhttp.WithFilter(func(r *http.Request) bool {
		return r.URL.Path != "/healthz"
	}))
}

func traceTransport(transport http.RoundTripper) http.RoundTripper {
	return otelhttp.NewTransport(transport)
}

func startTracing(ctx context.Context) (stop func(context.Context) error, err error) {
	return otelgo.Start(ctx)
}
