package process

// Waiting until a process is ready.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// interval is the time between two probes of a port: readiness can't be
// awaited from outside, only asked for.
const interval = 10 * time.Millisecond

// Ready waits until the process is ready; ctx bounds the patience. It fails at
// once, with a *DiedError, when the process ends. probes is the number of HTTP
// requests that were answered: a traced program made spans of them.
func (p *Process) Ready(ctx context.Context, c Check) (probes uint64, err error) {
	begun := time.Now()
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-p.exited:
			cancel(errDied)
		case <-within.Done():
		}
	}()
	probes, last, err := p.probe(within, c)
	if err == nil {
		return probes, nil
	}
	if errors.Is(context.Cause(within), errDied) {
		return probes, p.died("waiting for " + c.text)
	}
	return probes, p.notReady(c, time.Since(begun), last, err)
}

var errDied = errors.New("the process ended")

// probe tries until the check holds or ctx ends; last is what the latest failed
// try saw.
func (p *Process) probe(ctx context.Context, c Check) (probes uint64, last, err error) {
	switch {
	case c.line != nil:
		return 0, nil, p.awaitLine(ctx, c)
	case c.url != "":
		return repeat(ctx, func() (bool, error) { return askHTTP(ctx, c) })
	case c.addr != "":
		return repeat(ctx, func() (bool, error) { return false, dial(ctx, c.addr) })
	}
	return 0, nil, nil
}

func (p *Process) awaitLine(ctx context.Context, c Check) error {
	found, stop := p.log.Await(c.line)
	defer stop()
	select {
	case <-found:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// repeat tries until it succeeds or ctx ends, and counts the answers.
func repeat(ctx context.Context, try func() (answered bool, err error)) (answers uint64, last, err error) {
	again := time.NewTicker(interval)
	defer again.Stop()
	for {
		answered, err := try()
		if answered {
			answers++
		}
		if err == nil {
			return answers, nil, nil
		}
		// That patience ended in the middle of a try says less than the try before.
		if ctx.Err() == nil && (last == nil || !os.IsTimeout(err)) {
			last = err
		}
		select {
		case <-ctx.Done():
			return answers, last, ctx.Err()
		case <-again.C:
		}
	}
}

func askHTTP(ctx context.Context, c Check) (answered bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return false, err
	}
	if c.Header != nil {
		name, value := c.Header()
		request.Header.Set(name, value)
	}
	// A connection of its own, closed after: nothing of the check is to stay
	// open in the program.
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20)) // the status is all that matters
	if response.StatusCode >= 500 {
		return true, fmt.Errorf("it answered %s", response.Status)
	}
	return true, nil
}

func dial(ctx context.Context, addr string) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return connection.Close()
}
