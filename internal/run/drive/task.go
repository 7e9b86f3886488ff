package drive

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/load"
)

// task turns a stretch into the load generator's words.
func (r *Requests) task(s Stretch) (load.Task, error) {
	operation, l := s.Operation, s.Load
	task := load.Task{
		Rate: s.Rate, Arrivals: l.Arrivals, Connections: l.Connections, Streams: l.Streams,
		Duration: s.Duration, Count: s.Count, Timeout: l.Timeout, Seed: s.Seed, Traces: r.Traces, Late: r.Late,
	}
	if s.Purpose.alone() {
		task.Connections = 1
	}
	if s.Purpose == Unasked {
		task.Traces = nil
	}
	if operation.Timeout > 0 {
		task.Timeout = operation.Timeout
	}
	mix := operation.Mix
	if len(mix) == 0 {
		mix = []config.Share{{Operation: operation, Weight: 1}}
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

// following are the requests of an operation that follow its first.
func (r *Requests) following(o config.Operation) ([]load.Request, error) {
	var out []load.Request
	for i, step := range o.Then {
		request, err := r.requestFor(config.Operation{
			Process: o.Process, Method: step.Method, URL: step.URL, Headers: step.Headers, Body: step.Body, Status: step.Status, Take: step.Take, Insecure: o.Insecure,
		})
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+2, err)
		}
		out = append(out, request)
	}
	return out, nil
}

func (r *Requests) requestFor(o config.Operation) (load.Request, error) {
	owner := o.Owner(r.Processes)
	values := r.Values(owner)
	text, err := config.Expand(o.URL, values)
	if err != nil {
		return load.Request{}, err
	}
	if strings.HasPrefix(text, "/") {
		text = "http://" + r.Address(owner.Name) + text
	}
	request, err := load.RequestTo(text)
	if err != nil {
		return load.Request{}, err
	}
	request.Name, request.Method, request.Body, request.Status, request.Order = o.Name, o.Method, o.Body, o.Status, o.Order
	for _, name := range slices.Sorted(maps.Keys(o.Take)) {
		request.Takes = append(request.Takes, load.Take{Name: name, From: o.Take[name]})
	}
	if o.Data != "" {
		request.Data = config.File(o.Data, r.Source)
	}
	if o.Protoset != "" {
		if request.Schema, err = os.ReadFile(config.File(o.Protoset, r.Source)); err != nil {
			return load.Request{}, fmt.Errorf("reading the types of the service (protoset): %w", err)
		}
	}
	request.GRPC = request.GRPC || o.GRPC
	if o.Insecure && request.TLS != nil {
		request.TLS.Insecure = true
	}
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		value, err := config.Expand(o.Headers[name], values)
		if err != nil {
			return load.Request{}, fmt.Errorf("header %s: %w", name, err)
		}
		request.Headers = append(request.Headers, load.Header{Name: name, Value: value})
	}
	return request, nil
}
