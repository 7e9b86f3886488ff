package run

import (
	"testing"
	"time"

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

// Spans of operations are still while metrics come and, where it is known which they are, while spans of other work do.
func TestStillBesideOthers(t *testing.T) {
	before := record.Counts{Checking: true, Requests: 2, Spans: 4, Shapes: record.Shapes{"GET /": {3: 1}, "tick": {1: 1}}}
	known := map[string]int{"GET /": 3}
	for name, test := range map[string]struct {
		roots map[string]int
		add   func(*record.Counts)
		still bool
	}{
		"nothing":           {known, func(*record.Counts) {}, true},
		"metrics":           {nil, func(c *record.Counts) { c.Requests, c.Metrics = 3, 9 }, true},
		"others, known":     {known, func(c *record.Counts) { c.Spans, c.Shapes = 5, record.Shapes{"GET /": {3: 1}, "tick": {1: 2}} }, true},
		"others, not known": {nil, func(c *record.Counts) { c.Spans, c.Shapes = 5, record.Shapes{"GET /": {3: 1}, "tick": {1: 2}} }, false},
		"others, all are":   {map[string]int{"GET /": 3, "tick": 1}, func(c *record.Counts) { c.Spans, c.Shapes = 5, record.Shapes{"GET /": {3: 1}, "tick": {1: 2}} }, false},
		"of operations":     {known, func(c *record.Counts) { c.Spans, c.Shapes = 5, record.Shapes{"GET /": {4: 1}, "tick": {1: 1}} }, false},
		"twice":             {nil, func(c *record.Counts) { c.Spans, c.Duplicate = 5, 1 }, false},
		"unreadable":        {nil, func(c *record.Counts) { c.Malformed = 1 }, false},
	} {
		f := flow{begun: record.Begun{Roots: test.roots}}
		f.see(before, 0)
		f.changed = f.changed.Add(-time.Hour)
		after := before
		test.add(&after)
		f.see(after, 0)
		if got := f.still() >= time.Hour; got != test.still {
			t.Errorf("%s: still %t, want %t", name, got, test.still)
		}
	}
}
