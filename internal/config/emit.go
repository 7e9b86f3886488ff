// Writing a tree of pairs as YAML, by the library that reads it again.

package config

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// pairs is a mapping in a fixed order. A value is whatever the library writes;
// lists are inline where they stand on one line.
type pairs yaml.MapSlice

// layout is how files are laid out.
var layout = []yaml.EncodeOption{yaml.Indent(2), yaml.IndentSequence(true), yaml.AutoInt()}

func (p *pairs) add(key string, value any) {
	*p = append(*p, yaml.MapItem{Key: key, Value: value})
}

func single(key string, value any) pairs { return pairs{{Key: key, Value: value}} }

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
