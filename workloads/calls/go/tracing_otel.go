//go:build otel

// With the tag otel, the function makes a span of each call, and the SDK is set
// up from the standard OTEL_* variables.
package main

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"otelgo"
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

func startTracing(ctx context.Context) (stop func(context.Context) error, err error) {
	return otelgo.Start(ctx)
}
