// The setup: requests before anything is measured, such as a login. Values of their answers stand in the requests of operations.

package program

import (
	"maps"
	"slices"
	"strings"
)

// PerConnection is how often a request of the setup is made that opens a session for each connection; any other is made once a run.
const PerConnection = "connection"

// Setup is a request that is made before anything is measured.
type Setup struct {
	_        struct{}          `called:"a request of setup"`
	URL      string            `yaml:"request" as:"own" shape:"Text" required:"experiment"` // POST /login; may hold {NAME} of what a request before it keeps; needed
	Process  string            `yaml:"process" as:"own" shape:"Text"`                       // whose port a path goes to; default: the one app whose port no other is given
	Headers  map[string]string `yaml:"headers" as:"headers"`                                // header fields
	Body     Content           `yaml:"body" as:"body"`                                      // as of an operation
	Status   []int             `yaml:"status" as:"statuses"`                                // right status, or several; default: 2xx
	Insecure bool              `yaml:"insecure"`                                            // true: do not check certificates; default: false
	Keep     map[string]string `yaml:"keep" as:"own" shape:"Environment"`                   // values of its answer for operations, where they stand as {NAME}: $.access_token of a JSON body, or a regular expression over header lines and body, whose first group counts
	Per      string            `yaml:"per" one:"run connection"`                            // run: once; connection: once for each that operations may have open, which then has values of its own; default: run
	Method   string
}

func (p *Setup) ReadKey(s *Source, n *Node, key string) {
	switch key {
	case "request":
		p.Method, p.URL = s.request(n)
	case "process":
		p.Process = s.processOf(n, s.Subject.Processes)
	case "keep":
		p.Keep = s.take(n, "keep")
	}
}

func (p Setup) WriteKey(w Writer, key string) any {
	switch {
	case key == "request":
		return p.Method + " " + w.redactor.text(p.URL)
	case key == "process" && p.Process != "":
		return p.Process
	case key == "keep" && len(p.Keep) > 0:
		return p.Keep
	}
	return nil
}

// Finish complains of a request that is none, and of words in it for which a setup has nothing.
func (p *Setup) Finish(s *Source, n *Node) {
	request := n.Get("request")
	if request == nil {
		s.Lacks(n, "request", n.At, "a request of setup needs request, such as POST /login")
		return
	}
	one := Operation{URL: p.URL, Process: p.Process}
	s.target(&one, request.At)
	p.URL, p.Process = one.URL, one.Process
	for _, part := range (&Operation{URL: p.URL, Body: p.Body}).dataTexts(request, n) {
		if columns := columnsOf(part.text); len(columns) > 0 {
			s.Fail(part.at, "a setup takes no rows of request data; leave {data.%s} out", Printable(columns[0]))
		}
	}
}

// Operation returns the request as an operation, which is called what the request is, and takes what that keeps.
func (p Setup) Operation() Operation {
	return Operation{
		Name: NameOf(p.Method + " " + p.URL), Process: p.Process, Method: p.Method, URL: p.URL, Headers: p.Headers, Body: p.Body,
		Status: p.Status, Insecure: p.Insecure, Take: p.Keep,
	}
}

// Setup reads the requests of a setup, which ask the processes of w. Each may hold what those before it keep; one that is made once
// a run has nothing of a connection.
func (s *Source) Setup(n *Node, w *Workload) []Setup {
	if n.Kind != List {
		s.Fail(n.At, "setup must be a list of requests, such as [{request: POST /login, keep: {token: $.access_token}}], not %s", n.Kind)
		return nil
	}
	if s.Refuses(n.At, "setup", w) {
		return nil
	}
	defer func(before Reading) { s.Reading = before }(s.Reading)
	s.Subject = w
	s.References(n)
	known, each := w.Placeholders(), []string(nil)
	var out []Setup
	for _, item := range n.Items {
		item = item.AsShort("request")
		per := item.Get("per")
		if s.Known = known; per != nil && per.Text == PerConnection {
			s.Known = slices.Concat(known, each)
		}
		var one Setup
		s.Decode(item, &one)
		for _, name := range slices.Sorted(maps.Keys(one.Keep)) {
			if slices.Contains(known, name) || slices.Contains(each, name) {
				s.Fail(item.Get("keep").At, "{%s} stands for something else already; keep it by another name", name)
			}
			if one.Per == PerConnection {
				each = append(each, name)
			} else {
				known = append(slices.Clip(known), name)
			}
		}
		out = append(out, one)
	}
	return out
}

// KeptBy returns the names of the values that a setup keeps; it need not have been read.
func KeptBy(setup *Node) []string {
	var out []string
	if setup == nil {
		return nil
	}
	for _, item := range setup.Items {
		if keep := item.Get("keep"); keep != nil {
			out = append(out, keep.Keys()...)
		}
	}
	return out
}

// Uses returns those of the values that a setup keeps which the requests of an operation name.
func (o Operation) Uses(kept []string) []string {
	return slices.DeleteFunc(slices.Clone(kept), func(name string) bool {
		return !slices.ContainsFunc(o.steps(), func(p Step) bool {
			texts := append(slices.Collect(maps.Values(p.Headers)), p.URL)
			return slices.Contains(WordsOf(texts), name) || strings.Contains(string(p.Body.Bytes), "{"+name+"}")
		})
	})
}

// CloneSetup copies requests of a setup.
func CloneSetup(all []Setup) []Setup {
	out := slices.Clone(all)
	for i := range out {
		out[i].Headers = maps.Clone(out[i].Headers)
	}
	return out
}
