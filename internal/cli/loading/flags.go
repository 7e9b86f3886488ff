package loading

// This file holds the flags of load.

import (
	"time"

	"github.com/spf13/pflag"
	"github.com/tracetax/tracetax/internal/load"
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
	f.IntVar(&o.connections, "connections", 0, "closed loop: connections kept busy (default 1); with --rate, the most that may be open (default 512); up to 40960")
	f.DurationVar(&o.duration, "duration", 10*time.Second, "how long to ask")
	f.Uint64Var(&o.count, "count", 0, "stop after so many operations")
	f.DurationVar(&o.warmup, "warmup", 0, "ask for so long first, and forget the result")
	f.DurationVar(&o.timeout, "timeout", load.DefaultTimeout, "give an operation up so long after its intended start")
	f.StringVar(&o.arrivals, "arrivals", load.Constant, "with --rate: constant (evenly spaced; above 4000/s in groups, every 250 µs) or poisson (random gaps)")
	f.StringVar(&o.method, "method", "", "request method (default GET; POST with --body)")
	f.StringArrayVar(&o.headers, "header", nil, "request header 'Name: value' (gRPC: metadata); may be repeated")
	f.StringVar(&o.body, "body", "", "request body: text, or @FILE")
	f.IntVar(&o.status, "status", 0, "status that counts as success (default any 2xx or 3xx)")
	f.IntVar(&o.threads, "threads", 1, "event loops, each a thread of its own")
	f.Uint64Var(&o.seed, "seed", 1, "seed of random arrivals and of a random order of data")
	f.BoolVar(&o.insecure, "insecure", false, "https, grpcs: do not check the server's certificate")
	f.StringVar(&o.cacert, "cacert", "", "https, grpcs: PEM file of authorities to trust besides the system's")
	f.StringVar(&o.data, "data", "", "gRPC: the message: @FILE, in protobuf; with --protoset in JSON, as text or @FILE (default an empty message)")
	f.StringVar(&o.protoset, "protoset", "", "gRPC: descriptor set that gives --data its types, from protoc --descriptor_set_out=FILE --include_imports")
	f.IntVar(&o.streams, "streams", 0, "gRPC: calls at a time on one connection (default 1)")
	f.StringVar(&o.dataFile, "data-file", "", "CSV with a header line, or JSON lines: its rows fill {data.COLUMN} in the URL's path and query, in headers and in the body")
	f.StringVar(&o.dataOrder, "data-order", "turn", "order of the rows of --data-file: turn (one after the other, over and over) or random")
	f.BoolVar(&o.asJSON, "json", false, "print the result as JSON")
}
