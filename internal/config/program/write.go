// Experiments as YAML: the resolved file of a results folder.

package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// How the parts of an experiment are written as YAML.

type Writer struct {
	*redactor      // nil: nothing is hidden
	listed    bool // what has a name is a list, as in JSON
}

// NewWriter hides credentials.
func NewWriter() Writer { return Writer{redactor: NewRedactor()} }

// Env is a mapping of names to texts, sorted, without credentials.
func (w Writer) Env(m map[string]string) Object {
	var p Object
	for _, k := range slices.Sorted(maps.Keys(m)) {
		p.Add(k, w.Value(k, m[k]))
	}
	return p
}

// bodyOf returns the file of a body, or its text.
func bodyOf(from Content) Object {
	if from.File != "" {
		return single("file", from.File)
	}
	return single("text", string(from.Bytes))
}

// Writing a tree of mappings as YAML, by the library that reads it again.

// Object is a mapping in a fixed order. A value is whatever the library writes;
// lists are inline where they stand on one line.
type Object yaml.MapSlice

// Layout is the layout of a written file.
var Layout = []yaml.EncodeOption{yaml.Indent(2), yaml.IndentSequence(true), yaml.AutoInt()}

func (p *Object) Add(key string, value any) {
	*p = append(*p, yaml.MapItem{Key: key, Value: value})
}

func single(key string, value any) Object { return Object{{Key: key, Value: value}} }

// MarshalJSON keeps the order.
func (p Object) MarshalJSON() ([]byte, error) {
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
func (p Object) Text(key string) (string, error) {
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
func (p Object) MarshalYAML() (any, error) { return yaml.MapSlice(p), nil }

// Inline is a list of texts, or of such lists, on one line.
type Inline[T any] []T

// MarshalYAML is the list on one line.
func (l Inline[T]) MarshalYAML() ([]byte, error) { return Encoded([]T(l), yaml.Flow(true)) }

// Encoded is a value as YAML, without a line break at its end.
func Encoded(value any, options ...yaml.EncodeOption) ([]byte, error) {
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

// operations returns the operations of a workload by their names.
func (w Writer) operations(all []Operation) Object {
	var p Object
	for _, o := range all {
		p.Add(o.Name, w.Written(&o, InWorkload))
	}
	return p
}

// orDefault is the key of a mapping by tracer in a file.
func orDefault(tracer string) string {
	if tracer == "" {
		return "default"
	}
	return tracer
}

func spansOf(spans map[string]Number) Object {
	var p Object
	for _, tracer := range slices.Sorted(maps.Keys(spans)) {
		n := spans[tracer]
		if n.High == n.Low {
			p.Add(orDefault(tracer), n.Low)
			continue
		}
		p.Add(orDefault(tracer), FormatNumber(n.Low)+".."+FormatNumber(n.High))
	}
	return p
}
