// Package load owns what load is: tasks, when each of their operations is due, what became of them, and how they are asked
// for across the border of a process: of a generator (load/engine), or of a program that makes its own load. It must not
// know tracing, runs and statistics.
//
// # What is timed
//
// Each operation has an intended start: in an open loop the schedule's, in a
// closed loop the moment a connection was free for it. Its latency reaches from
// there to the last byte of the response. So a server that stops for a second
// is seen by every operation that was due in that second, not just by those
// that happened to be under way (no coordinated omission).
//
// Lag is the part of that time which is the generator's own fault. It is the
// time from the intended start until the generator noticed it, plus, where the
// operation then had to wait for a connection because all of them were busy,
// the time from a connection becoming free to the write. The wait for a busy
// server itself is the server's fault: it is in the latency and not in the lag.
// Where a connection has to be opened first, the lag ends when that is asked
// of the kernel.
//
// In an open loop on Linux the last byte's time is the kernel's, so how late
// the generator is in reading it is in neither.
//
// A task may ask for a generator that is late (Task.Late): operations then begin
// so much after their intended starts, and their lags and latencies say so.
//
// # What is counted
//
// Intended = Completed + Failed + TimedOut, always. Started is how many of them
// reached the kernel, at least in part; the others were refused a connection,
// or none came free before their time-out. The latency histogram holds
// the completed ones and, at the time they were given up, those timed out; the
// lag histogram holds every intended one. Errors says what the failed ones
// failed of; its values add up to Failed.
//
// The time-out counts from the intended start too. After the duration no
// operation falls due any more; those already due are still sent and waited for
// until their time-out.
//
// A request that went out on a kept connection just as the server closed it,
// with no byte of a response, is sent once more on a new connection if its
// method is idempotent, as browsers do (RFC 9110, section 9.2.2). So is, once, a
// gRPC call that the server says it has not looked at. Resent counts these.
//
// # Steps
//
// An operation may be several requests (Request.Then), with values of an answer in those that follow. It counts as one: its
// intended start is that of the first request, its latency reaches to the last byte of the last answer, and it fails with any
// of them. What the generator needs between two requests is in the latency. The schedule is that of operations, as ever.
package load

import (
	"fmt"
	"math"
	"time"

	"github.com/tracetax/tracetax/internal/traceparent"
)

// The order to a generator: which operations, how often, how long.

// Arrival processes of an open loop.
const (
	Even     = "even"     // operation i at a random moment of the i-th period: the rate is exact, and nothing keeps step with the kernel's timer
	Poisson  = "poisson"  // exponentially distributed gaps: independent users, whose requests bunch
	Constant = "constant" // evenly spaced: keeps step with timers, which then hit one program and not another
)

// Defaults of a Task.
const (
	DefaultTimeout     = 10 * time.Second
	DefaultConnections = 512 // open loop: the most that may be open
)

// The largest values of a Task; the machine's own limits are lower, and are checked before the load starts.
const (
	MostStreams     = 1 << 16
	MostConnections = 1 << 20
	MostThreads     = 1 << 10
)

// MaxTimeout is the longest time-out: the histograms hold no more.
const MaxTimeout = 5 * time.Minute

// Task is one stretch of load: an open loop if Rate is set, otherwise a closed one. It is plain data, and can cross a process
// border as JSON.
type Task struct {
	Operations  []Request     `json:"operations"`            // chosen among by weight
	Rate        float64       `json:"rate,omitempty"`        // operations/s; 0 is a closed loop
	Arrivals    string        `json:"arrivals,omitempty"`    // open loop: Even ("" too), Poisson or Constant
	Slices      *Slices       `json:"slices,omitempty"`      // open loop: it shares the time with other loads; nil: it is spread out
	Connections int           `json:"connections,omitempty"` // closed loop: always busy (0 is 1); open loop: most open (0 is DefaultConnections)
	Duration    time.Duration `json:"duration,omitempty"`    // ns; 0 is until Count is reached
	Count       uint64        `json:"count,omitempty"`       // stop after so many operations; 0 is until Duration is over
	Timeout     time.Duration `json:"timeout,omitempty"`     // ns, from the intended start; 0 is DefaultTimeout
	Seed        uint64        `json:"seed,omitempty"`        // of choices and, with Own, of arrivals
	Own         uint64        `json:"own,omitempty"`         // tasks that run side by side have different ones: the same choices at other moments
	Used        uint64        `json:"used,omitempty"`        // rows of each operation's data that tasks before it used: it begins with the next one
	Among       *Among        `json:"among,omitempty"`       // generators that carry it out together: this one makes a part; nil: it makes all
	Threads     int           `json:"threads,omitempty"`     // event loops; 0 is 1
	Streams     int           `json:"streams,omitempty"`     // gRPC: calls at a time on one connection; 0 is 1
	Traces      *Traces       `json:"traces,omitempty"`      // which ids the traces of its operations get; nil: the program chooses
	Shows       bool          `json:"shows,omitempty"`       // of an answer with a wrong status, its kind of failure has the beginning of the body
	Late        time.Duration `json:"late,omitempty"`        // ns; a fault asked for: every operation is made so much later than intended
}

// Request is one kind of operation: an HTTP/1.1 request and its condition of success.
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
	Order   string    `json:"order,omitempty"`  // of the rows: InTurn ("" too), ByConnection, or Random by the task's Seed
	Takes   []Take    `json:"takes,omitempty"`  // values of its answer for the requests of Then
	Then    []Request `json:"then,omitempty"`   // requests that follow it: all of them are one operation, which fails with any of them
	Schema  []byte    `json:"schema,omitempty"` // gRPC: a descriptor set (protoc --descriptor_set_out --include_imports); Body is then JSON
}

// TLS holds the settings of a secured connection.
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

// Orders of the rows of a data file.
const (
	InTurn = "in turn" // each operation takes the next row; after the last comes the first
	Random = "random"  // each takes a random one, the same for the same seed

	ByConnection = "by connection" // all that go over a connection take the same one
)

// Take is a value to take from the answer to a request, for {take.NAME} in those that follow.
type Take struct {
	Name string `json:"name"`
	From string `json:"from"` // $.a.b[0]: of a body in JSON; anything else is a regular expression over the answer, whose first group is taken
}

// Verb is Method with its default.
func (r Request) Verb() string {
	switch {
	case r.GRPC:
		return "POST"
	case r.Method == "":
		return "GET"
	}
	return r.Method
}

// Target returns the key of r's server: requests with the same one share connections.
func (r Request) Target() string { return fmt.Sprintf("%s grpc %t %s", r.Address, r.GRPC, r.TLS.Key()) }

// Key differs between connections that must not be shared.
func (t *TLS) Key() string {
	if t == nil {
		return ""
	}
	return fmt.Sprintf("tls %q %t %q", t.ServerName, t.Insecure, t.CA)
}

// WithDefaults returns t with its defaults filled in.
func (t Task) WithDefaults() Task {
	if t.Arrivals == "" {
		t.Arrivals = Even
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

// calls returns the number of operations that a closed loop keeps under way on so many connections.
func (t Task) calls(connections int) int {
	for _, r := range t.Operations {
		if !r.GRPC {
			return connections
		}
	}
	return connections * max(t.Streams, 1)
}

// The ids of traces that the generator chooses: every request has a header traceparent, unless it has one of its own.

// Traces determines the ids of the traces of a task's operations.
type Traces struct {
	Key     traceparent.Key `json:"key"`
	Sampled float64         `json:"sampled"` // share of the operations whose traces are to be sampled, 0 to 1

	// Generators that share the key number their operations apart from each other.
	Of    int `json:"of,omitempty"`    // how many they are; 0 is 1
	Place int `json:"place,omitempty"` // of this one, from 0
}

// Number returns the number of a generator's so-many-th operation, from 1, among those of all that share the key.
func (t Traces) Number(made uint64) uint64 {
	return (made-1)*uint64(max(1, t.Of)) + uint64(t.Place) + 1
}

// parts is the resolution of a share of operations.
const parts = 1_000_000_000

// IsSampled reports whether the trace of the operation of this number, from 1, is to be sampled. One of each run of operations as
// long as the share allows is, at random (the key is its seed): their number is exact, and the choice keeps no rhythm with the
// load, its rows or its connections.
func (t Traces) IsSampled(number uint64) bool {
	share := uint64(math.Round(math.Max(0, math.Min(1, t.Sampled)) * parts))
	if share == 0 || number == 0 {
		return false
	}
	nth := (number - 1) * share / parts // the run that it is in
	first, next := (nth*parts+share-1)/share, ((nth+1)*parts+share-1)/share
	return number-1 == first+t.Key.Draw(nth)%(next-first)
}
