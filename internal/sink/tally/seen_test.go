package tally

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// model is the checking mode written down naively: a list of the spans held.
type model struct {
	limit                       int
	held                        []identity
	waited                      []bool // its parent was not there when it came
	duplicates, traces, evicted uint64
}

func (m *model) add(id identity) {
	if m.has(id.own()) {
		m.duplicates++
		return
	}
	waits := id.hasParent() && id.parent() != id.own() && !m.has(id.parent())
	if len(m.held) == m.limit {
		m.held, m.waited = m.held[1:], m.waited[1:]
		m.evicted++
	}
	if !slices.ContainsFunc(m.held, func(h identity) bool { return h.trace() == id.trace() }) {
		m.traces++
	}
	m.held, m.waited = append(m.held, id), append(m.waited, waits)
	for i, h := range m.held[:len(m.held)-1] {
		if m.waited[i] && h.parent() == id.own() {
			m.waited[i] = false
		}
	}
}

// shapes is how many traces have how many spans; it is right as long as nothing is evicted.
func (m *model) shapes() map[int]int64 {
	sizes, counts := map[key]int{}, map[int]int64{}
	for _, h := range m.held {
		sizes[h.trace()]++
	}
	for _, n := range sizes {
		counts[n]++
	}
	return counts
}

// absent is how many parents are waited for; it is right as long as nothing is evicted.
func (m *model) absent() int {
	parents := map[key]bool{}
	for i, h := range m.held {
		if m.waited[i] {
			parents[h.parent()] = true
		}
	}
	return len(parents)
}

func (m *model) has(k key) bool {
	return slices.ContainsFunc(m.held, func(h identity) bool { return h.own() == k })
}

func (m *model) orphans() (n uint64) {
	for _, w := range m.waited {
		if w {
			n++
		}
	}
	return n
}

// span makes an identity out of small numbers; parent 0 is a root.
func span(trace, id, parent uint64) identity {
	var i identity
	binary.BigEndian.PutUint64(i[8:], trace)
	binary.BigEndian.PutUint64(i[16:], id)
	binary.BigEndian.PutUint64(i[24:], parent)
	return i
}

func TestSeenAgainstModel(t *testing.T) {
	for _, limit := range []int{1, 2, 7, 50, 3000} {
		random := rand.New(rand.NewPCG(1, uint64(limit)))
		s, m := newSeen(limit, 0), &model{limit: limit}
		for i := range 4000 {
			// Few ids, so duplicates, late parents and returns are frequent.
			id := span(1+random.Uint64N(20), 1+random.Uint64N(40), random.Uint64N(40))
			s.add(id, noRoot, 1, false)
			m.add(id)
			if s.duplicates != m.duplicates || s.traces != m.traces || s.evicted != m.evicted || s.orphans != m.orphans() {
				t.Fatalf("limit %d, span %d: got duplicates %d, traces %d, evicted %d, orphans %d; want %d, %d, %d, %d",
					limit, i, s.duplicates, s.traces, s.evicted, s.orphans, m.duplicates, m.traces, m.evicted, m.orphans())
			}
			shapes, _ := s.shapes.counts(nil)
			if m.evicted == 0 && i%50 == 0 && (s.waiting.used != m.absent() || !maps.Equal(shapes[record.NoRoot], m.shapes())) {
				t.Fatalf("limit %d, span %d: %d parents are absent, traces by size %v; want %d, %v",
					limit, i, s.waiting.used, shapes, m.absent(), m.shapes())
			}
		}
		if s.spans.used != len(s.ring) || s.spans.used > limit {
			t.Errorf("limit %d: table holds %d spans, ring %d", limit, s.spans.used, len(s.ring))
		}
	}
}

func TestSeenStories(t *testing.T) {
	tests := []struct {
		name                                 string
		limit                                int
		spans                                []identity
		duplicates, orphans, traces, evicted uint64
	}{
		{"child before parent", 9, []identity{span(1, 2, 1), span(1, 1, 0)}, 0, 0, 1, 0},
		{"parent before child", 9, []identity{span(1, 1, 0), span(1, 2, 1)}, 0, 0, 1, 0},
		{"parent withheld", 9, []identity{span(1, 2, 1), span(1, 3, 1), span(1, 4, 3)}, 0, 2, 1, 0},
		{"parent in another trace", 9, []identity{span(1, 1, 0), span(2, 2, 1)}, 0, 1, 2, 0},
		{"own parent", 9, []identity{span(1, 1, 1)}, 0, 0, 1, 0},
		{"sent twice", 9, []identity{span(1, 1, 0), span(1, 1, 0), span(1, 1, 0)}, 2, 0, 1, 0},
		{"same span id in two traces", 9, []identity{span(1, 1, 0), span(2, 1, 0)}, 0, 0, 2, 0},
		{"orphan evicted", 1, []identity{span(1, 2, 1), span(2, 1, 0)}, 0, 0, 2, 1},
		{"duplicate after eviction", 1, []identity{span(1, 1, 0), span(2, 1, 0), span(1, 1, 0)}, 0, 0, 3, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newSeen(test.limit, 0)
			for _, id := range test.spans {
				s.add(id, noRoot, 1, false)
			}
			if s.duplicates != test.duplicates || s.orphans != test.orphans || s.traces != test.traces || s.evicted != test.evicted {
				t.Errorf("got duplicates %d, orphans %d, traces %d, evicted %d", s.duplicates, s.orphans, s.traces, s.evicted)
			}
		})
	}
}

func BenchmarkSeen(b *testing.B) {
	s := newSeen(1<<18, 0)
	random := rand.New(rand.NewPCG(1, 2))
	b.ReportAllocs()
	trace := random.Uint64()
	for i := range b.N {
		if i%8 == 0 {
			trace = random.Uint64()
		}
		s.add(span(trace, uint64(8-i%8), uint64(7-i%8)), noRoot, 1, false)
	}
}

// A span into which others were merged brings these once, however often it comes itself. Where
// nobody looks at the ids that is not known.
func TestMergedSpansComeOnce(t *testing.T) {
	for _, checking := range []bool{true, false} {
		total := New(Config{Checking: checking, MaxSpans: 10})
		send := func(spans ...*Span) {
			b := total.Batch()
			for _, s := range spans {
				b.Span(s)
			}
			total.Merge(b, "p", 1)
		}
		composite := func(id string, merged uint64) *Span {
			s := valid("x")
			s.ID, s.Merged, s.Suppressed = []byte(id), merged, 2*merged
			return s
		}
		send(composite("span one", 9), composite("span two", 0), composite("span six", 4), composite("span one", 9))
		send(composite("span two", 0), composite("span six", 4), composite("span ten", 7))
		want := record.Counts{Spans: 7, Merged: 20, Duplicate: 3}
		if !checking {
			want = record.Counts{Spans: 7, Merged: 33}
		}
		if c := total.Counts(); c.Spans != want.Spans || c.Merged != want.Merged || c.Suppressed != 2*want.Merged || c.Duplicate != want.Duplicate {
			t.Errorf("checking %t: spans %d, merged %d, suppressed %d, duplicate %d; want %+v, and twice as many suppressed as merged", checking, c.Spans, c.Merged, c.Suppressed, c.Duplicate, want)
		}
	}
}

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
	c := total.Counts()
	if c.Requests != 1 || c.Protocols["p"] != 1 || c.Bytes != 23 || c.Spans != 2 || c.Merged != 8 || c.Suppressed != 10 || c.Rejected != 2 {
		t.Errorf("counted %+v", c)
	}
	if b := total.Batch(); b.Merged+b.Suppressed+b.Rejected != 0 {
		t.Errorf("a new batch holds %+v", b)
	}
}
