package run

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/spec"
)

// task turns an operation into the load generator's words.
func (s *stage) task(operation spec.Operation, l spec.Load) (load.Task, error) {
	task := load.Task{
		Rate: l.Rate, Arrivals: l.Arrivals, Connections: l.Connections, Duration: l.Duration, Timeout: l.Timeout, Seed: s.request.Seed,
	}
	if operation.Rate > 0 {
		task.Rate = operation.Rate
	}
	if operation.Timeout > 0 {
		task.Timeout = operation.Timeout
	}
	mix := operation.Mix
	if len(mix) == 0 {
		mix = []spec.Share{{Operation: operation, Weight: 1}}
	}
	for _, share := range mix {
		request, err := s.requestFor(share.Operation)
		if err != nil {
			return task, fmt.Errorf("operation %s: %w", share.Operation.Name, err)
		}
		request.Weight = share.Weight
		task.Operations = append(task.Operations, request)
	}
	return task, nil
}

func (s *stage) requestFor(o spec.Operation) (load.Request, error) {
	values := s.valuesFor(o.Owner(s.request.Plan.Processes))
	text, err := spec.Expand(o.URL, values)
	if err != nil {
		return load.Request{}, err
	}
	if strings.HasPrefix(text, "/") {
		text = "http://127.0.0.1:" + values["port"] + text
	}
	target, err := url.Parse(text)
	if err != nil {
		return load.Request{}, fmt.Errorf("reading its address: %w", err)
	}
	if target.Scheme != "http" {
		return load.Request{}, fmt.Errorf("address %s: only http:// can be asked in this version", text)
	}
	address := target.Host
	if target.Port() == "" {
		address = net.JoinHostPort(target.Hostname(), "80")
	}
	request := load.Request{
		Name: o.Name, Address: address, Host: target.Host, Method: o.Method, Path: target.RequestURI(), Body: o.Body, Status: o.Status,
	}
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		value, err := spec.Expand(o.Headers[name], values)
		if err != nil {
			return load.Request{}, fmt.Errorf("header %s: %w", name, err)
		}
		request.Headers = append(request.Headers, load.Header{Name: name, Value: value})
	}
	return request, nil
}
