// Parsing YAML text, within bounds.

package program

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

// ParseYAML reads one YAML document. On a syntax error the source has a problem
// and the result is nil.
func ParseYAML(s *Source, text []byte) *Node {
	if len(text) > maxFile {
		s.Fail(Place{}, "the file has %d bytes; the most is %d", len(text), maxFile)
		return nil
	}
	if text = bytes.TrimPrefix(text, []byte(ByteOrderMark)); isUTF16(text) {
		s.Fail(Place{Line: 1, Column: 1}, "the file is UTF-16: save it as UTF-8")
		return nil
	}
	s.Lines = strings.Split(string(text), "\n")
	file, err := parseAST(text)
	if err != nil {
		s.Fail(syntaxPlace(err), "%s", syntaxText(err))
		return nil
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			s.Fail(placeOf(doc.Body), "a second YAML document; put it in a file of its own")
			return nil
		}
		body = doc.Body
	}
	if body == nil {
		s.Fail(Place{Line: 1, Column: 1}, "the file is empty")
		return nil
	}
	b := builder{source: s, anchors: map[string]ast.Node{}}
	root := b.build(body, 0)
	if b.full {
		return nil
	}
	root.Entries = slices.DeleteFunc(root.Entries, func(e Entry) bool { return strings.HasPrefix(e.Key, ownKey) })
	return root
}

// ByteOrderMark begins files of some editors and spreadsheets.
const ByteOrderMark = "\ufeff"

// ownKey begins keys at the top of a file that belong to its author alone, such as anchors.
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

func syntaxPlace(err error) Place {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil && e.GetToken().Position != nil {
		at := e.GetToken().Position
		return Place{Line: at.Line, Column: max(1, at.Column)}
	}
	return Place{Line: 1, Column: 1}
}

func syntaxText(err error) string {
	var e yaml.Error
	switch {
	case !errors.As(err, &e):
		return "not valid YAML: " + err.Error()
	case e.GetMessage() == tooMuch:
		return tooMuch
	}
	return "not valid YAML: " + e.GetMessage() + indented(e.GetMessage())
}

// indented says that the cause may be an indentation, in which the parser's words seldom have it.
func indented(message string) string {
	switch {
	case strings.Contains(message, "'\t'"):
		return "; YAML is indented by spaces, not by tabs"
	case strings.Contains(message, "not allowed in this context"), strings.Contains(message, "unexpected key name"), strings.Contains(message, "non-map value"):
		return "; look at the indentation: keys of one block begin in the same column"
	}
	return ""
}

func placeOf(n ast.Node) Place {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return placeOf(m.Values[0].Key)
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		return placeOf(m.Key)
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return Place{Line: t.Position.Line, Column: max(1, t.Position.Column)}
	}
	return Place{Line: 1, Column: 1}
}

// A YAML text as a small tree with places, aliases and merge keys resolved.

type kind int

const (
	Null kind = iota
	Scalar
	List
	Mapping
)

func (k kind) String() string {
	return [...]string{"nothing", "a text or number", "a list", "a mapping"}[k]
}

// Node is one value of a file.
type Node struct {
	At      Place
	Kind    kind
	Text    string // of a scalar, unquoted
	quoted  bool   // a scalar is in quotes, or a block of text
	Items   []*Node
	Entries []Entry  // of a mapping, in the order of the file
	Meant   []string // keys that unknown keys of this mapping probably are
	Twice   bool     // a key of this mapping was there a second time, of which was complained
}

type Entry struct {
	Key   string
	At    Place
	Value *Node
}

func (n *Node) Get(key string) *Node {
	for _, e := range n.Entries {
		if e.Key == key {
			return e.Value
		}
	}
	return nil
}

// Keys returns the keys of a mapping, in the order of the file.
func (n *Node) Keys() []string {
	var out []string
	for _, e := range n.Entries {
		out = append(out, e.Key)
	}
	return out
}

// AsShort is a value that stands for a mapping with one key, where it is but a text.
func (n *Node) AsShort(key string) *Node {
	if n.Kind != Scalar {
		return n
	}
	return &Node{At: n.At, Kind: Mapping, Entries: []Entry{{key, n.At, n}}}
}

// builder turns the library's tree into nodes.
type builder struct {
	source  *Source
	anchors map[string]ast.Node
	nodes   int
	full    bool // a bound was passed, and said
}

func (b *builder) build(n ast.Node, depth int) *Node {
	if n == nil {
		return &Node{At: Place{Line: 1, Column: 1}}
	}
	at := placeOf(n)
	b.nodes++
	if b.full || b.nodes > maxNodes || depth > maxDepth {
		if !b.full {
			b.source.Fail(at, "%s", tooMuch)
		}
		b.full = true
		return &Node{At: at}
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return &Node{At: at}
	case *ast.AnchorNode:
		b.anchors[n.Name.GetToken().Value] = n.Value
		return b.build(n.Value, depth+1)
	case *ast.AliasNode:
		return b.alias(n, at, depth)
	case *ast.TagNode:
		return b.tag(n, at, depth)
	case *ast.LiteralNode:
		return &Node{At: at, Kind: Scalar, Text: n.Value.Value, quoted: true}
	case *ast.SequenceNode:
		out := &Node{At: at, Kind: List}
		for _, item := range n.Values {
			out.Items = append(out.Items, b.build(item, depth+1))
		}
		return out
	case *ast.MappingNode:
		out := &Node{At: at, Kind: Mapping}
		for _, v := range n.Values {
			b.entry(out, v, depth)
		}
		return out
	case *ast.MappingValueNode:
		out := &Node{At: at, Kind: Mapping}
		b.entry(out, n, depth)
		return out
	case ast.ScalarNode:
		t := n.GetToken()
		return &Node{At: at, Kind: Scalar, Text: t.Value, quoted: t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType}
	}
	b.source.Fail(at, "this kind of YAML (%s) has no place here", n.Type())
	return &Node{At: at}
}

func (b *builder) alias(n *ast.AliasNode, at Place, depth int) *Node {
	name := n.Value.GetToken().Value
	target, ok := b.anchors[name]
	if !ok {
		b.source.Fail(at, "*%s stands for an anchor &%s that is not there (or not before this line)", name, name)
		return &Node{At: at}
	}
	return b.build(target, depth+1)
}

func (b *builder) tag(n *ast.TagNode, at Place, depth int) *Node {
	switch n.GetToken().Value {
	case "!!str":
		out := b.build(n.Value, depth+1)
		out.quoted = true
		return out
	case "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq":
		return b.build(n.Value, depth+1)
	}
	b.source.Fail(at, "the tag %s has no meaning here", n.GetToken().Value)
	return &Node{At: at}
}

func (b *builder) entry(m *Node, v *ast.MappingValueNode, depth int) {
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
	if key.Kind != Scalar && key.Kind != Null {
		b.source.Fail(at, "a key must be a word, not %s", key.Kind)
		return
	}
	if key.Kind == Null {
		key.Text = from.GetToken().Value
	}
	if m.Get(key.Text) != nil {
		m.Twice = true
		b.source.Fail(at, "%q is here a second time", Printable(key.Text))
		return
	}
	m.Entries = append(m.Entries, Entry{key.Text, at, b.build(v.Value, depth+1)})
}

// merge adds the entries of a mapping, or of a list of them, that m lacks.
func (b *builder) merge(m, from *Node) {
	if from.Kind == List {
		for _, item := range from.Items {
			b.merge(m, item)
		}
		return
	}
	if from.Kind != Mapping {
		b.source.Fail(from.At, "<< takes a mapping, not %s", from.Kind)
		return
	}
	for _, e := range from.Entries {
		if m.Get(e.Key) == nil {
			m.Entries = append(m.Entries, e)
		}
	}
}

// item is the item of a list that a key of itemKey names, nil where there is none.
func (n *Node) item(key string) *Node {
	for i, item := range n.Items {
		if key == ItemKey(i) {
			return item
		}
	}
	return nil
}

// Place is where the value at the end of a way of keys stands, or the value that
// is nearest to it.
func (n *Node) Place(keys []string) Place {
	for _, key := range keys {
		next := n.item(key)
		if next == nil {
			next = n.Get(key)
		}
		if next == nil {
			break
		}
		n = next
	}
	return n.At
}

// ItemKey is the key of an item of a list in a way of keys.
func ItemKey(i int) string { return fmt.Sprintf("[%d]", i) }
