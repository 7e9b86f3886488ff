// Operations of several requests, one after the other, with values of an answer in those that follow.

package config

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

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
