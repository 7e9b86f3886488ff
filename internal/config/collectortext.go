// Changing a tree of YAML, and writing it as a text again.

package config

import (
	"slices"
	"strconv"
	"strings"
)

// drop takes a key out of a mapping; false where it is not there.
func (n *node) drop(key string) bool {
	before := len(n.entries)
	n.entries = slices.DeleteFunc(n.entries, func(e entry) bool { return e.key == key })
	return len(n.entries) < before
}

// put gives a key of a mapping a value, and what was null becomes a mapping.
func (n *node) put(key string, value *node) {
	n.kind = mapping
	for i, e := range n.entries {
		if e.key == key {
			n.entries[i].value = value
			return
		}
	}
	n.entries = append(n.entries, entry{key: key, at: n.at, value: value})
}

// below is the mapping at a key of a mapping, which is made where there is none.
func (n *node) below(key string) *node {
	at := n.get(key)
	if at == nil || at.kind != mapping {
		at = &node{kind: mapping, at: n.at}
		n.put(key, at)
	}
	return at
}

// quotedWord is a text, bareWord what may be a number as well.
func quotedWord(text string) *node { return &node{kind: scalar, text: text, quoted: true} }

func bareWord(text string) *node { return &node{kind: scalar, text: text} }

func row(items ...*node) *node { return &node{kind: list, items: items} }

func table(key string, value *node) *node {
	n := &node{kind: mapping}
	n.put(key, value)
	return n
}

// lay writes a tree as YAML. A scalar is quoted if it was, so that it keeps its type.
func (n *node) lay(b *strings.Builder, indent int) {
	gap := strings.Repeat("  ", indent)
	switch {
	case n.kind == mapping && len(n.entries) > 0:
		for _, e := range n.entries {
			b.WriteString(gap + layKey(e.key) + ":")
			e.value.layValue(b, indent)
		}
	case n.kind == list && len(n.items) > 0:
		for _, item := range n.items {
			b.WriteString(gap + "-")
			item.layValue(b, indent)
		}
	}
}

func (n *node) layValue(b *strings.Builder, indent int) {
	switch {
	case n.kind == null:
		b.WriteString("\n")
	case n.kind == mapping && len(n.entries) == 0:
		b.WriteString(" {}\n")
	case n.kind == list && len(n.items) == 0:
		b.WriteString(" []\n")
	case n.kind == scalar && (n.quoted || strings.ContainsAny(n.text, "\n\r\t") || n.text == ""):
		b.WriteString(" " + quoteYAML(n.text) + "\n")
	case n.kind == scalar:
		b.WriteString(" " + n.text + "\n")
	default:
		b.WriteString("\n")
		n.lay(b, indent+1)
	}
}

func layKey(key string) string {
	if strings.ContainsFunc(key, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_/.-", r))
	}) || key == "" {
		return quoteYAML(key)
	}
	return key
}

// quoteYAML is a text in double quotes: what Go escapes, YAML reads.
func quoteYAML(text string) string { return strconv.Quote(text) }
