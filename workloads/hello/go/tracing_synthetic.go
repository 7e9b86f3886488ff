//go:build synthetic

// With the tag synthetic, requests are "traced" by something whose cost is known:
// it is there to check tracetax, not to trace. OpenTelemetry is linked with the tag
// spans only.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// synthetic is the cost that the SYNTHETIC_* variables ask for. It is one per
// process, as a real tracer is, because traceHandler has no other way to it.
var synthetic struct {
	burn  time.Duration // thread CPU time per request
	sleep time.Duration // asked for per request

	requests atomic.Int64
	burnt    atomic.Int64 // ns of thread CPU time, as its clock says
	slept    atomic.Int64 // ns of wall time, as measured around each sleep

	spans spans // of requests, where they are asked for
}

// spans is what makes a span for each request. It is nil where none is made.
type spans interface {
	make(context.Context)
	stop(context.Context) (said string, err error)
}

// startTracing reads the variables and holds the memory. When tracing stops, it
// logs what was really done, which may be more than was asked for.
func startTracing(ctx context.Context) (stop func(context.Context) error, err error) {
	nothing := func(context.Context) error { return nil }
	if os.Getenv("SYNTHETIC_PROCESS") != os.Getenv("SYNTHETIC_IN") {
		return nothing, nil
	}
	if synthetic.burn, err = durationOf("SYNTHETIC_BURN"); err != nil {
		return nil, err
	}
	if synthetic.sleep, err = durationOf("SYNTHETIC_SLEEP"); err != nil {
		return nil, err
	}
	if os.Getenv("SYNTHETIC_SPANS") == "on" {
		if synthetic.spans, err = startSpans(ctx); err != nil {
			return nil, err
		}
	}
	held, err := hold("SYNTHETIC_HOLD_MB")
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (err error) {
		s, said := &synthetic, ""
		if s.spans != nil {
			said, err = s.spans.stop(ctx)
		}
		log.Printf("synthetic: %d requests, burnt %d ns, slept %d ns, held %d bytes%s",
			s.requests.Load(), s.burnt.Load(), s.slept.Load(), len(held), said)
		return err
	}, nil
}

// traceHandler adds the cost to each request but the health checks.
func traceHandler(handler http.Handler) http.Handler {
	if synthetic.burn == 0 && synthetic.sleep == 0 && synthetic.spans == nil {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			cost(r.Context())
		}
		handler.ServeHTTP(w, r)
	})
}

func traceTransport(transport http.RoundTripper) http.RoundTripper { return transport }

// cost is what a request pays.
func cost(ctx context.Context) {
	s := &synthetic
	s.requests.Add(1)
	if s.burn > 0 {
		s.burnt.Add(int64(burn(s.burn)))
	}
	if s.sleep > 0 {
		begin := time.Now()
		time.Sleep(s.sleep)
		s.slept.Add(int64(time.Since(begin)))
	}
	if s.spans != nil {
		s.spans.make(ctx)
	}
}

func durationOf(variable string) (time.Duration, error) {
	text := os.Getenv(variable)
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s is %q: use a duration such as 200us", variable, text)
	}
	return d, nil
}

// hold takes so many megabytes (10⁶ bytes) from the system and touches them. They
// are no part of Go's heap: the collector would let garbage grow with what is held.
func hold(variable string) ([]byte, error) {
	text := os.Getenv(variable)
	if text == "" || text == "0" {
		return nil, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return nil, fmt.Errorf("%s is %q: use a number of megabytes", variable, text)
	}
	held, err := take(n * 1_000_000)
	if err != nil {
		return nil, fmt.Errorf("holding %d MB: %w", n, err)
	}
	for i := 0; i < len(held); i += os.Getpagesize() {
		held[i] = 1
	}
	return held, nil
}
