// Calls makes calls of a recursive function, as it is ordered to over TCP on
// loopback (docs/self-driving.md); it is there to be traced.
//
//	calls -listen 127.0.0.1:8080
//
// Built with the tag otel or elastic the function is instrumented; without a tag,
// no tracer is linked.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// shutdownPatience bounds how long the export of the last spans may take.
const shutdownPatience = 10 * time.Second

func main() {
	address := flag.String("listen", "127.0.0.1:8080", "`address` to take orders on")
	flag.Parse()
	log.SetFlags(0)

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address); err != nil {
		log.Print("calls: ", err)
		os.Exit(1)
	}
}

// run takes orders until the work is over or ctx ends. Tracing stops after that, so
// that the spans of the last calls are exported too.
func run(ctx context.Context, address string) (err error) {
	stopTracing, err := startTracing(ctx)
	if err != nil {
		return fmt.Errorf("starting tracing: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
		defer cancel()
		err = errors.Join(err, stopTracing(ctx))
	}()

	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	over := make(chan error, 1)
	go func() { over <- new(server).serve(listener) }()
	select {
	case err := <-over:
		return err
	case <-ctx.Done():
		return listener.Close()
	}
}
