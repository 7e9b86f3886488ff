package run_test

// The limits of the service under test: its CPU, one thread of it, and what it
// has room for in its spans' queue.

import (
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sys/unix"
)

func limited(mux *http.ServeMux, tracer trace.Tracer) {
	mux.HandleFunc("GET /burn/{us}", func(w http.ResponseWriter, r *http.Request) {
		burn(r.PathValue("us"))
		fmt.Fprint(w, "burnt")
	})
	var unrest sync.Once
	mux.HandleFunc("GET /unrest", func(w http.ResponseWriter, _ *http.Request) {
		unrest.Do(func() { go background(0.3) })
		fmt.Fprint(w, "goes on for good")
	})
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job()
		}
	}()
	mux.HandleFunc("GET /single/{us}", func(w http.ResponseWriter, r *http.Request) {
		done := make(chan struct{})
		jobs <- func() { burn(r.PathValue("us")); close(done) }
		<-done
		fmt.Fprint(w, "burnt by one thread")
	})
	q := queue{room: 15, since: time.Now()}
	mux.HandleFunc("GET /lossy", func(w http.ResponseWriter, r *http.Request) {
		_, span := tracer.Start(r.Context(), "kept")
		span.End()
		if q.takes() {
			_, span := tracer.Start(r.Context(), "queued")
			span.End()
		}
		fmt.Fprint(w, "done")
	})
}

// burn uses so many µs of this thread's CPU.
func burn(us string) {
	n, err := strconv.Atoi(us)
	if err != nil {
		panic(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for until := threadCPU() + time.Duration(n)*time.Microsecond; threadCPU() < until; {
	}
}

func threadCPU() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

// queue takes in so many every 100 ms.
type queue struct {
	mu    sync.Mutex
	room  int
	taken int
	since time.Time
}

func (q *queue) takes() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if time.Since(q.since) > 100*time.Millisecond {
		q.taken, q.since = 0, time.Now()
	}
	q.taken++
	return q.taken <= q.room
}
