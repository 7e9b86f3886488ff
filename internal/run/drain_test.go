package run

import (
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// What comes without end is other work where it is whole traces of roots of their own.
func TestWhatStillComes(t *testing.T) {
	count := func(shapes record.Shapes) record.Counts {
		return record.Counts{Checking: true, Spans: uint64(shapes.Spans()), Shapes: shapes}
	}
	before := record.Shapes{"GET /": {3: 19, 2: 1}, "tick": {1: 50}}
	for name, test := range map[string]struct {
		after record.Shapes
		want  bool
	}{
		"a timer":                       {record.Shapes{"GET /": {3: 19, 2: 1}, "tick": {1: 55}}, true},
		"nothing":                       {before, false},
		"the rest of a trace":           {record.Shapes{"GET /": {3: 20}, "tick": {1: 55}}, false},
		"a trace whose root is to come": {record.Shapes{"GET /": {3: 19, 2: 1}, "tick": {1: 55}, "": {2: 1}}, false},
	} {
		f := flow{mark: count(before)}
		if got := f.passing(count(test.after)); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// Only where it is known which spans are of operations can these be still while others come.
func TestStillBesideOthers(t *testing.T) {
	c := record.Counts{Checking: true, Spans: 4, Shapes: record.Shapes{"GET /": {3: 1}, "tick": {1: 1}}}
	for name, roots := range map[string]map[string]int{"known": {"GET /": 3}, "not known": nil, "all are": {"GET /": 3, "tick": 1}} {
		f := flow{begun: record.Begun{Roots: roots}}
		f.see(c, 0)
		seen := f.changed
		f.see(c, 0)
		if f.changed != seen {
			t.Errorf("%s: nothing came, and it is taken for a change", name)
		}
		if got := f.still() > 0; got != (name == "known") {
			t.Errorf("%s: still: %t", name, got)
		}
		c := c
		c.Spans, c.Shapes = 5, record.Shapes{"GET /": {4: 1}, "tick": {1: 1}}
		if f.see(c, 0); f.changed == seen {
			t.Errorf("%s: a span came, and it is not taken for a change", name)
		}
	}
}
