//go:build otel

// With the tag otel, requests are instrumented with otelhttp and the database with
// otelpgx, and the SDK is set up from the standard OTEL_* variables.
package main

import (
	"context"
	"database/sql"
	"net/http"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"otelgo"
)

// traceHandler makes a span for each request but the health checks. The mux
// inside tells it the route, so spans are named "GET /json".
func traceHandler(handler http.Handler) http.Handler {
	return otelhttp.NewHandler(handler, "", otelhttp.WithFilter(func(r *http.Request) bool {
		return r.URL.Path != "/healthz"
	}))
}

func openDriver(url string) (*sql.DB, error) {
	traced, err := databaseSpans()
	if err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	if traced {
		config.Tracer = otelpgx.NewTracer()
	}
	return stdlib.OpenDB(*config), nil
}

func startTracing(ctx context.Context) (stop func(context.Context) error, err error) {
	return otelgo.Start(ctx)
}
