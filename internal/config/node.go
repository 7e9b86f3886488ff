// A YAML text as a small tree with places, aliases and merge keys resolved.

package config

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

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
