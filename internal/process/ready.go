package process

// Waiting until a process is ready.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/jitter"
	"github.com/tracetax/tracetax/internal/process/output"
)

// interval is the mean time between two probes of a port: readiness can only be polled from outside. Random intervals keep the
// measured start time right on average.
const interval = 10 * time.Millisecond

// Answers counts the HTTP requests of a readiness check that were answered: a traced program made spans of them.
type Answers struct {
	All    uint64
	Failed uint64 // with 500 or above: possibly by a proxy in front of the program
}

// Ready waits until the process is ready; ctx limits the wait. It fails at once, with a *DiedError, when the process ends.
func (p *Process) Ready(ctx context.Context, c Check) (asked Answers, err error) {
	begun := time.Now()
	asked, last, err := Await(ctx, c, p.log, p.exited)
	switch {
	case err == nil:
		return asked, nil
	case errors.Is(err, ErrDied):
		return asked, p.died("waiting for " + c.text)
	}
	return asked, p.notReady(c, time.Since(begun), last, err)
}

// ErrDied is the error of a wait for a process that ended meanwhile.
var ErrDied = errors.New("the process ended")

// Await waits until the check of a process holds, the process ends (ErrDied) or ctx does; last is the error of the latest failed
// try. Any process will do whose log and end are known, on another machine too.
func Await(ctx context.Context, c Check, log *Log, exited <-chan struct{}) (asked Answers, last, err error) {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-exited:
			cancel(ErrDied)
		case <-within.Done():
		}
	}()
	asked, last, err = probe(within, c, log)
	if err != nil && errors.Is(context.Cause(within), ErrDied) {
		err = ErrDied
	}
	return asked, last, err
}

// probe tries until the check holds or ctx ends; last is the error of the latest failed try.
func probe(ctx context.Context, c Check, log *Log) (asked Answers, last, err error) {
	switch {
	case c.line != nil:
		return asked, nil, awaitLine(ctx, c, log)
	case c.url != "":
		return repeat(ctx, func() (bool, error) { return askHTTP(ctx, c) })
	case c.addr != "":
		return repeat(ctx, func() (bool, error) { return false, dial(ctx, c.addr) })
	}
	return asked, nil, nil
}

func awaitLine(ctx context.Context, c Check, log *Log) error {
	found, stop := log.Await(ctx, c.line)
	defer stop()
	select {
	case <-found:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// repeat tries until it succeeds or ctx ends, and counts the answers.
func repeat(ctx context.Context, try func() (answered bool, err error)) (asked Answers, last, err error) {
	again := jitter.NewTicker(interval)
	defer again.Stop()
	for {
		answered, err := try()
		if answered {
			asked.All++
		}
		if err == nil {
			return asked, nil, nil
		}
		if answered {
			asked.Failed++
		}
		// A try that the end of ctx cut off explains less than the one before.
		if ctx.Err() == nil && (last == nil || !os.IsTimeout(err)) {
			last = err
		}
		select {
		case <-ctx.Done():
			return asked, last, ctx.Err()
		case <-again.C:
			again.Next()
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
	// A connection of its own, closed after: the check leaves none open in the program.
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

// Checks of readiness, as they are written in workload files.

// Check is a test of a process's readiness. The zero value is ready at once.
type Check struct {
	text string
	url  string          // http and https
	addr string          // tcp
	line *output.Pattern // log

	Header func() (name, value string) // of each HTTP request; nil: none
}

// String returns the check as written.
func (c Check) String() string { return c.text }

// ParseCheck parses "http://…" (any answer below 500), "tcp://HOST:PORT" (a connection is accepted) and "log:REGEXP" (a line of
// its log matches). "" is ready at once.
func ParseCheck(text string) (Check, error) {
	c := Check{text: text}
	switch {
	case text == "":
		return c, nil
	case strings.HasPrefix(text, "http://"), strings.HasPrefix(text, "https://"):
		u, err := url.Parse(text)
		if err != nil {
			return Check{}, fmt.Errorf("ready check %q: %w", text, err)
		}
		if u.Hostname() == "" {
			return Check{}, fmt.Errorf("ready check %q: the host is missing, as in http://127.0.0.1:8080/", text)
		}
		c.url = text
		return c, nil
	case strings.HasPrefix(text, "tcp://"):
		c.addr = strings.TrimSuffix(strings.TrimPrefix(text, "tcp://"), "/")
		if err := checkAddress(c.addr); err != nil {
			return Check{}, fmt.Errorf("ready check %q: %w, as in tcp://127.0.0.1:5432", text, err)
		}
		return c, nil
	case strings.HasPrefix(text, "log:"):
		pattern := strings.TrimPrefix(text, "log:")
		if pattern == "" {
			return Check{}, fmt.Errorf("ready check %q: the regular expression is missing, as in log:listening on", text)
		}
		line, err := output.Compile(pattern)
		if err != nil {
			return Check{}, fmt.Errorf("ready check %q: %w", text, err)
		}
		c.line = line
		return c, nil
	}
	return Check{}, fmt.Errorf("ready check %q: write http://HOST:PORT/PATH, tcp://HOST:PORT or log:REGEXP", text)
}

// Reached returns the text of a check, or a URL, with the host at which a program is reached in the place of loopback: to a program
// on another machine that is its own.
func Reached(text, host string) string {
	at, err := url.Parse(text)
	if err != nil || at.Host == "" || !isLoopback(at.Hostname()) || isLoopback(host) {
		return text
	}
	if port := at.Port(); port != "" {
		at.Host = net.JoinHostPort(host, port)
	} else {
		at.Host = host
	}
	return at.String()
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func checkAddress(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return errors.New("host and port are needed")
	}
	if host == "" {
		return errors.New("the host is missing")
	}
	if n, err := net.LookupPort("tcp", port); err != nil || n == 0 {
		return fmt.Errorf("%q is not a port", port)
	}
	return nil
}

// hostPort returns the HOST:PORT of a URL, with the default port of its scheme.
func hostPort(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}
