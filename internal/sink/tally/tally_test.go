package tally

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"
)

// valid returns a valid root span with the given name.
func valid(name string) *Span {
	return &Span{Trace: []byte("sixteen bytes id"), ID: []byte("8 bytes!"), Name: []byte(name), Kind: Server}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Span)
		want   string
		root   bool
	}{
		{"valid root", func(*Span) {}, "", true},
		{"root with a parent of zeros", func(s *Span) { s.Parent = make([]byte, 8) }, "", true},
		{"child", func(s *Span) { s.Parent = []byte("parent!!") }, "", false},
		{"no trace id", func(s *Span) { s.Trace = nil }, badTrace, false},
		{"short trace id", func(s *Span) { s.Trace = s.Trace[:8] }, badTrace, false},
		{"trace id of zeros", func(s *Span) { s.Trace = make([]byte, 16) }, badTrace, false},
		{"no span id", func(s *Span) { s.ID = nil }, badSpan, false},
		{"long span id", func(s *Span) { s.ID = []byte("9 bytes!!") }, badSpan, false},
		{"span id of zeros", func(s *Span) { s.ID = make([]byte, 8) }, badSpan, false},
		{"short parent id", func(s *Span) { s.Parent = []byte("short") }, badParent, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			total := New(Config{})
			b := total.Batch()
			s := valid("x")
			test.change(s)
			b.Span(s)
			if b.Reason != test.want || (b.Rejected == 1) != (test.want != "") {
				t.Errorf("reason %q, rejected %d; want %q", b.Reason, b.Rejected, test.want)
			}
			total.Merge(b, "p", 1)
			if c := total.Counts(); (c.Roots == 1) != test.root {
				t.Errorf("roots %d, want a root: %v", c.Roots, test.root)
			}
		})
	}
}

func TestNamesAreBounded(t *testing.T) {
	total := New(Config{})
	for range 3 {
		b := total.Batch()
		for i := range 10_000 {
			b.Span(valid(fmt.Sprint("name a", i)))
			b.Service(fmt.Appendf(nil, "service %d", i), 1)
		}
		if len(b.rootName.name) > batchNames || len(b.services.name) > batchNames {
			t.Errorf("a batch holds %d and %d names", len(b.rootName.name), len(b.services.name))
		}
		total.Merge(b, "p", 1)
	}
	c := total.Counts()
	for what, m := range map[string]map[string]uint64{"roots": c.RootNames, "services": c.Services} {
		if len(m) != maxNames+1 || m["(other)"] != 3*(10_000-maxNames) {
			t.Errorf("%s: %d names, %d under (other)", what, len(m), m["(other)"])
		}
		if sum := sumOf(m); sum != 30_000 {
			t.Errorf("%s: counts add up to %d", what, sum)
		}
	}
}

func sumOf(m map[string]uint64) (sum uint64) {
	for n := range maps.Values(m) {
		sum += n
	}
	return sum
}

func TestClean(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", "(none)"},
		{"GET /", "GET /"},
		{"a\xffb", "a\uFFFDb"},
		{strings.Repeat("x", 300), strings.Repeat("x", 256) + "…"},
		{strings.Repeat("x", 255) + "ü and more", strings.Repeat("x", 255) + "…"},
	}
	for _, test := range tests {
		if got := clean([]byte(test.in)); got != test.want {
			t.Errorf("clean(%q) = %q, want %q", test.in, got, test.want)
		}
	}
	if got := clean([]byte(strings.Repeat("\x80", 400))); !utf8.ValidString(got) || len(got) > 3*maxName+3 {
		t.Errorf("clean of broken UTF-8 gives %d bytes, valid: %v", len(got), utf8.ValidString(got))
	}
}

func TestBatchAllocatesNothingForKnownNames(t *testing.T) {
	b := New(Config{Checking: true, MaxSpans: 1}).Batch()
	roots := []*Span{valid("GET /"), valid("POST /")}
	service := []byte("shop")
	request := func() {
		for i := range 100 {
			b.Span(roots[i%2])
		}
		b.Service(service, 100)
		b.reset()
	}
	request()
	if n := testing.AllocsPerRun(20, request); n != 0 {
		t.Errorf("%v allocations a request of 100 spans", n)
	}
}

func TestDiscardedBatchCountsNothing(t *testing.T) {
	total := New(Config{Checking: true, MaxSpans: 10})
	b := total.Batch()
	b.Span(valid("x"))
	b.Service([]byte("s"), 1)
	b.Metrics, b.Logs = 3, 4
	total.Discard(b)
	total.Refuse()
	total.Merge(total.Batch(), "p", 7)
	c := total.Counts()
	if c.Spans+c.Metrics+c.Logs+c.Traces != 0 || len(c.Services)+len(c.RootNames)+len(c.Kinds) != 0 {
		t.Errorf("counted %+v", c)
	}
	if c.Requests != 1 || c.Malformed != 1 || c.Bytes != 7 {
		t.Errorf("requests %d, malformed %d, bytes %d", c.Requests, c.Malformed, c.Bytes)
	}
}
