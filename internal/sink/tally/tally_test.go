package tally

import (
	"encoding/hex"
	"fmt"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/traceparent"
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
	total.Refuse("broken")
	total.Merge(total.Batch(), "p", 7)
	c := total.Counts()
	if c.Spans+c.Metrics+c.Logs+c.Traces != 0 || len(c.Services)+len(c.RootNames)+len(c.Kinds) != 0 {
		t.Errorf("counted %+v", c)
	}
	if c.Requests != 1 || c.Malformed != 1 || c.Bytes != 7 {
		t.Errorf("requests %d, malformed %d, bytes %d", c.Requests, c.Malformed, c.Bytes)
	}
}

// chosenBy are the ids of an operation's trace, and of the span that it names as its parent.
func chosenBy(t *testing.T, key traceparent.Key, number uint64) (trace, parent []byte) {
	t.Helper()
	value := key.Value(number, 0, true)
	trace, err := hex.DecodeString(value[3:35])
	if err != nil {
		t.Fatal(err)
	}
	if parent, err = hex.DecodeString(value[36:52]); err != nil {
		t.Fatal(err)
	}
	return trace, parent
}

// Traces whose ids the load generator chose are told from others of the same name; the generator's own span, which never comes,
// leaves no orphan and is missed by nobody.
func TestChosenTracesAreToldFromOthers(t *testing.T) {
	key := traceparent.NewKey(5)
	trace, parent := chosenBy(t, key, 1)
	second, itsParent := chosenBy(t, key, 2)
	id := func(n byte) []byte { return []byte{0, 0, 0, 0, 0, 0, 0, n} }
	strange := append([]byte{9}, make([]byte, 15)...)
	total := New(Config{Checking: true, MaxSpans: 100, Chosen: key})
	sendEach(total, []*Span{
		{Trace: trace, ID: id(2), Parent: id(1), Name: []byte("part")},
		{Trace: trace, ID: id(1), Parent: parent, Name: []byte("GET /")},
		{Trace: second[8:], ID: id(1), Parent: itsParent, Name: []byte("GET /"), Loose: true}, // of 64 bits
		{Trace: strange, ID: id(1), Name: []byte("GET /")},
		{Trace: strange, ID: id(2), Parent: id(1), Name: []byte("part")},
	})
	sendEach(total, []*Span{{Trace: id(7), ID: id(1), Name: []byte("GET /"), Loose: true}}) // nobody can have chosen it
	c := total.Counts()
	if diff := cmp.Diff(record.Shapes{"GET /": {1: 2, 2: 2}}, c.Shapes); diff != "" {
		t.Errorf("traces (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(record.Shapes{"GET /": {1: 1, 2: 1}}, c.Own); diff != "" {
		t.Errorf("the generator's (-want +got):\n%s", diff)
	}
	if c.Foreign != 1 || c.Roots != 4 || c.Orphans != 0 || c.Absent != 0 || !c.Whole() {
		t.Errorf("%d foreign, %d roots, %d orphans, %d absent, whole: %t", c.Foreign, c.Roots, c.Orphans, c.Absent, c.Whole())
	}
}

// Names with ids in them are one name.
func TestFoldedNames(t *testing.T) {
	b := New(Config{}).Batch()
	for name, want := range map[string]string{
		"GET /":            "GET /",
		"GET /v2/users/17": "GET /v2/users/{id}",
		"job 550e8400-e29b-41d4-a716-446655440000":      "job {id}",
		"/order/5f43a1bc9d0e4c7788aa11bb/items":         "/order/{id}/items",
		"/session/eyJhbGciOiJIUzI1NiJ9_x":               "/session/{id}",
		"2026":                                          "{id}",
		"tick 12:30:07":                                 "tick {id}:{id}:{id}",
		"service 0cb88208":                              "service 0cb88208",
		"after 10ms":                                    "after 10ms",
		"void p.Outer$1.run(int)":                       "void p.Outer$1.run(int)",
		"naïve 1é":                                      "naïve 1é",
		"ProcessingOfCustomerOrders":                    "ProcessingOfCustomerOrders",
		"GET /x/550E8400-E29B-41D4-A716-446655440000?a": "GET /x/{id}?a",
	} {
		if got := string(b.folded([]byte(name))); got != want {
			t.Errorf("%q is folded to %q, want %q", name, got, want)
		}
		if again := string(b.folded([]byte(want))); again != want {
			t.Errorf("%q, folded again, is %q", want, again)
		}
	}
}
