package tally

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/record"
)

// in returns a span of a trace; parent 0 is a root.
func in(trace, id, parent uint64, name string) *Span {
	eight := func(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
	return &Span{Trace: append(make([]byte, 8), eight(trace)...), ID: eight(id), Parent: eight(parent), Name: []byte(name)}
}

// send counts spans, each request a batch of its own.
func sendEach(total *Total, requests ...[]*Span) {
	for _, spans := range requests {
		b := total.Batch()
		for _, s := range spans {
			b.Span(s)
		}
		total.Merge(b, "p", 1)
	}
}

// Traces are counted by their root's name and by their spans, however these come.
func TestShapes(t *testing.T) {
	twice := in(1, 2, 1, "child")
	teller := in(1, 1, 0, "GET /")
	teller.Merged, teller.Suppressed = 5, 2
	idless := in(1, 0, 0, "trace")
	idless.Loose, idless.ID = true, nil
	tests := []struct {
		name      string
		requests  [][]*Span
		want      record.Shapes
		absent    int64
		unchecked uint64
	}{
		{"children before their root, in two requests", [][]*Span{{in(1, 2, 1, "child"), in(1, 3, 1, "child")}, {in(1, 1, 0, "GET /")}}, record.Shapes{"GET /": {3: 1}}, 0, 0},
		{"two operations, one of which lacks a child", [][]*Span{{in(1, 1, 0, "GET /"), in(1, 2, 1, "child"), in(2, 1, 0, "GET /")}}, record.Shapes{"GET /": {1: 1, 2: 1}}, 0, 0},
		{"other names, other roots", [][]*Span{{in(1, 1, 0, "GET /"), in(2, 1, 0, "tick")}, {in(3, 1, 0, "tick")}}, record.Shapes{"GET /": {1: 1}, "tick": {1: 2}}, 0, 0},
		{"a root that does not come, with two children", [][]*Span{{in(1, 2, 1, "child"), in(1, 3, 1, "child")}}, record.Shapes{"": {2: 1}}, 1, 0},
		{"a span in the middle that does not come", [][]*Span{{in(1, 1, 0, "GET /"), in(1, 3, 2, "leaf")}}, record.Shapes{"GET /": {2: 1}}, 1, 0},
		{"duplicates", [][]*Span{{in(1, 1, 0, "GET /"), twice, twice}, {twice}}, record.Shapes{"GET /": {2: 1}}, 0, 0},
		{"the first root names a trace of two", [][]*Span{{in(1, 1, 0, "a"), in(1, 2, 0, "b")}}, record.Shapes{"a": {2: 1}}, 0, 0},
		{"spans that are told of belong to it", [][]*Span{{teller, in(1, 2, 1, "child")}, {teller}}, record.Shapes{"GET /": {9: 1}}, 0, 0},
		{"spans without an id belong nowhere", [][]*Span{{idless, idless, in(1, 1, 0, "GET /")}}, record.Shapes{"GET /": {1: 1}}, 0, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			total := New(Config{Checking: true, MaxSpans: 100})
			sendEach(total, test.requests...)
			c := total.Counts()
			if diff := cmp.Diff(test.want, c.Shapes); diff != "" {
				t.Errorf("traces (-want +got):\n%s", diff)
			}
			if c.Absent != test.absent || c.Unchecked != test.unchecked {
				t.Errorf("%d absent, %d unchecked; want %d, %d", c.Absent, c.Unchecked, test.absent, test.unchecked)
			}
			if whole := c.Whole(); whole != (test.unchecked == 0) {
				t.Errorf("whole: %t, with %d spans in the traces, %d told of, %d unchecked", whole, c.Shapes.Spans(), c.Sum(), c.Unchecked)
			}
		})
	}
}

// However many names and spans there are, so many are told apart; and the numbers are right.
func TestShapesAreBounded(t *testing.T) {
	total := New(Config{Checking: true, MaxSpans: 100_000})
	var spans []*Span
	for i := range uint64(10 * shapeNames) {
		spans = append(spans, in(i+1, 1, 0, fmt.Sprint("name a", i)))
	}
	for i := range uint64(record.MostShape + 100) {
		spans = append(spans, in(1, i+2, 1, "child"))
	}
	sendEach(total, spans)
	c := total.Counts()
	if len(c.Shapes) != shapeNames+1 || c.Shapes[record.OtherRoot][1] != 9*shapeNames {
		t.Errorf("%d names, %d traces of others", len(c.Shapes), c.Shapes[record.OtherRoot][1])
	}
	if c.Shapes["name a0"][record.MostShape] != 1 || c.Whole() {
		t.Errorf("a trace of %d spans is counted as %v, whole: %t", record.MostShape+101, c.Shapes["name a0"], c.Whole())
	}
}

// Counting holds nothing of traces.
func TestCountingKnowsNoShapes(t *testing.T) {
	total := New(Config{})
	sendEach(total, []*Span{in(1, 1, 0, "GET /"), in(1, 3, 2, "leaf")})
	if c := total.Counts(); c.Shapes != nil || c.Absent != 0 || c.Whole() {
		t.Errorf("counted %v, %d absent", c.Shapes, c.Absent)
	}
}
