package program

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzEncoded: whatever a text holds, it is read as it was written, wherever it
// stands: as a key, a value, and in lists of either style.
func FuzzEncoded(f *testing.F) {
	for _, text := range []string{"plain", "", " ", "a\nb\n", "a\r\nb", "\ta", "a\t", "a: b", "a #b", "? a", "- a", "---", "...", "--- a",
		"<<", "~", "null", "0x1f", "1e3", ".inf", "{a", "a}", "[a", "a]", "a,b", "it's", `"q"`, `a\nb`, "&a", "*a", "!a", "|", ">", "%a", "@a", "`a",
		"\u0085", "\u2028", "\u00a0", "\ufeff", "\x00", "\x7f", "ü☃", "a:", ":a", "=", "|-\na", "2001-01-01", "a  b", "0{"} {
		f.Add(text, "x")
		f.Add("x", text)
	}
	f.Fuzz(func(t *testing.T, one, other string) {
		if !utf8.ValidString(one) || !utf8.ValidString(other) || one == other || len(one)+len(other) > 1000 {
			t.Skip("no two texts that the reader takes")
		}
		tree := Object{
			{Key: one, Value: other}, {Key: other, Value: one},
			{Key: "flow " + one, Value: Inline[string]{one, other}}, {Key: "deep " + one, Value: Inline[[]string]{{one}, {other, one}}},
			{Key: "lines " + one, Value: []string{one, other}},
			{Key: "list " + one, Value: []Object{single(one, single(other, one)), {{Key: one, Value: Inline[string]{other}}, {Key: other, Value: one}}}},
		}
		text, err := Encoded(tree, Layout...)
		if err != nil {
			t.Fatal(err)
		}
		s := &Source{File: "x.yaml"}
		root := ParseYAML(s, text)
		if err := s.Err(); err != nil {
			t.Fatalf("what was written is not read: %v\n%s", err, text)
		}
		if diff := cmp.Diff(plain(tree), read(root)); diff != "" {
			t.Errorf("(-before +after)\n%s\n%s", diff, text)
		}
	})
}

// plain is a tree as read has it.
func plain(value any) any {
	var out []any
	switch v := value.(type) {
	case string:
		return v
	case Object:
		for _, item := range v {
			out = append(out, item.Key, plain(item.Value))
		}
	case []Object:
		for _, p := range v {
			out = append(out, plain(p))
		}
	case Inline[[]string]:
		for _, list := range v {
			out = append(out, plain(list))
		}
	case Inline[string]:
		return plain([]string(v))
	case []string:
		for _, text := range v {
			out = append(out, text)
		}
	}
	return out
}

func read(n *Node) any {
	var out []any
	for _, e := range n.Entries {
		out = append(out, e.Key, read(e.Value))
	}
	for _, item := range n.Items {
		out = append(out, read(item))
	}
	if n.Kind == Scalar {
		return n.Text
	}
	return out
}
