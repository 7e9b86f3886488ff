package ledger

import (
	"math"
	"testing"
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
		{"a tracer that holds nothing", 0, "expected=500 delivered=471 duplicated=0 unaccounted=29", "expected=300 delivered=330 duplicated=0 unaccounted=-30",
			"expected=803 delivered=803 duplicated=0 unaccounted=0", 30. / 833},
	} {
		tracing := three(1)
		tracing.Holds = c.holds
		ledgers := Account("kieker", AppToSink, []string{"db", "json"}, tracing, []Run{run})
		for name, want := range map[string]string{"db": c.db, "json": c.json, All: c.whole} {
			if l, _ := find(ledgers, name); entries(l) != want {
				t.Errorf("%s, %s: %s; want %s", c.name, name, entries(l), want)
			}
		}
		if l, _ := find(ledgers, All); math.Abs(l.LostShare-c.share) > 1e-9 {
			t.Errorf("%s: %g lost: %s", c.name, l.LostShare, l.Verdict)
		}
	}
}

// A loss is no less one because the tracer also holds spans: nothing came for it.
func TestHeldSpansHideNoLoss(t *testing.T) {
	tracing := three(1)
	tracing.Holds = 1000
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
