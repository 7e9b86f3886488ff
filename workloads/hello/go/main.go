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
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

// run serves until ctx ends. Tracing stops after the server, so the spans
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

// The operations of the service, and what answers them.

// hashRounds is the work of one /cpu request: about 200 µs on one core of a
// 2020s server. It is an amount and not a time, so tracing cannot take
// part of it away.
const hashRounds = 3000

// greeting is the body of /json and /downstream.
type greeting struct {
	Message string   `json:"message"`
	Number  int      `json:"number"`
	Tags    []string `json:"tags"`
}

// digest is the body of /cpu.
type digest struct {
	Rounds int    `json:"rounds"`
	SHA256 string `json:"sha256"`
}

// app is the process that clients talk to.
type app struct {
	downstream string // URL without a path
	client     *http.Client
}

func newApp(downstream string) http.Handler {
	a := &app{downstream: downstream, client: newClient()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", healthz)
	mux.HandleFunc("GET /json", greet)
	mux.HandleFunc("GET /cpu", cpu)
	mux.HandleFunc("GET /remote", a.remote)
	return mux
}

func newDownstream() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", healthz)
	mux.HandleFunc("GET /downstream", greet)
	return mux
}

// newClient returns a client that keeps as many connections open as there are
// requests at once; the default keeps two and would dial again under load.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConns = 0
	transport.MaxIdleConnsPerHost = 512
	return &http.Client{Transport: traceTransport(transport), Timeout: 10 * time.Second}
}

func healthz(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusNoContent)
}

func greet(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, greeting{Message: "hello", Number: 42, Tags: []string{"small", "json"}})
}

func cpu(w http.ResponseWriter, _ *http.Request) {
	sum := sha256.Sum256([]byte("hello"))
	for range hashRounds {
		sum = sha256.Sum256(sum[:])
	}
	writeJSON(w, digest{Rounds: hashRounds, SHA256: hex.EncodeToString(sum[:])})
}

// remote passes on what the downstream process answers.
func (a *app) remote(w http.ResponseWriter, r *http.Request) {
	body, err := a.fetch(r)
	if err != nil {
		log.Print("hello: ", err)
		http.Error(w, "the downstream process does not answer", http.StatusBadGateway)
		return
	}
	writeJSON(w, json.RawMessage(body))
}

func (a *app) fetch(r *http.Request) ([]byte, error) {
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, a.downstream+"/downstream", nil)
	if err != nil {
		return nil, err
	}
	response, err := a.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", request.URL, response.Status)
	}
	return io.ReadAll(response.Body)
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Print("hello: writing an answer: ", err)
	}
}
