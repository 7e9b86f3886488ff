// Node is one service of a graph: it answers calls, does what its plan says of each, and calls other nodes.
//
//	node plan.json
//
// A plan is made by tracetax of a topology file; plan.go has its keys. Built with the tag otel it is instrumented with
// OpenTelemetry; without it, it does not link OpenTelemetry at all.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// shutdownPatience bounds how long open calls, and then the export of the last spans, may take after SIGTERM.
const shutdownPatience = 10 * time.Second

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Print("node: give it the file of its plan")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1]); err != nil {
		log.Print("node: ", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. Tracing stops after the server, so that the spans of the last calls are exported too.
func run(ctx context.Context, file string) (err error) {
	p, err := readPlan(file)
	if err != nil {
		return err
	}
	stopTracing := func(context.Context) error { return nil }
	if !p.Store {
		if stopTracing, err = startTracing(ctx); err != nil {
			return fmt.Errorf("starting tracing: %w", err)
		}
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
		defer cancel()
		err = errors.Join(err, stopTracing(ctx))
	}()
	n, err := newNode(p)
	if err != nil {
		return err
	}
	defer n.close()
	listener, err := net.Listen("tcp4", p.Listen)
	if err != nil {
		return fmt.Errorf("listening for calls: %w", err)
	}
	counters, err := net.Listen("tcp4", p.Counters)
	if err != nil {
		return fmt.Errorf("listening for readers of the counters: %w", err)
	}
	page := &http.Server{Handler: n.page(), ReadHeaderTimeout: shutdownPatience}
	defer page.Close()
	server := newServer(n)
	failed := make(chan error, 2)
	go func() { failed <- server.serve(listener) }()
	go func() { failed <- page.Serve(counters) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
	defer cancel()
	err = server.stop(ctx)
	n.later.Wait() // each call has its own time-out
	n.tell()
	return err
}
