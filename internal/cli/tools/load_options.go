package tools

// This file holds the flags of load.

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/load/feed"
)

// options are the flags of load.
type options struct {
	rate, arrivals, method, body          string
	headers                               []string
	connections, threads, status, streams int
	duration, timeout, warmup             time.Duration
	count, seed                           uint64
	insecure                              bool
	cacert, data, protoset                string
	dataFile, dataOrder                   string
	asJSON                                bool
}

func (o *options) flags(f *pflag.FlagSet) {
	f.StringVar(&o.rate, "rate", "", "open loop: operations per second, such as 400/s")
	f.IntVar(&o.connections, "connections", 0, "connections to keep busy (closed loop: 1 unless given), or with --rate the most open ones (512 unless given); up to 40960")
	f.DurationVar(&o.duration, "duration", 10*time.Second, "length of the load")
	f.Uint64Var(&o.count, "count", 0, "stop after this many operations")
	f.DurationVar(&o.warmup, "warmup", 0, "length of the load before, which is not counted")
	f.DurationVar(&o.timeout, "timeout", load.DefaultTimeout, "longest time from an operation's intended start until it fails")
	f.StringVar(&o.arrivals, "arrivals", load.Even, "with --rate: even (each at a random moment of its period), poisson (random gaps) or constant; above 4000/s even and constant ones start in groups")
	f.StringVar(&o.method, "method", "", "request method (default GET; POST with --body)")
	f.StringArrayVar(&o.headers, "header", nil, "request header 'Name: value' (gRPC: metadata); may be repeated")
	f.StringVar(&o.body, "body", "", "request body: text, or @FILE")
	f.IntVar(&o.status, "status", 0, "status that counts as success (default any 2xx or 3xx)")
	f.IntVar(&o.threads, "threads", 1, "number of event loops, each on its own thread")
	f.Uint64Var(&o.seed, "seed", 1, "seed of random arrivals and of random rows")
	f.BoolVar(&o.insecure, "insecure", false, "https, grpcs: do not check the server's certificate")
	f.StringVar(&o.cacert, "cacert", "", "https, grpcs: PEM file of further trusted authorities")
	f.StringVar(&o.data, "data", "", "gRPC message: a protobuf @FILE, or with --protoset JSON as text or @FILE (default: an empty message)")
	f.StringVar(&o.protoset, "protoset", "", "gRPC: descriptor set with the types of --data, from protoc --descriptor_set_out=FILE --include_imports")
	f.IntVar(&o.streams, "streams", 0, "gRPC: calls at a time on one connection (default 1)")
	f.StringVar(&o.dataFile, "data-file", "", "CSV with a header line, or JSON lines, for {data.COLUMN} in the path, the query, headers and the body")
	f.StringVar(&o.dataOrder, "data-order", "turn", "order of the rows of --data-file: turn (one after the other, again and again) or random")
	f.BoolVar(&o.asJSON, "json", false, "print the result as JSON")
}

// This file turns the flags of load into a task.

// task builds the task from the flags; its errors are the user's.
func (o *options) task(target string) (load.Task, error) {
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
		Streams:     o.streams,
	}
	if o.duration <= 0 || o.timeout <= 0 || o.warmup < 0 || o.threads < 1 {
		return load.Task{}, fmt.Errorf("--duration, --timeout and --threads must be more than 0, --warmup not less")
	}
	if o.streams != 0 && !r.GRPC {
		return load.Task{}, errors.New("--streams is for grpc:// and grpcs:// only: HTTP/1.1 has one request at a time on a connection")
	}
	if err := feed.Check(t); err != nil {
		return load.Task{}, err
	}
	if rate > 0 && rate*o.duration.Seconds() < 1 {
		return load.Task{}, fmt.Errorf("--rate %s for %s is no operation; ask for more, or for longer with --duration", o.rate, o.duration)
	}
	return t, nil
}

func (o *options) request(target string) (load.Request, error) {
	r, err := feed.RequestTo(target)
	if err != nil {
		return r, err
	}
	for _, h := range o.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return r, fmt.Errorf("--header %q: want 'Name: value'", h)
		}
		r.Headers = append(r.Headers, load.Header{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)})
	}
	if err := o.secure(&r); err != nil {
		return r, err
	}
	if r.GRPC {
		err = o.message(&r)
	} else {
		err = o.http(&r)
	}
	if err != nil {
		return r, err
	}
	return r, o.rows(&r)
}

// secure says how the server's certificate is checked.
func (o *options) secure(r *load.Request) error {
	switch {
	case r.TLS == nil && (o.insecure || o.cacert != ""):
		return errors.New("--insecure and --cacert are for https:// and grpcs:// only")
	case o.insecure && o.cacert != "":
		return errors.New("--insecure checks no certificate: leave --cacert out")
	case r.TLS == nil:
		return nil
	}
	r.TLS.Insecure = o.insecure
	var err error
	r.TLS.CA, err = wholeName(o.cacert)
	if err != nil {
		return fmt.Errorf("--cacert: %w", err)
	}
	return nil
}

// http fills in what is HTTP's alone.
func (o *options) http(r *load.Request) error {
	if o.data != "" || o.protoset != "" {
		return errors.New("--data and --protoset are for grpc:// and grpcs:// only; the body of an HTTP request is --body")
	}
	r.Method = o.method
	if o.status != 0 {
		r.Status = []int{o.status}
	}
	if o.method != "" {
		if err := program.CheckMethod(o.method); err != nil {
			return fmt.Errorf("--method: %w", err)
		}
	}
	if o.body == "" {
		return nil
	}
	if r.Method == "" {
		r.Method = "POST"
	}
	var err error
	r.Body, err = textOrFile("--body", o.body)
	return err
}

// rows says which file's rows fill the placeholders of r.
func (o *options) rows(r *load.Request) error {
	uses := feed.HasData(r.Path) || feed.HasData(string(r.Body))
	for _, h := range r.Headers {
		uses = uses || feed.HasData(h.Value)
	}
	switch {
	case o.dataFile == "" && uses:
		return errors.New("{data.…} is to be filled in from a file: name it with --data-file")
	case o.dataFile == "":
		return nil
	case !uses:
		return errors.New("--data-file is given, but {data.COLUMN} stands neither in the URL nor in a header nor in the body")
	}
	switch o.dataOrder {
	case "turn":
	case "random":
		r.Order = load.Random
	default:
		return fmt.Errorf("--data-order %q: want turn or random", o.dataOrder)
	}
	var err error
	if r.Data, err = wholeName(o.dataFile); err != nil {
		return fmt.Errorf("--data-file: %w", err)
	}
	return nil
}

// textOrFile returns the value of a flag: its text, or the content of @FILE.
func textOrFile(flag, text string) ([]byte, error) {
	name, ok := strings.CutPrefix(text, "@")
	if !ok {
		return []byte(text), nil
	}
	b, err := readRegular(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return b, nil
}

// wholeName is the absolute name of a file that can be read; "" stays.
func wholeName(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	if err := checkRegular(name); err != nil {
		return "", err
	}
	return filepath.Abs(name)
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
