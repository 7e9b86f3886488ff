package ledger

import (
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// The first operation of a kind may make spans that no other makes: in a larger trace, in traces of other names, or in traces
// that look like the operation's own. They are no loss where they do not come again, and hide none.
func TestColdOperations(t *testing.T) {
	for name, c := range map[string]struct {
		once, steady record.Shapes // of the first operation, and of 20
		run          record.Shapes // of 1,000 in a fresh process
		lost, most   int64
		exact        bool
	}{
		"a larger trace":             {op(map[int]int64{43: 1}), op(map[int]int64{3: 20}), op(map[int]int64{43: 1, 3: 999}), 0, 0, true},
		"one in each of 4 workers":   {op(map[int]int64{43: 1}), op(map[int]int64{3: 20}), op(map[int]int64{43: 4, 3: 996}), 0, 0, true},
		"warm already":               {op(map[int]int64{43: 1}), op(map[int]int64{3: 20}), op(map[int]int64{3: 1000}), 0, 0, true},
		"and a loss":                 {op(map[int]int64{43: 1}), op(map[int]int64{3: 20}), op(map[int]int64{43: 1, 3: 989}), 30, 30, true},
		"of other names":             {record.Shapes{"GET /": {3: 1}, "connect": {1: 40}}, op(map[int]int64{3: 20}), record.Shapes{"GET /": {3: 1000}, "connect": {1: 40}}, 0, 0, true},
		"of the same name":           {op(map[int]int64{1: 41}), op(map[int]int64{1: 20}), op(map[int]int64{1: 1040}), 0, 0, true},
		"of the same name, and some": {op(map[int]int64{1: 41}), op(map[int]int64{1: 20}), op(map[int]int64{1: 1030}), 0, 10, false},
		"of the same name, and few":  {op(map[int]int64{1: 41}), op(map[int]int64{1: 20}), op(map[int]int64{1: 990}), 10, 50, false},
		"no more than any other":     {op(map[int]int64{3: 1}), op(map[int]int64{3: 20}), op(map[int]int64{3: 1000}), 0, 0, true},
	} {
		r := calibrated(20, traced(c.steady))
		once := traced(c.once)
		r.Start.FirstOperation, r.Start.Once, r.Start.OnceSink = "home", []string{"json"}, &once
		r.Start.Sink = traced(record.Shapes{"GET /home": {1: 1}}).Plus(once)
		r.Life = r.Life.Plus(r.Start.Sink)
		learnt := Learn([]record.Record{r}, 1, false)
		per := learnt["json"]
		per.Agreed = 1e6 // so many that what is missing was made
		l, _ := find(Account("otel", AppToSink, []string{"json"}, Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": per}}, []Run{{Phases: []Stretch{phase("json", 1000, traced(c.run))}}}), "json")
		e := entry(l, Unaccounted)
		if e.Spans != c.lost || max(e.Spans, e.High) != c.most || l.Exact != c.exact {
			t.Errorf("%s: %d lost, at most %d, exact %t; want %d, %d, %t: %s", name, e.Spans, e.High, l.Exact, c.lost, c.most, c.exact, outcomes(l))
		}
	}
}
