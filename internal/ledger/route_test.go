package ledger

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// collector says so of itself: received, sampled, dropped, failed, sent.
func collector(name string, figures ...uint64) record.Hop {
	return record.Hop{Name: name, Source: "metrics", Refused: number(0), Received: &figures[0], Sampled: &figures[1], Dropped: &figures[2], Failed: &figures[3], Sent: &figures[4]}
}

// via is a run of 1,000 operations of json, which make 3,000 spans, over hops.
func via(sink record.Counts, hops ...record.Hop) Run {
	p := phase("json", 1000, sink)
	p.Hops = hops
	return Run{Phases: []Stretch{p}, Hops: hops}
}

func pagesText(pages []finding.Page) string {
	var out []string
	for _, p := range pages {
		text := p.From + " > " + strings.Join(append(append([]string(nil), p.Past...), p.To), " > ") + ":"
		if p.Expected != nil {
			text += fmt.Sprintf(" %d", *p.Expected)
		}
		for _, one := range []struct {
			name string
			n    *int64
		}{{"sampled", p.Sampled}, {"dropped", p.Dropped}, {"failed", p.Failed}} {
			if one.n != nil && *one.n != 0 {
				text += fmt.Sprintf(" -%d %s", *one.n, one.name)
			}
		}
		text += fmt.Sprintf(" = %d", p.Received)
		for _, one := range []struct {
			name string
			n    int64
		}{{"early", p.Early}, {"torn", p.Torn}, {"inside", p.Inside}, {"between", p.Between}, {"more", p.More}} {
			if one.n != 0 {
				text += fmt.Sprintf(" %s %d", one.name, one.n)
			}
		}
		if p.Traces != nil {
			text += fmt.Sprintf(" traces %d partial %d", *p.Traces, *p.Partial)
		}
		out = append(out, text+" "+string(p.Outcome))
	}
	return strings.Join(out, "; ")
}

// Known answers: what hops left out is no loss, and what was lost has a place.
func TestRoute(t *testing.T) {
	silent := record.Hop{Name: "collector", Unreported: "its page cannot be read"}
	dropping := via(ids(2800, 1000), collector("collector", 2900, 0, 100, 0, 2800))
	dropping.Reported = record.Reported{Dropped: number(100)}
	stopped := via(ids(2900, 1000), collector("collector", 2900, 0, 0, 0, 2900))
	stopped.Reported = record.Reported{Sent: number(2960)}
	absent := via(ids(2900, 1000), collector("collector", 3000, 100, 0, 0, 2900))
	absent.Phases[0].Sink.Absent = 100
	full := via(ids(2800, 1000), collector("collector", 3000, 0, 200, 0, 2800))
	full.Phases[0].Sink.Absent = 150
	twice := ids(3010, 1000)
	twice.Duplicate = 10
	inLog := via(ids(2900, 1000))
	inLog.Hops = []record.Hop{{Name: "collector", Sampled: number(0), Dropped: number(100)}}
	inLog.Phases[0].Hops = []record.Hop{{Name: "collector"}}

	byTrace := func(sink record.Counts, early, kept uint64, figures ...uint64) Run {
		h := collector("tail", figures...)
		h.Early, h.Kept = number(early), number(kept)
		sink.Checking = true
		for root := range sink.Shapes {
			n, spans := sink.Shapes.Traces(root)
			sink.Traces, sink.Spans = sink.Traces+uint64(n), sink.Spans+uint64(spans)
		}
		return via(sink, h)
	}
	shaped := func(sizes map[int]int64) record.Counts { return record.Counts{Shapes: record.Shapes{"json": sizes}} }

	withParents := Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 3, High: 3, How: Declared, Parents: true}}}
	for _, c := range []struct {
		name    string
		run     Run
		entries string
		outcome string
		share   float64
		exact   bool
		pages   string
	}{
		{
			"all pass", via(ids(3000, 1000), collector("collector", 3000, 0, 0, 0, 3000)),
			"expected=3000 delivered=3000 duplicated=0 unaccounted=0", "nothing-lost", 0, true,
			"app > collector: 3000 = 3000 whole; collector > sink: 3000 = 3000 whole",
		}, {
			"what is left out on purpose is no loss", via(ids(2400, 1000), collector("collector", 3000, 600, 0, 0, 2400)),
			"expected=3000 sampled-on-way=600 delivered=2400 duplicated=0 unaccounted=0", "by-count", 0, false,
			"app > collector: 3000 = 3000 whole; collector > sink: 3000 -600 sampled = 2400 whole",
		}, {
			"parents that are left out are not lost", absent,
			"expected=3000 sampled-on-way=100 delivered=2900 duplicated=0 unaccounted=0", "by-count", 0, false,
			"app > collector: 3000 = 3000 whole; collector > sink: 3000 -100 sampled = 2900 whole",
		}, {
			"a full queue", via(ids(2950, 1000), collector("collector", 3000, 0, 50, 0, 2950)),
			"expected=3000 dropped-on-way=50 delivered=2950 duplicated=0 unaccounted=0", "spans-lost share=0.01667 dropped-on-way=50", 50. / 3000, true,
			"app > collector: 3000 = 3000 whole; collector > sink: 3000 -50 dropped = 2950 lost",
		}, {
			"parents that a hop dropped are lost once", full,
			"expected=3000 dropped-on-way=200 delivered=2800 duplicated=0 unaccounted=0", "spans-lost share=0.06667 dropped-on-way=200; parents-absent spans=150", 200. / 3000, true,
			"app > collector: 3000 = 3000 whole; collector > sink: 3000 -200 dropped = 2800 lost",
		}, {
			"failed exports", via(ids(2950, 1000), collector("collector", 3000, 0, 0, 50, 2950)),
			"expected=3000 failed-on-way=50 delivered=2950 duplicated=0 unaccounted=0", "spans-lost share=0.01667 failed-on-way=50", 50. / 3000, true,
			"app > collector: 3000 = 3000 whole; collector > sink: 3000 -50 failed = 2950 lost",
		}, {
			"lost between the second and the sink", via(ids(2910, 1000), collector("collector", 3000, 0, 0, 0, 3000)),
			"expected=3000 delivered=2910 duplicated=0 unaccounted=90", "spans-lost share=0.03 unaccounted=90", .03, true,
			"app > collector: 3000 = 3000 whole; collector > sink: 3000 = 2910 between 90 lost",
		}, {
			"lost before the first", via(ids(2910, 1000), collector("collector", 2910, 0, 0, 0, 2910)),
			"expected=3000 delivered=2910 duplicated=0 unaccounted=90", "spans-lost share=0.03 unaccounted=90", .03, true,
			"app > collector: 3000 = 2910 between 90 lost; collector > sink: 2910 = 2910 whole",
		}, {
			"kept inside", via(ids(2910, 1000), collector("collector", 3000, 0, 0, 0, 2910)),
			"expected=3000 delivered=2910 duplicated=0 unaccounted=90", "spans-lost share=0.03 unaccounted=90", .03, true,
			"app > collector: 3000 = 3000 whole; collector > sink: 3000 = 2910 inside 90 lost",
		}, {
			"the tracer's and the hop's", dropping,
			"expected=3000 dropped=100 dropped-on-way=100 delivered=2800 duplicated=0 unaccounted=0", "spans-lost share=0.06667 dropped=100 dropped-on-way=100", 200. / 3000, true,
			"app > collector: 3000 -100 dropped = 2900 lost; collector > sink: 2900 -100 dropped = 2800 lost",
		}, {
			"what the tracer still held at its stop was not between", stopped,
			"expected=3000 lost-at-stop=40 delivered=2900 duplicated=0 unaccounted=60", "spans-lost share=0.03333 at-stop=40 unaccounted=60", 100. / 3000, true,
			"app > collector: 3000 = 2900 inside 40 between 60 lost; collector > sink: 2900 = 2900 whole",
		}, {
			"two hops", via(ids(1400, 1000), collector("edge", 3000, 1500, 0, 0, 1500), collector("tail", 1490, 0, 0, 0, 1490)),
			"expected=3000 sampled-on-way=1500 delivered=1400 duplicated=0 unaccounted=100", "spans-lost share=0.06667 unaccounted=100", 100. / 1500, false,
			"app > edge: 3000 = 3000 whole; edge > tail: 3000 -1500 sampled = 1490 between 10 lost; tail > sink: 1490 = 1400 between 90 lost",
		}, {
			"the hop and the sink disagree", via(ids(3000, 1000), collector("collector", 3000, 40, 0, 0, 2960)),
			"expected=3000 delivered=3000 duplicated=0 unaccounted=0", "nothing-lost", 0, true,
			"app > collector: 3000 = 3000 whole; collector > sink: 3000 -40 sampled = 3000 more 40 more",
		}, {
			"sent twice by the hop", via(twice, collector("collector", 3000, 0, 0, 0, 3000)),
			"expected=3000 delivered=3000 duplicated=10 unaccounted=0", "nothing-lost; repeated spans=10", 0, true,
			"app > collector: 3000 = 3000 whole; collector > sink: 3000 = 3010 more 10 more",
		}, {
			"an unreported hop's two sides are one page", via(ids(3000, 1000), silent),
			"expected=3000 delivered=3000 duplicated=0 unaccounted=0", "nothing-lost", 0, true,
			"app > collector > sink: 3000 = 3000 whole",
		}, {
			"what an unreported hop left out or lost is not known", via(ids(2900, 1000), silent),
			"expected=2900 delivered=2900 duplicated=0 unaccounted=0", "hop-silent spans=100", 0, false,
			"app > collector > sink: 3000 = 2900 between 100 unsure",
		}, {
			"unreported between two that tell", via(ids(2900, 1000), collector("edge", 3000, 0, 0, 0, 3000), silent),
			"expected=2900 delivered=2900 duplicated=0 unaccounted=0", "hop-silent spans=100", 0, false,
			"app > edge: 3000 = 3000 whole; edge > collector > sink: 3000 = 2900 between 100 unsure",
		}, {
			"traces that are kept are whole", byTrace(shaped(map[int]int64{3: 100}), 0, 100, 3000, 2700, 0, 0, 300),
			"expected=3000 sampled-on-way=2700 delivered=300 duplicated=0 unaccounted=0", "by-count", 0, false,
			"app > tail: 3000 = 3000 whole; tail > sink: 3000 -2700 sampled = 300 traces 100 partial 0 whole",
		}, {
			"traces thrown away undecided", byTrace(shaped(map[int]int64{3: 100}), 400, 100, 3000, 1500, 0, 0, 300),
			"expected=3000 sampled-on-way=1500 dropped-early=1200 delivered=300 duplicated=0 unaccounted=0", "spans-lost share=0.8 dropped-early=1200", .8, false,
			"app > tail: 3000 = 3000 whole; tail > sink: 3000 -1500 sampled = 300 early 1200 traces 100 partial 0 lost",
		}, {
			"undecided, and some besides", byTrace(shaped(map[int]int64{3: 100}), 400, 100, 3000, 1490, 0, 0, 300),
			"expected=3000 sampled-on-way=1490 dropped-early=1200 delivered=300 duplicated=0 unaccounted=10", "spans-lost share=0.8013 dropped-early=1200 unaccounted=10", 1210. / 1510, false,
			"app > tail: 3000 = 3000 whole; tail > sink: 3000 -1490 sampled = 300 early 1200 inside 10 traces 100 partial 0 lost",
		}, {
			"a kept trace that was decided on in parts lacks spans", byTrace(shaped(map[int]int64{3: 90, 1: 10}), 0, 100, 3000, 2720, 0, 0, 280),
			"expected=3000 sampled-on-way=2700 torn=20 delivered=280 duplicated=0 unaccounted=0", "spans-lost share=0.06667 torn=20", 20. / 300, false,
			"app > tail: 3000 = 3000 whole; tail > sink: 3000 -2700 sampled = 280 torn 20 traces 100 partial 10 lost",
		}, {
			"a kept trace that lacks spans which were lost behind it", byTrace(shaped(map[int]int64{3: 90, 2: 10}), 0, 100, 3000, 2700, 0, 0, 300),
			"expected=3000 sampled-on-way=2700 delivered=290 duplicated=0 unaccounted=10", "spans-lost share=0.03333 unaccounted=10", 10. / 300, false,
			"app > tail: 3000 = 3000 whole; tail > sink: 3000 -2700 sampled = 290 between 10 traces 100 partial 10 lost",
		}, {
			"a hop that says it in its log, at the end", inLog,
			"expected=3000 dropped-on-way=100 delivered=2900 duplicated=0 unaccounted=0", "spans-lost share=0.03333 dropped-on-way=100", 100. / 3000, true,
			"",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l finding.Ledger
			for _, one := range Account("otel", AppToSink, []string{"json"}, withParents, []Run{c.run}) {
				if one.Operation == "json" {
					l = one
				}
			}
			if got := entries(l); got != c.entries {
				t.Errorf("entries %s, want %s", got, c.entries)
			}
			if outcomes(l) != c.outcome || l.Exact != c.exact || math.Abs(l.LostShare-c.share) > 1e-9 {
				t.Errorf("outcome %q, exact %t, share %v; want %q, %t, %v", outcomes(l), l.Exact, l.LostShare, c.outcome, c.exact, c.share)
			}
			if got := pagesText(l.Pages); got != c.pages {
				t.Errorf("pages\n%s, want\n%s", got, c.pages)
			}
		})
	}
}

// Of an operation with several traces it is known how many spans each has where none has more than their mean.
func TestSpansOfEachTrace(t *testing.T) {
	for name, c := range map[string]struct {
		per  PerOperation
		want float64
	}{
		"one trace":              {PerOperation{Low: 3, High: 3, How: Declared}, 3},
		"two alike":              {PerOperation{Low: 8, High: 8, How: Inferred, Traces: 2, Roots: map[string]int{"GET /": 4, "job": 4}}, 4},
		"two alike, of one name": {PerOperation{Low: 8, High: 8, How: Inferred, Traces: 2, Roots: map[string]int{"GET /": 4}}, 4},
		"two that differ":        {PerOperation{Low: 8, High: 8, How: Inferred, Traces: 2, Roots: map[string]int{"GET /": 5, "job": 3}}, 0},
		"differ, of one name":    {PerOperation{Low: 8, High: 8, How: Inferred, Traces: 2, Roots: map[string]int{"GET /": 5}}, 0},
		"two, of unknown sizes":  {PerOperation{Low: 8, High: 8, How: Inferred, Traces: 2}, 0},
	} {
		if got := c.per.perTrace(); got != c.want {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
}

// A stretch of which a hop kept no trace is known as well as the others are.
func TestStretchOfWhichNoTraceIsKept(t *testing.T) {
	run := Run{Hops: []record.Hop{collector("tail", 6000, 5700, 0, 0, 300)}}
	run.Hops[0].Kept = number(100)
	for _, kept := range []uint64{100, 0} {
		h := collector("tail", 3000, 3000-3*kept, 0, 0, 3*kept)
		h.Kept = number(kept)
		sink := record.Counts{Checking: true}
		if kept > 0 {
			sink = traced(record.Shapes{"json": {3: int64(kept)}})
		}
		p := phase("json", 1000, sink)
		p.Hops = []record.Hop{h}
		run.Phases = append(run.Phases, p)
	}
	l := Account("otel", AppToSink, []string{"json"}, three(1), []Run{run})[0]
	if got, want := pagesText(l.Pages), "app > tail: 6000 = 6000 whole; tail > sink: 6000 -5700 sampled = 300 traces 100 partial 0 whole"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// stored are runs whose spans went to a backend by way of a hop: so many of 300 came.
func stored(came uint64) []Run {
	n := uint64(300)
	hops := []record.Hop{{Name: "collector", Received: &n, Sent: &n, Sampled: new(uint64), Dropped: new(uint64), Failed: new(uint64)}}
	return []Run{{
		Backend: "zipkin", Hops: hops,
		Phases: []Stretch{{Operation: "json", Started: 100, Completed: 100, Sink: record.Counts{Spans: came}, Hops: hops}},
	}}
}

// TestBackend: the way ends at the backend, and what does not come there was lost on the way to it.
func TestBackend(t *testing.T) {
	for _, came := range []uint64{300, 290} {
		runs := stored(came)
		if got := HopOf(runs); got != "app → zipkin" {
			t.Errorf("the hop is called %s", got)
		}
		l, _ := find(Account("otel", HopOf(runs), []string{"json"}, Confirm(three(1), runs), runs), "json")
		last := l.Pages[len(l.Pages)-1]
		if last.To != "zipkin" || last.From != "collector" || last.Received != int64(came) || last.Between != int64(300-came) || l.Exact || (l.LostShare > 0) != (came < 300) {
			t.Errorf("%d came: %+v", came, l)
		}
	}
	if got := HopOf([]Run{{}}); got != AppToSink {
		t.Errorf("without a backend the hop is called %s", got)
	}
}

// TestBackendAndChance: a backend knows no traces, so nobody knows which of those that are missing were not sampled.
func TestBackendAndChance(t *testing.T) {
	runs := stored(30)
	l, _ := find(Account("otel", HopOf(runs), []string{"json"}, Confirm(three(0.1), runs), runs), "json")
	if l.LostShare != 0 || l.ByChance || l.Exact || !slices.ContainsFunc(l.Outcome, func(r finding.Reason) bool { return r.Code == finding.PageUnknown }) {
		t.Errorf("%+v", l)
	}
}

// TestBackendAndChosen: where the load generator chooses the traces that are sampled, it is known what is missing at a backend, too.
func TestBackendAndChosen(t *testing.T) {
	for came, lost := range map[uint64]float64{30: 0, 27: 0.1} {
		flagged := uint64(10)
		runs := stored(came)
		runs[0].Phases[0].Chosen, runs[0].Phases[0].Flagged = true, &flagged
		tracing := three(0.1)
		tracing.Follows = true
		per := tracing.Spans["json"]
		per.ByID = true
		tracing.Spans["json"] = per
		l, _ := find(Account("otel", HopOf(runs), []string{"json"}, Confirm(tracing, runs), runs), "json")
		if Spans(l, Expected) != 300 || Spans(l, SampledOut) != 270 || math.Abs(l.LostShare-lost) > 1e-9 {
			t.Errorf("%d of 30 came: %d expected, %d left out, %g lost: %s", came, Spans(l, Expected), Spans(l, SampledOut), l.LostShare, outcomes(l))
		}
	}
}

// of is a count with the spans of two services.
func of(app, backend uint64) record.Counts {
	c := ids(app+backend, 10)
	c.Services = map[string]uint64{"app": app, "backend": backend}
	return c
}

func calibrationOf(c record.Counts, operations uint64) record.Record {
	return record.Record{Kind: record.Calibration, Phases: []record.Phase{{
		Operation: "json", Quiet: true, Load: record.Load{Started: operations, Completed: operations}, Sink: c,
	}}}
}

// How many spans of each service an operation makes is learnt where all operations made as many.
func TestLearnByService(t *testing.T) {
	twice := of(20, 10)
	twice.Duplicate = 1
	for name, c := range map[string]struct {
		runs []record.Record
		want map[string]uint64
	}{
		"the same each time":     {[]record.Record{calibrationOf(of(20, 10), 10), calibrationOf(of(40, 20), 20)}, map[string]uint64{"app": 2, "backend": 1}},
		"not of every operation": {[]record.Record{calibrationOf(of(20, 9), 10)}, nil},
		"another time others":    {[]record.Record{calibrationOf(of(20, 10), 10), calibrationOf(of(10, 20), 10)}, nil},
		"some came twice":        {[]record.Record{calibrationOf(twice, 10)}, nil},
		"not said":               {[]record.Record{calibrationOf(ids(30, 10), 10)}, nil},
	} {
		if got := Learn(c.runs, 1, false)["json"].Services; !cmp.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Whose spans did not come is told where it is known how many each service makes.
func TestMissingByService(t *testing.T) {
	tracing := Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 3, High: 3, How: Declared, Services: map[string]uint64{"app": 2, "backend": 1}}}}
	whole, less := phase("json", 10, of(20, 10)), phase("json", 10, of(20, 7))
	failing := phase("json", 10, of(20, 7))
	failing.Completed = 9
	stranger := phase("json", 10, of(20, 7))
	stranger.Sink.Services = map[string]uint64{"app": 20, "other": 7}
	for name, c := range map[string]struct {
		runs []Run
		want []finding.ServiceSpans
	}{
		"all came":                {[]Run{{Phases: []Stretch{whole}}}, nil},
		"of one, in one run":      {[]Run{{Phases: []Stretch{whole}}, {Phases: []Stretch{less}}}, []finding.ServiceSpans{{Service: "app", Expected: 40, Delivered: 40}, {Service: "backend", Expected: 20, Delivered: 17}}},
		"not sure of another run": {[]Run{{Phases: []Stretch{less}}, {Phases: []Stretch{failing}}}, nil},
		"a service that is new":   {[]Run{{Phases: []Stretch{stranger}}}, nil},
		"they came at the stop":   {[]Run{{Phases: []Stretch{less}, Stop: Stretch{Sink: of(0, 3)}}}, nil},
	} {
		for _, l := range Account("otel", AppToSink, []string{"json"}, tracing, c.runs) {
			if l.Operation == "json" && !cmp.Equal(l.Services, c.want) {
				t.Errorf("%s: %+v, want %+v", name, l.Services, c.want)
			}
		}
	}
}

// A calibration that lost spans says nothing of the traces that an operation makes: those that come later would be taken
// for other work.
func TestDeclareAfterALossyCalibration(t *testing.T) {
	learnt := PerOperation{Low: 1, High: 1, Traces: 1, How: Inferred, Roots: map[string]int{"GET /": 1}, Services: map[string]uint64{"app": 1}, Parents: true}
	if p := Declare(3, 3, learnt); p.Roots != nil || p.Services != nil || p.Parents || p.How != Declared || p.Low != 3 {
		t.Errorf("declared 3, made 1: %+v", p)
	}
	if p := Declare(0, 3, learnt); p.Roots == nil || p.Services == nil || !p.Parents || p.High != 3 {
		t.Errorf("declared up to 3, made 1: %+v", p)
	}
	if p := Declare(3, 3, PerOperation{}); p.Roots != nil || p.Low != 3 {
		t.Errorf("declared, and nothing learnt: %+v", p)
	}
}
