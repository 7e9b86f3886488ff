// Stopping at a precision: how wide intervals are, and what is said of the end.

package analysis_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// The intervals of an experiment that stops at a precision are those of the widened
// confidence, everywhere.
func TestIntervalsAreWidened(t *testing.T) {
	s := twoVariants()
	s.noise, s.blocks = 0.03, 20
	fixed := get(t, analyse(t, s.input()), "json", "otel", "cpu_per_operation")
	s.design = func(e *config.Experiment) { e.Design.Blocks, e.Design.Most, e.Design.Precision = 8, 20, 1e-6 }
	doc := analyse(t, s.input())
	f := get(t, doc, "json", "otel", "cpu_per_operation")
	base, value := estimate.Columns(f.Samples)
	logs, err := stats.LogRatios(base, value)
	if err != nil {
		t.Fatal(err)
	}
	want := stats.Ratio(stats.SignedRank(logs, stats.SequentialConfidence(8, 20, 0.95)))
	if math.Abs(*f.Relative.Low-want.Low) > 1e-12 || math.Abs(*f.Verdict.High-want.High) > 1e-12 {
		t.Errorf("%+v, want %+v", f.Relative, want)
	}
	if *f.Relative.High-*f.Relative.Low <= *fixed.Relative.High-*fixed.Relative.Low {
		t.Error("the interval is as narrow as with a fixed number of blocks")
	}
	if f.Verdict.Confidence != 0.95 {
		t.Errorf("the verdict speaks of %v, want what the interval has: 0.95", f.Verdict.Confidence)
	}
}

func TestWhyItStopped(t *testing.T) {
	for _, c := range []struct {
		name        string
		design      func(*scene)
		blocks      int
		stopped     string
		code        string
		interrupted bool
	}{
		{"fixed", func(*scene) {}, 10, "", "", false},
		{"precise enough", precise(8, 30, 0.05), 10, "stopped after 10 blocks at the precision of ±5.0 %, of CPU per operation", "stopped-early", false},
		{"the most", precise(8, 10, 0.0001), 10, "reached the most, 10 blocks, before the precision of ±0.010 %, of CPU per operation", "precision-not-reached", false},
		{"neither", precise(8, 30, 0.0001), 10, "", "", true},
		{"fewer than the least", precise(8, 30, 0.05), 7, "", "", true},
		{"of a metric that is not measured", func(s *scene) {
			s.design = func(e *config.Experiment) {
				e.Design.Blocks, e.Design.Most, e.Design.Precision, e.Design.Metric = 8, 10, 0.01, "latency_p99"
			}
		}, 10, "reached the most, 10 blocks, before the precision of ±1.0 %, of latency p99", "precision-not-reached", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := twoVariants()
			c.design(&s)
			s.blocks = c.blocks
			if s.design == nil {
				s.design = func(*config.Experiment) {}
			}
			doc := analyse(t, s.input())
			if doc.Runs.Stopped != c.stopped || warned(doc, "interrupted") != c.interrupted {
				t.Errorf("%q, %+v", doc.Runs.Stopped, doc.Warnings)
			}
			for _, code := range []string{"stopped-early", "precision-not-reached"} {
				if warned(doc, code) != (code == c.code) {
					t.Errorf("%s: %+v", code, doc.Warnings)
				}
			}
		})
	}
}

func TestPilot(t *testing.T) {
	s := twoVariants()
	s.design = func(e *config.Experiment) { e.Load.Relative = &config.Relative{Share: 0.5} }
	s.extra = []record.Record{
		pilot("none", record.ByGenerator, 9800), pilot("otel", record.Found, 1000),
		{Schema: record.Schema, Kind: record.Pilot, Variant: "otel", Attempt: 1, Failure: &record.Failure{Stage: "ready", Message: "it died"}},
	}
	doc := analyse(t, s.input())
	const want = "json: 500/s is 50 % of the slowest; a pilot found none at least 9,800/s (bounded by the generator), otel 1,000/s"
	if len(doc.Experiment.Pilot) != 1 || doc.Experiment.Pilot[0] != want {
		t.Errorf("%q", doc.Experiment.Pilot)
	}
	if f := get(t, doc, "json", "otel", "cpu_per_operation"); f.Blocks != 10 {
		t.Errorf("a pilot is a block: %d", f.Blocks)
	}
	if len(doc.Ledgers) == 0 || ledgerOf(t, doc, "json", "otel").Operations != 10*10000 {
		t.Error("a pilot is in the ledger")
	}
	if len(doc.Searches) > 0 || warned(doc, "interrupted") {
		t.Errorf("%+v %+v", doc.Searches, doc.Warnings)
	}
	if text := strings.Join(doc.Runs.Failure, "\n"); !strings.Contains(text, "pilot of otel, attempt 1: ready: it died") {
		t.Error(text)
	}
	if doc.Experiment.Load != "50 % of what the slowest variant can do for 20s, open loop" {
		t.Error(doc.Experiment.Load)
	}
}

func TestOrderIsNamed(t *testing.T) {
	s := twoVariants()
	for _, order := range []config.Order{config.Windows, config.Woven, config.Apart} {
		s.design = func(e *config.Experiment) { e.Design.Order = order }
		if got := analyse(t, s.input()).Experiment.Order; got != string(order) {
			t.Errorf("the order is said to be %q, want %q", got, order)
		}
	}
}

func TestFaultsAreNamed(t *testing.T) {
	s := twoVariants()
	s.design = func(e *config.Experiment) {
		e.Faults = config.Faults{SinkLoses: 0.03, SinkLate: 20e6, GeneratorLate: 1e6}
	}
	s.change = onlyRuns("otel", func(r *record.Record) {
		p := &r.Phases[0]
		p.Sink.Thrown = p.Sink.Spans * 3 / 100
		p.Sink.Spans -= p.Sink.Thrown
	})
	doc := analyse(t, s.input())
	if len(doc.Experiment.Faults) != 3 {
		t.Errorf("%q", doc.Experiment.Faults)
	}
	l := ledgerOf(t, doc, "json", "otel")
	if ledger.Spans(l, ledger.Unaccounted) != 9000 || !l.Exact || l.Outcome[0].Code != finding.PageLost || l.Outcome[0].Figure("unaccounted") != 9000 {
		t.Errorf("what was thrown away by order is found without being told: %+v", l)
	}
	s.design = func(e *config.Experiment) { e.Variants[1].Faults = &config.Faults{SinkLoses: 0.03} }
	if got := analyse(t, s.input()).Experiment.Faults; len(got) != 1 || got[0] != "with otel the sink throws away 3 % of the spans that it answers for" {
		t.Errorf("%q", got)
	}
	if f := get(t, doc, "json", "otel", "delivered_share"); f.Value != 0.97 || f.Verdict.Kind != finding.None {
		t.Errorf("%+v", f)
	}
}
