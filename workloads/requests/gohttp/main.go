// World is four of TechEmpower's tests on net/http and PostgreSQL.
//
//	world -listen 127.0.0.1:8080 -database postgres://…
//
// Built with the tag otel or elastic it is instrumented with OpenTelemetry or
// Elastic APM; without a tag, it links neither.
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
	database := flag.String("database", "", "`URL` of the database")
	flag.Parse()
	log.SetFlags(0)

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *database); err != nil {
		log.Print("world: ", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. Tracing starts after the connections are open, so
// that they are no spans, and stops after the server, so that the spans of the
// last requests are exported too.
func run(ctx context.Context, listen, database string) (err error) {
	db, err := openDatabase(ctx, database)
	if err != nil {
		return err
	}
	defer db.Close()

	stopTracing, err := startTracing(ctx)
	if err != nil {
		return fmt.Errorf("starting tracing: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
		defer cancel()
		err = errors.Join(err, stopTracing(ctx))
	}()
	return serve(ctx, listen, traceHandler(newApp(worlds{db})))
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
