package ledger

import (
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// Twenty operations of a calibration made three spans each, since each was the first one of its worker. What hundreds show of
// themselves is right then; a loss looks otherwise.
func TestRunsSpeakAgainstTheCalibration(t *testing.T) {
	services := func(s record.Shapes, names map[string]uint64) record.Counts {
		c := traced(s)
		c.Services = names
		return c
	}
	cold := services(op(map[int]int64{3: 20}), map[string]uint64{"shop": 60})
	two := services(op(map[int]int64{3: 20}), map[string]uint64{"shop": 20, "stock": 40})
	some := services(op(map[int]int64{3: 12, 1: 8}), map[string]uint64{"shop": 44})
	for name, c := range map[string]struct {
		calibration, run record.Counts
		lost, most       int64 // for sure, and at most
	}{
		"one span each":                        {cold, services(op(map[int]int64{1: 400}), map[string]uint64{"shop": 400}), 0, 0},
		"and some first ones":                  {cold, services(op(map[int]int64{1: 390, 3: 10}), map[string]uint64{"shop": 420}), 0, 0},
		"the number varied in the calibration": {some, services(op(map[int]int64{1: 400}), map[string]uint64{"shop": 400}), 0, 0},
		"the spans of a service do not come":   {two, services(op(map[int]int64{1: 400}), map[string]uint64{"shop": 400}), 452, 800},
		"whole traces are missing":             {cold, services(op(map[int]int64{1: 300}), map[string]uint64{"shop": 300}), 552, 900},
		"as many of each size":                 {cold, services(op(map[int]int64{1: 200, 3: 200}), map[string]uint64{"shop": 800}), 52, 400},
		"few, and by chance no root":           {cold, services(op(map[int]int64{3: 398, 2: 2}), map[string]uint64{"shop": 1198}), 0, 2},
		"roots do not come":                    {cold, services(record.Shapes{"": {1: 400}}, map[string]uint64{"shop": 400}), 452, 800},
	} {
		t.Run(name, func(t *testing.T) {
			runs := []Run{{Phases: []Stretch{phase("json", 400, c.run)}}}
			tracing := Confirm(Tracing{Sampling: 1, Spans: Learn([]record.Record{calibrated(20, c.calibration)}, 1, false)}, runs)
			l, _ := find(Account("otel", AppToSink, []string{"json"}, tracing, runs), "json")
			missing := entry(l, Unaccounted)
			if missing.Spans != c.lost || max(missing.Spans, missing.High) != c.most || l.Exact {
				t.Errorf("exact %t, %+v, want %d lost, at most %d: %s", l.Exact, missing, c.lost, c.most, outcomes(l))
			}
		})
	}
}

// The first operation of each further worker, and of each connection of its pool, is as much larger as the first one of all was, whatever
// it is. That is known of as many as there may be; of more the number varies.
func TestFirstOfFurtherWorkers(t *testing.T) {
	stretch := func(operation string, sink record.Counts) record.Phase {
		return record.Phase{Operation: operation, Quiet: true, Load: record.Load{Started: 20, Completed: 20}, Sink: sink}
	}
	db := func(sizes map[int]int64) record.Counts { return traced(record.Shapes{"GET /db": sizes}) }
	calibration := record.Record{
		Kind:   record.Calibration,
		Start:  record.Start{FirstOperation: "json", Sink: traced(record.Shapes{"GET /": {5: 1}, "GET /db": {5: 1}})},
		Phases: []record.Phase{stretch("json", traced(op(map[int]int64{3: 20}))), stretch("db", db(map[int]int64{4: 20}))},
	}
	learnt := Learn([]record.Record{calibration}, 1, false)
	per := learnt["db"]
	per.Agreed = 1 << 40 // no doubt
	learnt["db"] = per
	for name, c := range map[string]struct {
		sizes  map[int]int64
		firsts uint64
		lost   int64
		exact  bool
	}{
		"of the operation alone":       {map[int]int64{4: 999, 5: 1}, 0, 0, true},
		"of two workers":               {map[int]int64{4: 998, 6: 1, 7: 1}, 2, 0, true},
		"beside a span that is lost":   {map[int]int64{4: 997, 3: 1, 6: 2}, 2, 1, true},
		"more than there are workers":  {map[int]int64{4: 997, 6: 3}, 2, 0, false},
		"of no worker":                 {map[int]int64{4: 999, 9: 1}, 2, 0, false},
		"of a worker, and lost a span": {map[int]int64{4: 999, 8: 1}, 2, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := phase("db", 1000, db(c.sizes))
			s.Firsts = c.firsts
			l, _ := find(Account("otel", AppToSink, []string{"db"}, Tracing{Sampling: 1, Spans: learnt}, []Run{{Phases: []Stretch{s}}}), "db")
			if missing := entry(l, Unaccounted); missing.Spans != c.lost || l.Exact != c.exact {
				t.Errorf("exact %t, %+v, want %t, %d lost: %s", l.Exact, missing, c.exact, c.lost, outcomes(l))
			}
		})
	}
	both := learnt["db"].Cold.and(cold{workers: map[string]map[int]bool{"GET /db": {11: true}}})
	if !both.workers["GET /db"][11] || !both.workers["GET /db"][6] || !both.sizes["GET /db"][5] || len(learnt["db"].Cold.workers["GET /db"]) != 2 {
		t.Errorf("two calibrations: %+v of %+v", both, learnt["db"].Cold)
	}
}

// What the requests of the setup make is expected of the start, as long as they are as many as in the calibration.
func TestSetupIsOfTheStart(t *testing.T) {
	came := traced(record.Shapes{"POST /login": {3: 1}, "GET /work": {2: 1}})
	calibration := calibrated(20, traced(op(map[int]int64{3: 20})))
	calibration.Start = record.Start{SetupRequests: 2, SetupSink: &came, Sink: came}
	learnt := Learn([]record.Record{calibration}, 1, false)
	if roots := (Tracing{Spans: learnt}).Roots(); roots["GET /"] != 3 || len(roots) != 1 {
		t.Errorf("the traces of operations have the roots %v", roots)
	}
	known := came
	known.Own = record.Shapes{"POST /login": {3: 1}}
	for want, sink := range map[float64]record.Counts{0: {Checking: true}, 3: known} { // silent; with other work
		calibration.Start.SetupSink = &sink
		if per := Learn([]record.Record{calibration}, 1, false)[record.SetupOperation]; !per.exact() || per.Low != want {
			t.Errorf("of %+v is learnt %+v, want %g spans", sink, per, want)
		}
	}
	for name, c := range map[string]struct {
		requests uint64
		spans    uint64
		want     string
	}{
		"all there":         {2, 8, "expected=8 delivered=8 duplicated=0 unaccounted=0: nothing-lost"},
		"more":              {2, 9, "expected=9 delivered=9 duplicated=0 unaccounted=0: nothing-lost; besides spans=1"},
		"as many others":    {3, 8, "delivered=8 duplicated=0: of-starting spans=8"},
		"without the setup": {0, 3, "expected=3 delivered=3 duplicated=0 unaccounted=0: nothing-lost"},
	} {
		run := Run{
			First: "json", Start: Stretch{Operation: Start, Setup: c.requests, Sink: ids(c.spans, 3)},
			Phases: []Stretch{phase("json", 1000, traced(op(map[int]int64{3: 1000})))},
		}
		all := Account("otel", AppToSink, []string{"json"}, Tracing{Sampling: 1, Spans: learnt}, []Run{run})
		l, _ := find(all, Start)
		if got := entries(l) + ": " + outcomes(l); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if l, _ := find(all, "json"); !l.Exact || Spans(l, Unaccounted) != 0 {
			t.Errorf("%s: of the operation %s", name, entries(l))
		}
	}
}

// Spans of a second worker's pool came beside those of the operations: that is no loss, and says of none where the traces of all
// operations are whole.
func TestMoreThanExpectedIsNoLoss(t *testing.T) {
	exact := PerOperation{Low: 3, High: 3, Traces: 1, How: Inferred, Agreed: 20, Roots: map[string]int{"GET /": 3}}
	varies := PerOperation{Low: 1, High: 2, Traces: 1, How: Inferred, Roots: map[string]int{"GET /": 3}}
	pool := func(own map[int]int64, traces int64) record.Counts {
		s := op(own)
		if traces > 0 {
			s[record.NoRoot] = map[int]int64{1: traces}
		}
		return traced(s)
	}
	for name, c := range map[string]struct {
		per     PerOperation
		sink    record.Counts
		surplus int64
		most    int64 // may be lost
		outcome string
	}{
		"all traces are whole":             {exact, pool(map[int]int64{3: 50}, 8), 0, 0, "nothing-lost; beside-whole spans=8"},
		"one is not":                       {exact, pool(map[int]int64{3: 49, 2: 1}, 8), 7, 0, "surplus spans=7"},
		"their number varies, each is one": {varies, pool(map[int]int64{3: 49, 2: 1}, 0), 0, 1, "may-vary spans=1"},
	} {
		runs := []Run{{Phases: []Stretch{phase("json", 50, c.sink)}}}
		tracing := Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": c.per}}
		l, _ := find(Account("otel", AppToSink, []string{"json"}, tracing, runs), "json")
		if l.Exact || l.LostShare > 0 || Surplus(l) != c.surplus || entry(l, Unaccounted).High != c.most || outcomes(l) != c.outcome {
			t.Errorf("%s: exact %t, surplus %d, at most %d lost: %s", name, l.Exact, Surplus(l), entry(l, Unaccounted).High, outcomes(l))
		}
		_, most, _ := LossEnds(l)
		if (c.surplus > 0) != (most == 1) {
			t.Errorf("%s: at most %g is lost", name, most)
		}
	}
}
