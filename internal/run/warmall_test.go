package run_test

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// All operations are made before the first of them is measured; what they made is in
// the account of each, and none of it in a window.
func TestAllAreWarmed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind   record.Kind
		all    time.Duration
		watch  time.Duration
		search run.Searcher
		shared uint64 // operations of each, in all
	}{
		"measured":    {record.Measured, 2 * time.Second, 0, nil, 50},
		"in search":   {record.Pilot, 2 * time.Second, 0, given{goal(config.RateSearch{Goal: config.GoalLossless}), []float64{50}}, 50},
		"watched":     {record.Pilot, 2 * time.Second, 500 * time.Millisecond, nil, 0},
		"not asked":   {record.Measured, 0, 0, nil, 0},
		"calibration": {record.Calibration, 2 * time.Second, 0, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q := request(t, test.kind, "/work")
			q.Spans = map[string]program.Number{"work": {Low: 2, High: 2}, "other": {Low: 2, High: 2}}
			other := q.First
			other.Name = "other"
			l := work
			l.Rate, l.Warmup, l.Duration, l.WarmupAll = 50, 200*time.Millisecond, 400*time.Millisecond, test.all
			q.Load.WarmupAll = test.all
			q.Phases = nil
			for _, o := range []program.Operation{q.First, other, q.First} { // the last is a second level of the first
				q.Phases = append(q.Phases, run.PhaseRequest{Operation: o, Load: l, Watched: test.watch, Search: test.search})
			}
			r, err := conductor.Run(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if r.Failed() {
				t.Fatalf("failed at %s: %s %q", r.Failure.Stage, r.Failure.Message, r.Failure.Log)
			}
			if test.kind == record.Calibration {
				return
			}
			sum := r.Start.Sink.Plus(r.Stop.Sink)
			for i, p := range r.Phases {
				sum = sum.Plus(p.WarmupSink).Plus(p.Sink)
				own := uint64(10) // 200 ms at 50/s
				if test.watch > 0 {
					own = 25
				}
				want := own
				if i < 2 {
					want += test.shared
				}
				if test.search == nil && p.Warmup.Started != want {
					t.Errorf("phase %d, %s: %d operations of warm-up, want %d", i, p.Operation, p.Warmup.Started, want)
				}
				if p.WarmupSink.Spans != 2*p.Warmup.Started {
					t.Errorf("phase %d, %s: %d spans of %d operations of warm-up", i, p.Operation, p.WarmupSink.Spans, p.Warmup.Started)
				}
				if p.Sink.Spans != 2*p.Load.Started {
					t.Errorf("phase %d, %s: %d spans of %d operations in the window", i, p.Operation, p.Sink.Spans, p.Load.Started)
				}
			}
			if sum.Spans != r.Life.Spans {
				t.Errorf("%d spans are accounted for, %d came", sum.Spans, r.Life.Spans)
			}
		})
	}
}
