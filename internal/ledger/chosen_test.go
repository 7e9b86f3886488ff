// Losses beside other work whose names tell nothing, where the load generator chose the ids of the operations' traces.

package ledger

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
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
