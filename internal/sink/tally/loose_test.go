package tally

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// Spans of other protocols than OTLP: ids of any length, none at all, halves that share one.
func TestLooseSpans(t *testing.T) {
	long := func(tail string) []byte { return []byte(strings.Repeat("segment", 9) + tail) }
	tests := []struct {
		name  string
		spans []Span
		want  record.Counts
	}{
		{"short ids are numbers", []Span{
			{Trace: []byte{0, 0, 7}, ID: []byte{1}},
			{Trace: []byte{7}, ID: []byte{0, 1}},
			{Trace: []byte{7}, ID: []byte{2}, Parent: []byte{0, 0, 1}},
		}, record.Counts{Spans: 3, Roots: 2, Traces: 1, Duplicate: 1}},
		{"long ids are told apart", []Span{
			{Trace: long("a"), ID: long("1")},
			{Trace: long("a"), ID: long("2"), Parent: long("1")},
			{Trace: long("b"), ID: long("1"), Parent: long("9")},
			{Trace: long("a"), ID: long("1")},
		}, record.Counts{Spans: 4, Roots: 2, Traces: 2, Duplicate: 1, Orphans: 1}},
		{"without ids nothing is checked", []Span{
			{}, {}, {Child: true}, {ID: make([]byte, 8)}, {Trace: []byte{1}, Parent: []byte{5}},
		}, record.Counts{Spans: 5, Roots: 3}},
		{"a child of nobody known", []Span{{Trace: []byte{1}, ID: []byte{2}, Child: true}}, record.Counts{Spans: 1, Traces: 1}},
		{"shared: client first", []Span{
			{Trace: []byte{1}, ID: []byte{2}},
			{Trace: []byte{1}, ID: []byte{2}, Shared: true},
			{Trace: []byte{1}, ID: []byte{3}, Parent: []byte{2}},
		}, record.Counts{Spans: 3, Roots: 1, Traces: 1}},
		{"shared: server first", []Span{
			{Trace: []byte{1}, ID: []byte{3}, Parent: []byte{2}},
			{Trace: []byte{1}, ID: []byte{2}, Shared: true},
			{Trace: []byte{1}, ID: []byte{2}},
		}, record.Counts{Spans: 3, Roots: 1, Traces: 1}},
		{"shared: the client's half is missing, the child's parent is not", []Span{
			{Trace: []byte{1}, ID: []byte{3}, Parent: []byte{2}},
			{Trace: []byte{1}, ID: []byte{2}, Shared: true},
			{Trace: []byte{1}, ID: []byte{4}, Parent: []byte{2}},
		}, record.Counts{Spans: 3, Traces: 1, Orphans: 1}},
		{"shared: either half sent twice", []Span{
			{Trace: []byte{1}, ID: []byte{2}},
			{Trace: []byte{1}, ID: []byte{2}, Shared: true},
			{Trace: []byte{1}, ID: []byte{2}},
			{Trace: []byte{1}, ID: []byte{2}, Shared: true},
		}, record.Counts{Spans: 4, Roots: 2, Traces: 1, Duplicate: 2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			total := New(Config{Checking: true, MaxSpans: 100})
			b := total.Batch()
			for _, s := range test.spans {
				s.Loose = true
				b.Span(&s)
			}
			total.Merge(b, "p", 0)
			got := total.Counts()
			short := record.Counts{Spans: got.Spans, Roots: got.Roots, Traces: got.Traces, Duplicate: got.Duplicate, Orphans: got.Orphans}
			if short.Spans != test.want.Spans || short.Roots != test.want.Roots || short.Traces != test.want.Traces ||
				short.Duplicate != test.want.Duplicate || short.Orphans != test.want.Orphans || got.Rejected != 0 {
				t.Errorf("got %+v, want %+v", short, test.want)
			}
		})
	}
}

func TestPartsOfAStream(t *testing.T) {
	total := New(Config{})
	total.Note("p", 3)
	for range 2 {
		b := total.Batch()
		b.Span(valid("x"))
		b.Merged, b.Suppressed = 4, 5
		b.Reject("why")
		total.Part(b, 10)
	}
	total.Passed(1, 2)
	c := total.Counts()
	if c.Requests != 1 || c.Protocols["p"] != 1 || c.Bytes != 23 || c.Spans != 2 || c.Merged != 8 || c.Suppressed != 10 || c.Rejected != 2 || c.Forwarded != 1 || c.Refused != 2 {
		t.Errorf("counted %+v", c)
	}
	if b := total.Batch(); b.Merged+b.Suppressed+b.Rejected != 0 {
		t.Errorf("a new batch holds %+v", b)
	}
}
