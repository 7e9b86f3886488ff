// The exporter that the standard OTEL_* variables ask for.
package otelgo

import (
	"context"
	"fmt"
	"os"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/trace"
)

// NewExporter returns nil for OTEL_TRACES_EXPORTER=none. Endpoint, headers,
// compression and time-out are read by the exporters themselves.
func NewExporter(ctx context.Context) (trace.SpanExporter, error) {
	switch name := os.Getenv("OTEL_TRACES_EXPORTER"); name {
	case "none":
		return nil, nil
	case "", "otlp":
		return newOTLP(ctx)
	default:
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER is %q: use otlp or none", name)
	}
}

func newOTLP(ctx context.Context) (trace.SpanExporter, error) {
	switch protocol := otlpProtocol(); protocol {
	case "grpc":
		return otlptracegrpc.New(ctx)
	case "http/protobuf":
		return otlptracehttp.New(ctx)
	default:
		return nil, fmt.Errorf("the OTLP protocol is %q: use grpc or http/protobuf", protocol)
	}
}

func otlpProtocol() string {
	for _, variable := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := os.Getenv(variable); protocol != "" {
			return protocol
		}
	}
	return "http/protobuf" // the specification's default
}
