// Losses beside other work whose names tell nothing, where the load generator chose the ids of the operations' traces.

package ledger

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/traceparent"
)

// program makes three spans an operation, and works besides.
type program struct {
	takes bool               // the ids of its requests
	named func(i int) string // the root of an operation
	other func(i int) string // the root of other work
	also  bool               // each operation begins a trace of other ids, too
}

// run is what the sink counts of operations, of which every tenth lost its trace, if any are to, and of other work, of as many
// spans as the lost ones.
func (p program) run(t *testing.T, operations, others int, loses bool) record.Counts {
	t.Helper()
	key := traceparent.NewKey(1)
	total := tally.New(tally.Config{Checking: true, MaxSpans: 1 << 20, Chosen: key})
	b := total.Batch()
	trace := func(id, parent []byte, name string) {
		for n := range byte(3) {
			span := tally.Span{Trace: id, ID: []byte{1, 0, 0, 0, 0, 0, 0, n + 1}, Parent: parent, Name: []byte(name), Kind: tally.Server}
			if n > 0 {
				span.Parent = []byte{1, 0, 0, 0, 0, 0, 0, 1}
			}
			b.Span(&span)
		}
	}
	strange := func(kind byte, i int) []byte {
		return binary.BigEndian.AppendUint64([]byte{kind, 1, 1, 1, 1, 1, 1, 1}, uint64(i+1))
	}
	for i := range operations {
		if loses && i%10 == 9 {
			continue
		}
		id, parent := strange('o', i), []byte(nil)
		if value := key.Value(uint64(i+1), 0, true); p.takes {
			var err error
			if id, err = hex.DecodeString(value[3:35]); err != nil {
				t.Fatal(err)
			}
			if parent, err = hex.DecodeString(value[36:52]); err != nil {
				t.Fatal(err)
			}
		}
		trace(id, parent, p.named(i))
		if p.also {
			trace(strange('a', i), nil, "consume")
		}
	}
	for i := range others {
		trace(strange('b', i), nil, p.other(i))
	}
	total.Merge(b, "otlp-grpc", 1)
	return total.Counts()
}

// account learns from a calibration with so much other work, and settles a run.
func (p program) account(t *testing.T, learntBeside, operations, others int, loses bool) finding.Ledger {
	t.Helper()
	calibration := calibrated(20, p.run(t, 20, learntBeside, false))
	calibration.Phases[0].Load.Identified = 20
	learnt := Learn([]record.Record{calibration}, 1, false)
	per := learnt["json"]
	per.Agreed = 1 << 40 // no doubt
	r := phase("json", uint64(operations), p.run(t, operations, others, loses))
	r.Chosen = true
	return Account("otel", AppToSink, []string{"json"}, Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": per}}, []Run{{Phases: []Stretch{r}}})[0]
}

func letters(i int) string {
	text := ""
	for ; i > 0 || text == ""; i /= 26 {
		text += string(rune('a' + i%26))
	}
	return text
}

func TestOtherWorkHidesNoLossByItsName(t *testing.T) {
	always := func(name string) func(int) string { return func(int) string { return name } }
	const operations, lost = 12_000, 1200
	for name, p := range map[string]program{
		"a timer":              {takes: true, named: always("GET /"), other: always("tick")},
		"more names than kept": {takes: true, named: always("GET /"), other: letters},
		"names with ids":       {takes: true, named: always("GET /"), other: func(i int) string { return fmt.Sprintf("job %d", i) }},
		"the operation's name": {takes: true, named: always("GET /"), other: always("GET /")},
		"operations with ids":  {takes: true, named: func(i int) string { return fmt.Sprintf("GET /%d", i) }, other: func(i int) string { return fmt.Sprintf("GET /%d", i) }},
	} {
		for _, beside := range []int{0, 7} {
			l := p.account(t, beside, operations, lost, true)
			if Spans(l, Unaccounted) != 3*lost || Spans(l, Background) != 3*lost || Spans(l, Delivered) != 3*(operations-lost) || !l.Exact {
				t.Errorf("%s, %d beside the calibration: 10 %% of the operations' traces are lost, and as much other work came: %s, exact %t", name, beside, entries(l), l.Exact)
			}
			if l := p.account(t, beside, operations, lost, false); Spans(l, Unaccounted) != 0 || Spans(l, Background) != 3*lost || !l.Exact {
				t.Errorf("%s, %d beside the calibration: nothing is lost: %s, exact %t", name, beside, entries(l), l.Exact)
			}
		}
	}
}

// A program that gives its traces ids of its own is never exact: names alone tell them. Those that are known do, though.
func TestIgnoredIDsAreNotExact(t *testing.T) {
	for name, p := range map[string]program{
		"a timer":              {named: func(int) string { return "GET /" }, other: func(int) string { return "tick" }},
		"the operation's name": {named: func(int) string { return "GET /" }, other: func(int) string { return "GET /" }},
		"operations with ids":  {named: func(i int) string { return fmt.Sprintf("GET /%d", i) }, other: func(int) string { return "tick" }},
	} {
		l := p.account(t, 0, 2000, 200, true)
		if l.Exact || l.Outcome[len(l.Outcome)-1].Code != finding.PageForeign {
			t.Errorf("%s: %s, exact %t", name, outcomes(l), l.Exact)
		}
		if lost := Spans(l, Unaccounted); name == "operations with ids" && lost != 0 && lost != 600 {
			t.Errorf("%s: %s", name, entries(l))
		}
	}
	p := program{named: func(i int) string { return fmt.Sprintf("GET /%d", i) }, other: func(int) string { return "tick" }}
	if l := p.account(t, 7, 2000, 200, true); Spans(l, Unaccounted) != 600 || Spans(l, Background) != 600 {
		t.Errorf("operations with ids in their names, beside a timer: %s", entries(l))
	}
}

// A trace with an id of its own that every operation begins besides, for work that it leaves to others, is one of the operations'.
func TestTracesThatOperationsBeginBesides(t *testing.T) {
	p := program{takes: true, also: true, named: func(int) string { return "GET /" }, other: func(int) string { return "tick" }}
	l := p.account(t, 7, 2000, 200, true)
	if Spans(l, Expected) != 12_000 || Spans(l, Unaccounted) != 1200 || Spans(l, Background) != 600 || l.Exact {
		t.Errorf("%s, exact %t", entries(l), l.Exact)
	}
}

// Where the user's own header stands in some requests, and in records of before there were ids, names tell as they did.
func TestWithoutIDsNamesTell(t *testing.T) {
	p := program{named: func(int) string { return "GET /" }, other: func(int) string { return "tick" }}
	r := phase("json", 2000, p.run(t, 2000, 200, true))
	r.Sink.Own, r.Sink.Foreign = nil, 0
	per := Learn([]record.Record{calibrated(20, p.run(t, 20, 7, false))}, 1, false)["json"]
	per.Agreed = 1 << 40
	l := Account("otel", AppToSink, []string{"json"}, Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": per}}, []Run{{Phases: []Stretch{r}}})[0]
	if Spans(l, Unaccounted) != 600 || Spans(l, Background) != 600 || !l.Exact || outcomes(l) != "spans-lost share=0.1 unaccounted=600; other-work spans=600 tick=600" {
		t.Errorf("%s, %s, exact %t", entries(l), outcomes(l), l.Exact)
	}
}

// Random sampling: what may have been lost in whole traces, which nobody can see.

// What may be missing is what chance allows at most, less what came; at 100 % and at none it is
// exact, and nothing is between two ends.
func TestWhatChanceMayHide(t *testing.T) {
	rootless := record.Counts{Spans: 120} // ids are not checked, and no root came
	varying := Tracing{Sampling: .1, Spans: map[string]PerOperation{"json": {Low: 2, High: 4, How: Declared}}}
	for _, c := range []struct {
		name      string
		tracing   Tracing
		sink      record.Counts
		admitted  record.Reported
		low, high int64 // of what is unaccounted for
		outcome   string
	}{
		{"a tenth of the traces lost whole", three(.1), ids(2760, 920), record.Reported{}, 0, 540, "traces-complete; traces-kept traces=920 trials=1e+04 sampling=0.1 low=903 high=1100; hidden spans=540 share=0.1636"},
		{"as many as chance allows at most", three(.1), ids(3300, 1100), record.Reported{}, 0, 0, "traces-complete; traces-kept traces=1100 trials=1e+04 sampling=0.1 low=903 high=1100"},
		{"traces with holes", three(.1), ids(2970, 1000), record.Reported{}, 30, 330, "spans-lost share=0.01 unaccounted=30; traces-kept traces=1000 trials=1e+04 sampling=0.1 low=903 high=1100; hidden-in-all spans=330 share=0.1"},
		{"dropped, as the tracer admits", three(.1), ids(2940, 980), record.Reported{Dropped: number(60)}, -60, 300, "spans-lost share=0.02 dropped=60; traces-kept traces=980 trials=1e+04 sampling=0.1 low=903 high=1100; hidden-in-all spans=360 share=0.1091"},
		{"fewer than chance allows", three(.1), ids(2400, 800), record.Reported{}, 309, 900, "spans-lost share=0.1141 unaccounted=309; too-few-traces; traces-kept traces=800 trials=1e+04 sampling=0.1 low=903 high=1100; hidden-in-all spans=900 share=0.2727"},
		{"none", three(.1), ids(0, 0), record.Reported{}, 2709, 3300, "spans-lost share=1 unaccounted=2709; too-few-traces; traces-kept trials=1e+04 sampling=0.1 low=903 high=1100; hidden-in-all spans=3300 share=1"},
		{"none with a root", three(.1), rootless, record.Reported{}, 2589, 3180, "spans-lost share=0.9557 unaccounted=2589; too-few-traces; traces-kept trials=1e+04 sampling=0.1 low=903 high=1100; hidden-in-all spans=3180 share=0.9636"},
		{"none, of a number that may be none", Tracing{Sampling: .1, Spans: map[string]PerOperation{"json": {Low: 0, High: 3, How: Declared}}}, ids(0, 0), record.Reported{}, 0, 3300, "too-few-traces; traces-kept trials=1e+04 sampling=0.1 low=903 high=1100; hidden spans=3300 share=1"},
		{"more than chance allows, with holes", three(.1), ids(3000, 1200), record.Reported{}, 0, 0, "spans-lost share=0.1667 unaccounted=600; traces-kept traces=1200 trials=1e+04 sampling=0.1 low=903 high=1100; too-many-traces"},
		{"a number that varies", varying, ids(3000, 1000), record.Reported{}, -1000, 1400, "traces-kept traces=1000 trials=1e+04 sampling=0.1 low=903 high=1100; hidden spans=1400 share=0.3182"},
		{"every trace", three(1), ids(29999, 10000), record.Reported{}, 0, 0, "spans-lost share=3.333e-05 unaccounted=1"},
		{"no trace", three(0), ids(0, 0), record.Reported{}, 0, 0, "nothing-lost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, _ := find(Account("otel", AppToSink, []string{"json"}, c.tracing, []Run{{Phases: []Stretch{phase("json", 10000, c.sink)}, Reported: c.admitted}}), "json")
			if e := entry(l, Unaccounted); e.Low != c.low || e.High != c.high {
				t.Errorf("between %d and %d, want %d and %d", e.Low, e.High, c.low, c.high)
			}
			if outcomes(l) != c.outcome {
				t.Errorf("%q, want %q", outcomes(l), c.outcome)
			}
			if l.ByChance != (c.tracing.Sampling == .1) {
				t.Errorf("by chance: %t", l.ByChance)
			}
		})
	}
}

// What may have been lost of a number that varies is told of each delivery; what chance may hide
// is not in it.
func TestLostAtMost(t *testing.T) {
	varying := Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 2, High: 4, How: Declared}}}
	failing := phase("json", 1000, ids(2940, 980))
	failing.Completed = 975
	sampled := varying
	sampled.Sampling = .1
	for name, c := range map[string]struct {
		tracing Tracing
		run     Run
		want    Delivery
	}{
		"exact":              {three(1), Run{Phases: []Stretch{phase("json", 1000, ids(2900, 1000))}}, Delivery{3000, 2900, 100, 0, 0}},
		"varies":             {varying, Run{Phases: []Stretch{phase("json", 1000, ids(2900, 1000))}}, Delivery{2900, 2900, 1100, 0, 0}},
		"varies, and less":   {varying, Run{Phases: []Stretch{phase("json", 1000, ids(800, 800))}}, Delivery{2000, 800, 3200, 0, 0}},
		"varies, admitted":   {varying, Run{Phases: []Stretch{phase("json", 1000, ids(2500, 1000))}, Reported: record.Reported{Dropped: number(500)}}, Delivery{3000, 2500, 1500, 0, 0}},
		"operations failed":  {three(1), Run{Phases: []Stretch{failing}}, Delivery{2940, 2940, 60, 0, 0}},
		"sampled":            {three(.1), Run{Phases: []Stretch{phase("json", 10000, ids(2760, 920))}}, Delivery{2760, 2760, 0, 0, 0}},
		"sampled, with hole": {three(.1), Run{Phases: []Stretch{phase("json", 10000, ids(2970, 1000))}}, Delivery{3000, 2970, 30, 0, 0}},
		"sampled, varies":    {sampled, Run{Phases: []Stretch{phase("json", 10000, ids(3000, 1000))}}, Delivery{3000, 3000, 1000, 0, 0}},
	} {
		if got := Deliveries(c.tracing, c.run)["json"]; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

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

// What a tracer leaves out once the traces were there is no loss, as far as it says so; a trace that it kept is to have all its spans.
func TestDecidedByTheTracer(t *testing.T) {
	for _, c := range []struct {
		name             string
		sizes            map[int]int64
		says             uint64
		entries, outcome string
	}{
		{"whole traces", map[int]int64{3: 100}, 2700, "expected=3000 sampled-by-tracer=2700 delivered=300 duplicated=0 unaccounted=0", "nothing-lost"},
		{"it says of fewer", map[int]int64{3: 100}, 2690, "expected=3000 sampled-by-tracer=2690 delivered=300 duplicated=0 unaccounted=10", "spans-lost share=0.03226 unaccounted=10"},
		{"a process without an error left its part out", map[int]int64{3: 90, 2: 10}, 2710,
			"expected=3000 sampled-by-tracer=2700 torn=10 delivered=290 duplicated=0 unaccounted=0", "spans-lost share=0.03333 torn=10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := Run{Phases: []Stretch{phase("json", 1000, traced(record.Shapes{"json": c.sizes}))}, Reported: record.Reported{Sampled: &c.says}}
			l := Account("otel", AppToSink, []string{"json"}, Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 3, High: 3, How: Declared}}}, []Run{run})[0]
			if entries(l) != c.entries || outcomes(l) != c.outcome {
				t.Errorf("%s; %s\nwant %s; %s", entries(l), outcomes(l), c.entries, c.outcome)
			}
		})
	}
}

// A tracer that was killed before it said how many it left out leaves it open: what is missing may be those. What does not
// decide on traces has no say in it.
func TestTracerThatDoesNotSayWhatItLeftOut(t *testing.T) {
	for decides, want := range map[bool]string{
		true:  "expected=300 delivered=300 duplicated=0 unaccounted=0; hop-silent spans=2700",
		false: "expected=3000 delivered=300 duplicated=0 unaccounted=2700; spans-lost share=0.9 unaccounted=2700",
	} {
		tracing := three(1)
		tracing.Decides = decides
		run := Run{Phases: []Stretch{phase("json", 1000, ids(300, 100))}}
		l := Account("otel", AppToSink, []string{"json"}, Confirm(tracing, []Run{run}), []Run{run})[0]
		if got := entries(l) + "; " + outcomes(l); got != want || l.Exact == decides {
			t.Errorf("decides %t: %s, exact %t; want %s", decides, got, l.Exact, want)
		}
	}
	tracing := three(1)
	tracing.Decides = true
	run := via(ids(300, 100), collector("collector", 300, 0, 0, 0, 300))
	l := Account("otel", AppToSink, []string{"json"}, tracing, []Run{run})[0]
	if got, want := pagesText(l.Pages), "app > collector: 3000 = 300 between 2700 unsure; collector > sink: 300 = 300 whole"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A span that came at the stop was not left out of its trace.
func TestLateSpansAreNotTorn(t *testing.T) {
	run := Run{
		Phases:   []Stretch{phase("json", 1000, traced(record.Shapes{"json": {3: 90, 2: 10}}))},
		Stop:     Stretch{Operation: Stop, Sink: record.Counts{Spans: 10, Checking: true, Shapes: record.Shapes{"json": {3: 10, 2: -10}}}},
		Reported: record.Reported{Sampled: number(2700)},
	}
	l := Account("otel", AppToSink, []string{"json"}, three(1), []Run{run})[0]
	if want := "expected=3000 sampled-by-tracer=2700 delivered=300 duplicated=0 unaccounted=0"; entries(l) != want || l.LostShare != 0 {
		t.Errorf("%s, %g lost; want %s", entries(l), l.LostShare, want)
	}
}

// What the tracer tore out of traces was not lost between it and a hop.
func TestTornByTheTracer(t *testing.T) {
	run := via(traced(record.Shapes{"json": {3: 90, 2: 10}}), collector("collector", 290, 0, 0, 0, 290))
	run.Reported.Sampled = number(2710)
	l := Account("otel", AppToSink, []string{"json"}, three(1), []Run{run})[0]
	if got, want := pagesText(l.Pages), "app > collector: 3000 -2700 sampled = 290 torn 10 lost; collector > sink: 290 = 290 whole"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Fewer traces than chance allows are no sign of a loss where the tracer left most of the sampled ones out.
func TestDecidedAmongTheSampled(t *testing.T) {
	run := Run{Phases: []Stretch{phase("json", 10000, ids(300, 100))}, Reported: record.Reported{Sampled: number(2700)}}
	l := Account("otel", AppToSink, []string{"json"}, three(.1), []Run{run})[0]
	if strings.Contains(outcomes(l), string(finding.PageTooFewTraces)) || l.LostShare != 0 {
		t.Errorf("%s, %g lost", outcomes(l), l.LostShare)
	}
	if told, off := Chance("json", three(.1), []Run{run}); off {
		t.Errorf("the sampling is off: %v", told)
	}
}
