// Parsing YAML text, within bounds.

package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a file. They are far beyond what a person writes, and keep a hostile
// file from using much memory: an alias counts as often as it is used.
const (
	maxFile   = 512 << 10 // bytes
	maxTokens = 20_000
	maxNodes  = 20_000
	maxDepth  = 40
)

const tooMuch = "the file is too long or too deeply nested (an alias counts as often as it is used)"

// parseYAML reads one YAML document. On a syntax error the source has a problem
// and the result is nil.
func parseYAML(s *source, text []byte) *node {
	if len(text) > maxFile {
		s.fail(place{}, "the file has %d bytes; the most is %d", len(text), maxFile)
		return nil
	}
	if text = bytes.TrimPrefix(text, []byte(byteOrderMark)); isUTF16(text) {
		s.fail(place{line: 1, column: 1}, "the file is UTF-16: save it as UTF-8")
		return nil
	}
	s.lines = strings.Split(string(text), "\n")
	file, err := parseAST(text)
	if err != nil {
		s.fail(syntaxPlace(err), "%s", syntaxText(err))
		return nil
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			s.fail(placeOf(doc.Body), "a second YAML document; put it in a file of its own")
			return nil
		}
		body = doc.Body
	}
	if body == nil {
		s.fail(place{line: 1, column: 1}, "the file is empty")
		return nil
	}
	b := builder{source: s, anchors: map[string]ast.Node{}}
	root := b.build(body, 0)
	if b.full {
		return nil
	}
	root.entries = slices.DeleteFunc(root.entries, func(e entry) bool { return strings.HasPrefix(e.key, ownKey) })
	return root
}

// byteOrderMark is what some editors and spreadsheets begin a file with.
const byteOrderMark = "\ufeff"

// ownKey is what the keys at the top of a file begin with that hold what is its author's alone, such as anchors.
const ownKey = "x-"

// isUTF16 reports whether a text begins with a byte-order mark of UTF-16.
func isUTF16(text []byte) bool {
	return bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff})
}

// parseAST guards against panics of the YAML library: a file is the user's, and
// whatever is in it must end in an error.
func parseAST(text []byte) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the text cannot be understood (%v)", r)
		}
	}()
	tokens := lexer.Tokenize(string(text))
	if at := tooDeep(tokens); at != nil {
		return nil, yaml.Error(&yaml.SyntaxError{Message: tooMuch, Token: at})
	}
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

// tooDeep is the token at which the text passes what the parser is to be
// given: unlike the lexer, its time grows with the square of length and depth.
func tooDeep(tokens token.Tokens) *token.Token {
	depth, run := 0, 0
	for i, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth = max(0, depth-1)
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType, token.MappingValueType:
			run++
		default:
			run = 0
		}
		if depth > maxDepth || run > maxDepth || i >= maxTokens {
			return t
		}
	}
	return nil
}

func syntaxPlace(err error) place {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil && e.GetToken().Position != nil {
		at := e.GetToken().Position
		return place{line: at.Line, column: max(1, at.Column)}
	}
	return place{line: 1, column: 1}
}

func syntaxText(err error) string {
	var e yaml.Error
	switch {
	case !errors.As(err, &e):
		return "not valid YAML: " + err.Error()
	case e.GetMessage() == tooMuch:
		return tooMuch
	}
	return "not valid YAML: " + e.GetMessage()
}

func placeOf(n ast.Node) place {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return placeOf(m.Values[0].Key)
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		return placeOf(m.Key)
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return place{line: t.Position.Line, column: max(1, t.Position.Column)}
	}
	return place{line: 1, column: 1}
}
