// Spans of which the tracer itself tells the sink: merged into others, or suppressed by a
// limit of its own.

package ledger

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/record"
)

// tenSpans is a run of 100 operations that make 10 spans each.
func tenSpans(c record.Counts) Run {
	c.Checking = true
	return Run{Phases: []Stretch{{Operation: "call", Started: 100, Completed: 100, Sink: c}}, Stop: Stretch{Operation: Stop}}
}

var tenEach = Tracing{Sampling: 1, Spans: map[string]PerOperation{"call": {Low: 10, High: 10, How: Declared}}}

func TestWhatTheTracerTells(t *testing.T) {
	dropped := uint64(100)
	for _, c := range []struct {
		name    string
		run     Run
		want    map[Fate]int64
		share   float64
		outcome string
	}{
		{"merged spans are not lost", tenSpans(record.Counts{Spans: 700, Merged: 300}),
			map[Fate]int64{Merged: 300, Delivered: 700, Unaccounted: 0}, 0, "nothing-lost"},
		{"what a limit keeps back is not either", tenSpans(record.Counts{Spans: 500, Suppressed: 500}),
			map[Fate]int64{Suppressed: 500, Delivered: 500, Unaccounted: 0}, 0, "nothing-lost; suppressed spans=500 share=0.5"},
		{"all at once", func() Run {
			r := tenSpans(record.Counts{Spans: 500, Merged: 200, Suppressed: 150})
			r.Reported.Dropped = &dropped
			return r
		}(), map[Fate]int64{Suppressed: 150, Dropped: 100, Merged: 200, Delivered: 500, Unaccounted: 50}, 150. / 850,
			"spans-lost share=0.1765 dropped=100 unaccounted=50; suppressed spans=150 share=0.15"},
		{"more than there were", tenSpans(record.Counts{Spans: 900, Merged: 300}),
			map[Fate]int64{Merged: 300, Delivered: 900, Unaccounted: -200}, 0, "surplus spans=200"},
		{"told while stopping", func() Run {
			r := tenSpans(record.Counts{Spans: 700})
			r.Stop.Sink = record.Counts{Spans: 100, Merged: 150, Suppressed: 50, Checking: true}
			return r
		}(), map[Fate]int64{Suppressed: 50, Merged: 150, Delivered: 800, Unaccounted: 0}, 0, "nothing-lost; suppressed spans=50 share=0.05"},
	} {
		for _, l := range Account("x", AppToSink, []string{"call"}, tenEach, []Run{c.run}) {
			if l.Operation != "call" && l.Operation != All {
				continue
			}
			for name, spans := range c.want {
				if got := Spans(l, name); got != spans {
					t.Errorf("%s, %s: %s is %d, want %d", c.name, l.Operation, name, got, spans)
				}
			}
			if l.LostShare < c.share-1e-9 || l.LostShare > c.share+1e-9 || outcomes(l) != c.outcome {
				t.Errorf("%s, %s: %g, %q", c.name, l.Operation, l.LostShare, outcomes(l))
			}
			adds := l.Entries[0].Spans
			for _, e := range l.Entries[1:] {
				if e.Name != Duplicated.String() {
					adds -= e.Spans
				}
			}
			if l.Entries[0].Name != Expected.String() || l.Entries[0].Spans != 1000 || adds != 0 {
				t.Errorf("%s, %s: the account is %d short: %+v", c.name, l.Operation, adds, l.Entries)
			}
		}
	}
}

// A tracer that merges when it is slow makes as many spans as when it is not.
func TestLearningCountsWhatIsMerged(t *testing.T) {
	learnt := Learn([]record.Record{{Phases: []record.Phase{
		{Operation: "call", Quiet: true, Load: record.Load{Started: 20, Completed: 20}, Sink: record.Counts{Spans: 60, Merged: 120, Suppressed: 20, Roots: 20, Checking: true}},
	}}}, 1, false)
	if per := learnt["call"]; per.Low != 10 || per.High != 10 {
		t.Errorf("%+v", per)
	}
}

func TestDeliveriesCountMergedAsDelivered(t *testing.T) {
	d := Deliveries(tenEach, tenSpans(record.Counts{Spans: 500, Merged: 300, Suppressed: 200}))["call"]
	if d.Due != 800 || d.Delivered != 800 {
		t.Errorf("%+v", d)
	}
}

// Where none may have been to come there is no share of them.
func TestNoShareOfPerhapsNone(t *testing.T) {
	sampled := Tracing{Sampling: 1, Spans: map[string]PerOperation{"call": {Low: 0, High: 10, How: Declared}}}
	if d, known := Deliveries(sampled, tenSpans(record.Counts{Spans: 20}))["call"]; known {
		t.Errorf("%+v", d)
	}
	if _, known := Deliveries(tenEach, tenSpans(record.Counts{}))["call"]; !known {
		t.Error("all were lost, and it is known")
	}
}

// Operations that make another number of spans at each level.
func TestLevelsHaveTheirOwnNumbers(t *testing.T) {
	phase := func(depth string, spans uint64) record.Phase {
		return record.Phase{Operation: "call", Parameter: map[string]string{"depth": depth}, Quiet: true,
			Load: record.Load{Started: 20, Completed: 20}, Sink: record.Counts{Spans: 20 * spans, Roots: 20, Checking: true}}
	}
	r := record.Record{Phases: []record.Phase{phase("2", 2), phase("8", 8)}}
	learnt := Learn([]record.Record{r}, 1, false)
	if learnt["call, depth 2"].High != 2 || learnt["call, depth 8"].Low != 8 || learnt["call"].Low != 2 || learnt["call"].High != 8 || len(learnt) != 3 {
		t.Fatalf("%+v", learnt)
	}
	tracing := Confirm(Tracing{Sampling: 1, Spans: learnt}, slices.Repeat([]Run{FromRecord(&r)}, 7))
	r.Phases[1].Sink.Spans--
	l := Account("x", AppToSink, []string{"call"}, tracing, []Run{FromRecord(&r)})[0]
	if !l.Exact || l.Entries[0].Spans != 200 || Spans(l, Unaccounted) != 1 || strings.Contains(outcomes(l), "var") {
		t.Errorf("%+v", l)
	}
	if name := levelName(cell.AtOf("call", map[string]string{"threads": "2", "depth": "8"})); name != "call, depth 8, threads 2" {
		t.Error(name)
	}
}

// A process that was killed did not say what it dropped: over several runs that is not none, and what the others said is
// no count of all.
func TestATracerThatDoesNotSayItOfEveryRun(t *testing.T) {
	run := func(spans uint64, dropped, failed *uint64) Run {
		r := tenSpans(record.Counts{Spans: spans})
		r.Reported = record.Reported{Dropped: dropped, Failed: failed}
		return r
	}
	for name, c := range map[string]struct {
		runs []Run
		want string // how many were dropped, and in failed exports, of the whole run
	}{
		"said of each":           {[]Run{run(1000, number(0), number(0)), run(900, number(100), number(0))}, "100 counted, 0 counted"},
		"none of one":            {[]Run{run(1000, number(0), number(0)), run(926, nil, nil)}, "unknown, unknown"},
		"none, the other way":    {[]Run{run(926, nil, nil), run(1000, number(0), number(0))}, "unknown, unknown"},
		"at least those of one":  {[]Run{run(926, nil, nil), run(900, number(60), number(40))}, "60 inferred, 40 inferred"},
		"never said":             {[]Run{run(926, nil, nil), run(926, nil, nil)}, "unknown, unknown"},
		"one of them everywhere": {[]Run{run(926, nil, number(0)), run(1000, number(0), number(0))}, "unknown, 0 counted"},
	} {
		for _, l := range Account("x", AppToSink, []string{"call"}, tenEach, c.runs) {
			if l.Operation != All {
				continue
			}
			var got []string
			for _, f := range []Fate{Dropped, FailedSend} {
				said := "unknown"
				if e := entry(l, f); e.Name != "" {
					said = fmt.Sprintf("%d %s", e.Spans, e.How)
				}
				got = append(got, said)
			}
			if all := strings.Join(got, ", "); all != c.want {
				t.Errorf("%s: %s, want %s", name, all, c.want)
			}
		}
	}
}

// With random sampling the runs are one account: what some said to have lost is not lost sight of, and what they left out on
// purpose, or sent, is not all of it.
func TestTogetherKeepsWhatIsUnknown(t *testing.T) {
	silent, said := Run{}, Run{Reported: record.Reported{Sampled: number(1), Dropped: number(2), Failed: number(3), Sent: number(4)}}
	for _, runs := range [][]Run{{silent, said}, {said, silent}, {silent, said, silent}} {
		sum := together(runs)
		if a := sum.Reported; a.Sampled != nil || a.Sent != nil || *a.Dropped != 2 || *a.Failed != 3 || sum.gaps != losses {
			t.Errorf("%+v, %+v", a, sum.gaps)
		}
	}
	sum := together([]Run{said, said})
	if a := sum.Reported; *a.Sampled != 2 || *a.Dropped != 4 || *a.Failed != 6 || *a.Sent != 8 || sum.gaps != 0 {
		t.Errorf("%+v, %+v", a, sum.gaps)
	}
}

// What nine tenths of the runs say that they dropped is lost, though chance might explain it, and no count of all.
func TestDropsOfSomeRunsUnderRandomSampling(t *testing.T) {
	run := func(dropped *uint64) Run {
		return Run{Phases: []Stretch{phase("json", 5000, ids(1470, 490))}, Reported: record.Reported{Dropped: dropped}}
	}
	for name, c := range map[string]struct {
		runs []Run
		want string
	}{
		"each says it":    {[]Run{run(number(30)), run(number(30))}, "60 counted"},
		"one is silent":   {[]Run{run(number(60)), run(nil)}, "60 inferred"},
		"silent, of none": {[]Run{run(number(0)), run(nil)}, "unknown"},
	} {
		for _, l := range Account("otel", AppToSink, []string{"json"}, three(.1), c.runs) {
			if l.Operation != All {
				continue
			}
			got := "unknown"
			for _, e := range l.Entries {
				if e.Name == Dropped.String() {
					got = fmt.Sprintf("%d %s", e.Spans, e.How)
				}
			}
			if got != c.want {
				t.Errorf("%s: dropped %s, want %s", name, got, c.want)
			}
		}
	}
}

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
		most            int64 // that may be lost
	}{
		// db misses 100, of which 30 came with json; the first operation's 3 came first of all.
		{"held", 200, "expected=500 delivered=500 duplicated=0 unaccounted=0", "expected=300 delivered=300 duplicated=0 unaccounted=0",
			"expected=803 delivered=803 duplicated=0 unaccounted=0", 0},
		{"fewer than came", 10, "expected=500 delivered=500 duplicated=0 unaccounted=0", "expected=300 delivered=300 duplicated=0 unaccounted=0",
			"expected=803 delivered=803 duplicated=0 unaccounted=0", 20},
		// A delay as long as a window, of which nobody knows.
		{"a tracer of unknown delay", -1, "expected=500 delivered=500 duplicated=0 unaccounted=0", "expected=300 delivered=300 duplicated=0 unaccounted=0",
			"expected=803 delivered=803 duplicated=0 unaccounted=0", 0},
		// Only the first operation's 3 are known to come late: the others may be lost, or not.
		{"a tracer that holds nothing", 0, "expected=500 delivered=500 duplicated=0 unaccounted=0", "expected=300 delivered=300 duplicated=0 unaccounted=0",
			"expected=803 delivered=803 duplicated=0 unaccounted=0", 27},
	} {
		tracing := three(1)
		tracing.Buffers, tracing.Late = max(0, c.holds), c.holds < 0
		ledgers := Account("kieker", AppToSink, []string{"db", "json"}, tracing, []Run{run})
		for name, want := range map[string]string{"db": c.db, "json": c.json, All: c.whole} {
			if l, _ := find(ledgers, name); entries(l) != want {
				t.Errorf("%s, %s: %s; want %s", c.name, name, entries(l), want)
			}
		}
		if l, _ := find(ledgers, All); l.LostShare > 0 || l.Exact || entry(l, Unaccounted).High != c.most {
			t.Errorf("%s: %g lost, at most %d: %s", c.name, l.LostShare, entry(l, Unaccounted).High, outcomes(l))
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
		"two lost": {2, 0, 403, 0, "expected=498 delivered=498 duplicated=0 unaccounted=0", // of db, or of json
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
	ledgers := Account("kieker", AppToSink, []string{"db", "json"}, tracing, []Run{run})
	l, _ := find(ledgers, "json") // its spans may have come with those of db, which lost as many then
	if want := "expected=290 delivered=290 duplicated=0 unaccounted=0"; entries(l) != want || l.Exact || outcomes(l) != "may-be-others spans=10" {
		t.Errorf("%s: %s; want %s", outcomes(l), entries(l), want)
	}
	l, _ = find(ledgers, All)
	if want := "expected=800 delivered=790 duplicated=0 unaccounted=10"; entries(l) != want || !l.Exact {
		t.Errorf("exact %t, %s; want %s", l.Exact, entries(l), want)
	}
	run.Phases[0], run.Phases[1] = phase("json", 100, ids(310, 100)), phase("db", 100, ids(490, 100)) // nothing comes before it was made
	l, _ = find(Account("kieker", AppToSink, []string{"db", "json"}, tracing, []Run{run}), "db")
	if want := "expected=500 delivered=490 duplicated=0 unaccounted=10"; entries(l) != want {
		t.Errorf("%s; want %s", entries(l), want)
	}
}
