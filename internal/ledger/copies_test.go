// Spans that come twice beside others that are lost, on ways through hops: a hop counts, and the sink looks at ids.

package ledger

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

// sent is a span on its way.
type sent struct{ trace, span uint64 }

// link loses and copies spans, exactly so many, by chance which.
func link(r *rand.Rand, spans []sent, lost, copied int) []sent {
	spans = append([]sent(nil), spans...)
	r.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
	spans = spans[min(lost, len(spans)):]
	return append(spans, spans[:min(copied, len(spans))]...)
}

// counting is a hop that samples by trace, and drops spans; it counts and looks at no ids.
func counting(r *rand.Rand, name string, spans []sent, share float64, dropped int, tells bool) ([]sent, record.Hop) {
	var came, sampled, lost, passed uint64
	var out []sent
	for _, s := range spans {
		came++
		if float64(s.trace*0x9e3779b97f4a7c15>>11)/(1<<53) >= share {
			sampled++
			continue
		}
		out = append(out, s)
	}
	kept := link(r, out, dropped, 0)
	lost, passed = uint64(len(out)-len(kept)), uint64(len(kept))
	h := collector(name, came, sampled, lost, 0, passed)
	if !tells {
		h.Sent = nil
	}
	return kept, h
}

// received is what a real tally makes of them.
func received(spans []sent) record.Counts {
	total := tally.New(tally.Config{Checking: true, MaxSpans: 1 << 20})
	b := total.Batch()
	for _, s := range spans {
		var trace [16]byte
		var id, parent [8]byte
		binary.BigEndian.PutUint64(trace[8:], s.trace)
		binary.BigEndian.PutUint64(id[:], s.span)
		if s.span > 1 {
			parent[7] = 1
		}
		b.Span(&tally.Span{Trace: trace[:], ID: id[:], Parent: parent[:], Name: []byte("json"), Kind: tally.Server})
	}
	total.Merge(b, "otlp-grpc", 1)
	return total.Counts()
}

// made are the spans of operations that make three each.
func made(operations int) []sent {
	var out []sent
	for i := range operations {
		for span := range 3 {
			out = append(out, sent{uint64(i + 1), uint64(span + 1)})
		}
	}
	return out
}

// A loss that copies make up for, behind a hop which samples, is not "nothing lost", and none of it is exact.
func TestCopiesHideNoLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 4))
	out, h := counting(r, "collector", link(r, made(2267), 641, 799), .1, 0, true)
	p := phase("json", 2267, received(out))
	p.Hops = []record.Hop{h}
	l := Account("otel", AppToSink, []string{"json"}, three(1), []Run{{Phases: []Stretch{p}, Hops: p.Hops}})[0]
	if l.Exact || outcomes(l) == "nothing-lost" {
		t.Errorf("641 lost and 799 sent twice: %s, exact %t", outcomes(l), l.Exact)
	}
	if l.Outcome[0].Code != finding.PageCopies || l.Outcome[0].Figure("spans") < 641 {
		t.Errorf("up to %v may be lost, and 641 were: %s", l.Outcome[0].Figure("spans"), outcomes(l))
	}
	if _, most, _ := LossEnds(l); most < 641./6801*.5 {
		t.Errorf("at most %v of all is lost", most)
	}
	if l.Pages[0].Outcome != finding.HopHidden {
		t.Errorf("the page before the hop: %s", l.Pages[0].Outcome)
	}
}

// What a tracer says that it dropped is not what a hop says that it left out.
func TestDropsBesideCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 5))
	out, h := counting(r, "collector", link(r, made(2000), 600, 800), .1, 0, true)
	p := phase("json", 2000, received(out))
	p.Hops = []record.Hop{h}
	run := Run{Phases: []Stretch{p}, Hops: p.Hops, Reported: record.Reported{Dropped: number(600)}}
	l := Account("otel", AppToSink, []string{"json"}, three(1), []Run{run})[0]
	if Spans(l, Dropped) != 600 || Spans(l, Expected) != 6000 || Spans(l, Unaccounted) != 0 {
		t.Errorf("%s", entries(l))
	}
}

// way is one with known losses and copies.
type way struct {
	seed                                 uint64
	operations                           int
	lost, copied, lostBehind, copyBehind int // before the first hop, and behind the last
	shares                               []float64
	dropped                              int
	tells                                bool
}

// check says what a ledger of a way contradicts: itself, or what happened.
func (w way) check() []string {
	r := rand.New(rand.NewPCG(w.seed, 1))
	spans := link(r, made(w.operations), w.lost, w.copied)
	var hops []record.Hop
	for i, share := range w.shares {
		var h record.Hop
		spans, h = counting(r, fmt.Sprintf("hop%d", i), spans, share, w.dropped, w.tells)
		hops = append(hops, h)
	}
	spans = link(r, spans, w.lostBehind, w.copyBehind)
	p := phase("json", uint64(w.operations), received(spans))
	p.Hops = hops
	run := Run{Phases: []Stretch{p}, Hops: hops}
	var wrong []string
	say := func(is bool, format string, args ...any) {
		if is {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	unique := map[sent]bool{}
	for _, s := range spans {
		unique[s] = true
	}
	all := made(w.operations)
	for _, l := range Account("otel", AppToSink, []string{"json"}, three(1), []Run{run}) {
		if l.Operation != "json" && l.Operation != All {
			continue
		}
		sum := int64(0)
		for i, at := range l.Pages {
			if i > 0 {
				say(*at.Expected != l.Pages[i-1].Received, "page %d expects %d, and %d came to it", i, *at.Expected, l.Pages[i-1].Received)
			}
			out := at.Received - at.More + at.Lost()
			if at.Sampled != nil {
				out += *at.Sampled
			}
			say(*at.Expected != out, "page %d expects %d, and accounts for %d", i, *at.Expected, out)
			sum += at.Lost()
		}
		left := int64(0)
		for _, at := range l.Pages[1:] {
			if at.Sampled != nil {
				left += *at.Sampled - at.Copies
			}
		}
		say(Spans(l, SampledOnWay) > 0 && left != Spans(l, SampledOnWay), "the pages leave %d out, the ledger %d", left, Spans(l, SampledOnWay))
		last := l.Pages[len(l.Pages)-1]
		say(last.Twice != Spans(l, Duplicated) || last.Received != Spans(l, Delivered)+last.Twice, "the last page has %d and %d of them twice, the ledger %s", last.Received, last.Twice, entries(l))
		lost := Reported(l) + max(0, Spans(l, Unaccounted))
		say(sum < lost, "the pages lose %d, the ledger %d", sum, lost)
		say(l.Exact && Spans(l, SampledOnWay) > 0, "exact, by the count of a hop")
		say(l.Exact && lost != int64(len(all)-len(unique)), "exact, with %d lost in place of %d", lost, len(all)-len(unique))
		_, most, _ := LossEnds(l)
		beyond := float64(len(all)-len(unique)) - float64(Spans(l, SampledOnWay)) // as the ledger counts: also of what would have been left out
		say(len(unique) > 300 && Spans(l, Duplicated) > 20 && most < .5*beyond/(beyond+float64(len(unique))), "at most %v is lost, of %v", most, beyond)
	}
	return wrong
}

func TestPagesContradictNothing(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 9))
		w := way{seed: seed, operations: 300 + r.IntN(700), dropped: r.IntN(2) * r.IntN(40), tells: r.IntN(2) == 0}
		for _, n := range []*int{&w.lost, &w.copied, &w.lostBehind, &w.copyBehind} {
			*n = r.IntN(2) * r.IntN(120)
		}
		for range 1 + r.IntN(2) {
			w.shares = append(w.shares, []float64{1, .5, .1}[r.IntN(3)])
		}
		if wrong := w.check(); wrong != nil {
			t.Fatalf("%+v: %v", w, wrong)
		}
	}
}

func FuzzPagesContradictNothing(f *testing.F) {
	f.Add(uint64(1), 600, 60, 60, 0, 0, uint8(1), uint8(2), false)
	f.Add(uint64(2), 600, 0, 0, 50, 50, uint8(0), uint8(0), true)
	f.Add(uint64(3), 600, 40, 0, 0, 40, uint8(1), uint8(0), true)
	f.Fuzz(func(t *testing.T, seed uint64, operations, lost, copied, lostBehind, copyBehind int, first, second uint8, tells bool) {
		all := []float64{1, .5, .1}
		w := way{
			seed: seed, operations: max(1, operations%1000), lost: max(0, lost%1000), copied: max(0, copied%1000),
			lostBehind: max(0, lostBehind%1000), copyBehind: max(0, copyBehind%1000), shares: []float64{all[first%3], all[second%3]}, tells: tells,
		}
		if wrong := w.check(); wrong != nil {
			t.Fatalf("%+v: %v", w, wrong)
		}
	})
}

// Where the sink still received when the run was over, more may have come than it counted:
// nothing of that run is exact, whatever the figures say.
func TestUnquietIsNotExact(t *testing.T) {
	run := Run{Phases: []Stretch{phase("json", 100, ids(300, 100)), phase("db", 100, ids(500, 100))}}
	for _, unquiet := range []bool{false, true} {
		other := run
		other.Unquiet = unquiet
		for _, l := range Account("otel", AppToSink, []string{"db", "json"}, three(1), []Run{run, other}) {
			if l.Exact == unquiet {
				t.Errorf("%s: unquiet is %t, exact is %t", l.Operation, unquiet, l.Exact)
			}
		}
	}
	if !together([]Run{run, {Unquiet: true}}).Unquiet {
		t.Error("together they are said to be quiet")
	}
}

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
