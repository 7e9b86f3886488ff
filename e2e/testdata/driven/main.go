// Command driven is a self-driving workload: calls in one another, each
// with a span where SINK says where spans go. What it does wrong is in FAULT.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/tracetax/tracetax/internal/load/drivetest"
)

func main() {
	if err := drive(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func drive(address string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	provider := trace.NewTracerProvider()
	if sink := os.Getenv("SINK"); sink != "" {
		exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithInsecure(), otlptracegrpc.WithEndpoint(sink))
		if err != nil {
			return err
		}
		provider = trace.NewTracerProvider(trace.WithBatcher(exporter, trace.WithBatchTimeout(100*time.Millisecond), trace.WithMaxQueueSize(1<<17)))
	}
	tracer := provider.Tracer("driven")
	var call func(ctx context.Context, depth int)
	call = func(ctx context.Context, depth int) {
		ctx, span := tracer.Start(ctx, "call")
		defer span.End()
		if depth > 1 {
			call(ctx, depth-1)
		}
	}
	program := drivetest.Program{Call: func(depth int) { call(context.Background(), depth) }}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return errors.Join(program.Serve(ctx, l), provider.Shutdown(context.Background()))
}
