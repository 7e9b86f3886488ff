// Random sampling: what may have been lost in whole traces, which nobody can see.

package ledger

import (
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// What may be missing is what chance allows at most, less what came; at 100 % and at none it is
// exact, and nothing is between two ends.
func TestWhatChanceMayHide(t *testing.T) {
	rootless := record.Counts{Spans: 120} // ids are not checked, and no root came
	varying := Tracing{Sampling: .1, Spans: map[string]PerOperation{"json": {Low: 2, High: 4, How: Declared}}}
	for _, c := range []struct {
		name      string
		tracing   Tracing
		sink      record.Counts
		admitted  record.Reported
		low, high int64 // of what is unaccounted for
		outcome   string
	}{
		{"a tenth of the traces lost whole", three(.1), ids(2760, 920), record.Reported{}, 0, 540, "traces-complete; traces-kept traces=920 trials=1e+04 sampling=0.1 low=903 high=1100; hidden spans=540 share=0.1636"},
		{"as many as chance allows at most", three(.1), ids(3300, 1100), record.Reported{}, 0, 0, "traces-complete; traces-kept traces=1100 trials=1e+04 sampling=0.1 low=903 high=1100"},
		{"traces with holes", three(.1), ids(2970, 1000), record.Reported{}, 30, 330, "spans-lost share=0.01 unaccounted=30; traces-kept traces=1000 trials=1e+04 sampling=0.1 low=903 high=1100; hidden-in-all spans=330 share=0.1"},
		{"dropped, as the tracer admits", three(.1), ids(2940, 980), record.Reported{Dropped: number(60)}, -60, 300, "spans-lost share=0.02 dropped=60; traces-kept traces=980 trials=1e+04 sampling=0.1 low=903 high=1100; hidden-in-all spans=360 share=0.1091"},
		{"fewer than chance allows", three(.1), ids(2400, 800), record.Reported{}, 309, 900, "spans-lost share=0.1141 unaccounted=309; too-few-traces; traces-kept traces=800 trials=1e+04 sampling=0.1 low=903 high=1100; hidden-in-all spans=900 share=0.2727"},
		{"none", three(.1), ids(0, 0), record.Reported{}, 2709, 3300, "spans-lost share=1 unaccounted=2709; too-few-traces; traces-kept trials=1e+04 sampling=0.1 low=903 high=1100; hidden-in-all spans=3300 share=1"},
		{"none with a root", three(.1), rootless, record.Reported{}, 2589, 3180, "spans-lost share=0.9557 unaccounted=2589; too-few-traces; traces-kept trials=1e+04 sampling=0.1 low=903 high=1100; hidden-in-all spans=3180 share=0.9636"},
		{"none, of a number that may be none", Tracing{Sampling: .1, Spans: map[string]PerOperation{"json": {Low: 0, High: 3, How: Declared}}}, ids(0, 0), record.Reported{}, 0, 3300, "too-few-traces; traces-kept trials=1e+04 sampling=0.1 low=903 high=1100; hidden spans=3300 share=1"},
		{"more than chance allows, with holes", three(.1), ids(3000, 1200), record.Reported{}, 0, 0, "spans-lost share=0.1667 unaccounted=600; traces-kept traces=1200 trials=1e+04 sampling=0.1 low=903 high=1100; too-many-traces"},
		{"a number that varies", varying, ids(3000, 1000), record.Reported{}, -1000, 1400, "traces-kept traces=1000 trials=1e+04 sampling=0.1 low=903 high=1100; hidden spans=1400 share=0.3182"},
		{"every trace", three(1), ids(29999, 10000), record.Reported{}, 0, 0, "spans-lost share=3.333e-05 unaccounted=1"},
		{"no trace", three(0), ids(0, 0), record.Reported{}, 0, 0, "nothing-lost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, _ := find(Account("otel", AppToSink, []string{"json"}, c.tracing, []Run{{Phases: []Stretch{phase("json", 10000, c.sink)}, Reported: c.admitted}}), "json")
			if e := entry(l, Unaccounted); e.Low != c.low || e.High != c.high {
				t.Errorf("between %d and %d, want %d and %d", e.Low, e.High, c.low, c.high)
			}
			if outcomes(l) != c.outcome {
				t.Errorf("%q, want %q", outcomes(l), c.outcome)
			}
			if l.ByChance != (c.tracing.Sampling == .1) {
				t.Errorf("by chance: %t", l.ByChance)
			}
		})
	}
}

// What may have been lost of a number that varies is told of each delivery; what chance may hide
// is not in it.
func TestLostAtMost(t *testing.T) {
	varying := Tracing{Sampling: 1, Spans: map[string]PerOperation{"json": {Low: 2, High: 4, How: Declared}}}
	failing := phase("json", 1000, ids(2940, 980))
	failing.Completed = 975
	sampled := varying
	sampled.Sampling = .1
	for name, c := range map[string]struct {
		tracing Tracing
		run     Run
		want    Delivery
	}{
		"exact":              {three(1), Run{Phases: []Stretch{phase("json", 1000, ids(2900, 1000))}}, Delivery{3000, 2900, 100, 0}},
		"varies":             {varying, Run{Phases: []Stretch{phase("json", 1000, ids(2900, 1000))}}, Delivery{2900, 2900, 1100, 0}},
		"varies, and less":   {varying, Run{Phases: []Stretch{phase("json", 1000, ids(800, 800))}}, Delivery{2000, 800, 3200, 0}},
		"varies, admitted":   {varying, Run{Phases: []Stretch{phase("json", 1000, ids(2500, 1000))}, Reported: record.Reported{Dropped: number(500)}}, Delivery{3000, 2500, 1500, 0}},
		"operations failed":  {three(1), Run{Phases: []Stretch{failing}}, Delivery{2940, 2940, 60, 0}},
		"sampled":            {three(.1), Run{Phases: []Stretch{phase("json", 10000, ids(2760, 920))}}, Delivery{2760, 2760, 0, 0}},
		"sampled, with hole": {three(.1), Run{Phases: []Stretch{phase("json", 10000, ids(2970, 1000))}}, Delivery{3000, 2970, 30, 0}},
		"sampled, varies":    {sampled, Run{Phases: []Stretch{phase("json", 10000, ids(3000, 1000))}}, Delivery{3000, 3000, 1000, 0}},
	} {
		if got := Deliveries(c.tracing, c.run)["json"]; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
