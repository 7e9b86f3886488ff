package ledger

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// What a tracer keeps until its buffer is full comes with a later operation, or at the end.
func TestHeldSpansAreNotLost(t *testing.T) {
	run := Run{
		Start: Stretch{Operation: Start, Sink: ids(0, 0)}, First: "json",
		Phases: []Stretch{phase("db", 100, ids(400, 100)), phase("json", 100, ids(330, 100))},
		Stop:   Stretch{Operation: Stop, Sink: ids(73, 20)},
	}
	for _, c := range []struct {
		name            string
		holds           int
		db, json, whole string
		share           float64 // of the whole that is lost
	}{
		// db misses 100, of which 30 came with json; the first operation's 3 came first of all.
		{"held", 200, "expected=500 delivered=500 duplicated=0 unaccounted=0", "expected=300 delivered=300 duplicated=0 unaccounted=0",
			"expected=803 delivered=803 duplicated=0 unaccounted=0", 0},
		{"fewer than came", 10, "expected=500 delivered=480 duplicated=0 unaccounted=20", "expected=300 delivered=320 duplicated=0 unaccounted=-20",
			"expected=803 delivered=803 duplicated=0 unaccounted=0", 20. / 823},
		// A delay as long as a window, of which nobody knows.
		{"a tracer of unknown delay", -1, "expected=500 delivered=500 duplicated=0 unaccounted=0", "expected=300 delivered=300 duplicated=0 unaccounted=0",
			"expected=803 delivered=803 duplicated=0 unaccounted=0", 0},
		// Only the first operation's 3 may have come late.
		{"a tracer that holds nothing", 0, "expected=500 delivered=473 duplicated=0 unaccounted=27", "expected=300 delivered=327 duplicated=0 unaccounted=-27",
			"expected=803 delivered=803 duplicated=0 unaccounted=0", 27. / 830},
	} {
		tracing := three(1)
		tracing.Buffers, tracing.Late = max(0, c.holds), c.holds < 0
		ledgers := Account("kieker", AppToSink, []string{"db", "json"}, tracing, []Run{run})
		for name, want := range map[string]string{"db": c.db, "json": c.json, All: c.whole} {
			if l, _ := find(ledgers, name); entries(l) != want {
				t.Errorf("%s, %s: %s; want %s", c.name, name, entries(l), want)
			}
		}
		if l, _ := find(ledgers, All); math.Abs(l.LostShare-c.share) > 1e-9 {
			t.Errorf("%s: %g lost: %s", c.name, l.LostShare, outcomes(l))
		}
	}
}

// A program that makes spans when it starts has these held too: they are the oldest that come
// with any operation. More than it was seen to make in calibrations are nobody's, and what is
// lost of an operation is not hidden by them.
func TestSpansOfStartingAreHeldToo(t *testing.T) {
	const whole = "expected=500 delivered=500 duplicated=0 unaccounted=0"
	for name, c := range map[string]struct {
		besides             int
		inTime, json, stop  uint64 // spans that came before the first phase, of json, and at the end
		db, wantJSON, start string
	}{
		"with an operation": {2, 0, 405, 0, whole, "expected=300 delivered=300 duplicated=0 unaccounted=0", "expected=5 delivered=5 duplicated=0 unaccounted=0"},
		"one known":         {1, 0, 405, 0, whole, "expected=300 delivered=301 duplicated=0 unaccounted=-1", "expected=4 delivered=4 duplicated=0 unaccounted=0"},
		"none known":        {0, 0, 405, 0, whole, "expected=300 delivered=302 duplicated=0 unaccounted=-2", "expected=3 delivered=3 duplicated=0 unaccounted=0"},
		"in time":           {2, 5, 402, 0, whole, "expected=300 delivered=302 duplicated=0 unaccounted=-2", "expected=5 delivered=5 duplicated=0 unaccounted=0"},
		"some at the end":   {2, 0, 355, 50, whole, "expected=300 delivered=300 duplicated=0 unaccounted=0", "expected=5 delivered=5 duplicated=0 unaccounted=0"},
		"two of db lost": {2, 0, 403, 0, "expected=500 delivered=498 duplicated=0 unaccounted=2",
			"expected=300 delivered=300 duplicated=0 unaccounted=0", "expected=5 delivered=5 duplicated=0 unaccounted=0"},
	} {
		tracing := three(1)
		tracing.Buffers, tracing.Besides = 1000, c.besides
		run := Run{
			Start: Stretch{Operation: Start, Sink: ids(c.inTime, 0)}, First: "json",
			Phases: []Stretch{phase("db", 100, ids(400, 100)), phase("json", 100, ids(c.json, 100))},
			Stop:   Stretch{Operation: Stop, Sink: ids(c.stop, 0)},
		}
		ledgers := Account("kieker", AppToSink, []string{"db", "json"}, tracing, []Run{run})
		for operation, want := range map[string]string{"json": c.wantJSON, Start: c.start, "db": c.db} {
			if l, _ := find(ledgers, operation); entries(l) != want {
				t.Errorf("%s, %s: %s; want %s", name, operation, entries(l), want)
			}
		}
	}
}

// What a calibration made beyond what it was asked for; nothing where that cannot be told.
func TestBesides(t *testing.T) {
	calibration := func(spans uint64) record.Record {
		return record.Record{
			Kind: record.Calibration, Start: record.Start{Probes: 2, FirstOperation: "json"},
			Phases: []record.Phase{{Operation: "json", Load: record.Load{Started: 20, Completed: 20}}, {Operation: "db", Load: record.Load{Started: 20, Completed: 20}}},
			Life:   record.Counts{Spans: spans},
		}
	}
	exact := func(n float64) PerOperation { return PerOperation{Low: n, High: n, How: Inferred} }
	known := map[string]PerOperation{"json": exact(3), "db": exact(5), record.ProbeOperation: exact(1)}
	const asked = 2 + 3 + 20*3 + 20*5
	failed := calibration(asked)
	failed.Failure = &record.Failure{Message: "it died"}
	varies := map[string]PerOperation{"json": exact(3), "db": {Low: 4, High: 6, How: Inferred}, record.ProbeOperation: exact(1)}
	for name, c := range map[string]struct {
		spans map[string]PerOperation
		runs  []record.Record
		want  int
	}{
		"the fewest":       {known, []record.Record{calibration(asked + 7), calibration(asked + 2), failed}, 2},
		"some were lost":   {known, []record.Record{calibration(asked - 1)}, 0},
		"no calibration":   {known, nil, 0},
		"a number varies":  {varies, []record.Record{calibration(asked + 2)}, 0},
		"one is not known": {map[string]PerOperation{"json": exact(3)}, []record.Record{calibration(asked + 2)}, 0},
	} {
		if got := Besides(c.runs, c.spans); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// A loss is no less one because the tracer also holds spans: nothing came for it.
func TestHeldSpansHideNoLoss(t *testing.T) {
	tracing := three(1)
	tracing.Buffers = 1000
	run := Run{Phases: []Stretch{phase("json", 100, ids(290, 100)), phase("db", 100, ids(500, 100))}}
	l, _ := find(Account("kieker", AppToSink, []string{"db", "json"}, tracing, []Run{run}), "json")
	if want := "expected=300 delivered=290 duplicated=0 unaccounted=10"; entries(l) != want {
		t.Errorf("%s; want %s", entries(l), want)
	}
	run.Phases[0], run.Phases[1] = phase("json", 100, ids(310, 100)), phase("db", 100, ids(490, 100)) // nothing comes before it was made
	l, _ = find(Account("kieker", AppToSink, []string{"db", "json"}, tracing, []Run{run}), "db")
	if want := "expected=500 delivered=490 duplicated=0 unaccounted=10"; entries(l) != want {
		t.Errorf("%s; want %s", entries(l), want)
	}
}
