package ledger

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

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
