// This file walks traces whose strings stand in a table (version 0.5).

package datadog

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

// spanFields is how many elements a span has.
const spanFields = 12

// walkTable counts an array of two: the strings, and the traces, each an array of
// spans, each an array.
func walkTable(b *tally.Batch, body []byte) error {
	r := reader{rest: body}
	if len(body) == 1 && body[0] == 0x90 {
		return nil // an empty array: a tracer asks whether this version is understood
	}
	if !r.fixed(2) {
		return r.err
	}
	t := table{reader: &r}
	r.list(func() {
		text := r.text()
		if string(text) == kindKey {
			t.kindKey, t.hasKinds = uint64(len(t.texts)), true
		}
		t.texts = append(t.texts, text)
	})
	r.list(func() {
		r.list(func() {
			if s := t.span(); r.err == nil {
				s.count(b)
			}
		})
	})
	return r.end()
}

// table is the strings of a request.
type table struct {
	*reader
	texts    [][]byte
	kindKey  uint64 // where the name of the tag stands that tells a span's kind
	hasKinds bool
}

func (t *table) span() (s span) {
	if !t.fixed(spanFields) {
		return s
	}
	s.service, s.name, s.resource = t.entry(), t.entry(), t.entry()
	s.trace, s.id, s.parent = t.number(), t.number(), t.number()
	for range 3 { // start, duration, error
		t.skip()
	}
	s.kind = t.tags()
	t.skip() // metrics
	t.skip() // type
	return s
}

// entry reads the number of a string, and returns the string.
func (t *table) entry() []byte {
	n := t.number()
	if t.err != nil {
		return nil
	}
	if n >= uint64(len(t.texts)) {
		t.fail(fmt.Errorf("string %d of a table of %d", n, len(t.texts)))
		return nil
	}
	return t.texts[n]
}

// tags reads the tags of a span, and returns the one that tells its kind.
func (t *table) tags() (kind []byte) {
	for n := t.pairs(); n > 0 && t.err == nil; n-- {
		key := t.number()
		value := t.entry()
		if t.hasKinds && key == t.kindKey {
			kind = value
		}
	}
	return kind
}
