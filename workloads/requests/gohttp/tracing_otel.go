//go:build otel

// With the tag otel, requests are instrumented with otelhttp and the database with
// otelpgx, and the SDK is set up from the standard OTEL_* variables.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
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

// startTracing installs the SDK, unless OTEL_SDK_DISABLED leaves only the API.
// The sampler, the limits and the resource are read by the SDK itself.
func startTracing(ctx context.Context) (stop func(context.Context) error, err error) {
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(
		propagation.TraceContext{}, propagation.Baggage{}))
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return func(context.Context) error { return nil }, nil
	}

	watch := installWatch()
	exporter, err := newExporter(ctx)
	if err != nil {
		return nil, err
	}
	processor, err := newProcessor(exporter, watch)
	if err != nil {
		return nil, err
	}
	provider := trace.NewTracerProvider(processor...)
	otel.SetTracerProvider(provider)
	return func(ctx context.Context) error {
		err := provider.Shutdown(ctx)
		log.Print(watch.report())
		if err != nil {
			return fmt.Errorf("exporting the last spans: %w", err)
		}
		return nil
	}, nil
}

// newProcessor returns the option that registers the span processor which
// SPAN_PROCESSOR names: OpenTelemetry has no variable for this choice.
// Without an exporter there is no processor.
func newProcessor(exporter trace.SpanExporter, watch *watch) ([]trace.TracerProviderOption, error) {
	if exporter == nil {
		return nil, nil
	}
	exporter = watchedExporter{exporter, watch}
	switch name := os.Getenv("SPAN_PROCESSOR"); name {
	case "", "batch":
		return []trace.TracerProviderOption{trace.WithBatcher(exporter)}, nil
	case "simple":
		return []trace.TracerProviderOption{trace.WithSyncer(exporter)}, nil
	default:
		return nil, errors.New("SPAN_PROCESSOR is " + name + ": use batch or simple")
	}
}
