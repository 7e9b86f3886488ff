package analysis_test

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// probed is a scene of searches in three variants whose probes make 1,000 operations each, of
// 3 spans; what otel's probes count at the sink is told by their place: the last is the one
// that the rate rests on. What comes late comes after them, in the same phase.
func probed(otel [3]record.Counts, late uint64) scene {
	s := capacities(map[string]float64{"none": 2450, "otel": 1520, "elastic": 1400})
	s.variants = append(s.variants, actor{name: "elastic", tracer: "elastic-go", spans: 3})
	s.also(func(r *record.Record) {
		p := &r.Phases[0]
		p.Load = record.Load{WallSeconds: window, Intended: 3000, Started: 3000, Completed: 3000}
		p.Sink = record.Counts{Checking: true}
		for i := range p.Capacity.Probes {
			probe := &p.Capacity.Probes[i]
			probe.Load = record.Load{Started: 1000, Completed: 1000}
			switch r.Variant {
			case "otel":
				probe.Sink = otel[i]
			case "elastic":
				probe.Sink = ofSpans(3000)
			}
			p.Sink = p.Sink.Plus(probe.Sink)
		}
		if r.Variant == "otel" {
			p.Sink.Spans += late
		}
	})
	return s
}

func ofSpans(n uint64) record.Counts { return record.Counts{Spans: n, Checking: true} }

// What was lost at the rate found is told, and lists a variant apart with what it costs at
// least; what was lost beyond it does not.
func TestLossAtTheRateFound(t *testing.T) {
	all := ofSpans(3000)
	for name, c := range map[string]struct {
		sink  [3]record.Counts
		late  uint64
		share float64
	}{
		"at the rate found":     {[3]record.Counts{all, all, ofSpans(2100)}, 0, 0.3},
		"partly late":           {[3]record.Counts{all, all, ofSpans(1200)}, 900, 0.3},
		"late":                  {[3]record.Counts{all, all, ofSpans(2100)}, 900, 0},
		"beyond":                {[3]record.Counts{ofSpans(2100), all, all}, 0, 0},
		"merged into others":    {[3]record.Counts{all, all, {Spans: 1000, Merged: 2000, Checking: true}}, 0, 0},
		"one merged, many lost": {[3]record.Counts{all, all, {Spans: 1099, Merged: 1001, Checking: true}}, 0, 0.3},
	} {
		doc := analyse(t, probed(c.sink, c.late).input())
		if got := searchOf(t, doc, "otel").LostShare; got == nil || *got != c.share {
			t.Errorf("%s: %v lost, want %g", name, got, c.share)
		}
		if c.share > 0 {
			if len(doc.Lossy) != 1 || doc.Lossy[0].Variant != "otel" || doc.Lossy[0].LostShare != c.share {
				t.Fatalf("%s: excluded from the ranking: %+v", name, doc.Lossy)
			}
			f := get(t, doc, "json", "otel", "capacity")
			if l := doc.Lossy[0]; l.Metric != "capacity" || l.Cost == nil || *l.Cost != *f.Relative {
				t.Errorf("%s: costs %+v of %s, want %+v", name, l.Cost, l.Metric, f.Relative)
			}
		} else if len(doc.Lossy) > 0 {
			t.Errorf("%s: excluded from the ranking: %+v", name, doc.Lossy)
		}
	}
}

// Where it is not known how many spans were to come, it is not said that none was lost.
func TestLossAtTheRateIsNotKnown(t *testing.T) {
	forget := func(p *config.Plan) {
		if p.Variant == "otel" {
			p.Spans = map[string]program.Number{}
		}
	}
	s := probed([3]record.Counts{ofSpans(3000), ofSpans(3000), ofSpans(3000)}, 0)
	s.plan = forget
	doc := analyse(t, s.input())
	if got := searchOf(t, doc, "otel").LostShare; got != nil {
		t.Errorf("%g lost, of it is not known how many", *got)
	}
	if u := doc.UnknownLoss("json", nil, "otel"); u == nil || u.LostMost != 1 || u.Why != finding.LossNumber {
		t.Errorf("%+v", doc.LossUnknown)
	}
	fixed := twoVariants()
	fixed.variants = append(fixed.variants, actor{name: "elastic", tracer: "elastic-go", spans: 3})
	fixed.plan = forget
	if doc := analyse(t, fixed.input()); doc.UnknownLoss("json", nil, "otel") == nil || doc.UnknownLoss("json", nil, "elastic") != nil {
		t.Errorf("at a fixed rate: %+v", doc.LossUnknown)
	}
}

// At a limit there is no rate to lose spans at, and a search for the lossless rate loses
// them on purpose.
func TestNoLossAtARate(t *testing.T) {
	for name, change := range map[string]func(*record.Search){
		"a limit":  func(c *record.Search) { c.Outcome, c.Rate = record.AboveMax, 0 },
		"lossless": func(c *record.Search) { c.Goal = string(config.GoalLossless) },
	} {
		s := probed([3]record.Counts{ofSpans(1), ofSpans(1), ofSpans(1)}, 0)
		s.also(func(r *record.Record) { change(r.Phases[0].Capacity) })
		doc := analyse(t, s.input())
		if got := searchOf(t, doc, "otel").LostShare; got != nil || len(doc.Lossy) > 0 {
			t.Errorf("%s: %v lost, excluded %+v", name, got, doc.Lossy)
		}
	}
}

// A tracer that keeps spans until a buffer is full has not lost those that it may still have.
func TestHeldAtTheRateFound(t *testing.T) {
	s := probed([3]record.Counts{ofSpans(3000), ofSpans(3000), ofSpans(2900)}, 0)
	s.plan = func(p *config.Plan) { p.Buffers = 100 }
	if got := searchOf(t, analyse(t, s.input()), "otel").LostShare; got == nil || *got != 0 {
		t.Errorf("%v lost", got)
	}
}

// A variant that lost spans on one operation is ranked on the others.
func TestApartOnOneOperation(t *testing.T) {
	s := probed([3]record.Counts{ofSpans(3000), ofSpans(3000), ofSpans(2000)}, 0)
	s.order, s.operations["work"] = append(s.order, "work"), 400e-6
	doc := analyse(t, s.input())
	if len(doc.Lossy) != 1 || doc.Lossy[0].Variant != "otel" || doc.Lossy[0].Operation != "json" {
		t.Errorf("excluded: %+v", doc.Lossy)
	}
	if f := get(t, doc, "work", "otel", "capacity"); !f.Headline || f.Verdict.Kind != finding.Costs {
		t.Errorf("on the other operation: %+v", f.Verdict)
	}
}

// At a fixed rate too a variant that throws spans away is not ranked with the others; what
// the tracer suppresses by a limit of its own is no loss there, and what was lost in the
// warm-up is none of what was measured.
func TestApartAtAFixedRate(t *testing.T) {
	s := twoVariants()
	s.variants = append(s.variants, actor{name: "elastic", tracer: "elastic-go", adds: 50e-6, spans: 3})
	s.also(onlyRuns("otel", func(r *record.Record) {
		p := &r.Phases[0]
		p.Sink.Spans -= 1500 // of 30,000
	}))
	s.also(onlyRuns("elastic", func(r *record.Record) {
		p := &r.Phases[0]
		p.Sink.Spans, p.Sink.Suppressed = p.Sink.Spans-10000, 10000
		p.Warmup.Started, p.Warmup.Completed, p.WarmupSink = 1000, 1000, ofSpans(1000)
	}))
	doc := analyse(t, s.input())
	if len(doc.Lossy) != 1 || doc.Lossy[0].Variant != "otel" || doc.Lossy[0].LostShare != 0.05 || doc.Lossy[0].Metric != "cpu_per_operation" || doc.Lossy[0].Cost == nil {
		t.Errorf("%+v", doc.Lossy)
	}
	if len(doc.Suppressed) != 1 || doc.Suppressed[0].Variant != "elastic" || math.Abs(doc.Suppressed[0].Share-0.303) > 1e-3 {
		t.Errorf("%+v", doc.Suppressed)
	}
}

// Where chance decides what is sampled, what one block may have lost unseen is seen in all of
// them together.
func TestLossByChance(t *testing.T) {
	s := twoVariants()
	s.plan = func(p *config.Plan) { p.Sampling = 0.01 }
	s.also(onlyRuns("otel", func(r *record.Record) { // of some 100 traces a block
		r.Phases[0].Sink = record.Counts{Spans: 3 * 70, Roots: 70, Traces: 70, Checking: true}
	}))
	doc := analyse(t, s.input())
	if len(doc.Lossy) != 1 || doc.Lossy[0].LostShare < 0.15 || doc.Lossy[0].LostShare > 0.3 {
		t.Errorf("%+v", doc.Lossy)
	}
}

// Where the number of spans varies, what may be missing unseen is not called none.
func TestLossOfANumberThatVaries(t *testing.T) {
	varies := func(p *config.Plan) {
		for name, n := range p.Spans {
			if n.High > 0 {
				p.Spans[name] = program.Number{Low: 0, High: 3}
			}
		}
	}
	s := probed([3]record.Counts{ofSpans(3000), ofSpans(3000), ofSpans(1000)}, 0)
	s.plan = varies
	doc := analyse(t, s.input())
	if got := searchOf(t, doc, "otel").LostShare; got != nil {
		t.Errorf("%v lost", *got)
	}
	fixed := twoVariants()
	fixed.plan = varies
	fixed.also(onlyRuns("otel", func(r *record.Record) { r.Phases[0].Sink.Spans -= 10000 }))
	if u := analyse(t, fixed.input()).UnknownLoss("json", nil, "otel"); u == nil || u.LostShare != 0 || u.Why != finding.LossVaries {
		t.Errorf("at a fixed rate: %+v", u)
	}
}

// Against a baseline that lost spans nothing is the least that anything costs.
func TestBaselineThatLostSpans(t *testing.T) {
	s := twoVariants()
	s.variants = []actor{{name: "old", tracer: "otel-go", spans: 3}, {name: "new", tracer: "otel-go", adds: 30e-6, spans: 3}}
	s.also(func(r *record.Record) {
		r.Phases[0].Sink.Spans -= map[string]uint64{"old": 9000, "new": 600}[r.Variant] // of 30,000
	})
	doc := analyse(t, s.input())
	if len(doc.Lossy) != 2 || doc.Lossy[0].Variant != "old" || doc.Lossy[1].Cost != nil {
		t.Errorf("%+v", doc.Lossy)
	}
}

// What a tracer may hold back is forgiven in a probe, behind which more comes, but not in a
// window, behind which everything came that was to come.
func TestHeldInAWindow(t *testing.T) {
	s := twoVariants()
	s.plan = func(p *config.Plan) { p.Buffers = 200 }
	s.also(onlyRuns("otel", func(r *record.Record) { r.Phases[0].Sink.Spans -= 400 })) // of 30,000
	doc := analyse(t, s.input())
	if len(doc.Lossy) != 1 || doc.Lossy[0].Spans != 4000 {
		t.Errorf("%+v", doc.Lossy)
	}
}
