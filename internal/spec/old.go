// Old words in files: they are read as the new ones, and hinted at.

package spec

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/renamed"
)

// OnOld has tell get a hint for each old word in what the catalog reads. It returns the catalog.
func (c *Catalog) OnOld(tell func(hint string)) *Catalog {
	c.old = tell
	return c
}

// hint passes on what is said of old words.
func (c *Catalog) hint(hints ...string) {
	if c == nil || c.old == nil {
		return
	}
	for _, text := range hints {
		c.old(text)
	}
}

// renew gives an entry the key that its old one stands for, where the mapping knows that one and does not have it yet.
func (s *source) renew(n *node, e *entry, fs fields) {
	now, was := renamed.Now(renamed.Key, e.key)
	if !was || fs[e.key] != nil || fs[now] == nil || n.get(now) != nil {
		return
	}
	s.renamed = append(s.renamed, fmt.Sprintf("%s:%d:%d: %s", s.file, e.at.line, e.at.column, renamed.Hint(renamed.Key, e.key, now)))
	e.key = now
}

// current is the experiment that a name stands for: another one where it is an old name.
func (c *Catalog) current(name string) string {
	now, was := renamed.Now(renamed.Experiment, name)
	if !was {
		return name
	}
	c.hint(renamed.Hint(renamed.Experiment, name, now))
	return now
}
