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
	"strings"
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

// The check of what comes through the proxy: the answers, and one trace a request.

// traced is how many requests are looked at for their traces.
const traced = 20

// traceOf is the trace that a request belongs to, by W3C's header or by B3's; "" where it says none.
func traceOf(h http.Header) string {
	if parts := strings.Split(h.Get("traceparent"), "-"); len(parts) == 4 {
		return parts[1]
	}
	return h.Get("x-b3-traceid")
}

// verify asks a proxy for every operation, and then what trace the origin is told of.
func verify(ctx context.Context, proxy string) error {
	client := &http.Client{Timeout: 5 * time.Second}
	for _, path := range []string{"/now", "/after-10ms"} {
		begun := time.Now()
		text, err := get(ctx, client, proxy+path)
		switch took := time.Since(begun); {
		case err != nil:
			return err
		case text != body:
			return fmt.Errorf("GET %s: the body is %.80q, and must be %q", path, text, body)
		case path == "/after-10ms" && took < late:
			return fmt.Errorf("GET %s: it took %v, and must take %v", path, took, late)
		}
		fmt.Printf("GET %s: status 200, the origin's ten bytes\n", path)
	}
	seen := map[string]bool{}
	for range traced {
		trace, err := get(ctx, client, proxy+"/trace")
		if err != nil {
			return err
		}
		seen[trace] = true
	}
	switch {
	case seen[""] && len(seen) == 1:
		fmt.Println("traces: the origin is told of none")
	case len(seen) == traced && !seen[""]:
		fmt.Printf("traces: the origin is told of one for each of %d requests\n", traced)
	default:
		return fmt.Errorf("the origin was told of %d traces by %d requests: each must have one of its own", len(seen), traced)
	}
	return nil
}

// get is the body of an answer, which has to be well.
func get(ctx context.Context, client *http.Client, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: the answer is %s", request.URL.Path, answer.Status)
	}
	return string(text), err
}
