// Operations of a workload.

package config

import (
	"cmp"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Operation is one kind of work: a request, or, of a self-driving workload, words for its process.
type Operation struct {
	_           struct{} `called:"an operation"`
	Name        string
	Description string            `yaml:"description" as:"text"`                                              // a line for 'tracetax show'
	URL         string            `yaml:"request" as:"own" by:"requests" shape:"Text"`                        // POST /checkout, or GET https://127.0.0.1:{port}/; this, grpc or steps
	GRPC        bool              `yaml:"grpc" as:"own" by:"requests" shape:"Text"`                           // unary call: /package.Service/Method, also with https://127.0.0.1:{port} before; body is a protobuf message
	Then        []Step            `yaml:"steps" as:"own" by:"requests" shape:"[]StepOrRequest" items:"2..50"` // instead: requests that follow one another and are one operation; not with data, gRPC or self-driving
	Insecure    bool              `yaml:"insecure" by:"requests"`                                             // true: do not check certificates; default: false
	Data        string            `yaml:"data" as:"own" by:"requests" shape:"Text"`                           // CSV with a header line, or JSON lines: each operation uses another row, {data.COLUMN}
	Order       string            `yaml:"order" as:"own" by:"requests" one:"turn random"`                     // of rows: turn, over and over; random, by the seed; default: turn
	Protoset    string            `yaml:"protoset" as:"own" by:"requests" shape:"Text"`                       // gRPC: types, from protoc --descriptor_set_out=FILE --include_imports; body is then JSON
	Process     string            `yaml:"process" as:"own" shape:"Text"`                                      // whose port a path goes to; default: the one app whose port no other is given
	Headers     map[string]string `yaml:"headers" as:"headers" by:"requests"`                                 // header fields
	Body        []byte            `yaml:"body" as:"body" by:"requests"`                                       // a text, "@order.json", or where it comes from; at most 256 KiB in all
	Status      []int             `yaml:"status" as:"statuses" by:"requests"`                                 // right status, not for grpc; of several, [200, 500], records count each; default: 2xx and 3xx
	Timeout     time.Duration     `yaml:"timeout" by:"requests" range:"1ms..1h"`                              // instead of the load's
	Rate        float64           `yaml:"rate" as:"rate"`                                                     // instead of the load's; a built-in workload's rates yield to your rate or connections
	Duration    time.Duration     `yaml:"duration" range:"100ms..24h"`                                        // of its measured window, instead of the load's; --duration wins
	Spans       map[string]Number `yaml:"spans" as:"spans"`                                                   // spans that one makes: 3, 2..5, or by tracer {default: 3, otel-go: 2}; default: learnt by a slow run

	Drive map[string]string `yaml:"drive" as:"own" by:"orders" shape:"Environment" text:"drive is for self-driving workloads; write self: true at the workload, or give the operation a request"` // self-driving: words for its process, as {depth: 10}; the load's win
	Empty bool              `yaml:"empty" by:"orders" text:"empty is for self-driving workloads: a request is never for nothing; leave it out"`                                                   // self-driving, true: does nothing, so that cost is told as time and not as a share; default: false

	Method string            // of the request; URL is a path, or an address with one, and may hold placeholders
	Take   map[string]string // values of its answer for the requests of Then; see Step
	Mix    []Share           // a weighted mix of operations, instead of a request
}

// The values of tagBy.
const (
	byRequests = "requests"
	byOrders   = "orders"
)

// begin refuses the keys that are of other workloads' operations.
func (o *Operation) begin(s *source, _ *node) {
	s.refused = map[string]string{}
	generator := s.subject.Driver.Row().Generator
	for _, k := range keysOf(reflect.TypeFor[Operation](), s.in) {
		switch by := k.tag(tagBy); {
		case by == byOrders && generator:
			s.refused[k.name] = k.tag(tagText)
		case by == byRequests && !generator:
			s.refused[k.name] = k.name + " is part of a request, and a self-driving workload (self: true) gets none; leave it out"
		}
	}
}

func (o *Operation) read(s *source, n *node, key string) {
	switch key { // steps are read when the rest is
	case "request":
		o.Method, o.URL = s.request(n)
	case "grpc":
		o.Method, o.URL, o.GRPC = "POST", s.call(n), true
	case "data":
		o.Data = s.dataFile(n)
	case "order":
		o.Order = s.order(n)
	case "protoset":
		o.Protoset = s.protoset(n)
	case "process":
		o.Process = s.processOf(n, s.subject.Processes)
	case "drive":
		o.Drive = s.drive(n)
	}
}

func (o Operation) write(w writer, key string) any {
	texts := map[string]string{"data": o.Data, "order": o.Order, "protoset": o.Protoset, "process": o.Process}
	switch {
	case key == "request" && o.URL != "" && !o.GRPC && len(o.Then) == 0:
		return o.Method + " " + w.redactor.text(o.URL)
	case key == "grpc" && o.GRPC:
		return w.redactor.text(o.URL)
	case key == "steps" && len(o.Then) > 0:
		var steps []Object
		for _, step := range o.steps() {
			steps = append(steps, w.written(&step, inWorkload))
		}
		return steps
	case key == "drive" && len(o.Drive) > 0:
		return o.Drive
	case texts[key] != "":
		return texts[key]
	}
	return nil
}

// leaves reports whether a key is written in the steps, and not beside them.
func (o Operation) leaves(key string) bool { return len(o.Then) > 0 && slices.Contains(stepKeys, key) }

func (s *source) operationMap(n *node, w *Workload) []Operation {
	entries := s.entries(n, "operations")
	if len(entries) == 0 {
		s.fail(n.at, "operations is empty; a workload needs at least one")
	}
	s.subject = w
	var out []Operation
	for _, e := range entries {
		s.operationName(e.at, e.key)
		out = append(out, s.operation(e))
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

func (s *source) operation(e entry) Operation {
	o, n := Operation{Name: e.key}, e.value
	if !s.subject.Driver.Row().Generator {
		s.driven(e, &o)
		return o
	}
	if n = n.asShort("request"); !s.decode(n, &o) { // checkout: POST /checkout
		return o
	}
	request := cmp.Or(n.get("grpc"), n.get("request")) // of both fits complains
	switch steps := n.get("steps"); {
	case steps != nil:
		s.steps(&o, n, steps)
		s.fits(&o, n)
		return o
	case request == nil && n.get("drive") == nil && !slices.Contains(n.meant, "grpc"):
		s.lacks(n, "request", e.at, "operation %q needs a request, such as \"GET /\", grpc: /package.Service/Method, or steps", printable(e.key))
		return o
	case request == nil:
		return o
	}
	s.fits(&o, n)
	s.target(&o, request.at)
	s.data(&o, request, n)
	s.untaken(&o, request, n)
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

// For is the load of an operation, whose duration may be its own.
func (l Load) For(o Operation) Load {
	if l.search() == nil {
		l.Duration = cmp.Or(o.Duration, l.Duration)
	}
	return l
}

// Average is the load with the duration that the operations have on average.
func (e *Experiment) Average() Load {
	l := e.Load
	var sum time.Duration
	for _, o := range e.Operations {
		sum += l.For(o).Duration
	}
	l.Duration = sum / time.Duration(max(1, len(e.Operations)))
	return l
}

// yieldDurations drops the operations' own durations.
func (e *Experiment) yieldDurations() {
	e.Operations = slices.Clone(e.Operations)
	for i := range e.Operations {
		e.Operations[i].Duration = 0
	}
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

func (e *Experiment) builtIn() bool { return e.Workload != nil && e.Workload.BuiltIn() }

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
func (s *source) measured(n *node, w *Workload) []Operation {
	named, mix := n.get("operations"), n.get("mix")
	switch {
	case named != nil && mix != nil:
		s.fail(mix.at, "an experiment has either operations or a mix")
		return nil
	case mix != nil:
		return s.mix(mix, w)
	case named == nil:
		if mix, has := w.mixed(); has {
			return []Operation{mix}
		}
		return slices.Clone(w.Operations)
	}
	var out []Operation
	for i, name := range s.texts(named) {
		at := named.at
		if named.kind == list {
			at = named.items[i].at
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
		s.fail(named.at, "operations is empty; leave it out to measure all")
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

// mixName is the name of a mix as an operation.
const mixName = "mix"

// mix is one operation, made of several by weight.
func (s *source) mix(n *node, w *Workload) []Operation {
	if s.refuses(n.at, "mix", w) {
		return nil
	}
	o := Operation{Name: mixName}
	for _, e := range s.entries(n, "mix") {
		weight := s.weight(e.value)
		if e.key == mixName {
			s.fail(e.at, "an operation called %s cannot be part of a mix, which is called so itself; give it another name", mixName)
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

// Step is one request of an operation of several.
type Step struct {
	_       struct{}          `called:"a step"`
	URL     string            `yaml:"request" as:"own" shape:"Text" required:"workload"` // POST /login; may hold {take.NAME} of a step before; needed
	Headers map[string]string `yaml:"headers" as:"headers"`                              // header fields
	Body    []byte            `yaml:"body" as:"body"`                                    // as of an operation
	Status  []int             `yaml:"status" as:"statuses"`                              // right status, or several; default: 2xx and 3xx
	Take    map[string]string `yaml:"take" as:"own" shape:"Environment"`                 // values of its answer for later steps, by name: $.user.tokens[0] of a JSON body, or a regular expression over header lines and body, whose first group counts
	Method  string
}

func (p *Step) read(s *source, n *node, key string) {
	switch key {
	case "request":
		p.Method, p.URL = s.request(n)
	case "take":
		p.Take = s.take(n)
	}
}

func (p Step) write(w writer, key string) any {
	switch {
	case key == "request":
		return p.Method + " " + w.redactor.text(p.URL)
	case key == "take" && len(p.Take) > 0:
		return p.Take
	}
	return nil
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
func (s *source) steps(o *Operation, n, all *node) {
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
	if slices.Contains(s.known, takePrefix+"port") {
		s.fail(all.at, "a process is called take, so that {take.port} would mean two things; give it another name")
		return
	}
	defer func(before []string) { s.known = before }(s.known)
	for i, item := range all.items {
		var step Step
		s.decode(item.asShort("request"), &step)
		one := Operation{URL: step.URL, Process: o.Process}
		s.target(&one, item.at)
		step.URL, o.Process = one.URL, one.Process
		for _, name := range slices.Sorted(maps.Keys(step.Take)) {
			if s.known = append(slices.Clip(s.known), takePrefix+name); i == len(all.items)-1 {
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

// check complains of what the texts of a step name that no step before it takes.
func (p *Step) check(s *source, n *node) {
	if n.get("request") == nil {
		s.lacks(n, "request", n.at, "a step needs a request, such as POST /login")
	}
	texts := []string{p.URL, string(p.Body)}
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		texts = append(texts, p.Headers[name])
	}
	for _, text := range texts {
		for _, m := range takeWord.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(s.known, takePrefix+m[1]) && len(s.problems) == 0 { // a plain one in the request was told already
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
}

// untaken complains of {take.NAME} in an operation of a single request.
func (s *source) untaken(o *Operation, request, n *node) {
	for _, part := range o.dataTexts(request, n) {
		for _, m := range takeWord.FindAllStringSubmatch(part.text, -1) {
			if !slices.Contains(s.known, takePrefix+m[1]) && len(s.problems) == 0 { // as in a step
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
