// Operations of a workload.

package program

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
	Body        Content           `yaml:"body" as:"body" by:"requests"`                                       // a text, "@order.json", or where it comes from; texts at most 256 KiB, and files 64 MiB, in all
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

// Begin refuses the keys that are of other workloads' operations.
func (o *Operation) Begin(s *Source, _ *Node) {
	s.refused = map[string]string{}
	generator := s.Subject.Driver.Row().Generator
	for _, k := range keysOf(reflect.TypeFor[Operation](), s.In) {
		switch by := k.tag(tagBy); {
		case by == byOrders && generator:
			s.refused[k.name] = k.tag(tagText)
		case by == byRequests && !generator:
			s.refused[k.name] = k.name + " is part of a request, and a self-driving workload (self: true) gets none; leave it out"
		}
	}
}

func (o *Operation) ReadKey(s *Source, n *Node, key string) {
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
		o.Process = s.processOf(n, s.Subject.Processes)
	case "drive":
		o.Drive = s.drive(n)
	}
}

func (o Operation) WriteKey(w Writer, key string) any {
	texts := map[string]string{"data": o.Data, "order": o.Order, "protoset": o.Protoset, "process": o.Process}
	switch {
	case key == "request" && o.URL != "" && !o.GRPC && len(o.Then) == 0:
		return o.Method + " " + w.redactor.text(o.URL)
	case key == "grpc" && o.GRPC:
		return w.redactor.text(o.URL)
	case key == "steps" && len(o.Then) > 0:
		var steps []Object
		for _, step := range o.steps() {
			steps = append(steps, w.Written(&step, InWorkload))
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

func (s *Source) operationMap(n *Node, w *Workload) []Operation {
	entries := s.Entries(n, "operations")
	if len(entries) == 0 {
		s.Fail(n.At, "operations is empty; a workload needs at least one")
	}
	s.Subject = w
	defer func(before []string) { s.Known = before }(s.Known)
	s.Known = slices.Concat(s.Known, s.Kept)
	var out []Operation
	for _, e := range entries {
		s.operationName(e.At, e.Key)
		out = append(out, s.operation(e))
	}
	return out
}

// operationName allows what a reader may want to see in a table, such as "GET /cart".
func (s *Source) operationName(at Place, name string) {
	if name == "" || len(name) > 80 || strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) || strings.HasPrefix(name, "(") {
		s.Fail(at, "operation %q: a name is one line of up to 80 characters, without spaces around it, and does not begin with (", Printable(name))
	}
	if safe := NameOf(name); safe != name {
		s.Fail(at, "operation %q: the name holds a credential, and every report shows it; call it otherwise, and leave the request as it is", Printable(safe))
	}
}

func (s *Source) operation(e Entry) Operation {
	o, n := Operation{Name: e.Key}, e.Value
	if !s.Subject.Driver.Row().Generator {
		s.driven(e, &o)
		return o
	}
	if n = n.AsShort("request"); !s.Decode(n, &o) { // checkout: POST /checkout
		return o
	}
	request := cmp.Or(n.Get("grpc"), n.Get("request")) // of both fits complains
	switch steps := n.Get("steps"); {
	case steps != nil:
		s.steps(&o, n, steps)
		s.fits(&o, n)
		return o
	case request == nil && n.Get("drive") == nil && !slices.Contains(n.Meant, "grpc"):
		s.Lacks(n, "request", e.At, "operation %q needs a request, such as \"GET /\", grpc: /package.Service/Method, or steps", Printable(e.Key))
		return o
	case request == nil:
		return o
	}
	s.fits(&o, n)
	s.target(&o, request.At)
	s.data(&o, request, n)
	s.untaken(&o, request, n)
	return o
}

// fits complains of keys of an operation that its request does not go with.
func (s *Source) fits(o *Operation, n *Node) {
	if n.Get("request") != nil && n.Get("grpc") != nil {
		s.Fail(n.Get("grpc").At, "an operation has either a request or grpc")
	}
	if status := n.Get("status"); status != nil && o.GRPC {
		s.Fail(status.At, "a gRPC call is right when its own status is OK; leave status out")
	}
	if order := n.Get("order"); order != nil && n.Get("data") == nil {
		s.Fail(order.At, "order is that of the rows of request data; give data: FILE, or leave order out")
	}
	s.fitsTypes(o, n)
	if insecure := n.Get("insecure"); o.Insecure && !strings.HasPrefix(o.URL, "https://") {
		s.Fail(insecure.At, "only a request to https:// has a certificate that may go unchecked; leave insecure out")
	}
}

// MixName is the name of a mix as an operation.
const MixName = "mix"

// Operations of several requests, one after the other, with values of an answer in those that follow.

// Step is one request of an operation of several.
type Step struct {
	_       struct{}          `called:"a step"`
	URL     string            `yaml:"request" as:"own" shape:"Text" required:"workload"` // POST /login; may hold {take.NAME} of a step before; needed
	Headers map[string]string `yaml:"headers" as:"headers"`                              // header fields
	Body    Content           `yaml:"body" as:"body"`                                    // as of an operation
	Status  []int             `yaml:"status" as:"statuses"`                              // right status, or several; default: 2xx and 3xx
	Take    map[string]string `yaml:"take" as:"own" shape:"Environment"`                 // values of its answer for later steps, by name: $.user.tokens[0] of a JSON body, or a regular expression over header lines and body, whose first group counts
	Method  string
}

func (p *Step) ReadKey(s *Source, n *Node, key string) {
	switch key {
	case "request":
		p.Method, p.URL = s.request(n)
	case "take":
		p.Take = s.take(n, "take")
	}
}

func (p Step) WriteKey(w Writer, key string) any {
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
func (s *Source) steps(o *Operation, n, all *Node) {
	for _, key := range stepKeys {
		if other := n.Get(key); other != nil {
			s.Fail(other.At, "an operation with steps has %s in its steps, not beside them", key)
			return
		}
	}
	if all.Kind != List || len(all.Items) < 2 || len(all.Items) > maxSteps {
		s.Fail(all.At, "steps is a list of 2 to %d requests, such as [POST /login, GET /cart]; a single one is a request", maxSteps)
		return
	}
	if slices.Contains(s.Known, takePrefix+"port") {
		s.Fail(all.At, "a process is called take, so that {take.port} would mean two things; give it another name")
		return
	}
	defer func(before []string) { s.Known = before }(s.Known)
	for i, item := range all.Items {
		var step Step
		s.Decode(item.AsShort("request"), &step)
		one := Operation{URL: step.URL, Process: o.Process}
		s.target(&one, item.At)
		step.URL, o.Process = one.URL, one.Process
		for _, name := range slices.Sorted(maps.Keys(step.Take)) {
			if s.Known = append(slices.Clip(s.Known), takePrefix+name); i == len(all.Items)-1 {
				s.Fail(item.At, "nothing follows the last step that could use {take.%s}; leave take out", Printable(name))
			}
		}
		if i > 0 {
			o.Then = append(o.Then, step)
			continue
		}
		o.Method, o.URL, o.Headers, o.Body, o.Status, o.Take = step.Method, step.URL, step.Headers, step.Body, step.Status, step.Take
	}
}

// Finish complains of what the texts of a step name that no step before it takes.
func (p *Step) Finish(s *Source, n *Node) {
	if n.Get("request") == nil {
		s.Lacks(n, "request", n.At, "a step needs a request, such as POST /login")
	}
	texts := []string{p.URL, string(p.Body.Bytes)}
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		texts = append(texts, p.Headers[name])
	}
	for _, text := range texts {
		for _, m := range takeWord.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(s.Known, takePrefix+m[1]) && len(s.Problems) == 0 { // a plain one in the request was told already
				s.Fail(n.At, "no step before this one takes {take.%s}", Printable(m[1]))
			}
		}
		if strings.Contains(takeWord.ReplaceAllString(text, ""), takeStart) {
			s.Fail(n.At, "a {take.NAME} of this step is not closed with }")
		}
		if len(columnsOf(text)) > 0 {
			s.Fail(n.At, "steps take no rows of request data; leave {data.%s} out", Printable(columnsOf(text)[0]))
		}
	}
}

// untaken complains of {take.NAME} in an operation of a single request.
func (s *Source) untaken(o *Operation, request, n *Node) {
	for _, part := range o.dataTexts(request, n) {
		for _, m := range takeWord.FindAllStringSubmatch(part.text, -1) {
			if !slices.Contains(s.Known, takePrefix+m[1]) && len(s.Problems) == 0 { // as in a step
				s.Fail(part.at, "{take.%s} stands for a value of the answer to an earlier step, but the operation has no steps", Printable(m[1]))
			}
		}
	}
}

// take reads {token: $.access_token, id: 'id=([0-9]+)'}, the value of a key.
func (s *Source) take(n *Node, key string) map[string]string {
	out := map[string]string{}
	for _, e := range s.Entries(n, key) {
		from := s.Line(e.Value)
		pattern, err := regexp.Compile(from)
		switch {
		case !takeName.MatchString(e.Key):
			s.Fail(e.At, "%q is no name of a value: use lower-case letters, digits, _ and -", Printable(e.Key))
		case len(from) > 0 && from[0] == '$':
			if !jsonWay.MatchString(from) {
				s.Fail(e.Value.At, "%q is no way through JSON such as $.user.tokens[0]", Printable(from))
			}
		case err != nil:
			s.Fail(e.Value.At, "not a regular expression: %v", err)
		case pattern.NumSubexp() == 0:
			s.Fail(e.Value.At, "the regular expression %q has no group: put what is to be taken into brackets", Printable(from))
		}
		out[e.Key] = from
	}
	return out
}

// steps are all requests of an operation that has several.
func (o Operation) steps() []Step {
	first := Step{Method: o.Method, URL: o.URL, Headers: o.Headers, Body: o.Body, Status: o.Status, Take: o.Take}
	return append([]Step{first}, o.Then...)
}
