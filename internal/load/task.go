// The order that a generator is given: which operations, how often, how long.

package load

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/traceparent"
)

// Arrival processes of an open loop.
const (
	Constant = "constant" // evenly spaced; above 4000/s in groups, every 250 µs
	Poisson  = "poisson"  // exponentially distributed gaps
)

// Defaults of a Task.
const (
	DefaultTimeout     = 10 * time.Second
	DefaultConnections = 512 // open loop: the most that may be open
)

// The most of what a Task may ask for; the machine's own limits are lower, and
// are looked at before the load starts.
const (
	mostStreams     = 1 << 16
	mostConnections = 1 << 20
	mostThreads     = 1 << 10
)

// MaxTimeout is the longest time-out: what the histograms can hold.
const MaxTimeout = 5 * time.Minute

// Task is one stretch of load. It is an open loop if Rate is set, otherwise a
// closed one. It is plain data, so that it can cross a process border as JSON.
type Task struct {
	Operations  []Request     `json:"operations"`            // chosen among by weight
	Rate        float64       `json:"rate,omitempty"`        // operations/s; 0 is a closed loop
	Arrivals    string        `json:"arrivals,omitempty"`    // open loop: Constant ("" too) or Poisson
	Connections int           `json:"connections,omitempty"` // closed loop: always busy (0 is 1); open loop: most open (0 is DefaultConnections)
	Duration    time.Duration `json:"duration,omitempty"`    // ns; 0 is until Count is reached
	Count       uint64        `json:"count,omitempty"`       // stop after so many operations; 0 is until Duration is over
	Timeout     time.Duration `json:"timeout,omitempty"`     // ns, from the intended start; 0 is DefaultTimeout
	Seed        uint64        `json:"seed,omitempty"`        // of arrivals and choices
	Threads     int           `json:"threads,omitempty"`     // event loops; 0 is 1
	Streams     int           `json:"streams,omitempty"`     // gRPC: calls at a time on one connection; 0 is 1
	Traces      *Traces       `json:"traces,omitempty"`      // which ids the traces of its operations get; nil: the program chooses
	Late        time.Duration `json:"late,omitempty"`        // ns; a fault asked for: every operation is made so much later than intended
}

// Request is one kind of operation: an HTTP/1.1 request and what counts as its success.
type Request struct {
	Name    string    `json:"name,omitempty"`
	Address string    `json:"address"`          // host:port to connect to
	Method  string    `json:"method,omitempty"` // "" is GET
	Path    string    `json:"path,omitempty"`   // with the query; "" is /
	Host    string    `json:"host,omitempty"`   // Host header; "" is Address
	Headers []Header  `json:"headers,omitempty"`
	Body    []byte    `json:"body,omitempty"`
	Status  []int     `json:"status,omitempty"` // those that are right; none is any 2xx or 3xx. Of several it is counted how often each came
	Weight  float64   `json:"weight,omitempty"` // share in the mix, relative to the others; all 0 is equal shares
	TLS     *TLS      `json:"tls,omitempty"`    // nil: plain
	GRPC    bool      `json:"grpc,omitempty"`   // unary call over HTTP/2: Path is /package.Service/Method, Body one message in protobuf
	Data    string    `json:"data,omitempty"`   // file whose rows fill {data.COLUMN} in Path, Headers and Body: CSV with a header line, or JSON lines
	Order   string    `json:"order,omitempty"`  // of the rows: InTurn ("" too) or Random, by the task's Seed
	Takes   []Take    `json:"takes,omitempty"`  // values of its answer for the requests of Then
	Then    []Request `json:"then,omitempty"`   // requests that follow it: all of them are one operation, which fails with any of them
	Schema  []byte    `json:"schema,omitempty"` // gRPC: a descriptor set (protoc --descriptor_set_out --include_imports); Body is then JSON
}

// TLS says how a connection is secured.
type TLS struct {
	ServerName string `json:"server_name,omitempty"` // "" is the host of Address
	Insecure   bool   `json:"insecure,omitempty"`    // do not check the certificate
	CA         string `json:"ca,omitempty"`          // PEM file of authorities to trust besides the system's
}

// Header is one header field; they are sent in the order given.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// withDefaults returns t with everything filled in that may be left out.
func (t Task) withDefaults() Task {
	if t.Arrivals == "" {
		t.Arrivals = Constant
	}
	if t.Timeout == 0 {
		t.Timeout = DefaultTimeout
	}
	if t.Threads == 0 {
		t.Threads = 1
	}
	if t.Connections == 0 {
		t.Connections = 1
		if t.Rate > 0 {
			t.Connections = DefaultConnections
		}
	}
	if t.Streams == 0 {
		t.Streams = 1
	}
	t.Threads = min(t.Threads, t.Connections)
	return t
}

// calls is how many operations a closed loop keeps under way on so many connections.
func (t Task) calls(connections int) int {
	for _, r := range t.Operations {
		if !r.GRPC {
			return connections
		}
	}
	return connections * max(t.Streams, 1)
}

// Check says what is wrong with the task, nil if nothing is.
func (t Task) Check() error {
	switch {
	case len(t.Operations) == 0:
		return errors.New("the task has no operations")
	case !(t.Rate >= 0) || t.Rate > 1e9:
		return fmt.Errorf("rate %v: want operations per second, at least 0", t.Rate)
	case t.Arrivals != "" && t.Arrivals != Constant && t.Arrivals != Poisson:
		return fmt.Errorf("arrivals %q: want %s or %s", t.Arrivals, Constant, Poisson)
	case t.Connections < 0:
		return fmt.Errorf("connections %d: want at least 1", t.Connections)
	case t.Threads < 0:
		return fmt.Errorf("threads %d: want at least 1", t.Threads)
	case t.Duration < 0:
		return fmt.Errorf("duration %v: want more than 0", t.Duration)
	case t.Duration == 0 && t.Count == 0:
		return errors.New("neither a duration nor a count: the load would never end")
	case t.Timeout < 0 || t.Timeout > MaxTimeout:
		return fmt.Errorf("timeout %v: want at most %v", t.Timeout, MaxTimeout)
	case t.Late < 0:
		return fmt.Errorf("late %v: want at least 0", t.Late)
	case t.Streams < 0 || t.Streams > mostStreams:
		return fmt.Errorf("streams %d: want 1 to %d", t.Streams, mostStreams)
	case t.Connections > mostConnections:
		return fmt.Errorf("connections %d: want at most %d", t.Connections, mostConnections)
	case t.Threads > mostThreads:
		return fmt.Errorf("threads %d: want at most %d", t.Threads, mostThreads)
	}
	for _, r := range t.Operations {
		err := r.check()
		if err == nil {
			err = r.checkSteps()
		}
		if err != nil {
			return fmt.Errorf("operation %q: %w", r.Name, err)
		}
		if t.Streams > 1 && !r.GRPC {
			return fmt.Errorf("operation %q: several streams on a connection are for gRPC; HTTP/1.1 has one request at a time", r.Name)
		}
	}
	return nil
}

func (r Request) check() error {
	host, port, err := net.SplitHostPort(r.Address)
	if err != nil || host == "" {
		return fmt.Errorf("address %q: want host:port", r.Address)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Errorf("address %q: the port must be 1 to 65535", r.Address)
	}
	if !(r.Weight >= 0) || r.Weight > 1e15 {
		return fmt.Errorf("weight %v: want at least 0", r.Weight)
	}
	if r.Method != "" && !isToken(r.Method) {
		return fmt.Errorf("method %q is not one", r.Method)
	}
	if r.Method == "CONNECT" {
		return errors.New("method CONNECT is not supported")
	}
	if err := r.checkPath(); err != nil {
		return err
	}
	if err := r.checkData(); err != nil {
		return err
	}
	if err := r.checkCall(); err != nil {
		return err
	}
	if !isValue(r.Host) {
		return fmt.Errorf("host %q holds control characters", r.Host)
	}
	for _, h := range r.Headers {
		if err := h.check(); err != nil {
			return err
		}
	}
	return nil
}

// checkCall says what is wrong with a gRPC call.
func (r Request) checkCall() error {
	if !r.GRPC {
		return nil
	}
	service, method, ok := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	switch {
	case !ok || service == "" || method == "":
		return fmt.Errorf("path %q: want a gRPC method, /package.Service/Method", r.Path)
	case r.Method != "" && r.Method != "POST":
		return fmt.Errorf("method %s: a gRPC call is a POST", r.Method)
	case len(r.Status) > 0:
		return fmt.Errorf("status %d: a gRPC call succeeds with grpc-status 0, and with nothing else", r.Status)
	}
	return nil
}

func (r Request) checkPath() error {
	if r.Order != "" && r.Order != InTurn && r.Order != Random {
		return fmt.Errorf("order %q of the data: want %q or %q", r.Order, InTurn, Random)
	}
	path := r.asRow().Path
	if r.Data != "" || path != r.Path {
		if _, err := splitPath(path); err != nil {
			return err
		}
		var err error
		if path, err = without(path, "/"); err != nil {
			return err
		}
	}
	if path != "" && path[0] != '/' && path != "*" {
		return fmt.Errorf("path %q: want it to begin with /", r.Path)
	}
	if hasBlank(path) {
		return fmt.Errorf("path %q: spaces and control characters must be percent-encoded", r.Path)
	}
	return nil
}

func (h Header) check() error {
	if !isToken(h.Name) {
		return fmt.Errorf("header name %q is not one", h.Name)
	}
	if !isValue(h.Value) {
		return fmt.Errorf("header %s holds control characters", h.Name)
	}
	switch strings.ToLower(h.Name) {
	case "content-length", "transfer-encoding":
		return fmt.Errorf("header %s is the generator's own to set", h.Name)
	}
	return nil
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		if !tokenByte[s[i]] {
			return false
		}
	}
	return s != ""
}

// tokenByte says which bytes may stand in a header name or a method.
var tokenByte = func() (t [256]bool) {
	for c := range t {
		b := byte(c)
		t[c] = b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' ||
			strings.IndexByte("!#$%&'*+-.^_`|~", b) >= 0
	}
	return t
}()

// The ids of traces that the generator chooses: every request has a header traceparent, unless it has one of its own.

// Traces says which ids the traces of a task's operations get.
type Traces struct {
	Key     traceparent.Key `json:"key"`
	Sampled float64         `json:"sampled"` // share of the operations whose traces are to be sampled, 0 to 1
}

// parts is how finely a share of operations is told.
const parts = 1_000_000_000

// IsSampled reports whether the trace of an operation is to be sampled, which is the so-many-th, from 1. Of each run of
// operations that is as long as the share allows one is, by chance which (the key is its seed): their number is exact, and no
// rhythm of the load, of its rows or its connections, falls together with that of the choice.
func (t Traces) IsSampled(number uint64) bool {
	share := uint64(math.Round(math.Max(0, math.Min(1, t.Sampled)) * parts))
	if share == 0 || number == 0 {
		return false
	}
	nth := (number - 1) * share / parts // the run that it is in
	first, next := (nth*parts+share-1)/share, ((nth+1)*parts+share-1)/share
	return number-1 == first+t.Key.Draw(nth)%(next-first)
}

// tracing gives ids to operations.
type tracing struct {
	Traces
	made *atomic.Uint64 // operations that have got one, of the generator's life
}

// put writes the value for the step of k that is made. An operation that is sent again keeps its ids.
func (t *tracing) put(into []byte, k *walk) {
	if k.traced == 0 {
		k.traced = t.made.Add(1)
	}
	t.Key.Put(into, k.traced, max(0, k.step().number-1), t.IsSampled(k.traced))
}

// identify gives the requests of a task, which get ids, room for them.
func (p *plan) identify(made *atomic.Uint64) {
	if p.task.Traces == nil {
		return
	}
	p.tracing = &tracing{*p.task.Traces, made}
	p.task.Operations = slices.Clone(p.task.Operations)
	for i := range p.task.Operations {
		p.task.Operations[i] = p.task.Operations[i].withRoom()
	}
}

// withRoom is r with room for ids in it and in the requests that follow it, in those of them that have no such header.
func (r Request) withRoom() Request {
	if !r.saysTrace() {
		r.Headers = append(slices.Clone(r.Headers), roomForIDs)
	}
	r.Then = slices.Clone(r.Then)
	for i := range r.Then {
		r.Then[i] = r.Then[i].withRoom()
	}
	return r
}

func (r Request) saysTrace() bool {
	return slices.ContainsFunc(r.Headers, func(h Header) bool { return strings.EqualFold(h.Name, traceparent.Header) })
}

// roomForIDs is the header in whose value ids are put.
var roomForIDs = Header{Name: traceparent.Header, Value: traceparent.Blank}

// roomLine is what stands before them in a request.
var roomLine = []byte("\r\n" + traceparent.Header + ": ")

// traceAt is where the ids of a request that has room for them stand as it goes over the wire.
func traceAt(wire []byte) int { return bytes.Index(wire, roomLine) + len(roomLine) }

// identified reports whether the generator chooses the ids of all of an operation's traces.
func (o *operation) identified() bool {
	return o == nil || o.tracing != nil && o.then.identified()
}
