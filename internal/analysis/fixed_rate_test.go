// Calls at a rate, and what their windows lost.

package analysis_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// fixedRateCalls is otel's calls at a rate.
func fixedRateCalls() scene {
	s := calls(map[string]call{"otel": {perCall: 900e-9, perSpan: 315e-9}}, 10)
	s.design = func(e *config.Experiment) {
		e.Workload.Driver = config.SelfDriving
		e.Load = config.Load{Rate: 50000, Duration: window * time.Second, Depth: 10}
	}
	s.also(func(r *record.Record) {
		p := &r.Phases[0]
		p.OfferedRate, p.Load.Intended, p.Load.WallSeconds = 50000, 1000000, window
	})
	return s
}

func TestFixedRateCalls(t *testing.T) {
	doc := analyse(t, fixedRateCalls().input())
	if f := get(t, doc, "json", "otel", "cpu_per_operation"); !f.Headline {
		t.Error("no headline")
	}
	if f := get(t, doc, "json", "otel", "time_per_call"); f.Headline || f.Note != "" {
		t.Errorf("%+v", f)
	}
	for _, name := range []string{"blocked_time", "latency_p50", "time_per_call_p50"} {
		if _, has := look(doc, "json", "otel", "none", name, ""); has {
			t.Errorf("%s of calls that wait for their tick", name)
		}
	}
	if doc.Experiment.Load != "operations for 20s at depth 10, at a fixed rate of 50000 operations/s" {
		t.Error(doc.Experiment.Load)
	}
}

// What was not held, or sent nothing, is not told of as if it were.
func TestFixedRateCallsThatAreNotWhatTheySeem(t *testing.T) {
	s := fixedRateCalls()
	s.also(onlyRuns("otel", func(r *record.Record) { r.Phases[0].Load.WallSeconds = 2 * window }))
	doc := analyse(t, s.input())
	if !slices.ContainsFunc(doc.Warnings, func(w finding.Warning) bool {
		return w.Code == "overloaded" && strings.HasSuffix(w.Text, ": its figures are of the rate reached")
	}) {
		t.Errorf("%+v", doc.Warnings)
	}
	// Of a quarter a calibration of 20 operations would not tell that it was made.
	for name, lost := range map[string]uint64{"some": 2, "all": 1} {
		s = fixedRateCalls()
		s.also(onlyRuns("otel", func(r *record.Record) { r.Phases[0].Sink.Spans -= r.Phases[0].Sink.Spans / lost }))
		doc = analyse(t, s.input())
		if len(doc.Lossy) != 1 || doc.Lossy[0].Part != "in the window" || (doc.Lossy[0].Cost == nil && doc.Lossy[0].Added == nil) != (lost == 1) {
			t.Errorf("%s of the spans lost: %+v", name, doc.Lossy)
		}
	}
}

// At a rate a variant is excluded from the ranking for what its window lost, not its warm-up, and has no
// cost per span then; unthrottled for either. What it suppresses by a limit of its own excludes
// it from the ranking unthrottled alone: at a rate it is told beside.
func TestWhatIsLostInWarmUpOfCalls(t *testing.T) {
	const spans = 10000000 // of a window
	unthrottled := func() scene { return calls(map[string]call{"otel": {perCall: 900e-9, perSpan: 315e-9}}, 10) }
	for name, test := range map[string]struct {
		scene                func() scene
		warmup, window, held uint64 // spans that are lost, or suppressed
		apart, suppressed    float64
	}{
		"fixed rate, lost in warm-up":    {fixedRateCalls, spans / 10, 0, 0, 0, 0},
		"fixed rate, lost in the window": {fixedRateCalls, 0, spans / 10, 0, 0.1, 0},
		"fixed rate, suppressed":         {fixedRateCalls, 0, 0, spans / 10, 0, 0.05},
		"unthrottled, lost in warm-up":   {unthrottled, spans / 10, 0, 0, 0.05, 0},
		"unthrottled, lost in window":    {unthrottled, 0, spans / 10, 0, 0.05, 0},
		"unthrottled, suppressed":        {unthrottled, 0, 0, spans / 10, 0.05, 0},
	} {
		s := test.scene()
		s.also(onlyRuns("otel", func(r *record.Record) {
			p := &r.Phases[0]
			p.Warmup.Started, p.Warmup.Completed, p.WarmupSink = spans/10, spans/10, p.Sink
			p.WarmupSink.Spans -= test.warmup
			p.Sink.Spans, p.Sink.Suppressed = p.Sink.Spans-test.window-test.held, test.held
			all := test.warmup + test.window
			r.Tracer.Dropped = &all
		}))
		doc := analyse(t, s.input())
		apart, suppressed := doc.LostShare("json", nil, "otel"), 0.0
		if len(doc.Suppressed) == 1 {
			suppressed = doc.Suppressed[0].Share
		}
		if math.Abs(apart-test.apart) > 1e-9 || math.Abs(suppressed-test.suppressed) > 1e-9 {
			t.Errorf("%s: %g lost and %g suppressed, want %g and %g", name, apart, suppressed, test.apart, test.suppressed)
		}
		if _, has := look(doc, "json", "otel", "none", "cpu_per_span", ""); has == (test.apart > 0) && test.held == 0 {
			t.Errorf("%s: a cost per span: %v", name, has)
		}
	}
}

// Calls that are counted are due for as long as the rate takes for them, however long the window may last.
func TestOverloadOfCountedCalls(t *testing.T) {
	for _, calls := range []uint64{0, 1_000_000} {
		for factor, want := range map[float64]bool{1: false, 2: true} {
			s := fixedRateCalls()
			before := s.design
			s.design = func(e *config.Experiment) {
				before(e)
				if e.Load.Calls = calls; calls > 0 {
					e.Load.Duration = config.DefaultLongest
				}
			}
			s.also(onlyRuns("otel", func(r *record.Record) { r.Phases[0].Load.WallSeconds = factor * window }))
			if doc := analyse(t, s.input()); warned(doc, "overloaded") != want {
				t.Errorf("%d calls that took %g times as long as they should: overloaded %t, want %t", calls, factor, !want, want)
			}
		}
	}
}
