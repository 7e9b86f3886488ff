package ledger

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// ids is a count of spans and traces with checked ids.
func ids(spans, traces uint64) record.Counts {
	return record.Counts{Spans: spans, Roots: traces, Traces: traces, Checking: true}
}

func phase(operation string, operations uint64, sink record.Counts) Stretch {
	return Stretch{Operation: operation, Started: operations, Completed: operations, Sink: sink}
}

func number(n uint64) *uint64 { return &n }

// three is tracing in which json makes 3 spans and db 5, every trace sampled.
func three(sampling float64) Tracing {
	return Tracing{Sampling: sampling, Spans: map[string]PerOperation{
		"json": {Low: 3, High: 3, How: Declared}, "db": {Low: 5, High: 5, How: Declared},
	}}
}

func TestAccount(t *testing.T) {
	failing := phase("json", 1000, ids(2940, 980))
	failing.Completed = 975
	late := Run{Phases: []Stretch{phase("json", 1000, ids(2990, 997))}, Stop: Stretch{Operation: Stop, Sink: ids(14, 4)}}
	duplicates := ids(3030, 1000)
	duplicates.Duplicate = 30
	unchecked := record.Counts{Spans: 3000, Roots: 1000}
	refused := ids(2980, 1000)
	refused.Rejected = 20

	for _, c := range []struct {
		name      string
		tracing   Tracing
		runs      []Run
		operation string
		entries   string // name=spans, in order
		outcome   string
		share     float64
		exact     bool
	}{
		{
			name: "all there", tracing: three(1), runs: []Run{{Phases: []Stretch{phase("json", 1000, ids(3000, 1000))}}},
			operation: "json", entries: "expected=3000 delivered=3000 duplicated=0 unaccounted=0", outcome: "nothing-lost", exact: true,
		}, {
			name: "one span is missing", tracing: three(1), runs: []Run{{Phases: []Stretch{phase("json", 1000, ids(2999, 1000))}}},
			operation: "json", entries: "expected=3000 delivered=2999 duplicated=0 unaccounted=1", outcome: "spans-lost share=0.0003333 unaccounted=1", share: 1. / 3000, exact: true,
		}, {
			name: "a loss does not hide behind another run's surplus", tracing: three(1),
			runs:      []Run{{Phases: []Stretch{phase("json", 1000, ids(2990, 1000))}}, {Phases: []Stretch{phase("json", 1000, ids(3010, 1000))}}},
			operation: "json", entries: "expected=6000 delivered=6000 duplicated=0 unaccounted=0", outcome: "spans-lost share=0.001664 unaccounted=10; surplus spans=10", share: 10. / 6010,
		}, {
			name: "dropped by the tracer, put down to the operation that misses spans", tracing: three(1),
			runs:      []Run{{Phases: []Stretch{phase("json", 1000, ids(2900, 1000)), phase("db", 100, ids(500, 100))}, Reported: record.Reported{Dropped: number(100)}}},
			operation: "json", entries: "expected=3000 dropped=100 delivered=2900 duplicated=0 unaccounted=0", outcome: "spans-lost share=0.03333 dropped=100", share: 1. / 30, exact: true,
		}, {
			name: "shared out over operations in proportion", tracing: three(1),
			runs:      []Run{{Phases: []Stretch{phase("json", 1000, ids(2900, 1000)), phase("db", 100, ids(300, 100))}, Reported: record.Reported{Dropped: number(150)}}},
			operation: "db", entries: "expected=500 dropped=100 delivered=300 duplicated=0 unaccounted=100", outcome: "spans-lost share=0.4 dropped=100 unaccounted=100", share: .4, exact: true,
		}, {
			name: "the run reconciles with what the tracer admits", tracing: three(1),
			runs: []Run{{Phases: []Stretch{phase("json", 1000, ids(2900, 1000)), phase("db", 100, ids(300, 100))},
				Start: Stretch{Started: 3, Completed: 3, Operation: Start, Sink: ids(3, 3)}, Reported: record.Reported{Dropped: number(310), Failed: number(0)}}},
			operation: All, entries: "expected=3503 dropped=300 failed-export=0 delivered=3203 duplicated=0 said-beyond=10 unaccounted=0",
			outcome: "spans-lost share=0.08564 dropped=300; said-beyond-start spans=10", share: 300. / 3503, exact: true,
		}, {
			name: "a drop counter three times too high", tracing: Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 1, High: 1, How: Declared}}},
			runs:      []Run{{Phases: []Stretch{phase("json", 1000, ids(800, 800))}, Reported: record.Reported{Dropped: number(600)}}},
			operation: "json", entries: "expected=1000 dropped=200 delivered=800 duplicated=0 unaccounted=0", outcome: "spans-lost share=0.2 dropped=200", share: .2, exact: true,
		}, {
			name: "does not make the run lose more", tracing: Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 1, High: 1, How: Declared}, record.ProbeOperation: {How: Inferred}}},
			runs:      []Run{{Phases: []Stretch{phase("json", 1000, ids(800, 800))}, Start: Stretch{Started: 4, Completed: 4, Operation: Start}, Reported: record.Reported{Dropped: number(600)}}},
			operation: All, entries: "expected=1000 dropped=200 delivered=800 duplicated=0 said-beyond=400 unaccounted=0",
			outcome: "spans-lost share=0.2 dropped=200; said-beyond spans=400", share: .2, exact: true,
		}, {
			name: "drops where nobody knows what to expect are believed", tracing: Tracing{Sampling: 1},
			runs:      []Run{{Phases: []Stretch{phase("json", 1000, ids(800, 800))}, Reported: record.Reported{Dropped: number(200)}}},
			operation: All, entries: "dropped=200 delivered=800 duplicated=0", outcome: "came spans=800; spans-lost share=0.2 dropped=200; expected-unknown", share: .2,
		}, {
			name: "readiness is listed, not netted", tracing: three(1),
			runs:      []Run{{Phases: []Stretch{phase("json", 1000, ids(2999, 1000))}, Start: Stretch{Started: 3, Completed: 3, Operation: Start, Sink: ids(3, 3)}}},
			operation: Start, entries: "delivered=3 duplicated=0", outcome: "of-starting spans=3 requests=3",
		}, {
			name:      "the start, where it is known what a probe makes",
			tracing:   Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 3, High: 3, How: Inferred}, record.ProbeOperation: {Low: 1, High: 1, How: Inferred}}},
			runs:      []Run{{Start: Stretch{Started: 4, Completed: 4, Operation: Start, Sink: ids(6, 5)}, First: "json", Phases: []Stretch{phase("json", 1000, ids(3000, 1000))}}},
			operation: Start, entries: "expected=6 delivered=6 duplicated=0 unaccounted=0", outcome: "may-be-others spans=1",
		}, {
			name:      "a proxy answered for a program that was not ready",
			tracing:   Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 3, High: 3, How: Inferred}, record.ProbeOperation: {Low: 1, High: 1, How: Inferred}}},
			runs:      []Run{{Start: Stretch{Started: 401, Completed: 1, Operation: Start, Sink: ids(4, 2)}, First: "json", Phases: []Stretch{phase("json", 1000, ids(3000, 1000))}}},
			operation: All, entries: "expected=3004 delivered=3004 duplicated=0 unaccounted=0", outcome: "not-ready-yet spans=400 requests=400",
		}, {
			name:      "and in the whole run",
			tracing:   Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 3, High: 3, How: Inferred}, record.ProbeOperation: {Low: 1, High: 1, How: Inferred}}},
			runs:      []Run{{Start: Stretch{Started: 4, Completed: 4, Operation: Start, Sink: ids(6, 5)}, First: "json", Phases: []Stretch{phase("json", 1000, ids(3000, 1000))}}},
			operation: All, entries: "expected=3007 delivered=3006 duplicated=0 unaccounted=1", outcome: "spans-lost share=0.0003326 unaccounted=1", share: 1. / 3007, exact: true,
		}, {
			name:      "a start that makes spans of its own",
			tracing:   three(1),
			runs:      []Run{{Start: Stretch{Operation: Start, Sink: ids(23, 5)}, First: "json", Phases: []Stretch{phase("json", 1000, ids(3000, 1000))}}},
			operation: Start, entries: "expected=23 delivered=23 duplicated=0 unaccounted=0", outcome: "nothing-lost; besides spans=20",
		}, {
			name:      "and in the whole run, beside a loss",
			tracing:   three(1),
			runs:      []Run{{Start: Stretch{Operation: Start, Sink: ids(23, 5)}, First: "json", Phases: []Stretch{phase("json", 1000, ids(2990, 1000))}}},
			operation: All, entries: "expected=3023 delivered=3013 duplicated=0 unaccounted=10", outcome: "spans-lost share=0.003308 unaccounted=10", share: 10. / 3023, exact: true,
		}, {
			name: "what comes at the stop is put down to what is missing", tracing: three(1), runs: []Run{late},
			operation: "json", entries: "expected=3000 delivered=3000 duplicated=0 unaccounted=0", outcome: "nothing-lost",
		}, {
			name: "and the rest of it is of the stop", tracing: three(1), runs: []Run{late},
			operation: Stop, entries: "delivered=4 duplicated=0", outcome: "of-stopping spans=4",
		}, {
			name: "failed exports", tracing: three(1),
			runs:      []Run{{Phases: []Stretch{phase("json", 1000, ids(2500, 900))}, Reported: record.Reported{Dropped: number(0), Failed: number(500)}}},
			operation: "json", entries: "expected=3000 dropped=0 failed-export=500 delivered=2500 duplicated=0 unaccounted=0", outcome: "spans-lost share=0.1667 failed=500", share: 1. / 6, exact: true,
		}, {
			name: "failed exports that came all the same", tracing: three(1),
			runs:      []Run{{Phases: []Stretch{phase("json", 1000, ids(3000, 1000))}, Reported: record.Reported{Failed: number(512)}}},
			operation: All, entries: "expected=3000 failed-export=0 delivered=3000 duplicated=0 unaccounted=0", outcome: "nothing-lost; failed-came spans=512", exact: true,
		}, {
			name: "refused by the sink", tracing: three(1), runs: []Run{{Phases: []Stretch{phase("json", 1000, refused)}}},
			operation: "json", entries: "expected=3000 failed-export=20 delivered=2980 duplicated=0 unaccounted=0", outcome: "spans-lost share=0.006667 failed=20", share: 20. / 3000, exact: true,
		}, {
			name: "duplicates", tracing: three(1), runs: []Run{{Phases: []Stretch{phase("json", 1000, duplicates)}}},
			operation: "json", entries: "expected=3000 delivered=3000 duplicated=30 unaccounted=0", outcome: "nothing-lost; repeated spans=30", exact: true,
		}, {
			name: "without ids duplicates could hide a loss", tracing: three(1), runs: []Run{{Phases: []Stretch{phase("json", 1000, unchecked)}}},
			operation: "json", entries: "expected=3000 delivered=3000 duplicated=0 unaccounted=0", outcome: "ids-unchecked spans=3000",
		}, {
			name: "failed operations are not held against the tracer", tracing: three(1), runs: []Run{{Phases: []Stretch{failing}}},
			operation: "json", entries: "expected=2940 delivered=2940 duplicated=0 unaccounted=0", outcome: "may-have-failed spans=60 operations=25",
		}, {
			name: "sampling at zero", tracing: three(0), runs: []Run{{Phases: []Stretch{phase("json", 1000, ids(0, 0))}}},
			operation: "json", entries: "expected=3000 sampled-out=3000 delivered=0 duplicated=0 unaccounted=0", outcome: "nothing-lost", exact: true,
		}, {
			name: "sampling at zero, yet spans came", tracing: three(0), runs: []Run{{Phases: []Stretch{phase("json", 1000, ids(3, 1))}}},
			operation: "json", entries: "expected=3000 sampled-out=3000 delivered=3 duplicated=0 unaccounted=-3", outcome: "came-unsampled spans=3", exact: true,
		}, {
			name: "sampling at 10 %, as chance has it", tracing: three(.1), runs: []Run{
				{Phases: []Stretch{phase("json", 5000, ids(1530, 510))}}, {Phases: []Stretch{phase("json", 5000, ids(1440, 480))}}},
			operation: "json", entries: "expected=30000 sampled-out=27030 delivered=2970 duplicated=0 unaccounted=0", outcome: "traces-complete; traces-kept traces=990 trials=1e+04 sampling=0.1 low=903 high=1100; hidden spans=330 share=0.1",
		}, {
			name: "sampling at 10 %, traces with holes", tracing: three(.1), runs: []Run{{Phases: []Stretch{phase("json", 10000, ids(2970, 1000))}}},
			operation: "json", entries: "expected=30000 sampled-out=27000 delivered=2970 duplicated=0 unaccounted=30", outcome: "spans-lost share=0.01 unaccounted=30; traces-kept traces=1000 trials=1e+04 sampling=0.1 low=903 high=1100; hidden-in-all spans=330 share=0.1", share: .01,
		}, {
			name: "sampling at 10 %, fewer traces than chance allows", tracing: three(.1), runs: []Run{{Phases: []Stretch{phase("json", 10000, ids(2400, 800))}}},
			operation: "json", entries: "expected=30000 sampled-out=27291 delivered=2400 duplicated=0 unaccounted=309", outcome: "spans-lost share=0.1141 unaccounted=309; too-few-traces; traces-kept traces=800 trials=1e+04 sampling=0.1 low=903 high=1100; hidden-in-all spans=900 share=0.2727", share: 309. / 2709,
		}, {
			name: "sampling at 10 %, more traces than chance allows", tracing: three(.1), runs: []Run{{Phases: []Stretch{phase("json", 10000, ids(3600, 1200))}}},
			operation: "json", entries: "expected=30000 sampled-out=26400 delivered=3600 duplicated=0 unaccounted=0", outcome: "traces-kept traces=1200 trials=1e+04 sampling=0.1 low=903 high=1100; too-many-traces",
		}, {
			name: "sampling at 10 %, whole traces dropped within the band", tracing: three(.1),
			runs:      []Run{{Phases: []Stretch{phase("json", 10000, ids(2940, 980))}, Reported: record.Reported{Dropped: number(60)}}},
			operation: "json", entries: "expected=30000 sampled-out=27000 dropped=60 delivered=2940 duplicated=0 unaccounted=0", outcome: "spans-lost share=0.02 dropped=60; traces-kept traces=980 trials=1e+04 sampling=0.1 low=903 high=1100; hidden-in-all spans=360 share=0.1091", share: .02,
		}, {
			name: "silent", tracing: Tracing{Silent: true, Sampling: 1, Spans: three(1).Spans}, runs: []Run{{Phases: []Stretch{phase("json", 1000, ids(0, 0))}}},
			operation: "json", entries: "expected=3000 not-exported=3000 delivered=0 duplicated=0 unaccounted=0", outcome: "not-exported", exact: true,
		}, {
			name: "silent, and nobody knows what to expect", tracing: Tracing{Silent: true, Sampling: 1}, runs: []Run{{Phases: []Stretch{phase("json", 1000, ids(0, 0))}}},
			operation: "json", entries: "delivered=0 duplicated=0", outcome: "not-exported",
		}, {
			name: "a silent baseline", tracing: Tracing{Silent: true, Sampling: 1, Spans: map[string]PerOperation{"json": {How: Declared}}}, runs: []Run{{Phases: []Stretch{phase("json", 1000, ids(0, 0))}}},
			operation: "json", entries: "expected=0 delivered=0 duplicated=0 unaccounted=0", outcome: "none-expected", exact: true,
		}, {
			name: "silent, yet spans came", tracing: Tracing{Silent: true, Sampling: 1, Spans: three(1).Spans}, runs: []Run{{Phases: []Stretch{phase("json", 1000, ids(7, 3))}}},
			operation: "json", entries: "expected=3000 not-exported=3000 delivered=7 duplicated=0 unaccounted=-7", outcome: "not-exported; came-unexported spans=7", exact: true,
		}, {
			name: "a baseline", tracing: Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {How: Declared}}}, runs: []Run{{Phases: []Stretch{phase("json", 1000, ids(0, 0))}}},
			operation: "json", entries: "expected=0 delivered=0 duplicated=0 unaccounted=0", outcome: "none-expected", exact: true,
		}, {
			name: "a baseline that traces", tracing: Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {How: Declared}}}, runs: []Run{{Phases: []Stretch{phase("json", 1000, ids(30, 10))}}},
			operation: "json", entries: "expected=0 delivered=30 duplicated=0 unaccounted=-30", outcome: "came-unexpected spans=30",
		}, {
			name: "nobody knows what to expect", tracing: Tracing{Sampling: 1}, runs: []Run{{Phases: []Stretch{phase("json", 1000, ids(30, 10))}}},
			operation: "json", entries: "delivered=30 duplicated=0", outcome: "came spans=30; expected-unknown",
		}, {
			name: "spans that vary", tracing: Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 2, High: 4, How: Inferred}}}, runs: []Run{{Phases: []Stretch{phase("json", 1000, ids(2900, 1000))}}},
			operation: "json", entries: "expected=2900 delivered=2900 duplicated=0 unaccounted=0", outcome: "may-vary spans=1100",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, ok := find(Account("otel", AppToSink, []string{"json", "db"}, c.tracing, c.runs), c.operation)
			if !ok {
				t.Fatalf("no ledger of %s", c.operation)
			}
			if got := entries(l); got != c.entries {
				t.Errorf("entries\n got %s\nwant %s", got, c.entries)
			}
			if got := outcomes(l); got != c.outcome {
				t.Errorf("outcome\n got %s\nwant %s", got, c.outcome)
			}
			if d := l.LostShare - c.share; d > 1e-12 || d < -1e-12 {
				t.Errorf("lost share %v, want %v", l.LostShare, c.share)
			}
			if l.Exact != c.exact {
				t.Errorf("exact %v, want %v", l.Exact, c.exact)
			}
		})
	}
}

// What is inferred must not be taken for counted.
func TestHow(t *testing.T) {
	run := Run{
		Phases:   []Stretch{phase("json", 1000, ids(2900, 1000)), phase("db", 100, ids(480, 100))},
		Stop:     Stretch{Operation: Stop, Sink: ids(20, 1)},
		Reported: record.Reported{Dropped: number(100), Failed: number(0)},
	}
	ledgers := Account("otel", AppToSink, []string{"json", "db"}, three(1), []Run{run})
	for _, c := range []struct {
		operation string
		fate      Fate
		how       string
	}{
		{"json", Expected, Declared}, {"json", Dropped, Inferred}, {"json", FailedSend, Counted},
		{"json", Delivered, Inferred}, // some of it came while the processes stopped
		{"json", Duplicated, Counted}, {"json", Unaccounted, Inferred}, {All, Dropped, Counted},
	} {
		l, _ := find(ledgers, c.operation)
		if e := entry(l, c.fate); e.How != c.how {
			t.Errorf("%s of %s is %s, want %s", c.fate, c.operation, e.How, c.how)
		}
	}
	run.Reported.Dropped = number(1000)
	l, _ := find(Account("otel", AppToSink, []string{"json", "db"}, three(1), []Run{run}), All)
	for f, want := range map[Fate]string{Dropped: Inferred, ReportedBeyond: Counted} {
		if e := entry(l, f); e.How != want {
			t.Errorf("where the counts disagree, %s is %s", f, e.How)
		}
	}
}

// Whatever came and whatever is admitted, the entries add up.
func FuzzEntriesAddUp(f *testing.F) {
	f.Add(uint64(1000), uint64(990), uint64(2900), uint64(5), uint64(12), uint64(3), uint64(4), uint8(0), uint8(3))
	f.Add(uint64(1000), uint64(1000), uint64(300), uint64(0), uint64(0), uint64(30), uint64(0), uint8(25), uint8(3))
	f.Fuzz(func(t *testing.T, started, completed, came, twice, dropped, failed, stop uint64, sampling, k uint8) {
		limit := func(n, most uint64) uint64 { return n % (most + 1) }
		started = limit(started, 100_000)
		completed, came = limit(completed, started), limit(came, 1_000_000)
		sink := ids(came, came/3)
		sink.Duplicate = limit(twice, came)
		tracing := Tracing{Sampling: float64(sampling%101) / 100, Silent: k > 250, Spans: map[string]PerOperation{
			"json": {Low: float64(k) / 2, High: float64(k), How: Inferred}}}
		run := Run{
			Phases:   []Stretch{{Operation: "json", Started: started, Completed: completed, Sink: sink}},
			Stop:     Stretch{Operation: Stop, Sink: ids(limit(stop, 1000), 1)},
			Reported: record.Reported{Dropped: number(limit(dropped, 1_000_000)), Failed: number(limit(failed, 1_000_000))},
		}
		for _, l := range Account("otel", AppToSink, []string{"json"}, tracing, []Run{run, run}) {
			sum := int64(0)
			for i, e := range l.Entries {
				switch {
				case e.Name == Expected.String():
					sum = -e.Spans
				case e.Name != Duplicated.String() && e.Name != ReportedBeyond.String():
					sum += e.Spans
				}
				if e.Spans < 0 && e.Name != Unaccounted.String() {
					t.Errorf("%s: %s is %d", l.Operation, e.Name, e.Spans)
				}
				if i == len(l.Entries)-1 && l.Entries[0].Name == Expected.String() && sum != 0 {
					t.Errorf("%s: the entries miss zero by %d: %s", l.Operation, sum, entries(l))
				}
			}
			if !(l.LostShare >= 0 && l.LostShare <= 1) {
				t.Errorf("%s: lost share %v", l.Operation, l.LostShare)
			}
		}
	})
}

func TestLearn(t *testing.T) {
	calibration := func(operations, failed, spans, traces uint64) record.Record {
		sink := ids(spans, traces)
		return record.Record{Kind: record.Calibration, Phases: []record.Phase{{
			Operation: "json", Quiet: true, Load: record.Load{Started: operations, Completed: operations - failed}, Sink: sink}}}
	}
	for _, c := range []struct {
		name     string
		records  []record.Record
		sampling float64
		silent   bool
		want     PerOperation
	}{
		{"a whole number", []record.Record{calibration(20, 0, 60, 20)}, 1, false, PerOperation{Low: 3, High: 3, Traces: 1, How: Inferred}},
		{"two traces an operation", []record.Record{calibration(20, 0, 60, 40)}, 1, false, PerOperation{Low: 3, High: 3, Traces: 2, How: Inferred}},
		{"runs that differ", []record.Record{calibration(20, 0, 60, 20), calibration(20, 0, 80, 20)}, 1, false, PerOperation{Low: 3, High: 4, Traces: 1, How: Inferred}},
		{"a number that varies", []record.Record{calibration(100, 0, 250, 100)}, 1, false, PerOperation{Low: 2.5 - .4125, High: 2.5 + .4125, Traces: 1, How: Inferred}},
		{"sampled: by the trace", []record.Record{calibration(100, 0, 33, 11)}, .1, false, PerOperation{Low: 3, High: 3, Traces: 1, How: Inferred}},
		{"failed operations teach nothing", []record.Record{calibration(20, 1, 57, 19)}, 1, false, PerOperation{}},
		{"nothing is sent", []record.Record{calibration(20, 0, 0, 0)}, 1, true, PerOperation{}},
		{"no span came: held back, or none is made", []record.Record{calibration(20, 0, 0, 0)}, 1, false, PerOperation{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Learn(c.records, c.sampling, c.silent)["json"]
			if diff := got.High - c.want.High; got.How != c.want.How || got.Traces != c.want.Traces || got.Low != c.want.Low || diff > 1e-9 || diff < -1e-9 {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// A tracer may hold back what it is given until many have come, or for longer than a calibration waits. No span of an
// operation is none only where others came in time; and what came of one may be of those before it.
func TestWhatIsHeldBackIsNotLearnt(t *testing.T) {
	part := func(operation string, spans uint64) record.Phase {
		return record.Phase{Operation: operation, Quiet: true, Load: record.Load{Started: 20, Completed: 20}, Sink: ids(spans, spans)}
	}
	identified := func(p record.Phase, traces int64) record.Phase {
		p.Sink.Own = record.Shapes{"GET /": {1: traces}}
		return p
	}
	for name, c := range map[string]struct {
		first, stop uint64 // spans of the first operation, and at the end
		phases      []record.Phase
		want        map[string]float64 // what is learnt
	}{
		"nothing came":                    {0, 0, []record.Phase{part("json", 0)}, map[string]float64{}},
		"nothing came but of the first":   {1, 0, []record.Phase{part("json", 0)}, map[string]float64{}},
		"another operation makes none":    {1, 0, []record.Phase{part("json", 20), part("health", 0)}, map[string]float64{"json": 1, "health": 0}},
		"the first one makes none":        {0, 0, []record.Phase{part("health", 0), part("json", 20)}, map[string]float64{"json": 1}},
		"forty at once":                   {0, 0, []record.Phase{part("health", 0), part("json", 40)}, map[string]float64{}},
		"a dozen at once":                 {0, 0, []record.Phase{part("json", 12)}, map[string]float64{}},
		"all at the end":                  {0, 41, []record.Phase{part("json", 0), part("db", 0)}, map[string]float64{}},
		"none, then two an operation":     {1, 0, []record.Phase{part("health", 0), part("json", 40)}, map[string]float64{}}, // ten seconds late, or so made
		"two an operation, then none":     {1, 0, []record.Phase{part("json", 40), part("health", 0)}, map[string]float64{"health": 0, "json": 2}},
		"half of them, then more":         {1, 0, []record.Phase{part("health", 10), part("json", 30)}, map[string]float64{}},
		"none, then of twice the ids":     {1, 0, []record.Phase{part("health", 0), identified(part("json", 40), 40)}, map[string]float64{}},
		"none, and two with one id":       {1, 0, []record.Phase{part("health", 0), identified(part("json", 40), 20)}, map[string]float64{"health": 0, "json": 2}},
		"those of the first one are lost": {0, 0, []record.Phase{part("json", 20), part("db", 40)}, map[string]float64{"json": 1}},
	} {
		r := record.Record{Kind: record.Calibration, Phases: c.phases}
		r.Start.FirstOperation, r.Start.Sink, r.Stop.Sink = "json", ids(c.first, c.first), ids(c.stop, c.stop)
		r.Life = ids(c.first+c.stop, c.first+c.stop)
		for _, p := range c.phases {
			r.Life = r.Life.Plus(p.Sink)
		}
		if c.first == 0 { // what comes of operations that nobody asked to trace is of no phase
			r.Unasked = &record.Unasked{Operation: "json", Completed: 30, Sink: ids(5, 5), Quiet: true}
			r.Life = r.Life.Plus(r.Unasked.Sink)
		}
		got := map[string]float64{}
		for operation, per := range Learn([]record.Record{r}, 1, false) {
			got[operation] = per.High
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: learnt %v, want %v", name, got, c.want)
		}
	}
}

// Of an operation of which the calibration taught nothing the runs teach what they show: what did not come was lost, or never
// made, and nobody can tell.
func TestLearnsLater(t *testing.T) {
	for name, c := range map[string]struct {
		spans     []int64 // traces of one span that came of 250 operations, run by run, beside those of the first one
		sizes     map[int]int64
		low, high int64 // expected
		most      int64 // that may be lost
		outcome   string
	}{
		"all but the last of each":      {[]int64{250, 250}, nil, 500, 502, 2, "may-vary spans=2"},
		"a quarter is missing":          {[]int64{200, 200}, nil, 400, 502, 102, "may-vary spans=102"},
		"of one run":                    {[]int64{250, 200}, nil, 400, 502, 52, "may-vary spans=52"},
		"none came":                     {[]int64{0, 0}, nil, 0, 0, 0, "came; expected-unknown"},
		"more traces than operations":   {[]int64{300, 250}, nil, 0, 0, 0, "came spans=550; expected-unknown"},
		"larger traces than the others": {[]int64{125, 125}, map[int]int64{1: 75, 3: 50}, 450, 1506, 1056, "may-vary spans=1056"},
	} {
		var runs []Run
		for _, n := range c.spans {
			sizes := c.sizes
			if sizes == nil {
				sizes = map[int]int64{1: n}
			}
			runs = append(runs, Run{Start: Stretch{Operation: Start}, First: "json", Phases: []Stretch{phase("json", 250, traced(op(sizes)))}})
		}
		tracing := Confirm(Tracing{Sampling: 1, Late: true, Spans: map[string]PerOperation{}}, runs)
		l, _ := find(Account("mine", AppToSink, []string{"json"}, tracing, runs), "json")
		expected, missing := entry(l, Expected), entry(l, Unaccounted)
		if l.Exact || l.LostShare > 0 || expected.Low != c.low || expected.High != c.high || missing.High != c.most || outcomes(l) != c.outcome {
			t.Errorf("%s: exact %t, expected %+v, missing %+v: %s", name, l.Exact, expected, missing, outcomes(l))
		}
	}
}

func find(ledgers []finding.Ledger, operation string) (finding.Ledger, bool) {
	for _, l := range ledgers {
		if l.Operation == operation {
			return l, true
		}
	}
	return finding.Ledger{}, false
}

func entries(l finding.Ledger) string {
	var parts []string
	for _, e := range l.Entries {
		parts = append(parts, e.Name+"="+strings.ReplaceAll(finding.FormatCount(e.Spans), ",", ""))
	}
	return strings.ReplaceAll(strings.Join(parts, " "), "−", "-")
}

// outcomes are the reasons of a page in a line: "spans-lost share=0.1 dropped=100; surplus spans=10". Figures of 0 are left out.
func outcomes(l finding.Ledger) string {
	var parts []string
	for _, r := range l.Outcome {
		text := string(r.Code)
		for _, f := range r.Figures {
			if f.Value != 0 {
				text += fmt.Sprintf(" %s=%.4g", f.Name, f.Value)
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
