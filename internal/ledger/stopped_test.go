package ledger

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// held is a run of so many operations, each of one span, as a tracer tells of it that has a buffer.
func held(made, came, sent, dropped uint64) Run {
	return Run{
		First: "a", Start: Stretch{Operation: Start, Sink: record.Counts{Spans: 1, Traces: 1, Roots: 1, Checking: true}},
		Phases:   []Stretch{{Operation: "a", Started: made - 1, Completed: made - 1, Sink: record.Counts{Spans: came - 1, Traces: came - 1, Roots: came - 1, Checking: true}}},
		Reported: record.Reported{Sent: &sent, Dropped: &dropped},
	}
}

// What a tracer had neither sent nor dropped when it stopped was lost at the stop, and what it had sent was not.
func TestLostAtTheStop(t *testing.T) {
	for name, c := range map[string]struct {
		run                             Run
		dropped, stop, unaccounted, all int64
		outcome                         string
	}{
		"a buffer that is not full":     {run: held(137, 100, 100, 0), stop: 37, outcome: "spans-lost share=0.2701 at-stop=37"},
		"and one that is":               {run: held(150, 128, 128, 2), dropped: 2, stop: 20, outcome: "spans-lost share=0.1467 dropped=2 at-stop=20"},
		"exports that fail":             {run: held(1500, 1024, 1500, 0), unaccounted: 476, outcome: "spans-lost share=0.3173 unaccounted=476"},
		"exports that fail, and a rest": {run: held(100, 60, 70, 5), dropped: 5, stop: 25, unaccounted: 10, outcome: "spans-lost share=0.4 dropped=5 at-stop=25 unaccounted=10"},
		"nothing":                       {run: held(100, 100, 100, 0), outcome: "nothing-lost"},
		"a counter that is behind":      {run: held(100, 100, 90, 0), outcome: "nothing-lost"},
	} {
		t.Run(name, func(t *testing.T) {
			ledgers := Account("v", AppToSink, []string{"a"}, Tracing{Sampling: 1, Spans: map[string]PerOperation{"a": {Low: 1, High: 1, How: Declared}}}, []Run{c.run})
			all := ledgers[len(ledgers)-1]
			for entry, want := range map[Fate]int64{Dropped: c.dropped, LostAtStop: c.stop, Unaccounted: c.unaccounted, ReportedSent: int64(*c.run.Reported.Sent)} {
				if got := Spans(all, entry); got != want {
					t.Errorf("%s: %d, want %d", entry, got, want)
				}
			}
			if all.Operation != All || !all.Exact || outcomes(all) != c.outcome {
				t.Errorf("%s: %q, exact %t; want %q", all.Operation, outcomes(all), all.Exact, c.outcome)
			}
			adds(t, all)
		})
	}
	silent := held(137, 100, 0, 0)
	silent.Reported.Sent = nil
	l := Account("v", AppToSink, []string{"a"}, Tracing{Sampling: 1, Spans: map[string]PerOperation{"a": {Low: 1, High: 1, How: Declared}}}, []Run{silent})[0]
	if Spans(l, LostAtStop) != 0 || Spans(l, Unaccounted) != 37 {
		t.Errorf("a tracer that says nothing of what it sent is said to have lost spans at the stop: %+v", l.Entries)
	}
	both := Account("v", AppToSink, []string{"a"}, Tracing{Sampling: 1, Spans: map[string]PerOperation{"a": {Low: 1, High: 1, How: Declared}}}, []Run{held(137, 100, 100, 0), silent})
	if all := both[len(both)-1]; Spans(all, LostAtStop) != 37 || Spans(all, ReportedSent) != 0 {
		t.Errorf("two runs, of which one says nothing: %+v", all.Entries)
	}
}

// adds checks that what became of the spans adds up to what was expected.
func adds(t *testing.T, l finding.Ledger) {
	t.Helper()
	var sum int64
	for _, e := range l.Entries {
		switch e.Name {
		case Expected.String():
			sum += e.Spans
		case ReportedSent.String(), Duplicated.String(), Background.String(), ReportedBeyond.String():
		default:
			sum -= e.Spans
		}
	}
	if sum != 0 {
		t.Errorf("the entries leave %d: %+v", sum, l.Entries)
	}
}

// A log tells at the end what was sent until then, also while the process stopped; a page before it.
func TestSentUntilTheEnd(t *testing.T) {
	for source, want := range map[string]int64{record.ByLog: 17, record.ByMetrics: 0} {
		run := held(137, 100, 120, 0) // 100 came in time, and 20 at the stop
		run.Reported.SentBy = source
		run.Stop = Stretch{Operation: Stop, Sink: record.Counts{Spans: 20, Traces: 20, Roots: 20, Checking: true}}
		ledgers := Account("v", AppToSink, []string{"a"}, Tracing{Sampling: 1, Spans: map[string]PerOperation{"a": {Low: 1, High: 1, How: Declared}}}, []Run{run})
		if got := Spans(ledgers[len(ledgers)-1], LostAtStop); got != want {
			t.Errorf("by its %s: %d lost at the stop, want %d", source, got, want)
		}
	}
}

// A span of a start of which nobody knows what it makes, and of which nothing came in its own time, may stand in for one
// that is lost: no line is exact then.
func TestSpansOfAnUnknownStart(t *testing.T) {
	for name, c := range map[string]struct {
		probe PerOperation
		came  uint64 // in the start's own time
		exact bool
	}{
		"nothing is known of the probe":      {PerOperation{}, 0, false},
		"the first operation's span came":    {PerOperation{}, 1, true},
		"the probe is known to make no span": {PerOperation{Agreed: 20, How: Inferred}, 1, true},
	} {
		run := Run{
			First:  "now",
			Start:  Stretch{Operation: Start, Started: 2, Completed: 2, Sink: ids(c.came, c.came)},
			Phases: []Stretch{{Operation: "now", Started: 100, Completed: 100, Sink: ids(100, 100)}},
			Stop:   Stretch{Operation: Stop, Sink: record.Counts{Checking: true}},
		}
		spans := map[string]PerOperation{"now": {Low: 1, High: 1, Traces: 1, How: Declared}}
		if c.probe.known() {
			spans[record.ProbeOperation] = c.probe
		}
		lines := linesOf(run, Tracing{Sampling: 1, Spans: spans})
		if lines[0].exact != c.exact {
			t.Errorf("%s: exact is %t, want %t", name, lines[0].exact, c.exact)
		}
	}
}
