// Package drive owns how operations are made to happen in a run: by requests of the load
// generator, or by orders to self-driving programs. It must not know phases,
// spans, nor what is used meanwhile. program.Drivers is what others know of each.
package drive

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/load/feed"
	"github.com/tracetax/tracetax/internal/record"
)

// Run is the part of a run that a driver may need.
type Run struct {
	Processes []program.Process
	Values    func(program.Process) map[string]string // values of placeholders in the operations of a process
	Address   func(process string) string             // HOST:PORT at which a process listens
	Front     func(process string) string             // HOST:PORT at which it is asked: its own, or that of a proxy before it
	Ended     func(process string) <-chan struct{}    // closed when a process has ended
	Grace     time.Duration                           // for processes to end
	Source    string                                  // the folder of relative file names
	Scratch   string                                  // folder for durations until they are read
	Results   string                                  // the results folder, for those that are kept
	Traces    *load.Traces                            // ids of operations; nil: none
	Late      time.Duration                           // delay to add to the generator
	Setup     []program.Setup                         // requests before anything is measured

	// The load generator, where the driver has one.
	Remote    Remote
	made      map[string]uint64 // by name: operations made by the generator, whose rows of data are used
	Generator Generator         // its process; nil: it is on another machine
	Said      func() string     // its last words, for errors; "" if none

	kept     map[string]string // by name: what the setup has kept for the whole run
	sessions string            // the file of what it has kept for each connection; "": nothing
}

// Remote is the load generator, or several that work as one.
type Remote interface {
	load.Doer
	Close() error
}

// makers maps the names of drivers in program.Drivers to their constructors.
var makers = map[program.Driver]func(Run) Driver{
	program.Requests:    func(r Run) Driver { return &Requests{Run: r} },
	program.SelfDriving: func(r Run) Driver { return &Orders{Run: r} },
}

// Of makes the driver of a run.
func Of(name program.Driver, r Run) (Driver, error) {
	row := name.Row()
	maker, known := makers[row.Name]
	if !known {
		return nil, fmt.Errorf("nothing makes operations by the driver %s", row.Name)
	}
	return maker(r), nil
}

// Driver makes the operations of one run, one segment after the other. It is not safe for concurrent use.
type Driver interface {
	// Check returns an error if a segment can never be made.
	Check(Segment) error
	// Wrong returns an error for too many failed operations, with the remedy.
	Wrong(program.Operation, record.Load) error
	// Took returns the sum of the durations of a segment's operations, in seconds, if that tells how fast they are made; else 0.
	Took(Segment, record.Load) float64
	// Prepare makes a segment ready: all slow work besides its operations is done here.
	Prepare(context.Context, Segment) (Prepared, error)
	// Stop ends the maker of the operations, as its user would, and waits for its end.
	Stop(context.Context) error
	// Close releases the remains of a failed run.
	Close() error
}

// Prepared is a segment that is ready to begin.
type Prepared interface {
	// Run makes the operations, whatever their answers. It does nothing else: usage may be read right before and after it.
	Run(context.Context) (record.Load, error)
	// Collect adds to the result of Run the parts that take CPU to get. Call it after the last reading of the segment's usage.
	Collect(context.Context, *record.Load) error
}

// Segment is an operation to make for a time, or a number of times.
type Segment struct {
	Operation program.Operation
	Load      config.Load // at one level: its connections or threads, its depth
	Purpose   Purpose
	Rate      float64       // operations/s; 0: as fast as it goes
	Duration  time.Duration // the longest; 0: Count ends it
	Count     uint64        // the most operations; 0: Duration ends it
	Seed      uint64        // of choices: the same for runs made together
	Own       uint64        // of the moments of operations: different for each of these runs
	Slices    *load.Slices  // nil: operations are spread over the time
	Keep      string        // a file in the results folder for all durations; "": none
}

// Purpose is the purpose of a segment.
type Purpose int

// The purposes.
const (
	Warm    Purpose = iota // only the counts matter
	First                  // the first operation of the processes' life, alone
	Learn                  // one at a time, to learn the spans of an operation
	Unasked                // as Learn, without asking the program to trace: the requests have no ids
	Probe                  // the durations matter too
	Window                 // and the memory in use after it
)

// alone reports whether one operation is made at a time.
func (p Purpose) alone() bool { return p == First || p == Learn || p == Unasked }

// timed reports whether durations matter.
func (p Purpose) timed() bool { return p == First || p == Probe || p == Window }

// ProcessError is the failure of one known process.
type ProcessError struct {
	Process string
	Err     error
}

func (e *ProcessError) Error() string { return e.Err.Error() }

// Unwrap returns the failure.
func (e *ProcessError) Unwrap() error { return e.Err }

// task returns a segment as a task of the load generator.
func (r *Requests) task(s Segment) (load.Task, error) {
	operation, l := s.Operation, s.Load
	task := load.Task{
		Rate: s.Rate, Arrivals: l.Arrivals, Connections: l.Connections, Streams: l.Streams,
		Duration: s.Duration, Count: s.Count, Timeout: l.Timeout, Seed: s.Seed, Own: s.Own, Slices: s.Slices, Traces: r.Traces, Late: r.Late,
	}
	if s.Purpose.alone() {
		task.Connections, task.Shows = 1, true
	}
	if s.Purpose == Unasked {
		task.Traces = nil
	}
	if operation.Timeout > 0 {
		task.Timeout = operation.Timeout
	}
	mix := operation.Mix
	if len(mix) == 0 {
		mix = []program.Share{{Operation: operation, Weight: 1}}
	}
	for _, share := range mix {
		request, err := r.requestFor(share.Operation)
		if err != nil {
			return task, fmt.Errorf("operation %s: %w", share.Operation.Name, err)
		}
		if request.Then, err = r.following(share.Operation); err != nil {
			return task, fmt.Errorf("operation %s: %w", share.Operation.Name, err)
		}
		request.Weight = share.Weight
		task.Operations = append(task.Operations, request)
	}
	return task, nil
}

// following returns the requests of an operation after its first.
func (r *Requests) following(o program.Operation) ([]load.Request, error) {
	var out []load.Request
	for i, step := range o.Then {
		request, err := r.requestFor(program.Operation{
			Process: o.Process, Method: step.Method, URL: step.URL, Headers: step.Headers, Body: step.Body, Status: step.Status, Take: step.Take, Insecure: o.Insecure,
		})
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+2, err)
		}
		out = append(out, request)
	}
	return out, nil
}

func (r *Requests) requestFor(o program.Operation) (load.Request, error) {
	owner := o.Owner(r.Processes)
	values := r.Values(owner)
	text, err := program.Expand(o.URL, r.with(values, feed.Percent))
	if err != nil {
		return load.Request{}, err
	}
	if strings.HasPrefix(text, "/") {
		text = "http://" + r.Front(owner.Name) + text
	}
	request, err := feed.RequestTo(text)
	if err != nil {
		return load.Request{}, err
	}
	request.Name, request.Method, request.Body, request.Status, request.Order = o.Name, o.Method, o.Body.Bytes, o.Status, o.Order
	for _, name := range slices.Sorted(maps.Keys(o.Take)) {
		request.Takes = append(request.Takes, load.Take{Name: name, From: o.Take[name]})
	}
	switch {
	case o.Data != "":
		request.Data = program.File(o.Data, r.Source)
	case r.sessions != "" && len(o.Uses(r.ofConnections())) > 0:
		request.Data, request.Order = r.sessions, load.ByConnection
	}
	if o.Protoset != "" {
		if request.Schema, err = os.ReadFile(program.File(o.Protoset, r.Source)); err != nil {
			return load.Request{}, fmt.Errorf("reading the types of the service (protoset): %w", err)
		}
	}
	request.GRPC = request.GRPC || o.GRPC
	if o.Insecure && request.TLS != nil {
		request.TLS.Insecure = true
	}
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		value, err := program.Expand(o.Headers[name], r.with(values, asItIs))
		if err != nil {
			return load.Request{}, fmt.Errorf("header %s: %w", name, err)
		}
		request.Headers = append(request.Headers, load.Header{Name: name, Value: value})
	}
	if request.Body, err = r.body(request); err != nil {
		return load.Request{}, err
	}
	if feed.IsJSON(request) { // without the header frameworks refuse it, or take it for a form
		request.Headers = append(request.Headers, load.Header{Name: "Content-Type", Value: "application/json"})
	}
	return request, nil
}

// keep writes the durations of a collected order to a file of the results folder, and names it in l. It replaces a file of an
// earlier, failed run.
func (a *ordered) keep(l *record.Load) error {
	name := a.segment.Keep
	path := filepath.Join(a.by.Results, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("keeping every duration: %w", err)
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("keeping every duration: %w", err)
	}
	packed := gzip.NewWriter(file)
	if err := errors.Join(a.order.WriteCSV(packed), packed.Close(), file.Close()); err != nil {
		return fmt.Errorf("keeping every duration in %s: %w", name, err)
	}
	l.Driven.Samples = name
	return nil
}
