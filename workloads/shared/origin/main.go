// Origin is the server behind the proxy: every answer is the same ten bytes, at once or late.
//
//	origin -listen 127.0.0.1:8080
//	origin -verify http://127.0.0.1:10000
//
// With -verify it is no server, but checks the answers of a proxy in front of one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// body is what every operation is answered with.
const body = "0123456789"

// late is how long /after-10ms takes.
const late = 10 * time.Millisecond

// shutdownPatience bounds how long open requests may take after SIGTERM.
const shutdownPatience = 5 * time.Second

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "`address` to listen on")
	proxy := flag.String("verify", "", "`URL` of a proxy whose answers are checked")
	flag.Parse()
	log.SetFlags(0)

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	do := func() error { return serve(ctx, *listen) }
	if *proxy != "" {
		do = func() error { return verify(ctx, *proxy) }
	}
	if err := do(); err != nil {
		log.Print("origin: ", err)
		os.Exit(1)
	}
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /now", func(w http.ResponseWriter, _ *http.Request) { answer(w, body) })
	mux.HandleFunc("GET /after-10ms", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(late)
		answer(w, body)
	})
	mux.HandleFunc("GET /trace", func(w http.ResponseWriter, r *http.Request) { answer(w, traceOf(r.Header)) })
	return mux
}

func answer(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, text)
}

func serve(ctx context.Context, listen string) error {
	server := &http.Server{Addr: listen, Handler: handler(), ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()

	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("waiting for open requests: %w", err)
	}
	return nil
}
