// Operations of self-driving workloads: words of an order in the
// place of a request. docs/self-driving.md has the orders.

package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Bounds of an order.
const (
	maxCalls   = 1_000_000_000_000
	maxDeep    = 100_000
	maxThreads = 1_024
	maxBusy    = time.Minute
)

// orderWords are the words of an order that the load gives, never the operation.
var orderWords = map[string]string{
	"calls": "load: {calls: …}", "duration_ns": "load: {duration: …}", "rate": "load: {rate: …}", "threads": "load: {threads: …}",
	"busy": "load: {busy: …}, or the word busy_ns here", "seed": "design: {seed: …}", "samples": "samples: true in the experiment", "batches": "samples: true in the experiment",
}

var orderWord = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// driven reads an operation of a self-driving workload.
func (s *source) driven(e entry, processes []Process) Operation {
	o := Operation{Name: e.key}
	n := e.value
	if n.kind == null { // call: (with nothing to say)
		s.listens(&o, e.at, processes)
		return o
	}
	if n.kind == scalar {
		s.fail(n.at, "operation %q belongs to a self-driving workload (self: true), which gets no requests; write {drive: {…}}, or nothing", printable(e.key))
		return o
	}
	request := func(key string) func(*node) {
		return func(v *node) {
			s.fail(v.at, "%s is part of a request, and a self-driving workload (self: true) gets none; leave it out", key)
		}
	}
	keys := fields{
		"description": func(v *node) { o.Description = s.text(v) },
		"process":     func(v *node) { o.Process = s.processOf(v, processes) },
		"rate":        func(v *node) { o.Rate = s.rate(v) },
		"spans":       func(v *node) { o.Spans = s.spans(v) },
		"drive":       func(v *node) { o.Drive = s.drive(v) },
		"empty":       func(v *node) { o.Empty = s.flag(v) },
	}
	for _, key := range []string{"request", "grpc", "headers", "body", "status", "timeout", "data", "order", "protoset", "insecure"} {
		keys[key] = request(key)
	}
	if s.mapping(n, "an operation", keys) {
		s.listens(&o, e.at, processes)
	}
	return o
}

// drive reads the words of the operation's own that an order holds.
func (s *source) drive(n *node) map[string]string {
	out := map[string]string{}
	for _, e := range s.entries(n, "drive") {
		instead, taken := orderWords[e.key]
		text := s.line(e.value)
		switch {
		case taken:
			s.fail(e.at, "%s is a word of the load; write %s", e.key, instead)
		case !orderWord.MatchString(e.key):
			s.fail(e.at, "%q: a word of an order has lower-case letters, digits and _, and begins with a letter", printable(e.key))
		case text == "" || strings.ContainsFunc(text, unicode.IsSpace):
			s.fail(e.value.at, "%q: the value of a word is one word, without blanks", printable(text))
		case e.key == "depth":
			out[e.key] = strconv.Itoa(s.whole(e.value, 1, maxDeep))
		case e.key == "busy_ns":
			out[e.key] = strconv.Itoa(s.whole(e.value, 0, int(maxBusy)))
		default:
			out[e.key] = text
		}
	}
	return out
}

// listens checks that the process of a driven operation has a port to take orders at.
func (s *source) listens(o *Operation, at place, processes []Process) {
	if len(processes) == 0 {
		return
	}
	p := o.Owner(processes)
	if p.Name != "" && p.Run != nil && !usesPort(p, processes) {
		s.fail(at, "operation %q is ordered over TCP, but nothing says where process %q listens: put {port} into its run or env", printable(o.Name), p.Name)
	}
}

// goesWith complains of what does not go with the way in which the operations of w
// are made. Load is nil where the experiment has none; n is the whole file.
func (s *source) goesWith(n, load *node, w *Workload, e *Experiment) {
	if w == nil {
		return
	}
	manner := w.Manner()
	if load != nil {
		for _, entry := range load.entries {
			if manner.foreign(entry.key) {
				s.fail(entry.at, "%s", wayText(entry.key, w))
				continue
			}
			s.atMost(entry, w)
		}
	}
	if e.Samples && !manner.Samples {
		s.fail(n.place([]string{"samples"}), "%s", wayText("samples", w))
	}
	if !manner.Generator && e.Faults.GeneratorLate > 0 {
		s.fail(n.place([]string{"faults", "generator-late"}), "workload %s is self-driving, so that there is no generator to be late", w.Name)
	}
}

// atMost complains of more than the workload can do.
func (s *source) atMost(e entry, w *Workload) {
	most, limited := w.Max[e.key]
	if !limited {
		return
	}
	values := []*node{e.value}
	if e.value.kind == list {
		values = e.value.items
	}
	for _, v := range values {
		if n, err := strconv.Atoi(v.text); err == nil && n > most {
			s.fail(v.at, "%s: %d is more than workload %s can do, which is %d", e.key, n, w.Name, most)
		}
	}
}

// self reports whether the workload is self-driving.
func (e *Experiment) self() bool { return e.Workload != nil && e.Workload.Self }

// wayText says why a key of a load does not go with a workload.
func wayText(key string, w *Workload) string {
	if w.Self {
		return fmt.Sprintf("%s is for workloads that are asked by requests, and %s is self-driving (calls, depth, threads, busy, rate and duration are its words)", key, w.Name)
	}
	return fmt.Sprintf("%s is for self-driving workloads (self: true), and %s is asked by requests", key, w.Name)
}

// oneWay complains of workloads that cannot have one load together.
func (s *source) oneWay(at *node, all []*Experiment) {
	if at == nil || len(s.problems) > 0 {
		return
	}
	for _, e := range all {
		if e.Workload.Manner().Name != all[0].Workload.Manner().Name {
			s.fail(at.at, "one load cannot be both: of %s and %s one is self-driving, and the other is asked by requests", all[0].Workload.Name, e.Workload.Name)
			return
		}
	}
}
