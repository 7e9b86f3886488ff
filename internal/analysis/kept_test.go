package analysis_test

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

// 30 µs are added by each operation, and one trace in ten is kept: 300 µs for one that is kept.
func TestPerKeptTrace(t *testing.T) {
	s := twoVariants()
	s.change = onlyRuns("otel", func(r *record.Record) {
		p := &r.Phases[0]
		all := p.Sink.Spans
		kept := p.Load.Started / 10
		p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = 3*kept, kept, kept
		warm, none := r.Phases[0].WarmupSink.Spans, uint64(0)
		hop := record.Hop{Name: "tail", Received: new(uint64), Sampled: new(uint64), Dropped: &none, Failed: &none, Sent: new(uint64), Kept: &kept}
		*hop.Received, *hop.Sampled, *hop.Sent = all+warm, all-3*kept, 3*kept+warm
		p.Hops, r.Hops = []record.Hop{hop}, []record.Hop{hop}
	})
	doc := analyse(t, s.input())
	if f := get(t, doc, "json", "otel", metric.KeptShare); math.Abs(f.Value-.1) > 1e-3 || f.Baseline != 0 {
		t.Errorf("a tenth is kept: %+v", f)
	}
	if f := get(t, doc, "json", "otel", metric.CPUPerKeptTrace); *f.Absolute.Low > 300e-6 || *f.Absolute.High < 300e-6 || f.Relative != nil {
		t.Errorf("30 µs over a tenth: %+v", f.Absolute)
	} else if f.Note != "added CPU over the traces that came, of those made" || !tells(f.Notes, finding.NotePerTrace) {
		t.Errorf("what it is over: %q, %+v", f.Note, f.Notes)
	}
	doc = analyse(t, twoVariants().input())
	for _, name := range []string{metric.KeptShare, metric.CPUPerKeptTrace} {
		if f, has := look(doc, "json", "otel", "none", name, ""); has {
			t.Errorf("%s though all are kept: %+v", name, f)
		}
	}
	s.change = onlyRuns("otel", func(r *record.Record) {
		p := &r.Phases[0]
		p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = p.Sink.Spans/10, p.Sink.Roots/10, p.Sink.Traces/10
	})
	doc = analyse(t, s.input())
	for _, name := range []string{metric.KeptShare, metric.CPUPerKeptTrace} {
		if f, has := look(doc, "json", "otel", "none", name, ""); has {
			t.Errorf("%s of a tracer that throws traces away: %+v", name, f)
		}
	}
}

// A tenth of the traces is kept behind a hop, and of what it passes on a tenth is lost: that is the window's loss too, and
// what was left out on purpose was not to come. Of what the phase lost the warm-up has its part.
func TestLossBehindATailSampler(t *testing.T) {
	for name, warm := range map[string]uint64{"no warm-up": 0, "as many in the warm-up": 1} {
		s := twoVariants()
		s.change = onlyRuns("otel", func(r *record.Record) {
			p, none := &r.Phases[0], uint64(0)
			made, kept := p.Sink.Spans, p.Sink.Spans/10
			p.Sink.Spans = kept - kept/10
			if warm > 0 {
				p.Warmup, p.WarmupSink = p.Load, p.Sink
			}
			times := 1 + warm
			hop := record.Hop{Name: "tail", Received: new(uint64), Sampled: new(uint64), Dropped: &none, Failed: &none, Sent: new(uint64)}
			*hop.Received, *hop.Sampled, *hop.Sent = times*made, times*(made-kept), times*kept
			p.Hops, r.Hops = []record.Hop{hop}, []record.Hop{hop}
		})
		doc := analyse(t, s.input())
		if len(doc.Lossy) != 1 || math.Abs(doc.Lossy[0].LostShare-.1) > 1e-9 || doc.Lossy[0].Part != "in the window" || doc.Lossy[0].Spans != 3000 {
			t.Errorf("%s: a tenth of what was kept is lost, and excluded from the ranking is %+v", name, doc.Lossy)
		}
	}
}

// No share is kept where nothing decides on traces, or an operation begins several: that some have none may have another cause.
func TestNoShareIsKept(t *testing.T) {
	keeps := func(s scene) bool {
		_, has := look(analyse(t, s.input()), "json", "otel", "none", metric.KeptShare, "")
		return has
	}
	few := func(per uint64) func(*record.Record) { // two in five are kept
		return onlyRuns("otel", func(r *record.Record) {
			p := &r.Phases[0]
			traces := p.Load.Started * 2 / 5 * per
			p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = 3*traces/per, traces, traces
		})
	}
	s := twoVariants()
	s.change = onlyRuns("otel", func(r *record.Record) {
		p := &r.Phases[0]
		p.Sink.Spans, p.Sink.Roots, p.Sink.Traces = p.Sink.Spans-3, p.Sink.Roots-1, p.Sink.Traces-1
	})
	if keeps(s) {
		t.Error("though one request has failed, and nothing decides")
	}
	s = twoVariants()
	s.change, s.plan = few(1), func(p *config.Plan) { p.Sampling = 0.4 }
	if !keeps(s) {
		t.Error("two in five are sampled, and nothing is told")
	}
	s.change = few(2)
	counts := record.Counts{Spans: 60, Roots: 40, Traces: 40, Checking: true}
	s.extra = []record.Record{{Schema: record.Schema, Kind: record.Calibration, Variant: "otel", Life: counts, Phases: []record.Phase{{
		Operation: "json", Quiet: true, Load: record.Load{Intended: 20, Started: 20, Completed: 20}, Sink: counts,
	}}}}
	if keeps(s) {
		t.Error("of operations that begin two traces each")
	}
}
