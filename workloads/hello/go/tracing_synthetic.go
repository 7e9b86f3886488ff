//go:build synthetic

// With the tag synthetic, requests are "traced" by something whose cost is known:
// it is there to check tracetax, not to trace. OpenTelemetry is linked with the tag
// spans only.

package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// synthetic is the cost that the SYNTHETIC_* variables ask for. It is one per
// process, as a real tracer is, because traceHandler has no other way to it.
var synthetic struct {
	burn  time.Duration // thread CPU time per request
	sleep time.Duration // asked for per request
	idle  float64       // of a CPU, all the time

	serialising, clock, metadata time.Duration // thread CPU time per request, each in a function of its own
	own                          time.Duration // likewise, in a goroutine of the tracer's own
	handed                       chan struct{} // what that one is given, one for each request

	requests atomic.Int64
	burnt    atomic.Int64 // ns of thread CPU time, as its clock says
	slept    atomic.Int64 // ns of wall time, as measured around each sleep
	idled    atomic.Int64 // ns of CPU time of the process while no request came
	alive    atomic.Int64 // ns of wall time in which that was

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
	for variable, into := range map[string]*time.Duration{
		"SYNTHETIC_SERIALISING": &synthetic.serialising, "SYNTHETIC_CLOCK": &synthetic.clock, "SYNTHETIC_METADATA": &synthetic.metadata,
		"SYNTHETIC_OWN": &synthetic.own,
	} {
		if *into, err = durationOf(variable); err != nil {
			return nil, err
		}
	}
	if synthetic.own > 0 {
		synthetic.handed = make(chan struct{}, 1<<16)
		go work()
	}
	if synthetic.idle, err = shareOf("SYNTHETIC_IDLE"); err != nil {
		return nil, err
	}
	if synthetic.idle > 0 {
		go idle(synthetic.idle)
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
		log.Printf("synthetic: %d requests, burnt %d ns, slept %d ns, idled %d ns in %d ns, held %d bytes%s",
			s.requests.Load(), s.burnt.Load(), s.slept.Load(), s.idled.Load(), s.alive.Load(), len(held), said)
		return err
	}, nil
}

// traceHandler adds the cost to each request but the health checks.
func traceHandler(handler http.Handler) http.Handler {
	s := &synthetic
	if s.burn+s.sleep+s.serialising+s.clock+s.metadata+s.own == 0 && s.idle == 0 && s.spans == nil {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			cost(r.Context())
		}
		handler.ServeHTTP(w, r) // within the tracer's frame, as wrappers of tracers do
	})
}

func traceTransport(transport http.RoundTripper) http.RoundTripper { return transport }

// cost is what a request pays.
func cost(ctx context.Context) {
	s := &synthetic
	s.requests.Add(1)
	burnFor(s.burn)
	serialise(s.serialising)
	readClock(s.clock)
	describe(s.metadata)
	if s.own > 0 {
		s.handed <- struct{}{}
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

// Known causes: what each of these burns is in a frame of its own, so that a profile can be held against it.

//go:noinline
func serialise(d time.Duration) { burnFor(d) }

//go:noinline
func readClock(d time.Duration) { burnFor(d) }

//go:noinline
func describe(d time.Duration) { burnFor(d) }

// work is the goroutine of the tracer's own.
func work() {
	for range synthetic.handed {
		burnFor(synthetic.own)
	}
}

func burnFor(d time.Duration) {
	if d > 0 {
		synthetic.burnt.Add(int64(burn(d)))
	}
}

// idle uses a share of a CPU for good, whether requests come or not, piece by piece: what was used too little so far is made
// up for. What that takes is read off the process's clock between pieces in which no request came: Go's runtime looks after a
// program that works, and takes a tenth more than the burning.
func idle(share float64) {
	began := time.Now()
	var used time.Duration
	last, cpu, requests := began, processTime(), int64(0)
	for {
		if due := time.Duration(share*float64(time.Since(began))) - used; due > 0 {
			used += burn(due)
		}
		time.Sleep(idlePiece)
		now, all, came := time.Now(), processTime(), synthetic.requests.Load()
		if came == requests {
			synthetic.idled.Add(int64(all - cpu))
			synthetic.alive.Add(int64(now.Sub(last)))
		}
		last, cpu, requests = now, all, came
	}
}

// idlePiece is so short that each half second has its share.
const idlePiece = 50 * time.Millisecond

func shareOf(variable string) (float64, error) {
	text := os.Getenv(variable)
	if text == "" {
		return 0, nil
	}
	share, err := strconv.ParseFloat(text, 64)
	if err != nil || !(share >= 0 && share < 1) {
		return 0, fmt.Errorf("%s is %q: use a share such as 0.05", variable, text)
	}
	return share, nil
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

// CPU time that is burnt by the clock of the thread that burns it.

// burn works until this thread has used so much CPU time, and returns how much it was, with
// what both the first and the last look at the clock cost. Time in which the thread is kept
// from its CPU does not count. The first look finds nothing in the caches, and takes ten times as long as later ones:
// it counts by the time of day, with all that binds the goroutine to its thread.
func burn(d time.Duration) time.Duration {
	look := lookCost() // half of the last look is outside of what it sees
	before := time.Now()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := threadTime()
	first := min(time.Since(before), longestLook)
	for {
		if used := first/2 + threadTime() - begin + look/2; used >= d {
			return used
		}
	}
}

// longestLook bounds a first look at the clock: longer ones were interrupted.
const longestLook = 10 * time.Microsecond

// lookCost is the CPU time of one look at the clock.
var lookCost = sync.OnceValue(func() time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Duration(math.MaxInt64)
	for range 10 {
		begin := threadTime()
		for range looks {
			threadTime()
		}
		least = min(least, (threadTime()-begin)/(looks+1))
	}
	return least
})

const looks = 200

// take gets memory from the system.
func take(bytes int) ([]byte, error) {
	return unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}
