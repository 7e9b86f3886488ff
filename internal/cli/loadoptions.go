package cli

import (
	"encoding/base64"
	"fmt"
	"math"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/spec"
)

// loadOptions are the flags of load.
type loadOptions struct {
	rate, arrivals, method, body string
	headers                      []string
	connections, threads, status int
	duration, timeout, warmup    time.Duration
	count, seed                  uint64
	asJSON                       bool
}

func (o *loadOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.rate, "rate", "", "open loop: operations per second, such as 400/s")
	f.IntVar(&o.connections, "connections", 0, "closed loop: connections kept busy (default 1); with --rate, the most that may be open (default 512)")
	f.DurationVar(&o.duration, "duration", 10*time.Second, "how long to ask")
	f.Uint64Var(&o.count, "count", 0, "stop after so many operations")
	f.DurationVar(&o.warmup, "warmup", 0, "ask for so long first, and forget the result")
	f.DurationVar(&o.timeout, "timeout", load.DefaultTimeout, "give an operation up so long after its intended start")
	f.StringVar(&o.arrivals, "arrivals", load.Constant, "with --rate: constant (evenly spaced) or poisson (random gaps)")
	f.StringVar(&o.method, "method", "", "request method (default GET; POST with --body)")
	f.StringArrayVar(&o.headers, "header", nil, "request header 'Name: value'; may be repeated")
	f.StringVar(&o.body, "body", "", "request body: text, or @FILE")
	f.IntVar(&o.status, "status", 0, "status that counts as success (default any 2xx or 3xx)")
	f.IntVar(&o.threads, "threads", 1, "event loops, each a thread of its own")
	f.Uint64Var(&o.seed, "seed", 1, "seed of random arrivals")
	f.BoolVar(&o.asJSON, "json", false, "print the result as JSON")
}

// task is what the flags ask for; its errors are the user's.
func (o *loadOptions) task(target string) (load.Task, error) {
	r, err := o.request(target)
	if err != nil {
		return load.Task{}, err
	}
	rate, err := parseRate(o.rate)
	if err != nil {
		return load.Task{}, err
	}
	t := load.Task{
		Operations:  []load.Request{r},
		Rate:        rate,
		Arrivals:    o.arrivals,
		Connections: o.connections,
		Duration:    o.duration,
		Count:       o.count,
		Timeout:     o.timeout,
		Seed:        o.seed,
		Threads:     o.threads,
	}
	if o.duration <= 0 || o.timeout <= 0 || o.warmup < 0 || o.threads < 1 {
		return load.Task{}, fmt.Errorf("--duration, --timeout and --threads must be more than 0, --warmup not less")
	}
	if err := t.Check(); err != nil {
		return load.Task{}, err
	}
	if rate > 0 && rate*o.duration.Seconds() < 1 {
		return load.Task{}, fmt.Errorf("--rate %s for %s is no operation; ask for more, or for longer with --duration", o.rate, o.duration)
	}
	return t, nil
}

func (o *loadOptions) request(target string) (load.Request, error) {
	r, err := requestTo(target)
	if err != nil {
		return r, err
	}
	r.Status, r.Method = o.status, o.method
	if o.method != "" {
		if err := spec.CheckMethod(o.method); err != nil {
			return r, fmt.Errorf("--method: %w", err)
		}
	}
	for _, h := range o.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return r, fmt.Errorf("--header %q: want 'Name: value'", h)
		}
		r.Headers = append(r.Headers, load.Header{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)})
	}
	if o.body == "" {
		return r, nil
	}
	if r.Method == "" {
		r.Method = "POST"
	}
	r.Body, err = readBody(o.body)
	return r, err
}

func readBody(text string) ([]byte, error) {
	name, ok := strings.CutPrefix(text, "@")
	if !ok {
		return []byte(text), nil
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--body: %w", err)
	}
	return b, nil
}

// requestTo is the request for an http URL.
func requestTo(target string) (load.Request, error) {
	u, err := url.Parse(target)
	switch {
	case err != nil && !strings.Contains(target, "://"), err == nil && u.Host == "" && u.Scheme != "https" && u.Scheme != "http":
		return load.Request{}, fmt.Errorf("URL %q: want one such as http://%s", target, strings.TrimPrefix(target, "//"))
	case err != nil:
		return load.Request{}, fmt.Errorf("reading the URL: %w", err)
	case u.Scheme == "https":
		return load.Request{}, fmt.Errorf("URL %q: https is not supported, only http:// (HTTP/1.1 without TLS); ask the service on a plain HTTP port", target)
	case u.Scheme != "http":
		return load.Request{}, fmt.Errorf("URL %q: scheme %q is not supported, only http:// (HTTP/1.1 without TLS)", target, u.Scheme)
	case u.Hostname() == "":
		return load.Request{}, fmt.Errorf("URL %q has no host", target)
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	r := load.Request{
		Name:    target,
		Address: net.JoinHostPort(u.Hostname(), port),
		Host:    u.Host,
		Path:    u.RequestURI(),
	}
	if u.User != nil {
		r.Name = u.Redacted()
		password, _ := u.User.Password()
		credentials := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
		r.Headers = []load.Header{{Name: "Authorization", Value: "Basic " + credentials}}
	}
	return r, nil
}

// parseRate reads "400/s" or "400"; "" is 0, no rate.
func parseRate(s string) (float64, error) {
	if s == "" {
		return 0, nil
	}
	rate, err := strconv.ParseFloat(strings.TrimSuffix(s, "/s"), 64)
	if err != nil || !(rate > 0) || math.IsInf(rate, 0) {
		return 0, fmt.Errorf("--rate %q: want operations per second, such as 400/s", s)
	}
	return rate, nil
}
