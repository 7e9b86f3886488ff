package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
)

// This file is tracetax agent hello: a minimal service, for where there is no Go to build one. It alone uses OpenTelemetry's SDK.

func newHello() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:   "hello",
		Short: "A minimal HTTP service, traced if OTEL_TRACES_EXPORTER is otlp",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return fmt.Errorf("listening for the minimal service: %w", err)
			}
			return serveHello(c.Context(), l, os.Getenv("OTEL_TRACES_EXPORTER") == "otlp")
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "`address` to listen on")
	return c
}

// helloPatience bounds how long open requests, and the export of the last spans, may take at the end.
const helloPatience = 10 * time.Second

// serveHello serves on l until ctx ends. Traced it exports a span for each request but those of health, by OTLP over gRPC; the
// SDK reads the OTEL_* variables.
func serveHello(ctx context.Context, l net.Listener, traced bool) error {
	var handler http.Handler = helloHandler()
	flush := func(context.Context) error { return nil }
	if traced {
		if protocol := os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"); protocol != "" && protocol != "grpc" {
			return fmt.Errorf("tracing the minimal service: it exports by grpc alone, and OTEL_EXPORTER_OTLP_PROTOCOL is %s", protocol)
		}
		exporter, err := otlptracegrpc.New(ctx)
		if err != nil {
			return fmt.Errorf("tracing the minimal service: %w", err)
		}
		provider := trace.NewTracerProvider(trace.WithBatcher(exporter))
		flush = provider.Shutdown
		handler = otelhttp.NewHandler(handler, "", otelhttp.WithTracerProvider(provider),
			otelhttp.WithPropagators(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})),
			otelhttp.WithFilter(func(r *http.Request) bool { return r.URL.Path != "/healthz" }))
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	closed := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), helloPatience)
		defer cancel()
		closed <- errors.Join(server.Shutdown(patience), flush(patience))
	})
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		stop()
		return fmt.Errorf("serving: %w", err)
	}
	return <-closed
}

func helloHandler() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		// An error means that the client is gone: nothing can be reported to it.
		_, _ = w.Write([]byte(`{"message":"hello","number":42}` + "\n"))
	})
	return mux
}
