// Tiers is one tier of three: front passes a request on to middle, middle to back, and back computes.
//
//	tiers -listen 127.0.0.1:8082
//	tiers -listen 127.0.0.1:8081 -next http://127.0.0.1:8082
//
// Built with the tag otel it is instrumented with OpenTelemetry; without it, it does not link OpenTelemetry at all.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// shutdownPatience bounds how long open requests, and then the export of the
// last spans, may take after SIGTERM.
const shutdownPatience = 10 * time.Second

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "`address` to listen on")
	next := flag.String("next", "", "`URL` of the next tier; the last one has none")
	flag.Parse()
	log.SetFlags(0)

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *next); err != nil {
		log.Print("tiers: ", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. Tracing stops after the server, so that the spans
// of the last requests are exported too.
func run(ctx context.Context, listen, next string) (err error) {
	stopTracing, err := startTracing(ctx)
	if err != nil {
		return fmt.Errorf("starting tracing: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
		defer cancel()
		err = errors.Join(err, stopTracing(ctx))
	}()

	return serve(ctx, listen, traceHandler(newTier(next)))
}

func serve(ctx context.Context, listen string, handler http.Handler) error {
	server := &http.Server{Addr: listen, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()

	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return fmt.Errorf("waiting for open requests: %w", err)
	}
	return nil
}
