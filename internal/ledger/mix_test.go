package ledger

import (
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// A mix of operations that make one span and nine is settled by how many were started of each.
func TestMixIsExact(t *testing.T) {
	declared := func(n float64) PerOperation { return PerOperation{Low: n, High: n, How: Declared} }
	spans := map[string]PerOperation{"read": declared(1), "buy": declared(9)}
	whole, known := Mixed(spans, []string{"read", "buy"})
	if !known || whole.Low != 1 || whole.High != 9 || whole.How != Declared {
		t.Fatalf("a mix of both makes %+v, want 1 to 9, declared", whole)
	}
	spans["mix"] = whole
	learnt := map[string]PerOperation{"read": declared(1), "buy": {Low: 9, High: 9, How: Inferred, Agreed: 20}}
	learnt["mix"], _ = Mixed(learnt, []string{"read", "buy"})
	of := func(came uint64, parts ...record.Part) Run {
		p := phase("mix", 100, ids(came, 100))
		p.Parts = parts
		return Run{Phases: []Stretch{p}}
	}
	parts := []record.Part{{Operation: "read", Started: 70, Completed: 70}, {Operation: "buy", Started: 30, Completed: 30}}
	failed := func() Run {
		r := of(340, record.Part{Operation: "read", Started: 70, Completed: 70}, record.Part{Operation: "buy", Started: 30, Completed: 29})
		r.Phases[0].Completed = 99
		return r
	}
	for name, c := range map[string]struct {
		spans       map[string]PerOperation
		run         Run
		exact       bool
		unaccounted int64
	}{
		"all came":                      {spans, of(340, parts...), true, 0},
		"one is missing":                {spans, of(339, parts...), true, 1},
		"many are missing":              {spans, of(170, parts...), true, 170},
		"one too many":                  {spans, of(341, parts...), false, -1},
		"one operation failed":          {spans, failed(), false, 0},
		"nobody said how many of each":  {spans, of(170), false, 0},
		"a part was learnt of 20":       {learnt, of(340, parts...), false, 0},
		"some of such a part missing":   {learnt, of(340-8*9, parts...), false, 0},
		"more of such a part missing":   {learnt, of(340-9*9, parts...), false, 9},
		"a part of which none was made": {map[string]PerOperation{"read": declared(1), "mix": whole}, of(100, record.Part{Operation: "read", Started: 100, Completed: 100}, record.Part{Operation: "buy"}), true, 0},
	} {
		l, _ := find(Account("otel", AppToSink, []string{"mix"}, Tracing{Sampling: 1, Spans: c.spans}, []Run{c.run}), "mix")
		if l.Exact != c.exact || Spans(l, Unaccounted) != c.unaccounted {
			t.Errorf("%s: exact %t, %d unaccounted, want %t and %d: %s", name, l.Exact, Spans(l, Unaccounted), c.exact, c.unaccounted, outcomes(l))
		}
	}
}

// Where the load generator chooses which traces are sampled, it says of how many of each part.
func TestMixIsSampledByParts(t *testing.T) {
	spans := map[string]PerOperation{"read": {Low: 1, High: 1, How: Declared}, "buy": {Low: 9, High: 9, How: Declared}}
	spans["mix"], _ = Mixed(spans, []string{"read", "buy"})
	asked := uint64(50)
	for came, missing := range map[uint64]int64{35 + 9*15: 0, 35 + 9*14: 9} {
		p := phase("mix", 100, ids(came, 50))
		p.Flagged, p.Chosen = &asked, true
		p.Parts = []record.Part{{Operation: "read", Started: 70, Completed: 70, Sampled: 35}, {Operation: "buy", Started: 30, Completed: 30, Sampled: 15}}
		l, _ := find(Account("otel", AppToSink, []string{"mix"}, Tracing{Sampling: .5, Follows: true, Spans: spans}, []Run{{Phases: []Stretch{p}}}), "mix")
		if !l.Exact || Spans(l, Unaccounted) != missing {
			t.Errorf("of %d spans: exact %t, %d unaccounted, want exactly %d: %s", came, l.Exact, Spans(l, Unaccounted), missing, outcomes(l))
		}
	}
}
