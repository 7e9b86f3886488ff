// What traces tell of the number of spans: operations that do not all make the same, other work
// of the program, parents that never came.

package ledger

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// traced is a count of traces of these shapes, with checked ids.
func traced(shapes record.Shapes) record.Counts {
	c := record.Counts{Checking: true, Shapes: shapes, RootNames: map[string]uint64{}}
	for root := range shapes {
		traces, spans := shapes.Traces(root)
		c.Traces += uint64(traces)
		c.Spans += uint64(spans)
		if root != record.NoRoot {
			c.Roots += uint64(traces)
			c.RootNames[root] = uint64(traces)
		}
	}
	return c
}

// calibrated is the calibration of one operation.
func calibrated(operations uint64, sink record.Counts) record.Record {
	return record.Record{Kind: record.Calibration, Life: sink, Phases: []record.Phase{{
		Operation: "json", Quiet: true, Load: record.Load{Started: operations, Completed: operations}, Sink: sink}}}
}

// op is traces of the operation, by size.
func op(sizes map[int]int64) record.Shapes { return record.Shapes{"GET /": sizes} }

// varying makes operations that make 3 spans, or with a chance another number.
func varying(r *rand.Rand, operations int, chance float64, other int) record.Shapes {
	sizes := map[int]int64{}
	for range operations {
		if r.Float64() < chance {
			sizes[other]++
		} else {
			sizes[3]++
		}
	}
	return op(sizes)
}

// lose takes spans away of which nothing came after them: the trace is shorter then.
func lose(shapes record.Shapes, traces int64) record.Shapes {
	out := record.Shapes{"GET /": {}}
	for size, n := range shapes["GET /"] {
		out["GET /"][size] += n
	}
	out["GET /"][3] -= traces
	out["GET /"][2] += traces
	return out
}

// Where 4 % of the operations make another number of spans than the rest, 20 operations of a
// calibration show none of them in 44 % of the experiments. No experiment may say for sure what is
// not so: neither a loss that was none, nor that none was lost where some were.
func TestNumbersThatVaryAreNeverExactAndWrong(t *testing.T) {
	const calibrations, operations = 500, 2000
	r := rand.New(rand.NewPCG(4, 20))
	for _, other := range []int{1, 5} {
		for _, lost := range []int64{0, 30} {
			t.Run(fmt.Sprintf("%d instead of 3, %d lost", other, lost), func(t *testing.T) {
				lucky := 0
				for range calibrations {
					learnt := Learn([]record.Record{calibrated(20, traced(varying(r, 20, 0.04, other)))}, 1, false)
					if per := learnt["json"]; per.exact() && per.Above == 0 {
						lucky++
					}
					var runs []Run
					for range 3 {
						runs = append(runs, Run{Phases: []Stretch{phase("json", operations, traced(lose(varying(r, operations, 0.04, other), lost)))}})
					}
					tracing := Confirm(Tracing{Sampling: 1, Spans: learnt}, runs)
					l, _ := find(Account("otel", AppToSink, []string{"json"}, tracing, runs), "json")
					missing := entry(l, Unaccounted)
					if l.Exact || l.LostShare > 0 && float64(missing.Spans) > float64(3*lost) || missing.High < 3*lost {
						t.Fatalf("%d spans were lost: %+v", 3*lost, l)
					}
				}
				if lucky < calibrations*35/100 || lucky > calibrations*53/100 {
					t.Errorf("%d of %d calibrations showed no other number, want about 44 %%", lucky, calibrations)
				}
			})
		}
	}
}

// A calibration in which one operation of twenty made a span more does not hide losses: those of the least number came whole, and the
// others are as rare in the runs as they were. So it is where only the runs show them, and where chance samples.
func TestOperationsThatMakeMoreNowAndThen(t *testing.T) {
	const runs, operations = 8, 60
	came := func(larger, lost int64) (out []Run) {
		for i := range runs {
			more := larger * int64(i%2)
			sizes := map[int]int64{5: operations - more - lost, 6: more, 4: lost}
			out = append(out, Run{Phases: []Stretch{phase("json", operations, traced(op(sizes)))}})
		}
		return out
	}
	for name, calibration := range map[string]map[int]int64{"seen before": {5: 19, 6: 1}, "not seen before": {5: 20}} {
		learnt := Learn([]record.Record{calibrated(20, traced(op(calibration)))}, 1, false)
		if per := learnt["json"]; per.Low != 5 || per.High != 5 || per.Agreed != 20 || per.Above != len(calibration)-1 {
			t.Fatalf("%s: learnt %+v", name, per)
		}
		account := func(all []Run) (l finding.Ledger, missing finding.Entry) {
			l, _ = find(Account("otel", AppToSink, []string{"json"}, Confirm(Tracing{Sampling: 1, Spans: learnt}, all), all), "json")
			return l, entry(l, Unaccounted)
		}
		// 8 larger ones: 8 + 3.3·√8 + 6.9 at most, of 2,408 spans.
		if l, missing := account(came(2, 0)); l.Exact || l.LostShare > 0 || missing.High < 8 || missing.High > 20 || l.LostMost >= 0.01 {
			t.Errorf("%s, none lost: %+v", name, l)
		}
		// Where every run lacks some, they may never have been made.
		if l, missing := account(came(2, 3)); l.Exact || l.LostShare > 0 || missing.High < 3*runs {
			t.Errorf("%s, 24 lost: %+v", name, l)
		}
		// Of one run, beside seven that came whole, it is known.
		all := came(2, 0)
		all[7] = came(2, 10)[7]
		if l, missing := account(all); missing.Spans < 5 || missing.High < 10 || l.LostShare == 0 {
			t.Errorf("%s, 10 of one run lost: %+v", name, l)
		}
	}
}

// The ordinary case: every operation makes three spans, and the runs say so.
func TestRunsConfirmWhatACalibrationLearnt(t *testing.T) {
	learnt := Learn([]record.Record{calibrated(20, traced(op(map[int]int64{3: 20})))}, 1, false)
	if per := learnt["json"]; per.Agreed != 20 || per.Low != 3 || per.High != 3 || per.Roots["GET /"] != 3 {
		t.Fatalf("learnt %+v", per)
	}
	var runs []Run
	for range 10 {
		runs = append(runs, Run{Phases: []Stretch{phase("json", 1000, traced(op(map[int]int64{3: 1000})))}})
	}
	account := func(confirm bool, runs []Run) (exact bool, unaccounted, most int64) {
		tracing := Tracing{Sampling: 1, Spans: learnt}
		if confirm {
			tracing = Confirm(tracing, runs)
		}
		l, _ := find(Account("otel", AppToSink, []string{"json"}, tracing, runs), "json")
		e := entry(l, Unaccounted)
		return l.Exact, e.Spans, max(e.Spans, e.High)
	}
	if exact, lost, most := account(true, runs); !exact || lost != 0 || most != 0 {
		t.Errorf("all came: exact %t, %d lost, %d at most", exact, lost, most)
	}
	// A span at the end of a trace leaves no trace: that it was lost is known of the other runs.
	runs[4].Phases[0].Sink = traced(op(map[int]int64{3: 999, 2: 1}))
	if exact, lost, most := account(true, runs); !exact || lost != 1 || most != 1 {
		t.Errorf("one is missing beside 9 runs: exact %t, %d lost, %d at most", exact, lost, most)
	}
	if exact, lost, most := account(true, runs[4:5]); exact || lost != 0 || most != 1 {
		t.Errorf("one is missing of the only run: exact %t, %d lost, %d at most", exact, lost, most)
	}
	// 20 operations leave it open whether 29 % make fewer; not more.
	runs[4].Phases[0].Sink = traced(op(map[int]int64{3: 400}))
	if exact, lost, most := account(true, runs[4:5]); exact || lost != 1800-3*292 || most != 1800 {
		t.Errorf("600 traces are missing of the only run: exact %t, %d lost, %d at most", exact, lost, most)
	}
}

func TestTraces(t *testing.T) {
	learn := func(shapes record.Shapes) map[string]PerOperation {
		return Learn([]record.Record{calibrated(20, traced(shapes))}, 1, false)
	}
	plain := learn(op(map[int]int64{3: 20}))
	declared := map[string]PerOperation{"json": {Low: 3, High: 3, How: Declared, Roots: plain["json"].Roots, Parents: true}}
	orphaned := traced(op(map[int]int64{3: 998, 2: 2}))
	orphaned.Absent, orphaned.Orphans = 2, 2
	healed := orphaned
	healed.Shapes = op(map[int]int64{3: 1000})
	beside := traced(record.Shapes{"GET /": {3: 998, 2: 2}, "tick": {2: 1}})
	beside.Absent, beside.Orphans = 2, 4
	for _, c := range []struct {
		name    string
		spans   map[string]PerOperation
		sink    record.Counts
		stop    record.Counts
		dropped uint64
		entries string
		exact   bool
		most    int64 // that may be unaccounted
	}{
		{
			name: "losses that background work makes up for", spans: learn(record.Shapes{"GET /": {3: 20}, "tick": {1: 7}}),
			sink:    traced(record.Shapes{"GET /": {3: 900}, "tick": {1: 300}}),
			entries: "expected=2700 delivered=2700 duplicated=0 other-work=300 unaccounted=0", most: 300, // of which 20 operations do not tell that they were made
		}, {
			name: "background work that the calibration did not see", spans: declared,
			sink:    traced(record.Shapes{"GET /": {3: 900}, "health": {1: 300}}),
			entries: "expected=3000 delivered=2700 duplicated=0 other-work=300 unaccounted=300", exact: true, most: 300,
		}, {
			name: "background work, and nothing is lost", spans: learn(record.Shapes{"GET /": {3: 20}, "tick": {1: 7}}),
			sink:    traced(record.Shapes{"GET /": {3: 1000}, "tick": {1: 50}}),
			entries: "expected=3000 delivered=3000 duplicated=0 other-work=50 unaccounted=0", exact: true,
		}, {
			name: "background work at the stop", spans: declared,
			sink: traced(op(map[int]int64{3: 990})), stop: traced(record.Shapes{"GET /": {3: 4}, "flush": {1: 26}}),
			entries: "expected=3000 delivered=2982 duplicated=0 unaccounted=18", most: 18,
		}, {
			name: "a trace without its root beside background work may be of either", spans: declared,
			sink:    traced(record.Shapes{"GET /": {3: 999}, "": {2: 1}, "tick": {3: 9}}),
			entries: "expected=3000 delivered=2999 duplicated=0 other-work=27 unaccounted=1", most: 3,
		}, {
			name: "parents that never came", spans: plain, sink: orphaned,
			entries: "expected=3000 delivered=2998 duplicated=0 unaccounted=2", exact: true, most: 2,
		}, {
			name: "parents that never came, where the sum is right", spans: plain, sink: healed,
			entries: "expected=3000 delivered=2998 duplicated=0 unaccounted=2", exact: true, most: 2,
		}, {
			name: "parents that came at the stop", spans: plain, sink: orphaned,
			stop:    record.Counts{Spans: 2, Absent: -2, Checking: true, Shapes: op(map[int]int64{3: 2, 2: -2})},
			entries: "expected=3000 delivered=3000 duplicated=0 unaccounted=0",
		}, {
			name: "traces that are larger make up for none that is smaller", spans: declared, sink: traced(op(map[int]int64{3: 800, 2: 100, 4: 100})),
			entries: "expected=3000 delivered=3000 duplicated=0 unaccounted=0", most: 140,
		}, {
			name: "where all are larger the declared number is wrong", spans: declared, sink: traced(op(map[int]int64{4: 1000})),
			entries: "expected=3000 delivered=4000 duplicated=0 unaccounted=-1000",
		}, {
			name: "what the tracer admits was lost", spans: plain, sink: traced(op(map[int]int64{3: 900, 2: 100})), dropped: 100,
			entries: "expected=3000 dropped=100 delivered=2900 duplicated=0 unaccounted=0",
		}, {
			name: "what it does not admit may not have been made", spans: plain, sink: traced(op(map[int]int64{3: 900, 2: 100})), dropped: 40,
			entries: "expected=2940 dropped=40 delivered=2900 duplicated=0 unaccounted=0", most: 60,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := Run{Phases: []Stretch{phase("json", 1000, c.sink)}, Stop: Stretch{Operation: Stop, Sink: c.stop}}
			if c.dropped > 0 {
				run.Reported.Dropped = number(c.dropped)
			}
			tracing := Confirm(Tracing{Sampling: 1, Spans: c.spans}, []Run{run})
			l, _ := find(Account("otel", AppToSink, []string{"json"}, tracing, []Run{run}), "json")
			e := entry(l, Unaccounted)
			if got := entries(l); got != c.entries || l.Exact != c.exact || max(e.Spans, e.High) != c.most {
				t.Errorf("%s: exact %t, at most %d unaccounted\nwant %s: exact %t, at most %d\n%s", got, l.Exact, max(e.Spans, e.High), c.entries, c.exact, c.most, outcomes(l))
			}
		})
	}
}

// Which roots are of an operation, and how many agreed, is learnt.
func TestLearnRoots(t *testing.T) {
	for name, c := range map[string]struct {
		shapes record.Shapes
		stop   record.Shapes
		roots  string
		low    float64
		agreed uint64
	}{
		"one trace":                        {record.Shapes{"GET /": {3: 20}}, nil, "map[GET /:3]", 3, 20},
		"a timer":                          {record.Shapes{"GET /": {3: 20}, "tick": {1: 7}}, nil, "map[GET /:3]", 3, 20},
		"a timer as often as an operation": {record.Shapes{"GET /": {3: 20}, "tick": {1: 20}}, record.Shapes{"tick": {1: 1}}, "map[]", 4, 20},
		"two traces":                       {record.Shapes{"GET /": {3: 20}, "job": {1: 20}}, nil, "map[GET /:3 job:1]", 4, 20},
		"two traces of one name":           {record.Shapes{"GET /": {3: 20, 1: 20}}, nil, "map[GET /:3]", 4, 20},
		"a name for every operation":       {record.Shapes{"GET /1": {3: 10}, "GET /2": {3: 10}}, nil, "map[]", 3, 20},
		"roots of which one was lost":      {record.Shapes{"GET /": {3: 19}, "job": {1: 20}, "": {2: 1}}, nil, "map[]", 79./20 - 3.3*79./40/4.47213595499958, 0},
		"parents elsewhere":                {record.Shapes{"": {2: 20}}, nil, "map[:2]", 2, 20},
		"traces of some operations only":   {record.Shapes{"GET /": {2: 10}}, nil, "map[]", 1 - 3.3*1/4.47213595499958, 0},
		"a sum of some that is whole":      {record.Shapes{"GET /": {1: 7, 2: 5, 3: 5, 4: 2}}, nil, "map[]", 2 - 3.3*1.0954451150103321/4.47213595499958, 0},
		"a sum that is whole by luck":      {record.Shapes{"GET /": {2: 1, 3: 18, 4: 1}}, nil, "map[GET /:4]", 3 - 3.3*1.5/4.47213595499958, 0},
	} {
		r := calibrated(20, traced(c.shapes))
		r.Stop.Sink = traced(c.stop)
		r.Unasked = &record.Unasked{Operation: "json", Completed: 30, Sink: ids(5, 5), Quiet: true}
		r.Life = r.Life.Plus(r.Stop.Sink).Plus(r.Unasked.Sink)
		per := Learn([]record.Record{r}, 1, false)["json"]
		if got := fmt.Sprint(per.Roots); got != c.roots || per.Agreed != c.agreed || per.Low-c.low > 1e-9 || c.low-per.Low > 1e-9 {
			t.Errorf("%s: %+v, want roots %s, %g, %d agreed", name, per, c.roots, c.low, c.agreed)
		}
	}
}

// What the start makes besides does not make less of what may be missing in the whole run.
func TestStartHidesNothing(t *testing.T) {
	run := Run{Start: Stretch{Operation: Start, Sink: ids(23, 5)}, First: "json", Phases: []Stretch{phase("json", 1000, ids(2990, 1000))}}
	varies := Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 2, High: 3, How: Declared}}}
	l, _ := find(Account("otel", AppToSink, []string{"json"}, varies, []Run{run}), All)
	if e := entry(l, Unaccounted); e.High < 10 {
		t.Errorf("up to %d are missing, want 10 of the operations at least: %+v", e.High, l)
	}
}

// What comes whatever is asked is of no operation, also where an operation makes nothing itself.
func TestOtherWorkInEveryPhase(t *testing.T) {
	var r record.Record
	for operation, shapes := range map[string]record.Shapes{
		record.ProbeOperation: {"tick": {1: 33}}, "quiet": {"tick": {1: 6}}, "json": {"GET /": {3: 20}, "tick": {1: 40}},
	} {
		r.Phases = append(r.Phases, record.Phase{Operation: operation, Quiet: true, Load: record.Load{Started: 20, Completed: 20}, Sink: traced(shapes)})
		r.Life = r.Life.Plus(traced(shapes))
	}
	learnt := Learn([]record.Record{r}, 1, false)
	for operation, spans := range map[string]float64{record.ProbeOperation: 0, "quiet": 0, "json": 3} {
		if per := learnt[operation]; per.Low != spans || per.High != spans {
			t.Errorf("%s makes %+v, want %g", operation, per, spans)
		}
	}
	if roots := fmt.Sprint(Tracing{Spans: learnt}.Roots()); roots != "map[GET /:3]" {
		t.Errorf("roots of operations are %s", roots)
	}
}

// A tracer of your own that takes every second operation looks like a timer that comes as often: it is not known how
// many spans are to come, so none of them is called background.
func TestEverySecondOperationIsNoTimer(t *testing.T) {
	var r record.Record
	for _, operation := range []string{record.ProbeOperation, "home"} {
		sink := traced(record.Shapes{"GET /": {2: 10}})
		r.Phases = append(r.Phases, record.Phase{Operation: operation, Quiet: true, Load: record.Load{Started: 20, Completed: 20}, Sink: sink})
		r.Life = r.Life.Plus(sink)
	}
	learnt := Learn([]record.Record{r}, 1, false)
	if per := learnt["home"]; per.High < 1.5 || per.Low > 0.5 || per.Agreed != 0 {
		t.Errorf("home makes %+v; on average it was one", per)
	}
	if roots := (Tracing{Spans: learnt}).Roots(); roots != nil {
		t.Errorf("roots of operations are %v", roots)
	}
}

// Of an operation of which nothing was learnt nobody knows the traces: what comes of it is not other work.
func TestUnknownOperationKeepsItsSpans(t *testing.T) {
	for name, per := range map[string]PerOperation{
		"by name": {Low: 3, High: 3, How: Inferred, Agreed: 20, Roots: map[string]int{"GET /": 3}},
		"by id":   {Low: 3, High: 3, How: Inferred, Agreed: 20, Roots: map[string]int{"GET /": 3}, ByID: true},
	} {
		known, unknown := phase("json", 100, traced(record.Shapes{"GET /": {3: 100}, "tick": {1: 5}})), phase("db", 100, traced(record.Shapes{"GET /db": {2: 100}, "job": {1: 100}}))
		known.Sink.Own = record.Shapes{"GET /": {3: 100}}
		known.Chosen, unknown.Chosen = true, true
		run := Run{Start: Stretch{Operation: Start}, Phases: []Stretch{known, unknown}, Stop: Stretch{Operation: Stop}}
		ledgers := Account("otel", AppToSink, []string{"json", "db"}, Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": per}}, []Run{run})
		if l, _ := find(ledgers, "json"); Spans(l, Delivered) != 300 || Spans(l, Background) != 5 {
			t.Errorf("%s: of the operation that is known 300 spans came, and 5 of a timer: %s", name, entries(l))
		}
		if l, _ := find(ledgers, "db"); Spans(l, Delivered) != 300 || Spans(l, Background) != 0 || Expects(l) {
			t.Errorf("%s: of the one that is not known 300 spans came: %s", name, entries(l))
		}
	}
}
