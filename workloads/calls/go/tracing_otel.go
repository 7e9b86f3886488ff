//go:build otel

// With the tag otel, the function makes a span of each call, and the SDK is set
// up from the standard OTEL_* variables.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/trace"
)

var tracer = otel.Tracer("calls")

func outerCall(busy time.Duration, depth int) int {
	return monitoredFunction(context.Background(), busy, depth)
}

// monitoredFunction calls itself until depth calls lie in one another; the innermost
// works. It returns the number of calls.
func monitoredFunction(ctx context.Context, busy time.Duration, depth int) int {
	ctx, span := tracer.Start(ctx, "monitoredFunction")
	defer span.End()
	if depth > 1 {
		return 1 + monitoredFunction(ctx, busy, depth-1)
	}
	burn(busy)
	return 1
}

// startTracing installs the SDK, unless OTEL_SDK_DISABLED leaves only the API.
// The sampler, the limits and the resource are read by the SDK itself.
func startTracing(ctx context.Context) (stop func(context.Context) error, err error) {
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
