// Tiers is one tier of three: front passes a request on to middle, middle to back, and back computes.
//
//	tiers -listen 127.0.0.1:8082
//	tiers -listen 127.0.0.1:8081 -next http://127.0.0.1:8082
//
// Built with the tag otel it is instrumented with OpenTelemetry; without it, it does not link OpenTelemetry at all.

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/big"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"strconv"
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

// run serves until ctx ends. Tracing stops after the server, so the spans
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

// What a tier answers: what the next one answered, or its own where it is the last.

// tier is a process.
type tier struct {
	next   string // URL without a path; "" for the last
	client *http.Client
}

func newTier(next string) http.Handler {
	t := &tier{next: next, client: newClient()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	if next != "" {
		mux.HandleFunc("GET /{work}", t.pass)
	} else {
		mux.HandleFunc("GET /{work}", do)
	}
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

// pass answers as the next tier does.
func (t *tier) pass(w http.ResponseWriter, r *http.Request) {
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, t.next+r.URL.RequestURI(), nil)
	if err != nil {
		unreached(w, err)
		return
	}
	response, err := t.client.Do(request)
	if err != nil {
		unreached(w, err)
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		unreached(w, err)
		return
	}
	write(w, response.StatusCode, body)
}

func unreached(w http.ResponseWriter, err error) {
	log.Print("tiers: ", err)
	write(w, http.StatusBadGateway, []byte("the next tier does not answer"))
}

// do computes.
func do(w http.ResponseWriter, r *http.Request) {
	work, ok := works[r.PathValue("work")]
	if !ok {
		write(w, http.StatusNotFound, []byte("there is no such work"))
		return
	}
	body, err := work(r)
	if err != nil {
		log.Print("tiers: ", err)
		write(w, http.StatusInternalServerError, []byte("failed"))
		return
	}
	write(w, http.StatusOK, body)
}

func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil {
		log.Print("tiers: writing an answer: ", err)
	}
}

// The works of the last tier, each the same amount in every language.

const (
	digits = 20 // of pi
	guard  = 10 // digits beyond them, for what is rounded away
	size   = 40 // of a matrix
)

var large = bytes.Repeat([]byte("x"), 4_000_000)

var works = map[string]func(*http.Request) ([]byte, error){
	"small":     func(*http.Request) ([]byte, error) { return []byte("x"), nil },
	"large":     func(*http.Request) ([]byte, error) { return large, nil },
	"factorial": func(*http.Request) ([]byte, error) { return factorial(), nil },
	"pi":        func(*http.Request) ([]byte, error) { return pi(), nil },
	"matrix":    func(*http.Request) ([]byte, error) { return matrix(), nil },
	"fails":     fails,
}

// factorial is 100!.
func factorial() []byte {
	product := big.NewInt(1)
	for n := int64(2); n <= 100; n++ {
		product.Mul(product, big.NewInt(n))
	}
	return []byte(product.String())
}

// pi is by Machin's formula.
func pi() []byte {
	one := power(digits - 1 + guard)
	a := arctan(5, one)
	a.Mul(a, big.NewInt(4)).Sub(a, arctan(239, one)).Mul(a, big.NewInt(4))
	return []byte(a.Quo(a, power(guard)).String())
}

func power(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }

// arctan is one times the arctangent of 1/x.
func arctan(x int64, one *big.Int) *big.Int {
	term := new(big.Int).Quo(one, big.NewInt(x))
	total := new(big.Int).Set(term)
	square := big.NewInt(x * x)
	for n := int64(3); term.Sign() > 0; n += 2 {
		term.Quo(term, square)
		part := new(big.Int).Quo(term, big.NewInt(n))
		if n%4 == 3 {
			total.Sub(total, part)
		} else {
			total.Add(total, part)
		}
	}
	return total
}

// matrix is the sum over the product of a matrix with itself.
func matrix() []byte {
	var a [size][size]int64
	for i := range size {
		for j := range size {
			a[i][j] = int64(size*i + j)
		}
	}
	var total int64
	for i := range size {
		for j := range size {
			for k := range size {
				total += a[i][k] * a[k][j]
			}
		}
	}
	return strconv.AppendInt(nil, total, 10)
}

// fails computes, or does not with probability p.
func fails(r *http.Request) ([]byte, error) {
	p := 0.0
	if text := r.FormValue("p"); text != "" {
		var err error
		if p, err = strconv.ParseFloat(text, 64); err != nil {
			return nil, fmt.Errorf("reading p: %w", err)
		}
	}
	if rand.Float64() < p {
		return nil, errors.New("as was asked for")
	}
	return factorial(), nil
}
