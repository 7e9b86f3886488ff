package analysis_test

import (
	"math"
	"testing"

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
			t.Errorf("%s: a tenth of what was kept is lost, and listed apart is %+v", name, doc.Lossy)
		}
	}
}
