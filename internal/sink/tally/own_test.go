package tally

import (
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/traceparent"
)

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
