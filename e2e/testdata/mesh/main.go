// Command mesh is a service that asks another one, with a span for each request where SINK says where spans go, and that burns
// as many µs of CPU for each as BURN says:
//
//	mesh service ADDRESS [NEXT]
//
// or a sidecar in front of one, which burns so many µs of CPU for each request and passes it on:
//
//	mesh proxy ADDRESS BEHIND MICROSECONDS
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/trace"
	"golang.org/x/sys/unix"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := map[string]func(context.Context, []string) error{"service": service, "proxy": proxy}[os.Args[1]](ctx, os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func service(ctx context.Context, args []string) error {
	provider := trace.NewTracerProvider()
	if sink := os.Getenv("SINK"); sink != "" {
		exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithInsecure(), otlptracegrpc.WithEndpoint(sink))
		if err != nil {
			return err
		}
		provider = trace.NewTracerProvider(trace.WithBatcher(exporter, trace.WithBatchTimeout(100*time.Millisecond)))
	}
	us, _ := strconv.Atoi(os.Getenv("BURN")) // nothing where there is no such number
	tracer := provider.Tracer("mesh")
	return errors.Join(serve(ctx, args[0], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, span := tracer.Start(r.Context(), "request")
		defer span.End()
		burn(time.Duration(us) * time.Microsecond)
		if len(args) > 1 {
			answer, err := http.Get("http://" + args[1] + "/")
			if err != nil || answer.Body.Close() != nil || answer.StatusCode != http.StatusOK {
				http.Error(w, "the next one does not answer", http.StatusBadGateway)
				return
			}
		}
		fmt.Fprintln(w, "done")
	})), provider.Shutdown(context.Background()))
}

func proxy(ctx context.Context, args []string) error {
	us, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	behind := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: args[1]})
	return serve(ctx, args[0], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		burn(time.Duration(us) * time.Microsecond)
		behind.ServeHTTP(w, r)
	}))
}

// burn uses so much CPU of one thread, however long that takes.
func burn(length time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for begun := used(); used()-begun < length; {
	}
}

func used() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}

// serve answers until it is told to end, and what is under way then.
func serve(ctx context.Context, address string, handler http.Handler) error {
	server := &http.Server{Addr: address, Handler: handler}
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		ended <- server.Shutdown(context.Background())
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}
