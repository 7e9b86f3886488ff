// Setting single keys of a file from the command line.

package program

import (
	"strconv"
	"strings"
)

// Given reads the value of a key that a flag gives. A value that begins with a bracket, a brace or a quote is YAML; any other
// is a text or number as it stands, "" is nothing. Errors name the flag; the result is then nil.
func (s *Source) Given(flag, value string) *Node {
	at := Place{Flag: flag}
	switch {
	case value == "":
		return &Node{At: at}
	case !strings.ContainsRune(`[{"'`, rune(value[0])):
		return &Node{At: at, Kind: Scalar, Text: value}
	}
	inner := &Source{}
	n := ParseYAML(inner, []byte(value))
	for _, p := range inner.Problems {
		s.Fail(at, "%s", p.Text)
	}
	if n != nil {
		n.moveTo(at)
	}
	return n
}

// moveTo makes a place that of a value and of all in it.
func (n *Node) moveTo(at Place) {
	n.At = at
	for _, item := range n.Items {
		item.moveTo(at)
	}
	for i, e := range n.Entries {
		n.Entries[i].At = at
		e.Value.moveTo(at)
	}
}

// Put sets the value at a path of keys with dots between them, such as load.depth or workload.processes.0.patience. An item of
// a list is named by its number from 0, or by what its key name says. Mappings on the way are made where there are none.
func (s *Source) Put(root *Node, path string, value *Node) {
	n, way := root, []string{}
	for {
		n.open(value.At, way)
		switch n.Kind {
		case List:
			word, rest, more := strings.Cut(path, ".")
			i := n.itemAt(word)
			if i < 0 {
				s.Fail(value.At, "%s has no item %q: write its number from 0 to %d, or its name",
					strings.Join(way, "."), Printable(word), len(n.Items)-1)
				return
			}
			if !more {
				n.Items[i] = value
				return
			}
			n, way, path = n.Items[i], append(way, word), rest
		case Mapping:
			key, rest, more := n.split(path)
			next := n.Get(key)
			if !more {
				n.replace(key, value)
				return
			}
			if next == nil {
				next = &Node{Kind: Mapping, At: value.At}
				n.Entries = append(n.Entries, Entry{key, value.At, next})
			}
			n, way, path = next, append(way, key), rest
		default:
			s.Fail(value.At, "%s is %q there, and has no keys", strings.Join(way, "."), Printable(n.Text))
			return
		}
	}
}

// shortForms are the keys that a text stands for among the values of a mapping: checkout: POST /checkout.
var shortForms = map[string]string{"operations": "request", "variants": "tracer"}

// open makes a mapping of nothing, and of a text that stands for one.
func (n *Node) open(at Place, way []string) {
	switch {
	case n.Kind == Null:
		n.Kind, n.At = Mapping, at
	case len(way) > 1 && shortForms[way[len(way)-2]] != "":
		text := *n
		*n = *text.AsShort(shortForms[way[len(way)-2]])
	}
}

// split cuts the first key off a path: one of the mapping's, which may hold dots, or the first word.
func (n *Node) split(path string) (key, rest string, more bool) {
	for _, e := range n.Entries {
		if e.Key == path {
			return path, "", false
		}
		if after, is := strings.CutPrefix(path, e.Key+"."); is && len(e.Key) > len(key) {
			key, rest, more = e.Key, after, true
		}
	}
	if more {
		return key, rest, more
	}
	return strings.Cut(path, ".")
}

// itemAt returns the index of the item with this number or name; -1 where there is none.
func (n *Node) itemAt(word string) int {
	for i, item := range n.Items {
		if name := item.Get("name"); strconv.Itoa(i) == word || name != nil && name.Text == word {
			return i
		}
	}
	return -1
}

// replace gives a key another value, in its place.
func (n *Node) replace(key string, value *Node) {
	for i, e := range n.Entries {
		if e.Key == key {
			n.Entries[i] = Entry{key, value.At, value}
			return
		}
	}
	n.Set(key, value)
}
