// What traces tell of the number of spans, where the workload does not declare it.

package analysis_test

import (
	"testing"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

// learntScene is an experiment in which a calibration of 20 operations saw 3 spans each, beside a
// timer's; seen is what the sink counted of 10,000 operations of otel.
func learntScene(seen func(*record.Counts)) analysis.Input {
	s := twoVariants()
	s.plan = func(p *config.Plan) { p.Spans = map[string]config.Number{} }
	s.change = onlyRuns("otel", func(r *record.Record) { seen(&r.Phases[0].Sink) })
	calibration := counts(record.Shapes{"GET /": {3: 20}, "tick": {1: 7}})
	s.extra = []record.Record{{
		Schema: record.Schema, Kind: record.Calibration, Variant: "otel", Life: calibration,
		Phases: []record.Phase{{Operation: "json", Quiet: true, Load: record.Load{Started: 20, Completed: 20}, Sink: calibration}},
	}}
	return s.input()
}

// counts is what a checking sink counts of such traces.
func counts(shapes record.Shapes) record.Counts {
	c := record.Counts{Checking: true, Shapes: shapes}
	for root := range shapes {
		traces, spans := shapes.Traces(root)
		c.Traces, c.Roots, c.Spans = c.Traces+uint64(traces), c.Roots+uint64(traces), c.Spans+uint64(spans)
	}
	return c
}

func TestCountedAgainstWhatWasLearnt(t *testing.T) {
	for name, c := range map[string]struct {
		seen              func(*record.Counts)
		exact             bool
		lost, most        float64 // shares of the spans
		other             int64   // spans of other work, of 10 runs
		unchecked, warned bool
	}{
		"all came": {
			seen:  func(c *record.Counts) { *c = counts(record.Shapes{"GET /": {3: 10000}}) },
			exact: true,
		},
		"some operations make fewer, which 20 did not show": {
			seen: func(c *record.Counts) { *c = counts(record.Shapes{"GET /": {3: 9600, 1: 400}}) },
			most: 800. / 30000,
		},
		"some make more": {
			seen: func(c *record.Counts) { *c = counts(record.Shapes{"GET /": {3: 9600, 5: 400}}) },
			most: 0.004715, // as rare as they came, a few more may have lost theirs
		},
		"losses that a timer's spans make up for": {
			seen: func(c *record.Counts) {
				*c = counts(record.Shapes{"GET /": {3: 5000, 2: 5000}, "tick": {1: 5000}})
				c.Absent, c.Orphans = 5000, 5000
			},
			exact: true, lost: 5000. / 30000, most: 5000. / 30000, other: 50000, warned: true,
		},
		"ids that nobody looked at": {
			seen:      func(c *record.Counts) { *c = record.Counts{Spans: 30000, Roots: 10000} },
			unchecked: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc := analyse(t, learntScene(c.seen))
			var l finding.Ledger
			for _, one := range doc.Ledgers {
				if one.Operation == "json" && one.Variant == "otel" {
					l = one
				}
			}
			near := func(a, b float64) bool { return a-b < 5e-5 && b-a < 5e-5 }
			if l.Exact != c.exact || !near(l.LostShare, c.lost) || !near(l.LostMost, c.most) || ledger.Spans(l, ledger.Background) != c.other || (l.Unchecked > 0) != c.unchecked {
				t.Errorf("%+v\nwant exact %t, lost %g to %g, %d of other work, unchecked %t", l, c.exact, c.lost, c.most, c.other, c.unchecked)
			}
			if warned(doc, "spans-unaccounted") != c.warned {
				t.Errorf("warned of losses: %t, want %t", !c.warned, c.warned)
			}
		})
	}
}

// A limit on what is lost is kept for sure only where somebody looked at the ids: otherwise duplicates may make up for
// what was lost.
func TestLostBudgetOfUncheckedSpans(t *testing.T) {
	for name, c := range map[string]struct {
		seen func(*record.Counts)
		want finding.Kind
	}{
		"checked":   {func(c *record.Counts) { *c = counts(record.Shapes{"GET /": {3: 10000}}) }, finding.Within},
		"unchecked": {func(c *record.Counts) { *c = record.Counts{Spans: 30000, Roots: 10000} }, finding.CannotTell},
	} {
		in := learntScene(c.seen)
		in.Experiment.Budget = []config.Limit{{Metric: metric.LostShare, Value: 0.01}}
		for _, f := range analyse(t, in).Findings {
			if f.Metric == metric.DeliveredShare && f.Variant == "otel" && f.Verdict.Kind != c.want {
				t.Errorf("%s: %s, %s", name, f.Verdict.Kind, f.Verdict.Text)
			}
		}
	}
}
