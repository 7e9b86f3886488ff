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

// A YAML text as a small tree with places, aliases and merge keys resolved.

type kind int

const (
	null kind = iota
	scalar
	list
	mapping
)

func (k kind) String() string {
	return [...]string{"nothing", "a text or number", "a list", "a mapping"}[k]
}

// node is one value of a file.
type node struct {
	at      place
	kind    kind
	text    string // of a scalar, unquoted
	quoted  bool   // a scalar is in quotes, or a block of text
	items   []*node
	entries []entry  // of a mapping, in the order of the file
	meant   []string // keys that unknown keys of this mapping probably are
	twice   bool     // a key of this mapping was there a second time, of which was complained
}

type entry struct {
	key   string
	at    place
	value *node
}

func (n *node) get(key string) *node {
	for _, e := range n.entries {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

// keys are those of a mapping, in the order of the file.
func (n *node) keys() []string {
	var out []string
	for _, e := range n.entries {
		out = append(out, e.key)
	}
	return out
}

// asShort is a value that stands for a mapping with one key, where it is but a text.
func (n *node) asShort(key string) *node {
	if n.kind != scalar {
		return n
	}
	return &node{at: n.at, kind: mapping, entries: []entry{{key, n.at, n}}}
}

// builder turns the library's tree into nodes.
type builder struct {
	source  *source
	anchors map[string]ast.Node
	nodes   int
	full    bool // a bound was passed, and said
}

func (b *builder) build(n ast.Node, depth int) *node {
	if n == nil {
		return &node{at: place{line: 1, column: 1}}
	}
	at := placeOf(n)
	b.nodes++
	if b.full || b.nodes > maxNodes || depth > maxDepth {
		if !b.full {
			b.source.fail(at, "%s", tooMuch)
		}
		b.full = true
		return &node{at: at}
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return &node{at: at}
	case *ast.AnchorNode:
		b.anchors[n.Name.GetToken().Value] = n.Value
		return b.build(n.Value, depth+1)
	case *ast.AliasNode:
		return b.alias(n, at, depth)
	case *ast.TagNode:
		return b.tag(n, at, depth)
	case *ast.LiteralNode:
		return &node{at: at, kind: scalar, text: n.Value.Value, quoted: true}
	case *ast.SequenceNode:
		out := &node{at: at, kind: list}
		for _, item := range n.Values {
			out.items = append(out.items, b.build(item, depth+1))
		}
		return out
	case *ast.MappingNode:
		out := &node{at: at, kind: mapping}
		for _, v := range n.Values {
			b.entry(out, v, depth)
		}
		return out
	case *ast.MappingValueNode:
		out := &node{at: at, kind: mapping}
		b.entry(out, n, depth)
		return out
	case ast.ScalarNode:
		t := n.GetToken()
		return &node{at: at, kind: scalar, text: t.Value, quoted: t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType}
	}
	b.source.fail(at, "this kind of YAML (%s) has no place here", n.Type())
	return &node{at: at}
}

func (b *builder) alias(n *ast.AliasNode, at place, depth int) *node {
	name := n.Value.GetToken().Value
	target, ok := b.anchors[name]
	if !ok {
		b.source.fail(at, "*%s stands for an anchor &%s that is not there (or not before this line)", name, name)
		return &node{at: at}
	}
	return b.build(target, depth+1)
}

func (b *builder) tag(n *ast.TagNode, at place, depth int) *node {
	switch n.GetToken().Value {
	case "!!str":
		out := b.build(n.Value, depth+1)
		out.quoted = true
		return out
	case "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq":
		return b.build(n.Value, depth+1)
	}
	b.source.fail(at, "the tag %s has no meaning here", n.GetToken().Value)
	return &node{at: at}
}

func (b *builder) entry(m *node, v *ast.MappingValueNode, depth int) {
	if v.Key.IsMergeKey() {
		b.merge(m, b.build(v.Value, depth+1))
		return
	}
	if b.full {
		return
	}
	at := placeOf(v.Key)
	var from ast.Node = v.Key
	if k, ok := from.(*ast.MappingKeyNode); ok {
		from, at = k.Value, placeOf(k.Value)
	}
	key := b.build(from, depth+1)
	if key.kind != scalar && key.kind != null {
		b.source.fail(at, "a key must be a word, not %s", key.kind)
		return
	}
	if key.kind == null {
		key.text = from.GetToken().Value
	}
	if m.get(key.text) != nil {
		m.twice = true
		b.source.fail(at, "%q is here a second time", printable(key.text))
		return
	}
	m.entries = append(m.entries, entry{key.text, at, b.build(v.Value, depth+1)})
}

// merge adds the entries of a mapping, or of a list of them, that m lacks.
func (b *builder) merge(m, from *node) {
	if from.kind == list {
		for _, item := range from.items {
			b.merge(m, item)
		}
		return
	}
	if from.kind != mapping {
		b.source.fail(from.at, "<< takes a mapping, not %s", from.kind)
		return
	}
	for _, e := range from.entries {
		if m.get(e.key) == nil {
			m.entries = append(m.entries, e)
		}
	}
}

// item is the item of a list that a key of itemKey names, nil where there is none.
func (n *node) item(key string) *node {
	for i, item := range n.items {
		if key == itemKey(i) {
			return item
		}
	}
	return nil
}

// place is where the value at the end of a way of keys stands, or the value that
// is nearest to it.
func (n *node) place(keys []string) place {
	for _, key := range keys {
		next := n.item(key)
		if next == nil {
			next = n.get(key)
		}
		if next == nil {
			break
		}
		n = next
	}
	return n.at
}

// itemKey is the key of an item of a list in a way of keys.
func itemKey(i int) string { return fmt.Sprintf("[%d]", i) }
