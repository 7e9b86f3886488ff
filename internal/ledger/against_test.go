package ledger

import (
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// Twenty operations of a calibration made three spans each, since each was the first one of its worker. What hundreds show of
// themselves is right then; a loss looks otherwise.
func TestRunsSpeakAgainstTheCalibration(t *testing.T) {
	services := func(s record.Shapes, names map[string]uint64) record.Counts {
		c := traced(s)
		c.Services = names
		return c
	}
	cold := services(op(map[int]int64{3: 20}), map[string]uint64{"shop": 60})
	two := services(op(map[int]int64{3: 20}), map[string]uint64{"shop": 20, "stock": 40})
	some := services(op(map[int]int64{3: 12, 1: 8}), map[string]uint64{"shop": 44})
	for name, c := range map[string]struct {
		calibration, run record.Counts
		lost, most       int64 // for sure, and at most
	}{
		"one span each":                        {cold, services(op(map[int]int64{1: 400}), map[string]uint64{"shop": 400}), 0, 0},
		"and some first ones":                  {cold, services(op(map[int]int64{1: 390, 3: 10}), map[string]uint64{"shop": 420}), 0, 0},
		"the number varied in the calibration": {some, services(op(map[int]int64{1: 400}), map[string]uint64{"shop": 400}), 0, 0},
		"the spans of a service do not come":   {two, services(op(map[int]int64{1: 400}), map[string]uint64{"shop": 400}), 452, 800},
		"whole traces are missing":             {cold, services(op(map[int]int64{1: 300}), map[string]uint64{"shop": 300}), 552, 900},
		"as many of each size":                 {cold, services(op(map[int]int64{1: 200, 3: 200}), map[string]uint64{"shop": 800}), 52, 400},
		"few, and by chance no root":           {cold, services(op(map[int]int64{3: 398, 2: 2}), map[string]uint64{"shop": 1198}), 0, 2},
		"roots do not come":                    {cold, services(record.Shapes{"": {1: 400}}, map[string]uint64{"shop": 400}), 452, 800},
	} {
		t.Run(name, func(t *testing.T) {
			runs := []Run{{Phases: []Stretch{phase("json", 400, c.run)}}}
			tracing := Confirm(Tracing{Sampling: 1, Spans: Learn([]record.Record{calibrated(20, c.calibration)}, 1, false)}, runs)
			l, _ := find(Account("otel", AppToSink, []string{"json"}, tracing, runs), "json")
			missing := entry(l, Unaccounted)
			if missing.Spans != c.lost || max(missing.Spans, missing.High) != c.most || l.Exact {
				t.Errorf("exact %t, %+v, want %d lost, at most %d: %s", l.Exact, missing, c.lost, c.most, outcomes(l))
			}
		})
	}
}

// Spans of a second worker's pool came beside those of the operations: that is no loss, and says of none where the traces of all
// operations are whole.
func TestMoreThanExpectedIsNoLoss(t *testing.T) {
	exact := PerOperation{Low: 3, High: 3, Traces: 1, How: Inferred, Agreed: 20, Roots: map[string]int{"GET /": 3}}
	varies := PerOperation{Low: 1, High: 2, Traces: 1, How: Inferred, Roots: map[string]int{"GET /": 3}}
	pool := func(own map[int]int64, traces int64) record.Counts {
		s := op(own)
		if traces > 0 {
			s[record.NoRoot] = map[int]int64{1: traces}
		}
		return traced(s)
	}
	for name, c := range map[string]struct {
		per     PerOperation
		sink    record.Counts
		surplus int64
		most    int64 // may be lost
		outcome string
	}{
		"all traces are whole":             {exact, pool(map[int]int64{3: 50}, 8), 0, 0, "nothing-lost; beside-whole spans=8"},
		"one is not":                       {exact, pool(map[int]int64{3: 49, 2: 1}, 8), 7, 0, "surplus spans=7"},
		"their number varies, each is one": {varies, pool(map[int]int64{3: 49, 2: 1}, 0), 0, 1, "may-vary spans=1"},
	} {
		runs := []Run{{Phases: []Stretch{phase("json", 50, c.sink)}}}
		tracing := Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": c.per}}
		l, _ := find(Account("otel", AppToSink, []string{"json"}, tracing, runs), "json")
		if l.Exact || l.LostShare > 0 || Surplus(l) != c.surplus || entry(l, Unaccounted).High != c.most || outcomes(l) != c.outcome {
			t.Errorf("%s: exact %t, surplus %d, at most %d lost: %s", name, l.Exact, Surplus(l), entry(l, Unaccounted).High, outcomes(l))
		}
		_, most, _ := LossEnds(l)
		if (c.surplus > 0) != (most == 1) {
			t.Errorf("%s: at most %g is lost", name, most)
		}
	}
}
