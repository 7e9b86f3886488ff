// Operations of a workload.

package config

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
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
		if !w.Driver.Row().Generator {
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

// Rates that the operations of a workload have of their own.

// ownRate reports whether an operation has a rate of its own.
func ownRate(o Operation) bool { return o.Rate > 0 }

// namesPace reports whether the load says by itself how often or by how many
// operations are made. A search and a relative rate do not: they find it.
func (l Load) namesPace() bool {
	return l.search() == nil && (l.Rate > 0 || len(l.Rates) > 0 || l.Connections > 0 || len(l.Levels) > 0)
}

// yieldRates drops the operations' own rates where they are those of a built-in
// workload and the experiment or a flag says the rate: what a user asks for wins over
// what the workload suggests. In a workload of your own both are the user's, and the
// operation's is the more particular.
func (e *Experiment) yieldRates() {
	if !e.builtIn() {
		return
	}
	e.Operations = slices.Clone(e.Operations)
	for i := range e.Operations {
		e.Operations[i].Rate = 0
	}
}

// suggested reports whether the operations are asked at the rates that the built-in
// workload has for them: the load names none then, and it stays so when it is written.
func (e *Experiment) suggested() bool {
	return e.builtIn() && e.Load.Rate > 0 && slices.ContainsFunc(e.Operations, ownRate)
}

func (e *Experiment) builtIn() bool { return e.Workload != nil && e.Workload.Files != nil }

// pace says how the operations are made to happen: as Load.Summary does, or each at its
// own rate.
func (e *Experiment) pace() string {
	if e.Design.Unpiloted != "" {
		return e.ownPace() + " (declared, not " + e.Design.Unpiloted + ")"
	}
	return e.ownPace()
}

func (e *Experiment) ownPace() string {
	if e.Load.Rate <= 0 || e.Load.Relative != nil || !slices.ContainsFunc(e.Operations, ownRate) {
		return e.Load.Summary()
	}
	rates := make([]string, len(e.Operations))
	for i, o := range e.Operations {
		rates[i] = formatRate(cmp.Or(o.Rate, e.Load.Rate))
	}
	return "at " + strings.Join(rates, ", ") + e.Load.shape()
}

// What of a workload an experiment measures: operations, or a mix of them.

// measured are the operations that the experiment measures on w: named ones,
// a mix, or all.
func (s *source) measured(p parts, w *Workload) []Operation {
	switch {
	case p.operations != nil && p.mix != nil:
		s.fail(p.mix.at, "an experiment has either operations or a mix")
		return nil
	case p.mix != nil:
		return s.mix(p.mix, w)
	case p.operations == nil:
		return slices.Clone(w.Operations)
	}
	var out []Operation
	for i, name := range s.texts(p.operations) {
		at := p.operations.at
		if p.operations.kind == list {
			at = p.operations.items[i].at
		}
		if slices.ContainsFunc(out, func(o Operation) bool { return o.Name == name }) {
			s.fail(at, "operation %q is here a second time", printable(name))
			continue
		}
		if o := s.operationOf(at, name, w); o != nil {
			out = append(out, *o)
		}
	}
	if len(out) == 0 && len(s.problems) == 0 {
		s.fail(p.operations.at, "operations is empty; leave it out to measure all")
	}
	return out
}

func (s *source) operationOf(at place, name string, w *Workload) *Operation {
	var known []string
	for i := range w.Operations {
		if w.Operations[i].Name == name {
			return &w.Operations[i]
		}
		known = append(known, w.Operations[i].Name)
	}
	s.fail(at, "%s (of workload %s)", unknown("operation", printable(name), known), w.Name)
	return nil
}

// mix is one operation, made of several by weight.
func (s *source) mix(n *node, w *Workload) []Operation {
	if s.refuses(n.at, "mix", w) {
		return nil
	}
	o := Operation{Name: "mix"}
	for _, e := range s.entries(n, "mix") {
		text := s.line(e.value)
		weight, err := strconv.ParseFloat(text, 64)
		if share, percent, e := parsePercent(text); err != nil && percent {
			weight, err = share, e
		}
		if err != nil || !(weight > 0) || math.IsInf(weight, 0) {
			s.fail(e.value.at, "%q is not a weight: a number above 0", printable(text))
			continue
		}
		if part := s.operationOf(e.at, e.key, w); part != nil {
			o.Mix = append(o.Mix, Share{Operation: *part, Weight: weight})
		}
	}
	if len(n.entries) == 0 {
		s.fail(n.at, "mix is empty; it gives each operation a weight: {json: 0.6, db: 0.4}")
	}
	return []Operation{o}
}

// Operations of several requests, one after the other, with values of an answer in those that follow.

// Step is a request that follows another one of its operation.
type Step struct {
	Method  string
	URL     string
	Headers map[string]string
	Body    []byte
	Status  []int             // those that are right; none is any 2xx or 3xx
	Take    map[string]string // values of its answer, by name: $.way.in[0].json, or a regular expression with a group
}

const (
	takePrefix = "take."
	takeStart  = "{" + takePrefix
	maxSteps   = 50
)

var (
	takeName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)
	// takeWord is where a value stands that was taken, {take.NAME} or {take.NAME:raw}; names that no value can have are
	// found too, as the load generator finds them.
	takeWord = regexp.MustCompile(`\{take\.([^{}\r\n]*?)(?::raw)?\}`)
	// jsonWay is a way through JSON: $.user["any name"].tokens[0].
	jsonWay = regexp.MustCompile(`^\$(?:\.[A-Za-z_][A-Za-z0-9_-]*|\["[^"\\]*"\]|\[[0-9]{1,9}\])+$`)
)

// stepKeys are the keys of an operation that each of its steps has for itself.
var stepKeys = []string{"request", "grpc", "headers", "body", "status", "data", "order", "protoset"}

// steps reads the requests of an operation; n is the operation, all its steps.
func (s *source) steps(o *Operation, n, all *node, processes []Process, known []string) {
	for _, key := range stepKeys {
		if other := n.get(key); other != nil {
			s.fail(other.at, "an operation with steps has %s in its steps, not beside them", key)
			return
		}
	}
	if all.kind != list || len(all.items) < 2 || len(all.items) > maxSteps {
		s.fail(all.at, "steps is a list of 2 to %d requests, such as [POST /login, GET /cart]; a single one is a request", maxSteps)
		return
	}
	if slices.Contains(known, takePrefix+"port") {
		s.fail(all.at, "a process is called take, so that {take.port} would mean two things; give it another name")
		return
	}
	var taken []string
	for i, item := range all.items {
		step := s.step(item, slices.Concat(known, taken))
		one := Operation{URL: step.URL, Process: o.Process}
		s.target(&one, item.at, processes)
		step.URL, o.Process = one.URL, one.Process
		for _, name := range slices.Sorted(maps.Keys(step.Take)) {
			if taken = append(taken, takePrefix+name); i == len(all.items)-1 {
				s.fail(item.at, "nothing follows the last step that could use {take.%s}; leave take out", printable(name))
			}
		}
		if i > 0 {
			o.Then = append(o.Then, step)
			continue
		}
		o.Method, o.URL, o.Headers, o.Body, o.Status, o.Take = step.Method, step.URL, step.Headers, step.Body, step.Status, step.Take
	}
}

// step reads one of them: a request, or a mapping with one. Known are the placeholders, those of values taken before among them.
func (s *source) step(n *node, known []string) Step {
	var o Operation
	var take map[string]string
	if n.kind == scalar {
		s.request(&o, n, known)
	} else {
		ok := s.mapping(n, "a step", fields{
			"request": func(v *node) { s.request(&o, v, known) },
			"headers": func(v *node) { o.Headers = s.headers(v, known) },
			"body":    func(v *node) { o.Body = s.limitedBody(v) },
			"status":  func(v *node) { o.Status = s.statuses(v) },
			"take":    func(v *node) { take = s.take(v) },
		})
		if ok && n.get("request") == nil {
			s.lacks(n, "request", n.at, "a step needs a request, such as POST /login")
		}
	}
	texts := []string{o.URL, string(o.Body)}
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		texts = append(texts, o.Headers[name])
	}
	for _, text := range texts {
		for _, m := range takeWord.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(known, takePrefix+m[1]) && len(s.problems) == 0 { // a plain one in the request was told already
				s.fail(n.at, "no step before this one takes {take.%s}", printable(m[1]))
			}
		}
		if strings.Contains(takeWord.ReplaceAllString(text, ""), takeStart) {
			s.fail(n.at, "a {take.NAME} of this step is not closed with }")
		}
		if len(columnsOf(text)) > 0 {
			s.fail(n.at, "steps take no rows of request data; leave {data.%s} out", printable(columnsOf(text)[0]))
		}
	}
	return Step{Method: o.Method, URL: o.URL, Headers: o.Headers, Body: o.Body, Status: o.Status, Take: take}
}

// untaken complains of {take.NAME} in an operation of a single request, whose n is as that of data.
func (s *source) untaken(o *Operation, request, n *node, known []string) {
	for _, part := range o.dataTexts(request, n) {
		for _, m := range takeWord.FindAllStringSubmatch(part.text, -1) {
			if !slices.Contains(known, takePrefix+m[1]) && len(s.problems) == 0 { // as in a step
				s.fail(part.at, "{take.%s} stands for a value of the answer to an earlier step, but the operation has no steps", printable(m[1]))
			}
		}
	}
}

// take reads {token: $.access_token, id: 'id=([0-9]+)'}.
func (s *source) take(n *node) map[string]string {
	out := map[string]string{}
	for _, e := range s.entries(n, "take") {
		from := s.line(e.value)
		pattern, err := regexp.Compile(from)
		switch {
		case !takeName.MatchString(e.key):
			s.fail(e.at, "%q is no name of a value: use lower-case letters, digits, _ and -", printable(e.key))
		case len(from) > 0 && from[0] == '$':
			if !jsonWay.MatchString(from) {
				s.fail(e.value.at, "%q is no way through JSON such as $.user.tokens[0]", printable(from))
			}
		case err != nil:
			s.fail(e.value.at, "not a regular expression: %v", err)
		case pattern.NumSubexp() == 0:
			s.fail(e.value.at, "the regular expression %q has no group: put what is to be taken into brackets", printable(from))
		}
		out[e.key] = from
	}
	return out
}

// steps are all requests of an operation that has several.
func (o Operation) steps() []Step {
	first := Step{Method: o.Method, URL: o.URL, Headers: o.Headers, Body: o.Body, Status: o.Status, Take: o.Take}
	return append([]Step{first}, o.Then...)
}
