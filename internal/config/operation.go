// Operations of a workload.

package config

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

func (s *source) operationMap(n *node, w *Workload, known []string) []Operation {
	entries := s.entries(n, "operations")
	if len(entries) == 0 {
		s.fail(n.at, "operations is empty; a workload needs at least one")
	}
	var out []Operation
	for _, e := range entries {
		s.operationName(e.at, e.key)
		if w.Self {
			out = append(out, s.driven(e, w.Processes))
			continue
		}
		out = append(out, s.operation(e, w.Processes, known))
	}
	return out
}

// operationName allows what a reader may want to see in a table, such as "GET /cart".
func (s *source) operationName(at place, name string) {
	if name == "" || len(name) > 80 || strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) || strings.HasPrefix(name, "(") {
		s.fail(at, "operation %q: a name is one line of up to 80 characters, without spaces around it, and does not begin with (", printable(name))
	}
	if safe := nameOf(name); safe != name {
		s.fail(at, "operation %q: the name holds a credential, and every report shows it; call it otherwise, and leave the request as it is", printable(safe))
	}
}

func (s *source) operation(e entry, processes []Process, known []string) Operation {
	o := Operation{Name: e.key}
	n := e.value
	if n.kind == scalar { // checkout: POST /checkout
		s.request(&o, n, known)
		s.target(&o, n.at, processes)
		s.data(&o, n, nil, known)
		s.untaken(&o, n, nil, known)
		return o
	}
	var request, steps *node
	ok := s.mapping(n, "an operation", fields{
		"description": func(v *node) { o.Description = s.text(v) },
		"request":     func(v *node) { request = v; s.request(&o, v, known) },
		"grpc":        func(v *node) { request = v; s.call(&o, v, known) },
		"steps":       func(v *node) { steps = v },
		"process":     func(v *node) { o.Process = s.processOf(v, processes) },
		"headers":     func(v *node) { o.Headers = s.headers(v, known) },
		"body":        func(v *node) { o.Body = s.limitedBody(v) },
		"status":      func(v *node) { o.Status = s.statuses(v) },
		"timeout":     func(v *node) { o.Timeout = s.duration(v, time.Millisecond, time.Hour) },
		"rate":        func(v *node) { o.Rate = s.rate(v) },
		"spans":       func(v *node) { o.Spans = s.spans(v) },
		"data":        func(v *node) { o.Data = s.dataFile(v) },
		"order":       func(v *node) { o.Order = s.order(v) },
		"protoset":    func(v *node) { o.Protoset = s.protoset(v) },
		"insecure":    func(v *node) { o.Insecure = s.flag(v) },
		"drive": func(v *node) {
			s.fail(v.at, "drive is for self-driving workloads; write self: true at the workload, or give the operation a request")
		},
		"empty": func(v *node) {
			s.fail(v.at, "empty is for self-driving workloads: a request is never for nothing; leave it out")
		},
	})
	if !ok {
		return o
	}
	if steps != nil {
		s.steps(&o, n, steps, processes, known)
		s.fits(&o, n)
		return o
	}
	if request == nil && n.get("drive") != nil {
		return o
	}
	if request == nil {
		if !slices.Contains(n.meant, "grpc") {
			s.lacks(n, "request", e.at, "operation %q needs a request, such as \"GET /\", grpc: /package.Service/Method, or steps", printable(e.key))
		}
		return o
	}
	s.fits(&o, n)
	s.target(&o, request.at, processes)
	s.data(&o, request, n, known)
	s.untaken(&o, request, n, known)
	return o
}

// fits complains of keys of an operation that its request does not go with.
func (s *source) fits(o *Operation, n *node) {
	if n.get("request") != nil && n.get("grpc") != nil {
		s.fail(n.get("grpc").at, "an operation has either a request or grpc")
	}
	if status := n.get("status"); status != nil && o.GRPC {
		s.fail(status.at, "a gRPC call is right when its own status is OK; leave status out")
	}
	if order := n.get("order"); order != nil && n.get("data") == nil {
		s.fail(order.at, "order is that of the rows of request data; give data: FILE, or leave order out")
	}
	s.fitsTypes(o, n)
	if insecure := n.get("insecure"); o.Insecure && !strings.HasPrefix(o.URL, "https://") {
		s.fail(insecure.at, "only a request to https:// has a certificate that may go unchecked; leave insecure out")
	}
}
