// The load and the design in the tree that is made of flags.

package config

import (
	"fmt"
	"strconv"
	"strings"
)

func (b *flagBuilder) loadTree() *node {
	out := tree("")
	b.list(out, "rate", b.Rate)
	b.list(out, "connections", b.Connections)
	if b.Capacity != "" {
		out.set("capacity", b.keys("capacity", b.Capacity, "KEY=VALUE, such as cpu=75%"))
	}
	b.word(out, "duration", b.Duration)
	b.word(out, "warmup", b.Warmup)
	return out
}

func (b *flagBuilder) designTree() *node {
	out := tree("")
	b.word(out, "blocks", b.Blocks)
	b.word(out, "precision", b.Precision)
	if b.Seed != 0 {
		out.set("seed", word(fmt.Sprintf("--seed %d", b.Seed), strconv.FormatUint(b.Seed, 10)))
	}
	return out
}

// keys reads "cpu=3%,p99=5%", a mapping in one word.
func (b *flagBuilder) keys(flag, text, form string) *node {
	out := tree("--" + flag + " " + quote(text))
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case !ok:
			b.fail(out.at, "%q is not %s", printable(part), form)
		case out.get(name) != nil:
			b.fail(out.at, "%q is here a second time", printable(name))
		default:
			out.set(name, word(out.at.flag, value))
		}
	}
	return out
}

func (b *flagBuilder) word(n *node, key, value string) {
	if value != "" {
		n.set(key, word("--"+key+" "+quote(value), value))
	}
}

// list is a word, or a list of them where there is a comma.
func (b *flagBuilder) list(n *node, key, value string) {
	if !strings.Contains(value, ",") {
		b.word(n, key, value)
		return
	}
	flag := "--" + key + " " + quote(value)
	items := &node{kind: list, at: place{flag: flag}}
	for part := range strings.SplitSeq(value, ",") {
		items.items = append(items.items, word(flag, strings.TrimSpace(part)))
	}
	n.set(key, items)
}
