// Head sampling of which the tracer counts the traces that it decided for.

package ledger

import (
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// sampledPhase is a phase of which the tracer says how many traces it sampled.
func sampledPhase(operation string, operations, traced uint64, sink record.Counts) Stretch {
	s := phase(operation, operations, sink)
	s.Traced = &traced
	return s
}

func runOf(phases ...Stretch) Run { return Run{Phases: phases, Stop: Stretch{Operation: Stop}} }

// Where samplers follow the load generator, it says how many traces are to come; not of those of other ids.
func TestTracedAsTheGeneratorAsks(t *testing.T) {
	asked := func(traces uint64, sink record.Counts) Run {
		p := phase("json", 400, sink)
		p.Flagged, p.Chosen = &traces, true
		return Run{Phases: []Stretch{p}}
	}
	follows, two, byID := three(.1), three(.1), three(.1)
	follows.Follows, two.Follows, byID.Follows = true, true, true
	two.Spans["json"] = PerOperation{Low: 4, High: 4, Traces: 2, How: Declared}
	byID.Spans["json"] = PerOperation{Low: 4, High: 4, Traces: 2, How: Declared, ByID: true}
	foreign := func(spans, traces uint64) record.Counts { // their sampler decides by chance
		c := ids(spans, traces)
		c.Foreign = traces
		return c
	}
	mixed := ids(111, 37)
	mixed.Foreign = 10
	unasked := Run{Phases: []Stretch{phase("json", 400, ids(120, 40))}}
	for name, c := range map[string]struct {
		tracing     Tracing
		run         Run
		exact       bool
		byChance    bool
		sampled     int64 // out
		unaccounted int64
	}{
		"all came":                       {follows, asked(40, ids(120, 40)), true, false, 1080, 0},
		"a trace was lost whole":         {follows, asked(40, ids(117, 39)), true, false, 1080, 3},
		"more than were asked for":       {follows, asked(40, ids(123, 41)), false, false, 1080, -3},
		"it does not follow":             {three(.1), asked(40, ids(120, 40)), false, true, 1080, 0},
		"the generator did not say":      {follows, unasked, false, true, 1080, 0},
		"a second trace is its own":      {two, asked(40, ids(160, 80)), false, true, 1440, 0},
		"both traces have ids of theirs": {byID, asked(40, ids(160, 80)), true, false, 1440, 0},
		"one of both was lost":           {byID, asked(40, ids(158, 79)), true, false, 1440, 2},
		"the ids are its own":            {follows, asked(40, foreign(111, 37)), false, true, 1089, 0},
		"some of the ids are its own":    {follows, asked(40, mixed), false, true, 1089, 0},
		"nobody looked at the ids":       {follows, asked(40, record.Counts{Spans: 111}), false, true, 1089, 0},
	} {
		l, _ := find(Account("otel", AppToSink, []string{"json"}, c.tracing, []Run{c.run}), "json")
		if l.Exact != c.exact || l.ByChance != c.byChance || Spans(l, SampledOut) != c.sampled || Spans(l, Unaccounted) != c.unaccounted {
			t.Errorf("%s: exact %t, by chance %t, %d sampled out, %d unaccounted: %s", name, l.Exact, l.ByChance, Spans(l, SampledOut), Spans(l, Unaccounted), outcomes(l))
		}
	}
}

// Of 400 requests of three spans a tenth is sampled. What came is held against the tracer's count, not against chance.
func TestTracedAsTheTracerCounts(t *testing.T) {
	sent := runOf(sampledPhase("json", 400, 31, ids(87, 29)))
	sent.Reported.Sent = number(87)
	failing := sampledPhase("json", 400, 29, ids(86, 29))
	failing.Completed = 399
	atStop := runOf(sampledPhase("json", 400, 31, ids(87, 29)))
	atStop.Stop.Sink = ids(6, 2)
	held := three(.1)
	held.Buffers = 10
	for name, c := range map[string]struct {
		tracing     Tracing
		runs        []Run
		exact       bool
		sampled     int64 // out
		unaccounted int64
		stop        int64 // lost at the stop
		outcome     string
	}{
		"all that were decided for came": {three(.1), []Run{runOf(sampledPhase("json", 400, 29, ids(87, 29)))}, true, 1113, 0, 0, "nothing-lost"},
		"two traces were lost whole":     {three(.1), []Run{runOf(sampledPhase("json", 400, 31, ids(87, 29)))}, true, 1107, 6, 0, "spans-lost share=0.06452 unaccounted=6"},
		"and a span of another":          {three(.1), []Run{runOf(sampledPhase("json", 400, 31, ids(86, 29)))}, true, 1107, 7, 0, "spans-lost share=0.07527 unaccounted=7"},
		"none was decided for":           {three(.1), []Run{runOf(sampledPhase("json", 400, 0, ids(0, 0)))}, true, 1200, 0, 0, "nothing-lost"},
		"they never left the tracer":     {three(.1), []Run{sent}, true, 1107, 0, 6, "spans-lost share=0.06452 at-stop=6"},
		"they came at the stop":          {three(.1), []Run{atStop}, false, 1107, 0, 0, "nothing-lost"},
		"an operation failed":            {three(.1), []Run{runOf(failing)}, false, 1113, 0, 0, "may-have-failed spans=1 operations=1"},
		"a loss and a surplus": {three(.1), []Run{runOf(sampledPhase("json", 400, 31, ids(87, 29))), runOf(sampledPhase("json", 400, 29, ids(93, 31)))},
			false, 2220, 0, 0, "spans-lost share=0.03226 unaccounted=6; surplus spans=6"},
		"held back until a later phase": {held, []Run{runOf(sampledPhase("json", 400, 31, ids(87, 29)), sampledPhase("db", 400, 40, ids(206, 42)))}, false, 1107, 0, 0, "nothing-lost"},
	} {
		l, _ := find(Account("otel", AppToSink, []string{"json", "db"}, c.tracing, c.runs), "json")
		if l.Exact != c.exact || l.ByChance || Spans(l, SampledOut) != c.sampled || Spans(l, LostAtStop) != c.stop || Spans(l, Unaccounted) != c.unaccounted {
			t.Errorf("%s: exact %t, by chance %t, %d sampled out, %d lost at the stop, %d unaccounted for",
				name, l.Exact, l.ByChance, Spans(l, SampledOut), Spans(l, LostAtStop), Spans(l, Unaccounted))
		}
		if outcomes(l) != c.outcome {
			t.Errorf("%s: %q, want %q", name, outcomes(l), c.outcome)
		}
	}
}

// A counter that counts something else, and phases of which nobody tells, leave it to chance.
func TestTracedOrByChance(t *testing.T) {
	told, silent := sampledPhase("json", 400, 29, ids(87, 29)), phase("json", 400, ids(87, 29))
	for name, runs := range map[string][]Run{
		"more than were begun":   {runOf(sampledPhase("json", 400, 401, ids(87, 29)))},
		"more than chance gives": {runOf(sampledPhase("json", 400, 100, ids(87, 29)))},
		"one run does not tell":  {runOf(told), runOf(silent)},
		"one of its phases":      {runOf(told, sampledPhase("db", 400, 399, ids(87, 29)))},
	} {
		if l, _ := find(Account("otel", AppToSink, []string{"json"}, three(.1), runs), "json"); !l.ByChance || l.Exact {
			t.Errorf("%s: by chance %t, exact %t", name, l.ByChance, l.Exact)
		}
	}
	if _, off := Chance("json", three(.1), []Run{runOf(sampledPhase("json", 400, 4, ids(87, 29)))}); off {
		t.Error("29 of 400 are within chance, whatever the tracer counts")
	}
	if _, off := Chance("json", three(.1), []Run{runOf(sampledPhase("json", 400, 39, ids(12, 4)))}); off {
		t.Error("39 of 400 are within chance, whatever became of them")
	}
	if _, off := Chance("json", three(.1), []Run{runOf(sampledPhase("json", 400, 4, ids(12, 4)))}); !off {
		t.Error("4 of 400 are too few for a tenth, though the tracer counts them")
	}
}

// What came of sampled traces confirms how many spans an operation makes, whoever counts them.
func TestTracedConfirms(t *testing.T) {
	tracing := Tracing{Sampling: .1, Spans: map[string]PerOperation{"json": {Low: 3, High: 3, How: Inferred, Agreed: 20, Roots: map[string]int{"GET": 3}}}}
	sink := ids(87, 29)
	sink.Shapes = record.Shapes{"GET": {3: 29}}
	if got := Confirm(tracing, []Run{runOf(sampledPhase("json", 400, 29, sink))}).Spans["json"].Agreed; got != 49 {
		t.Errorf("%d operations agree, want 49", got)
	}
}

// A program that traces by itself is asked for every trace, and brings it; without being asked it brings what its sampler takes.
func TestByItself(t *testing.T) {
	shaped := func(traces, others int64) record.Counts {
		c := ids(uint64(3*traces+others), uint64(traces+others))
		c.Shapes = record.Shapes{"GET": {3: traces}}
		if others > 0 {
			c.Shapes["tick"] = map[int]int64{1: others}
		}
		return c
	}
	for name, c := range map[string]struct {
		asked, came record.Counts
		changes     func(*record.Record)
		traced      uint64
		fewer       bool
	}{
		"a tenth":            {shaped(20, 0), shaped(3, 0), nil, 3, true},
		"none":               {shaped(20, 0), shaped(0, 0), nil, 0, true},
		"two thirds":         {shaped(20, 0), shaped(20, 0), nil, 20, true},
		"nearly all":         {shaped(20, 0), shaped(27, 0), nil, 27, false},
		"all":                {shaped(20, 0), shaped(30, 0), nil, 30, false},
		"beside a timer":     {shaped(20, 7), shaped(3, 27), nil, 3, true},
		"it does not follow": {shaped(2, 0), shaped(3, 0), nil, 3, false},
		"two traces each":    {shaped(40, 0), shaped(60, 0), nil, 30, false},
		"a part of two each": {shaped(40, 0), shaped(6, 0), nil, 3, true},
		"more were to come":  {shaped(20, 0), shaped(3, 0), func(r *record.Record) { r.Unasked.Quiet = false }, 0, false},
		"it was not asked":   {shaped(20, 0), shaped(3, 0), func(r *record.Record) { r.Phases[0].Load.Identified = 0 }, 0, false},
	} {
		r := calibrated(20, c.asked)
		r.Phases[0].Load.Identified = 20
		r.Unasked = &record.Unasked{Operation: "json", Completed: 30, Sink: c.came, Quiet: true}
		if c.changes != nil {
			c.changes(&r)
		}
		learnt := map[string]PerOperation{"json": {Low: 3, High: 3, Roots: map[string]int{"GET": 3}}}
		if traced, _, fewer := ByItself([]record.Record{r}, learnt); traced != c.traced || fewer != c.fewer {
			t.Errorf("%s: %d, fewer %t; want %d, %t", name, traced, fewer, c.traced, c.fewer)
		}
	}
}
