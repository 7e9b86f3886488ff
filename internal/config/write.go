// Experiments as YAML: the resolved file of a results folder.

package config

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// YAML is the resolved experiment: every default filled in, in a form that
// ParseExperiment reads as the same experiment. A built-in workload is named;
// the user's own stands in full. Credentials are replaced by ${env:REDACTED_…}.
func (e *Experiment) YAML() ([]byte, error) {
	w := writer{redactor: newRedactor(), self: !e.Workload.Driver.Row().Generator}
	out, err := encoded(w.experiment(e), layout...)
	if err != nil {
		return nil, fmt.Errorf("writing experiment %q: %w", e.Name, err)
	}
	return append(out, '\n'), nil
}

func (w writer) experiment(e *Experiment) pairs {
	var p pairs
	p.text("name", e.Name)
	p.text("description", e.Description)
	if e.Workload.Files != nil {
		p.add("workload", e.Workload.Name)
	} else {
		p.add("workload", w.written(e.Workload, inWorkload))
	}
	if len(e.Operations) == 1 && len(e.Operations[0].Mix) > 0 {
		p.add("mix", mixOf(e.Operations[0]))
	} else {
		names := make(inline[string], len(e.Operations))
		for i, o := range e.Operations {
			names[i] = o.Name
		}
		p.add("operations", names)
	}
	var variants pairs
	for _, v := range e.Variants {
		variants.add(v.Name, w.variant(v))
	}
	p.add("variants", variants)
	load := e.Load
	if e.suggested() {
		load.Rate, load.Connections = 0, 0
	}
	p.add("load", loadOf(load, e.driver()))
	p.add("design", designOf(e.Design))
	if len(e.Budget) > 0 {
		var budget pairs
		for _, l := range e.Budget {
			budget.add(l.Metric, l.Text)
		}
		p.add("budget", budget)
	}
	p.text("sink", string(e.Sink))
	if e.Faults != (Faults{}) {
		p.add("faults", faultsOf(e.Faults))
	}
	if e.Samples {
		p.add("samples", true)
	}
	e.studied(&p)
	return p
}

func mixOf(o Operation) pairs {
	var p pairs
	for _, s := range o.Mix {
		p.add(s.Operation.Name, s.Weight)
	}
	return p
}

func loadOf(l Load, driver DriverRow) pairs {
	var p pairs
	switch {
	case len(l.Rates) > 0:
		p.add("rate", inline[string](rateTexts(l.Rates)))
	case l.Relative != nil:
		p.add("rate", l.Relative.written())
	case l.Rate > 0:
		p.add("rate", formatRate(l.Rate))
	}
	if c := l.search(); c != nil {
		p.add("capacity", c.pairs())
	}
	if driver.Generator {
		l.requested(&p)
	} else {
		l.driven(&p)
	}
	p.duration("warmup_all", l.WarmupAll)
	p.add("warmup", l.warmupText())
	p.duration("duration", l.Duration)
	p.duration("idle", l.Idle)
	return p
}

// requested adds what only workloads have that are asked by requests.
func (l Load) requested(p *pairs) {
	p.several("connections", l.Connections, l.Levels)
	if l.Streams > 0 {
		p.add("streams", l.Streams)
	}
	p.text("arrivals", l.Arrivals)
	p.duration("timeout", l.Timeout)
}

// driven adds what only self-driving workloads have.
func (l Load) driven(p *pairs) {
	if l.Calls > 0 {
		p.add("calls", l.Calls)
	}
	p.several("depth", l.Depth, l.Depths)
	p.several("threads", l.Threads, l.Crowds)
	if l.Busy > 0 {
		p.duration("busy", l.Busy)
	}
}

func designOf(d Design) pairs {
	var p pairs
	if d.Most > 0 {
		p.add("blocks", fmt.Sprintf("%d..%d", d.Blocks, d.Most))
		p.add("precision", formatShare(d.Precision)+" of "+d.Metric)
	} else {
		p.add("blocks", d.Blocks)
	}
	if d.Order != "" {
		p.add("order", string(d.Order))
	}
	p.add("seed", d.Seed)
	if d.Quick {
		p.add("quick", true)
	}
	p.text("unpiloted", d.Unpiloted)
	return p
}

func (w writer) variant(v Variant) pairs {
	var p pairs
	p.text("description", v.Description)
	p.add("tracer", v.Tracer.Name)
	if len(v.Settings) > 0 {
		p.add("settings", w.env(v.Settings))
	}
	if len(v.On) > 0 {
		p.add("on", inline[string](v.On))
	}
	if len(v.Env) > 0 {
		p.add("env", w.env(v.Env))
	}
	if len(v.Args) > 0 {
		p.add("args", w.words(v.Args))
	}
	if len(v.Via) > 0 {
		hops := make([]pairs, len(v.Via))
		for i, hop := range v.Via {
			hops[i] = w.hop(hop)
		}
		p.add("via", hops)
	}
	if v.To != nil {
		p.add("to", w.hop(*v.To))
	}
	p.text("against", v.Against)
	if v.Faults != nil {
		p.add("faults", faultsOf(*v.Faults))
	}
	return p
}

// How the parts of an experiment are written as YAML.

type writer struct {
	*redactor      // nil: nothing is hidden
	self      bool // the operations are a self-driving workload's
	listed    bool // what has a name is a list, as in JSON
}

func (p *pairs) text(key, value string) {
	if value != "" {
		p.add(key, value)
	}
}

func (p *pairs) duration(key string, d time.Duration) { p.add(key, formatDuration(d)) }

// several adds a number, or the list of those that are swept; neither where there
// is none.
func (p *pairs) several(key string, one int, list []int) {
	switch {
	case len(list) > 0:
		p.add(key, inline[int](list))
	case one > 0:
		p.add(key, one)
	}
}

// env is a mapping of names to texts, sorted, without credentials.
func (w writer) env(m map[string]string) pairs {
	var p pairs
	for _, k := range slices.Sorted(maps.Keys(m)) {
		p.add(k, w.value(k, m[k]))
	}
	return p
}

// Requests as YAML: what an operation has, and each of its steps.

// step is one in a file.
func (w writer) step(o Step) pairs {
	var p pairs
	p.add("request", o.Method+" "+w.redactor.text(o.URL))
	w.asked(&p, o.Headers, o.Body, o.Status)
	if len(o.Take) > 0 {
		var take pairs
		for _, name := range slices.Sorted(maps.Keys(o.Take)) {
			take.add(name, o.Take[name])
		}
		p.add("take", take)
	}
	return p
}

// asked adds what a request has besides where it goes.
func (w writer) asked(p *pairs, headers map[string]string, body []byte, status []int) {
	if len(headers) > 0 {
		p.add("headers", w.env(headers))
	}
	if len(body) > 0 {
		p.add("body", bodyOf(body))
	}
	switch len(status) {
	case 0:
	case 1:
		p.add("status", status[0])
	default:
		p.add("status", status)
	}
}

// bodyOf is a text where that survives being written as YAML.
func bodyOf(body []byte) pairs {
	text := string(body)
	for _, r := range text {
		if unicode.IsControl(r) || !unicode.IsPrint(r) {
			return single("base64", base64.StdEncoding.EncodeToString(body))
		}
	}
	if !utf8.ValidString(text) {
		return single("base64", base64.StdEncoding.EncodeToString(body))
	}
	return single("text", text)
}

// Writing a tree of pairs as YAML, by the library that reads it again.

// pairs is a mapping in a fixed order. A value is whatever the library writes;
// lists are inline where they stand on one line.
type pairs yaml.MapSlice

// layout is how files are laid out.
var layout = []yaml.EncodeOption{yaml.Indent(2), yaml.IndentSequence(true), yaml.AutoInt()}

func (p *pairs) add(key string, value any) {
	*p = append(*p, yaml.MapItem{Key: key, Value: value})
}

func single(key string, value any) pairs { return pairs{{Key: key, Value: value}} }

// Object is a mapping in a fixed order.
type Object = pairs

// MarshalJSON keeps the order.
func (p pairs) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, item := range p {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := plainJSON(item.Key)
		if err != nil {
			return nil, err
		}
		value, err := plainJSON(item.Value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}'), nil
}

// plainJSON leaves < and > as they are, as in (?P<n>\d+).
func plainJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// Text is a value of a mapping on one line.
func (p pairs) Text(key string) (string, error) {
	for _, item := range p {
		if text, is := item.Value.(string); item.Key == key && is {
			return text, nil
		} else if item.Key == key {
			out, err := plainJSON(item.Value)
			return string(out), err
		}
	}
	return "", nil
}

// MarshalYAML keeps the order.
func (p pairs) MarshalYAML() (any, error) { return yaml.MapSlice(p), nil }

// inline is a list of texts, or of such lists, on one line.
type inline[T any] []T

// MarshalYAML is the list on one line.
func (l inline[T]) MarshalYAML() ([]byte, error) { return encoded([]T(l), yaml.Flow(true)) }

// encoded is a value as YAML, without a line break at its end.
func encoded(value any, options ...yaml.EncodeOption) ([]byte, error) {
	node, err := yaml.ValueToNode(value, options...)
	if err != nil {
		return nil, fmt.Errorf("writing YAML: %w", err)
	}
	ast.Walk(quoter{}, node)
	return []byte(node.String()), nil
}

// quoter quotes the texts that the library would leave plain and read as something
// else, and those that people could not see.
type quoter struct{}

func (q quoter) Visit(n ast.Node) ast.Visitor {
	if s, ok := n.(*ast.StringNode); ok && !readable(s.Value) {
		s.Token.Type = token.DoubleQuoteType
	}
	return q
}

// readable reports whether a scalar as the library writes it, quoted or not, is
// read as that, where most could go wrong: as a key, and in a list on one line.
func readable(scalar string) bool {
	if strings.ContainsFunc(scalar, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return false
	}
	tokens := lexer.Tokenize(scalar + ": [" + scalar + "]")
	return len(tokens) == 5 && isText(tokens[0], scalar) && isText(tokens[3], scalar)
}

func isText(t *token.Token, scalar string) bool {
	return t.Type == token.DoubleQuoteType || t.Type == token.StringType && t.Value == scalar
}
