//go:build !otel

// Without a tag there is no tracing, and OpenTelemetry is not linked.
package main

import (
	"context"
	"net/http"
)

func startTracing(context.Context) (stop func(context.Context) error, err error) {
	return func(context.Context) error { return nil }, nil
}

func traceHandler(handler http.Handler) http.Handler { return handler }

func traceTransport(transport http.RoundTripper) http.RoundTripper { return transport }
