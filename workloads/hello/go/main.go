// Hello is a small HTTP service that is there to be traced: three operations of
// rising weight, the last of which calls a second process of the same program.
//
//	hello -listen 127.0.0.1:8080 -downstream http://127.0.0.1:8081
//	hello -role downstream -listen 127.0.0.1:8081
//
// Built with the tag otel it is instrumented with OpenTelemetry; without it,
// it does not link OpenTelemetry at all.
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
	role := flag.String("role", "app", "app or downstream")
	downstream := flag.String("downstream", "", "`URL` of the downstream process, for the role app")
	flag.Parse()
	log.SetFlags(0)

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *role, *downstream); err != nil {
		log.Print("hello: ", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. Tracing stops after the server, so that the spans
// of the last requests are exported too.
func run(ctx context.Context, listen, role, downstream string) (err error) {
	stopTracing, err := startTracing(ctx)
	if err != nil {
		return fmt.Errorf("starting tracing: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
		defer cancel()
		err = errors.Join(err, stopTracing(ctx))
	}()

	handler, err := handlerFor(role, downstream)
	if err != nil {
		return err
	}
	return serve(ctx, listen, traceHandler(handler))
}

func handlerFor(role, downstream string) (http.Handler, error) {
	switch role {
	case "app":
		return newApp(downstream), nil
	case "downstream":
		return newDownstream(), nil
	}
	return nil, fmt.Errorf("there is no role %q: use app or downstream", role)
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
