// Package otelgo sets up OpenTelemetry's SDK from the standard OTEL_* variables, for
// the workloads that are written in Go.
package otelgo

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
)

// Start installs the SDK, unless OTEL_SDK_DISABLED leaves only the API.
// The sampler, the limits and the resource are read by the SDK itself. Stop exports
// the last spans, and logs what was lost.
func Start(ctx context.Context) (stop func(context.Context) error, err error) {
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(
		propagation.TraceContext{}, propagation.Baggage{}))
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return func(context.Context) error {
			log.Print((&watch{}).report()) // nothing is made, and so nothing is lost
			return nil
		}, nil
	}

	watch := installWatch()
	exporter, err := NewExporter(ctx)
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
